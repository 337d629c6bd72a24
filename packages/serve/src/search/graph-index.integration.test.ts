import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildQuery, liftedItem, type NearkinError, rankExactly } from "@nearkin/core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { removeGraphs } from "./graph-file.ts";
import { GraphIndex } from "./graph-index.ts";
import type { GraphIndexOptions } from "./graph-plan.ts";
import { type SmallWorld, smallWorld } from "./testing/small-world.ts";

let world: SmallWorld;
let folder: string;
beforeAll(async () => {
  world = await smallWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "graph-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function openGraph(options: Partial<GraphIndexOptions> = {}): Promise<GraphIndex> {
  const { rows, weights } = world;
  const index = await GraphIndex.open({ rows, weights, model: "small", threads: 1, ...options });
  await index.ready;
  return index;
}

const near = (index: GraphIndex, row: number, count = 100) =>
  index.search(index.vector([liftedItem(world.rows, row)], world.rows.layout), count);

/** The share of the exact list under the base metric, of any item, that the graph finds. */
async function baseRecall(index: GraphIndex, items: readonly number[]): Promise<number> {
  const { rows, weights, temperature } = world;
  let hits = 0;
  for (const item of items) {
    const found = new Set(await near(index, item, 101));
    const query = buildQuery(rows, [liftedItem(rows, item)], { weights, temperature });
    for (const scored of rankExactly(rows, query, { k: 100 })) if (found.has(scored.item)) hits++;
  }
  return hits / items.length / 100;
}

const every = (step: number) => Array.from({ length: Math.floor(world.rows.count / step) }, (_, i) => i * step);

test("finds what is near under the base metric, stand-ins at their own distance", async () => {
  await using index = await openGraph();
  expect(await baseRecall(index, every(60))).toBeGreaterThan(0.985);
  const { masked, layout } = world.rows;
  const p = layout.channelCount;
  const withStandIn = every(1).filter((row) => masked.subarray(row * p, (row + 1) * p).includes(1));
  expect(withStandIn.length).toBeGreaterThan(100);
  expect(await baseRecall(index, withStandIn.slice(0, 50))).toBeGreaterThan(0.985);
  expect(index.info).toMatchObject({ state: "ready", rows: 3000, from: "rows", fileBytes: null, scalar: "f16" });
});

test("the order is the base metric's: a list of the graph is sorted by t", async () => {
  await using index = await openGraph({ scalar: "f32" });
  const { rows, weights } = world;
  const query = buildQuery(rows, [liftedItem(rows, 7)], { weights, temperature: 1 });
  const exact = new Map(rankExactly(rows, query, { k: rows.count }).map(({ item, score }) => [item, -score]));
  const found = [...(await near(index, 7, 500))].filter((row) => row !== 7);
  const distances = found.map((row) => exact.get(row) as number);
  for (let i = 1; i < distances.length; i++) expect(distances[i]).toBeGreaterThan(distances[i - 1] - 1e-5);
});

test("several queries at once get the answers they get alone, whatever they ask for", async () => {
  await using index = await openGraph();
  const asked = every(100).map((row, i) => ({ row, count: i % 3 === 0 ? 5 : 20 }));
  const together = await Promise.all(asked.map(({ row, count }) => near(index, row, count)));
  for (const [i, { row, count }] of asked.entries()) {
    expect(together[i]).toHaveLength(count);
    expect([...together[i]]).toEqual([...(await near(index, row, count))]);
  }
});

test("several items are searched for at their mean", async () => {
  await using index = await openGraph();
  const { rows, weights, temperature } = world;
  const items = [3, 900, 2100].map((row) => liftedItem(rows, row));
  const found = new Set(await index.search(index.vector(items, rows.layout), 103));
  const exact = rankExactly(rows, buildQuery(rows, items, { weights, temperature }), { k: 100 });
  expect(exact.filter(({ item }) => found.has(item)).length).toBeGreaterThan(95);
});

test("rows put later are found, replaced ones where they are now, removed ones nowhere", async () => {
  const { rows } = world;
  const part = { ...rows, count: 2900, shards: [{ ...rows.shards[0], rows: rows.shards[0].rows.view(0, 2900) }] };
  await using index = await openGraph({ rows: part });
  expect([...(await near(index, 2950, 10))]).not.toContain(2950);
  await Promise.all([2950, 2951].map((row) => index.put(rows, row)));
  expect((await near(index, 2950, 10))[0]).toBe(2950);
  expect(index.info.rows).toBe(2902);

  // row 5 takes the place of row 2951
  const moved = rows.shards[0].rows.view(2951 - 5, rows.count);
  await index.put({ ...rows, shards: [{ ...rows.shards[0], rows: moved }] }, 5);
  expect([...(await near(index, 2951, 2))].sort((a, b) => a - b)).toEqual([5, 2951]);
  expect([...(await near(index, 5, 1))]).not.toContain(5);

  await index.remove(2951);
  await index.remove(2951); // twice is once
  expect([...(await near(index, 2951, 100))]).not.toContain(2951);
  expect(index.info.rows).toBe(2901);
  await index.put(rows, 2951);
  expect([...(await near(index, 2951, 2))]).toContain(2951);
});

test("what is put or removed while the graph is being built waits for it", async () => {
  const { rows, weights } = world;
  const part = { ...rows, count: 2900, shards: [{ ...rows.shards[0], rows: rows.shards[0].rows.view(0, 2900) }] };
  await using index = await GraphIndex.open({ rows: part, weights, model: "small", threads: 1 });
  const done = Promise.all([index.put(rows, 2999), index.remove(17)]);
  const pending: number[] = [];
  index.eachPending((row) => pending.push(row));
  expect([pending, index.pendingCount, index.isLeaving(17), index.isLeaving(18)]).toEqual([[2999], 2, true, false]);
  await expect(near(index, 0)).rejects.toThrowErrorMatchingInlineSnapshot(
    "[NearkinError: graph: it is still being built; use the exact scan until it is ready]",
  );
  expect(index.info).toMatchObject({ state: "building", from: null, seconds: null });
  await done;
  expect((await near(index, 2999, 1))[0]).toBe(2999);
  expect([...(await near(index, 17))]).not.toContain(17);
  expect([index.pendingCount, index.info.rows]).toEqual([0, 2900]);
});

test("a graph that was kept answers as it did, and nothing half-written stays", async () => {
  const progress: number[] = [];
  const built = await openGraph({ folder, onProgress: (done) => progress.push(done) });
  expect(progress).toEqual([1024, 2048, 3000]);
  const answers = await Promise.all(every(150).map((row) => near(built, row)));
  const files = await readdir(folder);
  expect(files).toHaveLength(2);
  expect(files.some((name) => name.endsWith(".tmp"))).toBe(false);
  const graph = join(folder, files.find((name) => name.endsWith(".usearch")) as string);
  expect(built.info.fileBytes).toBe((await stat(graph)).size);
  await built.close();

  const warnings: string[] = [];
  await using read = await openGraph({ folder, onWarning: ({ message }) => warnings.push(message) });
  expect(read.info).toMatchObject({ from: "file", rows: 3000, fileBytes: built.info.fileBytes });
  expect(await Promise.all(every(150).map((row) => near(read, row)))).toEqual(answers);
  expect(warnings).toEqual([]);
  await read.put(world.rows, 5);
  await read.remove(6);
  expect([...(await near(read, 6))]).not.toContain(6);
});

const damages: [string, (paths: { graph: string; card: string }) => Promise<void>, RegExp][] = [
  ["cut short", async ({ graph }) => truncate(graph, (await stat(graph)).size / 2), /cut short or damaged/],
  ["with one byte changed", async ({ graph }) => flip(graph), /cut short or damaged/],
  ["that is gone", async ({ graph }) => rm(graph), /ENOENT/],
  ["whose card is damaged", async ({ card }) => writeFile(card, '{"format": 1'), /its card is damaged/],
  ["whose card is of another version", async ({ card }) => edit(card, '"format": 1', '"format": 0'), /another version/],
];

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length >> 1] ^= 1;
  await writeFile(path, bytes);
}

