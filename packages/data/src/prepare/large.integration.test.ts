// A file that is read in many pieces at once: the number of a row must still be its place in the file, for data without times and for the
// lines of rejects, and no byte may depend on the number of threads.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Database, quote } from "../database.ts";
import type { Manifest } from "../manifest.ts";
import { World } from "../testing/world.ts";

const rows = 600_000;
/** Lines of rows that are no use, counted from 1 with the header. */
const bad = new Map([
  [7, "u,v,bad"],
  [1_000, "too few"],
  [250_001, "u,v,bad"],
  [250_002, "one,cell,too,many"],
  [399_999, "u,v,"],
  [rows + 1, ",v,3"],
]);

let world: World;
let manifest: Manifest;

beforeAll(async () => {
  world = new World();
  // 40,009 users with 15 items each, scattered over the file; the item's id says in which row.
  const lines = Array.from(
    { length: rows },
    (_, k) => bad.get(k + 2) ?? `u${(k * 7919) % 40_009},i${k},${1 + (k % 9) / 2}`,
  );
  world.write("ratings.csv", `user,item,rating\n${lines.join("\n")}\n`);
  manifest = await run("one", 2);
});
afterAll(() => world[Symbol.dispose]());

const run = (folder: string, threads: number) =>
  world.prepare({ split: { by: "none" }, pairs: { window: 1 } }, { out: `${folder}/out`, threads, memory: 2 ** 30 });

test("the row number follows the order of the file", async () => {
  expect(manifest.counts).toMatchObject({ interactionRows: rows, rejectedInteractionRows: bad.size, duplicates: 0 });
  await using database = await Database.open(":memory:", { threads: 2, scratch: "" });
  const file = (name: string) => `read_parquet(${quote(world.path("one/out", name))})`;
  // Item i<k> stands in row k; rows that the reader threw away have no number, so later ones count down by them.
  const { wrong, all } = await database.row<{ wrong: number; all: number }>(
    `SELECT COUNT(*) AS all, COUNT(CASE WHEN row - damaged <> time THEN 1 END) AS wrong FROM (
       SELECT time, CAST(SUBSTR(item_id, 2) AS BIGINT) AS row,
         CASE WHEN row > 250000 THEN 2 WHEN row > 998 THEN 1 ELSE 0 END AS damaged
       FROM ${file("train/interactions.parquet")} AS events
       JOIN ${file("items.parquet")} AS items ON items.item_index = events.item_index
     )`,
  );
  expect({ wrong, all }).toEqual({ wrong: 0, all: rows - bad.size });
});

test("rejects stand on their lines", async () => {
  expect(await world.rejects("one/out")).toMatchInlineSnapshot(`
    [
      "ratings.csv:7 rating: rating is not a number "bad" (row)",
      "ratings.csv:1000 item: too few cells in this row "too few" (row)",
      "ratings.csv:250001 rating: rating is not a number "bad" (row)",
      "ratings.csv:250002 -: too many cells in this row "one,cell,too,many" (row)",
      "ratings.csv:399999 rating: empty rating (row)",
      "ratings.csv:600001 user: empty user id (row)",
    ]
  `);
});

test("one thread makes the same bytes as two", async () => {
  await run("two", 1);
  expect(world.hashes("two/out")).toEqual(world.hashes("one/out"));
});
