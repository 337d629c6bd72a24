// Ranking through a queue equals ranking at once, for every input: ties, stand-ins, negative weights, filters, any batch and any number of
// threads. (That ranking at once equals a full sort is in rank.suite.test.ts.)
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import type { ScanThreads } from "../linalg/scan-query.ts";
import { openScanThreads } from "../linalg/scan-threads.ts";
import { Bed } from "../testing/bed.ts";
import { bitmapOf } from "./bitmap.ts";
import { buildQuery } from "./query.ts";
import { type RankOptions, rankWith } from "./rank-with.ts";
import { type LiftedRows, liftedItem } from "./rows.ts";
import { ScanQueue } from "./scan-queue.ts";
import { rankExactly, type SimilarOptions } from "./similar.ts";
import { placeRows, rankWorld } from "./testing/world.ts";

const bed = new Bed({ runs: 60 });
let engine: Engine;
const opened: ScanThreads[] = [];
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 1 });
  for (const threads of [1, 2, 3]) opened.push(await openScanThreads(engine, { threads }));
});
afterAll(async () => {
  for (const threads of opened.reverse()) await threads.close();
  await engine.close();
});

const cases = fc.record({
  n: fc.oneof(fc.integer({ min: 1, max: 130 }), fc.integer({ min: 1000, max: 2600 })),
  sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
  whole: fc.boolean(),
  copies: fc.constantFrom(0, 0, 0.5, 1),
  signed: fc.boolean(),
  popularity: fc.constantFrom(0, 0.25, 1),
  asked: fc.integer({ min: 1, max: 12 }),
  batch: fc.integer({ min: 1, max: 8 }),
  threads: fc.nat(2),
  seed: fc.nat(2 ** 31 - 1),
});

/** One of many ways to ask, for both kinds of ranking. */
function drawOptions(n: number, random: Random): { atOnce: SimilarOptions; queued: RankOptions } {
  const k = [1, 5, 10, 40, n, n + 7][random.below(6)];
  const share = [0, 0.01, 0.3, 1][random.below(4)];
  const allowed = Uint8Array.from({ length: n }, () => (random.uniform() < share ? 1 : 0));
  const exclude = Array.from({ length: [0, 3, 400][random.below(3)] }, () => random.below(n));
  const shared = { ...(random.below(4) > 0 && { k }), ...(random.below(2) > 0 && { exclude }) };
  if (random.below(2) > 0) return { atOnce: shared, queued: shared };
  return { atOnce: { ...shared, allowed }, queued: { ...shared, allowed: bitmapOf(allowed) } };
}

function drawQuery(rows: LiftedRows, drawn: { whole: boolean; signed: boolean; popularity: number }, random: Random) {
  const { channelCount: p } = rows.layout;
  const items = Array.from({ length: 1 + random.below(3) }, () => liftedItem(rows, random.below(rows.count)));
  const weight = () => (drawn.whole ? random.below(4) : random.uniform()) - (drawn.signed ? 1 : 0);
  return buildQuery(rows, random.below(4) === 0 ? items.map((item) => ({ ...item, index: -1 })) : items, {
    weights: Array.from({ length: p }, weight),
    temperature: drawn.whole ? 0.5 : 0.2,
    popularity: drawn.popularity,
  });
}

test("equals ranking at once", async () => {
  await bed.checkAsync(cases, async (drawn) => {
    const random = new Random(drawn.seed);
    const { rows, close } = placeRows(rankWorld({ ...drawn, random }), [engine]);
    try {
      const queue = new ScanQueue(
        opened[drawn.threads],
        { rows: rows.shards[0].rows, count: rows.count },
        { batch: drawn.batch },
      );
      await Promise.all(
        Array.from({ length: drawn.asked }, async () => {
          const query = drawQuery(rows, drawn, random);
          const { atOnce, queued } = drawOptions(drawn.n, random);
          expect(await rankWith(queue, rows, query, queued)).toEqual(rankExactly(rows, query, atOnce));
        }),
      );
    } finally {
      close();
    }
  });
});