async function edit(path: string, from: string, to: string): Promise<void> {
  await writeFile(path, (await readFile(path, "utf8")).replace(from, to));
}

for (const [name, damage, reason] of damages) {
  test(`a file ${name} is not trusted: the graph is built anew, and kept`, async () => {
    await (await openGraph({ folder })).close();
    const names = await readdir(folder);
    const path = (end: string) => join(folder, names.find((file) => file.endsWith(end)) as string);
    await damage({ graph: path(".usearch"), card: path(".json") });
    const warnings: NearkinError[] = [];
    await using again = await openGraph({ folder, onWarning: (warning) => warnings.push(warning) });
    expect(again.info.from).toBe("rows");
    expect(warnings.map(({ code }) => code)).toEqual(["BAD_FILE"]);
    expect(warnings[0].message).toMatch(reason);
    expect(await baseRecall(again, every(300))).toBeGreaterThan(0.985);
    await using third = await openGraph({ folder });
    expect(third.info.from).toBe("file");
  });
}

test("a graph of other rows, weights or of another model is not taken", async () => {
  await (await openGraph({ folder })).close();
  const [row] = [world.rows.shards[0].rows.view(9, 10, 0, 1)];
  const before = row.get(0, 0);
  const warnings: string[] = [];
  row.set(0, 0, before + 0.25);
  const changed = await openGraph({ folder, onWarning: ({ message }) => warnings.push(message) });
  row.set(0, 0, before);
  expect([changed.info.from, warnings.length]).toEqual(["rows", 1]);
  expect(warnings[0]).toContain("the model's rows are others now");
  await changed.close();
  for (const other of [{ weights: [1, 0.7, 0.4, 0.3] }, { model: "other" }, { connectivity: 12 }]) {
    await using index = await openGraph({ folder, ...other });
    expect(index.info.from).toBe("rows");
  }
  await writeFile(join(folder, `${"0".repeat(24)}.usearch.tmp`), "half");
  await writeFile(join(folder, "notes.txt"), "not a graph");
  expect(await removeGraphs(folder, { keep: new Set(["other"]) })).toHaveLength(7); // three graphs with their cards, and the half
  expect(await readdir(folder)).toHaveLength(3);
  await using other = await openGraph({ folder, model: "other" });
  expect(other.info.from).toBe("file");
});

