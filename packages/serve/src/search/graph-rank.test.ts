import { buildQuery, liftedItem, type Query, Random } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasRow } from "./graph-bitmap.ts";
import { GraphIndex } from "./graph-index.ts";
import { PopularRows } from "./graph-popular.ts";
import { type GraphRankOptions, graphRank } from "./graph-rank.ts";
import { rowsWhere, type SmallWorld, smallWorld } from "./testing/small-world.ts";

let world: SmallWorld;
let index: GraphIndex;
beforeAll(async () => {
  world = await smallWorld();
  const { rows, weights } = world;
  index = await GraphIndex.open({ rows, weights, model: "small", threads: 1 });
  await index.ready;
});
afterAll(async () => {
  await index.close();
  await world.close();
});

/** Someone's query: weights around the base's. */
function someQuery(random: Random, popularity = 0): Query {
  const { rows, weights, temperature } = world;
  const own = weights.map((h) => h * Math.exp(0.4 * random.normal()));
  return buildQuery(rows, [liftedItem(rows, random.below(rows.count))], { weights: own, temperature, popularity });
}

async function listOf(query: Query, options: GraphRankOptions = {}) {
  const answer = await graphRank(index, world.rows, { query, options: { overfetch: 300, ...options } });
  if (answer.list === null) throw new Error(`no list: ${answer.why}`);
  return answer;
}

/** Mean recall of 60 queries. */
async function recallOf(options: GraphRankOptions & { popularity?: number } = {}): Promise<number> {
  const { popularity, ...rest } = options;
  const { k = 10, exclude, allowed } = rest;
  const random = new Random(3);
  let hits = 0;
  for (let i = 0; i < 60; i++) {
    const query = someQuery(random, popularity);
    const { list } = await listOf(query, rest);
    const exact = await world.exact(query, { k, ...(exclude && { exclude }), ...(allowed && { allowed }) });
    const found = new Map(list.map(({ item, score }) => [item, score]));
    for (const { item, score } of exact) {
      if (!found.has(item)) continue;
      hits++;
      expect(found.get(item)).toBe(score); // the same bits: both are computed in f64 from the same columns
    }
    expect(list.map(({ score }) => score)).toEqual(list.map(({ score }) => score).sort((a, b) => b - a));
    expect(list.map(({ item }) => item)).not.toContain(query.items[0].index);
  }
  return hits / 60 / k;
}

describe("against the exact scan", () => {
  test("weights of users around the base's", async () => {
    expect(await recallOf()).toBeGreaterThan(0.99);
    expect(await recallOf({ k: 30 })).toBeGreaterThan(0.985);
  });

  test("more candidates find more where weights are far from the base's", async () => {
    const { rows, temperature } = world;
    const hits = { 100: 0, 1000: 0 };
    for (let row = 0; row < 600; row += 10) {
      const query = buildQuery(rows, [liftedItem(rows, row)], { weights: [0, 0, 0, 1], temperature });
      const exact = new Set((await world.exact(query, { k: 10 })).map(({ item }) => item));
      for (const overfetch of [100, 1000] as const) {
        const { list } = await listOf(query, { overfetch });
        hits[overfetch] += list.filter(({ item }) => exact.has(item)).length;
      }
    }
    expect(hits[100]).toBeLessThan(500);
    expect(hits[1000]).toBeGreaterThan(hits[100] + 30);
  });

  test("popularity: the most popular rows are looked at besides", async () => {
    const popular = new PopularRows(world.rows, 100);
    const [alone, together] = [await recallOf({ popularity: 1.5 }), await recallOf({ popularity: 1.5, popular })];
    expect(together).toBeGreaterThan(0.97);
    expect(together).toBeGreaterThan(alone + 0.1);
    expect(await recallOf({ popularity: -0.1, popular })).toBeGreaterThan(0.98);
  });

  test("a filter and exclusions", async () => {
    const allowed = rowsWhere(world.rows.count, (row) => row % 3 !== 0);
    const exclude = new Set(Array.from({ length: 300 }, (_, i) => i * 10));
    expect(await recallOf({ allowed })).toBeGreaterThan(0.985);
    expect(await recallOf({ exclude })).toBeGreaterThan(0.985);
    expect(await recallOf({ allowed, exclude })).toBeGreaterThan(0.985);
    const { list } = await listOf(someQuery(new Random(5)), { allowed, exclude });
    expect(list.every(({ item }) => hasRow(allowed, item) && !exclude.has(item))).toBe(true);
  });
});

