import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readParquet } from "@nearkin/data";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openModel } from "../open-model.ts";
import { writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";

let root: string;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-export-"));
  await writeTinyModel(at("tiny"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Pair {
  target_item_id: string;
  item_id: string;
  score: number;
  rank: number;
}

test("neighbours of every item are those of similar, as JSON lines and as Parquet", async () => {
  const args = ["export", "neighbours", at("tiny"), "--k", "6", "--popularity", "0.3", "--weights", "plot=2"];
  const lines = await run(...args, "--out", at("out/n.jsonl"));
  expect({ code: lines.code, out: lines.out }).toEqual({ code: 0, out: `${at("out/n.jsonl")}\n` });
  expect(lines.err).toMatch(/^240 rows, 6 neighbours of 40 items, in [\d.]+ s\nThe ratings .* SIMULATED\.\n$/);
  const pairs = readFileSync(at("out/n.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Pair => JSON.parse(line));
  await using model = await openModel(at("tiny"));
  const expected: Pair[] = [];
  for (const id of model.items.ids.ids) {
    const { items } = await model.similar(id, { k: 6, popularity: 0.3, weights: { plot: 2 } });
    for (const item of items)
      expected.push({ target_item_id: id, item_id: item.id, score: item.score, rank: item.rank });
  }
  expect(pairs).toEqual(expected);

  writeFileSync(at("out/n.parquet"), "an older file");
  expect((await run(...args, "--out", at("out/n.parquet"))).code).toBe(0);
  expect(await readParquet(at("out/n.parquet"))).toEqual(expected);
  expect(readdirSync(at("out")).sort()).toEqual(["n.jsonl", "n.parquet"]);
});

test("neighbors are neighbours too", async () => {
  const { code, out } = await run("export", "neighbors", at("tiny"), "--k", "1", "--out", at("out/american.jsonl"));
  expect({ code, out }).toEqual({ code: 0, out: `${at("out/american.jsonl")}\n` });
});

test("a full disk says which file it was, and leaves nothing", async () => {
  mkdirSync(at("full"));
  symlinkSync("/dev/full", at(`full/n.jsonl.${process.pid}.tmp`)); // what is written before it is renamed
  const { code, err } = await run("export", "neighbours", at("tiny"), "--out", at("full/n.jsonl"));
  expect({ code, err: err.replaceAll(root, "TMP") }).toEqual({
    code: 1,
    err: "BAD_ARGUMENT: --out: TMP/full/n.jsonl cannot be written: ENOSPC: no space left on device, write\n",
  });
  expect(readdirSync(at("full"))).toEqual([]);
  rmSync(at("full"), { recursive: true });
});

test("what cannot be written is refused before anything is computed", async () => {
  mkdirSync(at("out/folder.parquet"));
  writeFileSync(at("out/file"), "");
  const errors = [];
  for (const args of [
    ["neighbours", at("tiny"), "--out", at("n.csv")],
    ["neighbours", at("tiny")],
    ["neighbours", at("nowhere"), "--out", at("out/folder.parquet")],
    ["neighbours", at("tiny"), "--out", at("out/file/n.parquet")],
    ["friends", at("tiny"), "--out", at("n.jsonl")],
    ["neighbours", at("nowhere"), "--out", at("n.jsonl")],
    ["neighbours", at("tiny"), "--out", at("n.jsonl"), "--weights", "colour=1"],
  ]) {
    const { code, err } = await run("export", ...args);
    errors.push(`${code} ${err.split("\n")[0].replaceAll(root, "TMP")}`);
  }
  expect(errors).toMatchInlineSnapshot(`
    [
      "1 BAD_ARGUMENT: --out: expected a file that ends in .parquet or .jsonl, got TMP/n.csv",
      "2 USAGE: required option '--out <file>' not specified",
      "1 BAD_ARGUMENT: --out: TMP/out/folder.parquet is a folder; name a file that is not there yet, or one to replace",
      "1 BAD_ARGUMENT: --out: TMP/out/file/n.parquet cannot be written: EEXIST: file already exists, mkdir 'TMP/out/file'",
      "2 USAGE: unknown command 'friends'",
      "1 BAD_MODEL: TMP/nowhere does not exist; expected a folder that nearkin train wrote",
      "1 BAD_ARGUMENT: weights: there is no channel "colour"; the channels are title, plot, poster, genres, year, released, place, identity",
    ]
  `);
  expect(readdirSync(root).sort()).toEqual(["out", "tiny"]);
});