test("a graph that cannot be kept serves all the same", async () => {
  const blocked = join(folder, "file");
  await writeFile(blocked, "");
  const warnings: string[] = [];
  await using index = await openGraph({
    folder: join(blocked, "x"),
    onWarning: ({ message }) => warnings.push(message),
  });
  expect(warnings.join()).toMatch(/could not be kept/);
  expect(index.info).toMatchObject({ state: "ready", fileBytes: null });
  expect(await near(index, 1, 3)).toHaveLength(3);
});

test("without usearch there is no graph, and the message says what to install", async () => {
  const missing = openGraph({
    resolveUsearch: () => {
      throw new Error("Cannot find module 'usearch'\nRequire stack: -");
    },
  });
  await expect(missing).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" });
  await expect(missing).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: graph: usearch is not installed (Cannot find module 'usearch'); run npm install usearch@2.25.3, or serve by the exact scan alone, which needs nothing]`,
  );
  const path = join(folder, "broken.cjs");
  await writeFile(path, 'throw new Error("No native build was found")');
  const broken = openGraph({ resolveUsearch: () => path });
  await expect(broken).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" });
  await expect(broken).rejects.toThrow("graph: usearch does not load (No native build was found); run npm install");
});

/** usearch, but the thread ends when 666 rows are asked for, and the index breaks at 667. */
async function fragileUsearch(): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "fragile.cjs");
  const real = JSON.stringify(createRequire(import.meta.url).resolve("usearch"));
  const text = `const real = require(${real});
  class Index extends real.Index {
    search(vectors, count, threads) {
      if (count === 666) process.exit(3);
      if (count === 667) throw new Error("Out of memory!");
      return super.search(vectors, count, threads);
    }
  }
  module.exports = { ...real, Index };`;
  await writeFile(path, text);
  return path;
}

test("a thread that dies refuses what waits for it and all that comes after", async () => {
  const path = await fragileUsearch();
  await using index = await openGraph({ resolveUsearch: () => path });
  await expect(near(index, 1, 667)).rejects.toMatchObject({
    code: "WORKER_FAILED",
    message: 'graph: usearch says "Out of memory!"',
  });
  expect(await near(index, 1, 5)).toHaveLength(5); // that was a call, not the thread
  const waiting = [near(index, 1, 666), near(index, 2, 5), index.put(world.rows, 4)];
  for (const call of waiting) {
    await expect(call).rejects.toMatchObject({
      code: "WORKER_FAILED",
      message: "graph: its thread stopped (exit code 3); open the graph anew",
    });
  }
  expect([index.isReady, index.info.state]).toEqual([false, "closed"]);
  await expect(near(index, 1, 5)).rejects.toMatchObject({ code: "WORKER_FAILED" });
});

test("closing while searching refuses what waits; closing while building ends it", async () => {
  const index = await openGraph();
  const waiting = every(50).map((row) => near(index, row, 500));
  const settled = Promise.allSettled(waiting);
  await index.close();
  await index.close(); // twice is once
  const outcomes = await settled;
  expect(outcomes.at(-1)).toMatchObject({ status: "rejected", reason: { code: "ENGINE_CLOSED" } });
  await expect(near(index, 1)).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
  await expect(index.put(world.rows, 1)).rejects.toMatchObject({ code: "ENGINE_CLOSED" });

  const { rows, weights } = world;
  const building = await GraphIndex.open({ rows, weights, model: "small", folder, threads: 1 });
  await building.close();
  await expect(building.ready).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
  expect(await readdir(folder)).toEqual([]);
});

test("what is no graph is refused", async () => {
  const { rows } = world;
  await expect(openGraph({ weights: [1, 1, -0.5, 1] })).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: graph: takes 4 weights of at least 0, not all 0, got 1, 1, -0.5, 1; a metric with negative ones is no distance, and only the exact scan serves it]`,
  );
  await expect(openGraph({ weights: [0, 0, 0, 0] })).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
  await expect(openGraph({ weights: [1, 1] })).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
  await expect(openGraph({ connectivity: 0 })).rejects.toThrow("connectivity must be a whole number from 1 to 256");
  const own = { ...rows.shards[0].rows, data: new Float32Array(8), offset: 0 };
  const alone = { ...rows, shards: [{ ...rows.shards[0], rows: own as never }] };
  await expect(openGraph({ rows: alone })).rejects.toThrow("rows must lie in shared memory");
  await using index = await openGraph();
  await expect(index.search(new Float32Array(3), 5)).rejects.toThrow("a query is 25 finite numbers, got 3");
  await expect(index.search(new Float32Array(25).fill(Number.NaN), 5)).rejects.toThrow("of which 0 are");
  await expect(near(index, 1, 0)).rejects.toThrow("count must be a whole number of at least 1, got 0");
});

test("closed while it is at work, it lets the call it is at return: usearch would take the process down otherwise", async () => {
  let refusals = 0;
  for (let after = 0; after < 10; after++) {
    const index = await openGraph();
    const searches = Array.from({ length: 300 }, (_, i) => near(index, i, 100 + i));
    const calls = [...searches, index.put(world.rows, 4)];
    await new Promise((resolve) => setTimeout(resolve, after));
    const [settled] = await Promise.all([Promise.allSettled(calls), index.close()]);
    const refused = settled.flatMap((call) => (call.status === "rejected" ? [call.reason] : []));
    for (const error of refused) expect(error).toMatchObject({ code: "ENGINE_CLOSED" });
    refusals += refused.length;
  }
  expect(refusals).toBeGreaterThan(0); // closed at once, it leaves searches unanswered
});
