// Baselines at their best, on the built-in sample: settings are those that rank validation queries best, they are kept, and what was kept is used.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type Engine } from "@nearkin/core";
import { type Dataset, openDataset, parseConfig, prepare, resolveSource } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { itemKnn } from "./baselines/neighbors.ts";
import { openSplit } from "./split.ts";
import { tunedBaselines } from "./tune.ts";

let root: string;
let engine: Engine;
const datasets = new Map<string, Dataset>();

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-tune-"));
  engine = await createEngine({ engine: "wasm", workers: 1 });
  using source = await resolveSource("marquee");
  const { channels, ...rest } = source.config as { channels: Record<string, object> };
  for (const by of ["random", "users"]) {
    const config = parseConfig({
      ...rest,
      channels: { genres: channels.genres },
      split: { by },
      factors: { count: 0 },
    });
    await prepare(config, { out: join(root, by), folder: source.folder, threads: 1 });
    datasets.set(by, await openDataset(join(root, by)));
  }
});
afterAll(async () => {
  await engine?.close();
  rmSync(root, { recursive: true, force: true });
});

/** The settings that were chosen by name, and how many were tried. */
async function tune(by: string, options: { cache?: string; validation?: null } = {}) {
  const dataset = datasets.get(by) as Dataset;
  using scope = engine.scope();
  const tried: string[] = [];
  const tuned = await tunedBaselines(engine, await openSplit(dataset), {
    validation: await openSplit(dataset, "validation"),
    scope,
    seed: 1,
    onFamily: (name) => tried.push(name),
    ...options,
  });
  return {
    settings: Object.fromEntries(tuned.map(({ recommender, settings }) => [recommender.name, settings])),
    tried,
  };
}

describe("tuned baselines", () => {
  test("of known items have the settings that rank validation queries best", async () => {
    const { settings } = await tune("users");
    expect(Object.keys(settings)).toEqual([
      "recent popularity",
      "behavior factors",
      "behavior factors, with history",
      "item-kNN",
      "RP3β",
      "BM25",
      "iALS",
      "EASE",
    ]);
    const validation = await openSplit(datasets.get("users") as Dataset, "validation");
    const score = (shrinkage: number, userLengthExponent: number) =>
      validation.score(itemKnn(validation.training, { ids: validation.ids, shrinkage, userLengthExponent }));
    const [, shrinkage, userLengthExponent] =
      /^shrinkage (\S+), userLengthExponent (\S+)$/.exec(settings["item-kNN"]) ?? [];
    const chosen = score(Number(shrinkage), Number(userLengthExponent));
    for (const s of [0, 10, 1000]) expect(chosen).toBeGreaterThanOrEqual(score(s, 0));
  });

  test("of new items are those that can answer them", async () => {
    const { settings } = await tune("random");
    expect(Object.keys(settings)).toEqual(["recent popularity", "behavior factors", "content to iALS factors"]);
  });

  test("are chosen once for a dataset; what is kept and cannot be used is chosen anew", async () => {
    const cache = join(root, "cache");
    const first = await tune("random", { cache });
    expect(first.tried).toEqual(["recent popularity", "behavior factors", "content to iALS factors"]);
    expect(await tune("random", { cache })).toEqual({ ...first, tried: [] });
    const [name] = readdirSync(join(cache, "baselines"));
    const path = join(cache, "baselines", name);
    const kept = JSON.parse(readFileSync(path, "utf8"));
    const [popular, behavior] = Object.keys(kept);
    writeFileSync(path, JSON.stringify({ ...kept, [popular]: { halfLife: 1e9 }, [behavior]: "x" }));
    expect(await tune("random", { cache })).toEqual({ ...first, tried: first.tried.slice(0, 2) });
    writeFileSync(path, "{");
    expect(await tune("random", { cache })).toEqual(first);
  });

  test("without validation queries have their defaults, and say so", async () => {
    mkdirSync(join(root, "unused"));
    const { settings } = await tune("users", { validation: null, cache: join(root, "unused") });
    expect(settings["item-kNN"]).toBe("shrinkage 100, userLengthExponent 0.5 (by default)");
    expect(readdirSync(join(root, "unused"))).toEqual([]);
  });
});
