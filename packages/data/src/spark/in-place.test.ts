// Which Parquet Spark reads by itself. What it makes of it is compared in test/spark.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseConfig } from "../config/parse.ts";
import { Database } from "../database.ts";
import { openSources } from "../prepare/read.ts";
import { World } from "../testing/world.ts";
import { placesInSpark } from "./in-place.ts";

const table = (columns: Record<string, string> = {}) => {
  const all = { user: "'u'", item: "'i'", rating: "4.5::DOUBLE", time: "TIMESTAMP '2020-01-01'", ...columns };
  return `SELECT ${Object.entries(all).map(([name, value]) => `${value} AS "${name}"`)}`;
};

/** Names of the files that are read where they are. */
async function readInPlace(world: World, files: string | string[]): Promise<string[]> {
  await using database = await Database.open(":memory:", { scratch: "", threads: 1 });
  const config = parseConfig({ interactions: { files } });
  const sources = await openSources(database, config, world.folder);
  return (await placesInSpark(database, { config, sources })).map((path) => path.slice(world.folder.length + 1));
}

test.each([
  ["texts, numbers and times", {}],
  ["whole numbers and decimals as ids", { user: "18446744073709551615::UBIGINT", item: "1.50::DECIMAL(9,2)" }],
  ["a column of lists that is not used", { tags: "['a', 'b']" }],
  ["a column of bytes that is not used", { picture: "'\\xAB'::BLOB" }],
])("%s are read where they are", async (_, columns) => {
  using world = new World();
  await world.parquet("a [1].parquet", table(columns));
  await world.parquet("b.parquet", `SELECT time, rating, item, "user" FROM (${table(columns)})`);
  expect(await readInPlace(world, ["a [1].parquet", "b.parquet"])).toEqual(["a \\[1\\].parquet", "b.parquet"]);
});

test.each([
  ["ids that are floats, which are other texts", { user: "12345678.0::DOUBLE" }],
  ["ids that are lists", { item: "['a', 'b']" }],
  ["ids that are bytes", { user: "encode('u')" }],
  ["nanoseconds, which Spark does not read", { time: "TIMESTAMP_NS '2020-01-01'" }],
  ["a column that Spark does not read, though it is not used", { key: "uuid()" }],
])("%s are staged", async (_, columns) => {
  using world = new World();
  await world.parquet("a.parquet", table(columns));
  expect(await readInPlace(world, "a.parquet")).toEqual([]);
});

test("two columns of one name but for their case are staged", async () => {
  using world = new World();
  const path = await world.parquet("a.parquet", table({ usex: "'other'" }));
  writeFileSync(path, readFileSync(path, "latin1").replaceAll("usex", "USER"), "latin1"); // DuckDB would not write it
  expect(await readInPlace(world, "a.parquet")).toEqual([]);
});

test("files of which the first says what the cells of all are", async () => {
  using world = new World();
  await world.parquet("a.parquet", table({ user: "7" }));
  await world.parquet("b.parquet", table({ user: "'007'" }));
  expect(await readInPlace(world, ["a.parquet", "b.parquet"])).toEqual([]);
});

test.each(["_hidden.parquet", ".hidden.parquet", "10:30.parquet"])("%s, which Hadoop passes over", async (name) => {
  using world = new World();
  await world.parquet(name, table());
  expect(await readInPlace(world, name)).toEqual([]);
});
