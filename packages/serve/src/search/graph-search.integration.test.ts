import { buildQuery, liftedItem, type Query, Random, type Scored } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GraphIndex } from "./graph-index.ts";
import { depthIndex } from "./graph-recall.ts";
import { GraphSearch, type GraphSearchOptions } from "./graph-search.ts";
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

async function openSearch(options: Partial<GraphSearchOptions> = {}): Promise<GraphSearch> {
  const { weights, temperature, exact, rows } = world;
  const search = new GraphSearch({
    index,
    exact,
    weights,
    temperature,
    overfetch: [200, 1000],
    checked: 0,
    ...options,
  });
  await search.calibrate(rows);
  return search;
}

function queryOf(row: number, weights: readonly number[], popularity = 0): Query {
  const { rows, temperature } = world;
  return buildQuery(rows, [liftedItem(rows, row)], { weights, temperature, popularity });
}

const around = (random: Random, sd: number) => world.weights.map((h) => h * Math.exp(sd * random.normal()));

const share = (list: readonly Scored[], exact: readonly Scored[]) => {
  const items = new Set(list.map(({ item }) => item));
  return exact.filter(({ item }) => items.has(item)).length / exact.length;
};

test("users near the base are served by the graph, with the recall that was asked for", async () => {
  const search = await openSearch();
  const random = new Random(11);
  let sum = 0;
  for (let i = 0; i < 80; i++) {
    const query = queryOf(random.below(world.rows.count), around(random, 0.4));
    const outcome = await search.rank(world.rows, query);
    if (outcome.via !== "graph") throw new Error(`by the scan: ${outcome.why}`);
    expect(outcome.recall).toBeGreaterThan(0.95);
    sum += share(outcome.list, await world.exact(query, { k: 10 }));
  }
  expect(sum / 80).toBeGreaterThan(0.98);
  expect(search.stats).toMatchObject({ isReady: true, target: 0.95, overfetch: [200, 1000], lastError: null });
  expect(search.stats.graph.reduce((a, b) => a + b)).toBe(80);
});

test("whoever is far from it gets more candidates or the exact scan: what the graph answers stays good", async () => {
  const search = await openSearch();
  const random = new Random(12);
  let sum = 0;
  let lists = 0;
  for (let i = 0; i < 120; i++) {
    const weights = i % 3 === 0 ? world.weights.map((_, c) => (c === i % 4 ? 1 : 0)) : around(random, 1.5);
    const query = queryOf(random.below(world.rows.count), weights);
    const outcome = await search.rank(world.rows, query);
    if (outcome.via === "exact") expect(outcome.why).toBe("recall");
    else {
      sum += share(outcome.list, await world.exact(query, { k: 10 }));
      lists++;
    }
  }
  const { graph, exact } = search.stats;
  expect(sum / lists).toBeGreaterThan(0.96);
  expect(exact.recall).toBeGreaterThan(20);
  expect(graph[0]).toBeGreaterThan(10);
  expect(graph[1]).toBeGreaterThan(5);
  expect(graph[0] + graph[1] + exact.recall).toBe(120);
});

test("what the graph cannot answer is said", async () => {
  const search = await openSearch();
  const { rows, weights, temperature, exact } = world;
  const ask = (query: Query, options = {}) => search.rank(rows, query, options);
  expect(await ask(queryOf(1, [1, 0.7, 0.4, -0.1]))).toEqual({ via: "exact", why: "negative weights" });
  expect(await ask(queryOf(1, weights), { k: 101 })).toEqual({ via: "exact", why: "long list" });
  const few = rowsWhere(rows.count, (row) => row % 40 === 0);
  expect(await ask(queryOf(1, weights), { allowed: few })).toEqual({ via: "exact", why: "filter" });
  const none = new Uint32Array(few.length);
  expect(await ask(queryOf(1, weights), { allowed: none })).toEqual({ via: "exact", why: "filter" });
  const near = new Set((await exact(queryOf(1, weights), { k: 250 })).map(({ item }) => item));
  expect(await ask(queryOf(1, weights), { exclude: near })).toEqual({ via: "exact", why: "exclusions" });
  expect(search.stats.exact).toEqual({
    "not ready": 0,
    "negative weights": 1,
    "long list": 1,
    recall: 0,
    filter: 2,
    exclusions: 1,
    failed: 0,
  });
  const unready = new GraphSearch({ index, exact, weights, temperature });
  expect(await unready.rank(rows, queryOf(1, weights))).toEqual({ via: "exact", why: "not ready" });
  expect([unready.stats.isReady, unready.forecast(queryOf(1, weights))]).toEqual([false, undefined]);
});