test("a filter that leaves too few says so: before the search by its count, after it by what was found", async () => {
  const query = someQuery(new Random(6));
  const { rows } = world;
  const few = rowsWhere(rows.count, (row) => row % 200 === 0);
  const ask = (options: GraphRankOptions) => graphRank(index, rows, { query, options: { overfetch: 300, ...options } });
  expect(await ask({ allowed: few })).toEqual({ list: null, why: "filter" });
  // half of all rows, but none of those near this query
  const nearest = new Set((await listOf(query, { k: 300 })).list.map(({ item }) => item));
  const farOnly = rowsWhere(rows.count, (row) => !nearest.has(row) && row % 2 === 0);
  expect(await ask({ allowed: farOnly })).toEqual({ list: null, why: "filter" });
  expect(await ask({ exclude: nearest })).toEqual({ list: null, why: "exclusions" });
  // the count is believed
  expect(await ask({ allowed: few, allowedCount: 3000 })).toEqual({ list: null, why: "filter" });
  expect(await ask({ allowed: rowsWhere(rows.count, () => true), allowedCount: 3 })).toEqual({
    list: null,
    why: "filter",
  });
});

test("depth says how far down an unfiltered list the last entry would stand", async () => {
  const query = someQuery(new Random(7));
  expect((await listOf(query)).depth).toBe(10);
  const half = rowsWhere(world.rows.count, (row) => row % 2 === 0);
  const { depth } = await listOf(query, { allowed: half });
  expect(depth).toBeGreaterThan(15);
  expect(depth).toBeLessThan(28);
});

test("rows on their way in are in lists at once, rows on their way out no more", async () => {
  const { rows, weights, temperature } = world;
  const part = { ...rows, count: 2900, shards: [{ ...rows.shards[0], rows: rows.shards[0].rows.view(0, 2900) }] };
  await using growing = await GraphIndex.open({ rows: part, weights, model: "small", threads: 1 });
  await growing.ready;
  const query = buildQuery(rows, [{ ...liftedItem(rows, 2950), index: -1 }], { weights, temperature });
  const first = async (catalogue = rows) =>
    (await graphRank(growing, catalogue, { query, options: { overfetch: 100 } })).list?.[0].item;
  const put = growing.put(rows, 2950);
  expect(growing.pendingCount).toBe(1);
  expect(await first()).toBe(2950);
  expect(await first(part)).not.toBe(2950); // a catalogue that does not have it yet
  await put;
  expect(growing.pendingCount).toBe(0);
  expect(await first()).toBe(2950);
  const removed = growing.remove(2950);
  expect(await first()).not.toBe(2950);
  await removed;
  expect(await first()).not.toBe(2950);
});

test("what cannot be asked is refused", async () => {
  const query = someQuery(new Random(8));
  await expect(listOf(query, { k: 301 })).rejects.toThrow("k must be a whole number from 1 to 300, got 301");
  await expect(listOf(query, { allowed: new Uint32Array(3) })).rejects.toThrow(
    "3000 rows take 94 words of bits, got 3",
  );
});

test("the most popular rows, kept up to date", () => {
  const { rows } = world;
  const logOf = (row: number) => rows.shards[0].rows.get(row, rows.layout.width - 1);
  const sorted = Array.from({ length: rows.count }, (_, row) => row).sort((a, b) => logOf(b) - logOf(a) || a - b);
  const popular = new PopularRows(rows, 20);
  const list = () => popular.rows.map(({ row }) => row);
  expect(list()).toEqual(sorted.slice(0, 20));
  popular.remove(sorted[3]);
  popular.put(rows, sorted[19]);
  popular.put(rows, sorted[2000]);
  expect(list()).toEqual([...sorted.slice(0, 3), ...sorted.slice(4, 20), sorted[2000]]);
  popular.put(rows, sorted[3]);
  expect(list()).toEqual(sorted.slice(0, 20));
});