test.each([
  { n: 30, scans: 1 }, // every row is seen
  { n: 500, scans: 2 }, // a tie longer than the first list
  { n: 9000, scans: 2 }, // and than the second: rows are compared at once
])("in a tie of $n rows, $scans scans", async ({ n, scans }) => {
  const random = new Random(n);
  const { rows, close } = placeRows(rankWorld({ n, sizes: [3], random, whole: true, copies: 1 }), [engine]);
  const query = buildQuery(rows, [liftedItem(rows, 0)], { weights: [1], temperature: 1 });
  const queue = new ScanQueue(opened[1], { rows: rows.shards[0].rows, count: n });
  const ranking = rankWith(queue, rows, query, { k: 20 });
  await queue.close(); // waits for all of them
  const ranked = await ranking;
  expect(ranked).toHaveLength(20);
  expect(ranked).toEqual(rankExactly(rows, query, { k: 20 }));
  expect(queue.counters.batches).toBe(scans);
  close();
});

test.each([
  { n: 1500, step: 40 },
  { n: 12_000, step: 400 }, // ties that only a comparison at once resolves
])("rows that come while a search waits are found, or not yet: $n", async ({ n, step }) => {
  const world = rankWorld({ n, sizes: [3], random: new Random(n), whole: true, copies: 0.9 });
  const { rows: all, close } = placeRows(world, [engine]);
  const query = buildQuery(all, [liftedItem(all, 3)], { weights: [1], temperature: 1 });
  const rows = { ...all, count: n - 10 * step };
  const source = {
    rows: all.shards[0].rows,
    get count() {
      return rows.count;
    },
  };
  const queue = new ScanQueue(opened[2], source, { batch: 4 });
  const counts = [rows.count];
  const exclude = Array.from({ length: 300 }, (_, i) => 100 + i);
  const lists: [options: object, list: Promise<unknown>][] = [];
  const changes: Promise<void>[] = [];
  for (let i = 0; i < 40; i++) {
    const options = i % 3 === 0 ? { k: 30, exclude } : { k: 30 };
    lists.push([options, rankWith(queue, rows, query, options)]);
    if (i % 4 !== 0) continue;
    const change = queue.exclusively(() => {
      rows.count += step;
      counts.push(rows.count);
    });
    changes.push(change);
    if (i % 8 === 0) await change;
  }
  await Promise.all(changes);
  expect(rows.count).toBe(n);
  const expected = (options: object) =>
    counts.map((count) => {
      const allowed = Uint8Array.from({ length: n }, (_, i) => (i < count ? 1 : 0));
      return JSON.stringify(rankExactly(all, query, { ...options, allowed }));
    });
  const [long, short] = [expected({ k: 30, exclude }), expected({ k: 30 })];
  expect(new Set(short).size).toBeGreaterThan(3);
  for (const [options, list] of lists)
    expect("exclude" in options ? long : short).toContain(JSON.stringify(await list));
  close();
});

test("what cannot be asked is said before anything is scanned", async () => {
  const { rows, close } = placeRows(rankWorld({ n: 9, sizes: [2], random: new Random(4) }), [engine]);
  const query = buildQuery(rows, [liftedItem(rows, 0)], { weights: [1], temperature: 1 });
  const queue = new ScanQueue(opened[0], { rows: rows.shards[0].rows, count: 9 });
  await expect(rankWith(queue, rows, query, { k: 0 })).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
  await expect(rankWith(queue, { ...rows, shards: [...rows.shards, ...rows.shards] }, query)).rejects.toThrow(
    "rankWith: rows must lie in one memory, got 2; rank those with rankExactly",
  );
  const signal = AbortSignal.abort(new RangeError("gone"));
  await expect(rankWith(queue, rows, query, { signal })).rejects.toThrow("gone");
  expect(queue.counters.batches).toBe(0);
  close();
});