test("a filter that leaves half goes through the graph, and its lists are good", async () => {
  const search = await openSearch();
  const { rows } = world;
  const allowed = rowsWhere(rows.count, (row) => row % 2 === 0);
  const random = new Random(13);
  let sum = 0;
  let lists = 0;
  for (let i = 0; i < 40; i++) {
    const query = queryOf(random.below(rows.count), around(random, 0.3));
    const outcome = await search.rank(rows, query, { allowed });
    if (outcome.via === "exact") continue;
    expect(outcome.list.every(({ item }) => item % 2 === 0)).toBe(true);
    sum += share(outcome.list, await world.exact(query, { k: 10, allowed }));
    lists++;
  }
  expect(lists).toBeGreaterThan(30);
  expect(sum / lists).toBeGreaterThan(0.97);
});

test("answers are compared with the scan, and where they fall short fewer queries go to the graph", async () => {
  const { rows, weights, exact } = world;
  const search = await openSearch({ checked: 1 });
  for (let row = 0; row < 30; row++) {
    await search.rank(rows, queryOf(row, weights));
    await new Promise((resolve) => setImmediate(resolve)); // the comparison, which nobody waits for
  }
  const { checked } = search.stats;
  expect(checked.lists).toBeGreaterThan(20);
  expect(checked.recall).toBeGreaterThan(0.98);
  expect(checked.shortfall).toBeLessThan(0.02);
  for (let i = 0; i < 50; i++) search.observe(0.8, 1);
  expect(search.stats.checked.shortfall).toBeGreaterThan(0.05);
  expect(await search.rank(rows, queryOf(1, weights))).toEqual({ via: "exact", why: "recall" });

  const failing = await openSearch({ checked: 1 });
  const broken = new GraphSearch({
    index,
    weights,
    temperature: world.temperature,
    overfetch: [200],
    checked: 1,
    exact: (query, options) => (options.k === 100 ? exact(query, options) : Promise.reject(new Error("scan stopped"))),
  });
  await broken.calibrate(rows);
  expect((await broken.rank(rows, queryOf(1, weights))).via).toBe("graph");
  await new Promise((resolve) => setImmediate(resolve));
  expect(broken.stats).toMatchObject({ lastError: "scan stopped", checked: { lists: 0, recall: null } });
  expect(failing.stats.lastError).toBeNull();
});

test("recall on demand", async () => {
  const search = await openSearch();
  const { rows } = world;
  const base = await search.measureRecall(rows);
  expect(base).toMatchObject({ lists: 50 });
  expect(base.recall).toBeGreaterThan(0.99);
  const hard = await search.measureRecall(rows, { queries: [1, 2, 3, 4, 5, 6, 7, 8], weights: [0, 0, 0, 1], k: 20 });
  expect(hard.lists).toBe(8);
  expect(hard.recall).toBeLessThan(0.9);
  expect(hard.lowest).toBeLessThanOrEqual(hard.recall);
  const wide = await search.measureRecall(rows, { queries: 20, weights: [0, 0, 0, 1], overfetch: 2990 });
  expect(wide.recall).toBeGreaterThan(0.99);
});

