import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type Engine, type ModelParts } from "@nearkin/core";
import { tinyModel } from "@nearkin/core/testing";
import type { Dataset } from "@nearkin/data";
import { presets, type TrainConfig } from "@nearkin/train";
import trainPackage from "@nearkin/train/package.json" with { type: "json" };
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkFree, finishedSplit } from "./refit.ts";
import { writeModelFolder } from "./testing/model-folder.ts";

let root: string;
let engine: Engine;
let parts: ModelParts;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-refit-"));
  engine = await createEngine({ engine: "plain" });
  parts = {
    ...tinyModel(engine),
    config: presets.fast,
    engine: { kind: "plain", reproducible: true },
    tools: { "@nearkin/train": trainPackage.version },
    notes: { selection: null, from: null },
  };
});
afterAll(async () => {
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});

describe("finishedSplit", () => {
  const used = async (change: Partial<ModelParts>, config: TrainConfig = presets.fast, from?: ModelParts) => {
    const folder = join(root, "split");
    rmSync(folder, { recursive: true, force: true });
    await writeModelFolder(folder, { ...parts, ...change });
    const dataset = { manifest: { id: parts.dataset.id } } as Dataset;
    return (await finishedSplit(folder, dataset, { config, engine, ...(from ? { from } : {}) })) !== undefined;
  };

  test("is what would be trained now", async () => {
    expect(await used({})).toBe(true);
    expect(await used({ notes: { selection: null, from: "abc" } }, presets.fast, { ...parts, id: "abc" })).toBe(true);
  });

  test("and nothing else: another dataset, configuration, start, version or engine", async () => {
    expect(await used({ dataset: { ...parts.dataset, id: "other" } })).toBe(false);
    expect(await used({}, presets.default)).toBe(false);
    expect(await used({}, presets.fast, { ...parts, id: "abc" })).toBe(false);
    expect(await used({ notes: { selection: null, from: "abc" } })).toBe(false);
    expect(await used({ tools: { "@nearkin/train": "0.0.1" } })).toBe(false);
    expect(await used({ engine: { kind: "wasm", reproducible: true } })).toBe(false);
    expect(await used({ engine: { kind: "plain", reproducible: false, library: "OpenBLAS, 2 threads" } })).toBe(false);
  });
});

test("checkFree: what train would refuse", async () => {
  const at = (name: string) => join(root, name);
  mkdirSync(at("empty"));
  await writeModelFolder(at("model"), parts);
  await writeModelFolder(at("killed.replaced"), parts);
  mkdirSync(at("letters"));
  writeFileSync(at("letters/dear.txt"), "");
  checkFree(at("empty"), false);
  checkFree(at("none"), false);
  for (const name of ["model", "killed"]) {
    checkFree(at(name), true);
    expect(() => checkFree(at(name), false)).toThrow(
      `${at(name)} is there; choose another folder with --out, or replace it with --force`,
    );
  }
  expect(() => checkFree(at("letters"), true)).toThrow("is there and is no model; choose another folder with --out");
  expect(() => checkFree(at("letters/dear.txt"), true)).toThrow("is there and is no model");
});
