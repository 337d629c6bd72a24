import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

test("what cannot be written is refused before anything is computed", async () => {
  const errors = [];
  for (const args of [
    ["neighbours", at("tiny"), "--out", at("n.csv")],
    ["neighbours", at("tiny")],
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
      "2 USAGE: command-argument value 'friends' is invalid for argument 'what'. Allowed choices are neighbours.",
      "1 BAD_MODEL: TMP/nowhere does not exist; expected a folder that nearkin train wrote",
      "1 BAD_ARGUMENT: weights: there is no channel "colour"; the channels are title, plot, poster, genres, year, released, place, identity",
    ]
  `);
  expect(readdirSync(root).sort()).toEqual(["out", "tiny"]);
});