test("new rows are in lists at once, removed ones are not, popular ones among the popular", async () => {
  const { rows, weights, temperature, exact } = world;
  const part = { ...rows, count: 2900, shards: [{ ...rows.shards[0], rows: rows.shards[0].rows.view(0, 2900) }] };
  await using growing = await GraphIndex.open({ rows: part, weights, model: "small", threads: 1 });
  const search = new GraphSearch({
    index: growing,
    exact,
    weights,
    temperature,
    overfetch: [200],
    probes: 20,
    checked: 0,
  });
  await search.calibrate(part);
  const query = buildQuery(rows, [{ ...liftedItem(rows, 2950), index: -1 }], { weights, temperature });
  const firstOf = async () => {
    const outcome = await search.rank(rows, query);
    return outcome.via === "graph" ? outcome.list[0].item : outcome.why;
  };
  const put = search.put(rows, 2950);
  expect(await firstOf()).toBe(2950);
  await put;
  expect(await firstOf()).toBe(2950);
  const removed = search.remove(2950);
  expect(await firstOf()).not.toBe(2950);
  await removed;
  for (let row = 2900; row < 3000; row++) void search.put(rows, row);
  for (let row = 0; row < 1000; row++) void search.put(rows, row); // all at once: too many to look at one by one
  expect(await firstOf()).toBe("not ready");
  await search.put(rows, 2999);
  expect(await firstOf()).toBe(2950);
});

test("half the catalogue is one and the same item: the graph is measured to be no good there, and the scan serves", async () => {
  const copied = await smallWorld();
  const { rows, weights, temperature, exact } = copied;
  const { data, offset, rowStride } = rows.shards[0].rows;
  const p = rows.layout.channelCount;
  for (let row = 1; row < 1500; row++) {
    data.copyWithin(offset + row * rowStride, offset, offset + rowStride);
    rows.masked.copyWithin(row * p, 0, p);
  }
  const tied = await GraphIndex.open({ rows, weights, model: "tied", threads: 1 });
  const search = new GraphSearch({ index: tied, exact, weights, temperature, overfetch: [200], checked: 0 });
  await search.calibrate(rows);
  const ask = (row: number) => buildQuery(rows, [liftedItem(rows, row)], { weights, temperature });
  const measured = await search.measureRecall(rows, { queries: 100 });
  const forecast = search.forecast(ask(1))?.recall[0][depthIndex(10)] ?? 0;
  expect(measured.lowest).toBe(0); // copies link to copies, and some searches never leave them
  expect(Math.abs(measured.recall - forecast)).toBeLessThan(0.1);
  expect(await search.rank(rows, ask(2000))).toEqual({ via: "exact", why: "recall" });
  await tied.close();
  await copied.close();
});

test("a graph whose thread is gone leaves everything to the scan", async () => {
  const { rows, weights, temperature, exact } = world;
  const gone = await GraphIndex.open({ rows, weights, model: "small", threads: 1 });
  const search = new GraphSearch({
    index: gone,
    exact,
    weights,
    temperature,
    overfetch: [200],
    probes: 5,
    checked: 0,
    target: 0.9,
  });
  await search.calibrate(rows);
  const [during] = await Promise.all([search.rank(rows, queryOf(1, weights)), gone.close()]);
  expect(during).toEqual({ via: "exact", why: "failed" });
  expect(search.stats).toMatchObject({ isReady: false, lastError: "graph: it is closed; open a new one" });
  expect(await search.rank(rows, queryOf(1, weights))).toEqual({ via: "exact", why: "not ready" });
});

test("settings that make no sense are refused", () => {
  const { weights, temperature, exact } = world;
  const open = (options: Partial<GraphSearchOptions>) => () =>
    new GraphSearch({ index, exact, weights, temperature, ...options });
  expect(open({ target: 1.2 })).toThrow("target must be in (0, 1] and checked in [0, 1], got 1.2 and 0.005");
  expect(open({ checked: -1 })).toThrow("got 0.95 and -1");
  expect(open({ overfetch: [] })).toThrow("overfetch must be whole numbers of at least 100, rising");
  expect(open({ overfetch: [500, 400] })).toThrow("got 500, 400");
  expect(open({ probes: 0 })).toThrow("probes must be a whole number of at least 1, got 0");
});
