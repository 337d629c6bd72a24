// Ranking equals the obvious: every distance from its definition in f64, then a full sort. Worlds of small whole numbers have exact
// sums and many ties; worlds of real numbers have near-ties and rounding.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { counterfactualRanks, counterfactualRanksInSlices } from "./counterfactual.ts";
import { buildRows, measureCentres, rowLayout } from "./layout.ts";
import { neighboursOfAll } from "./neighbours.ts";
import { buildQuery } from "./query.ts";
import { type LiftedItem, type LiftedRows, liftedItem } from "./rows.ts";
import { similar } from "./similar.ts";
import {
  fullSort,
  placeRows,
  plainDistances,
  plainLifts,
  plainScore,
  type RankWorld,
  rankWorld,
  type Wish,
} from "./testing/world.ts";
import { tieHash } from "./ties.ts";

const bed = new Bed({ runs: 60 });
let engines: Engine[] = [];
beforeAll(async () => {
  engines = [
    await createEngine({ engine: "wasm", workers: 2 }),
    await createEngine({ engine: "wasm", workers: 1 }),
    await createEngine({ engine: "wasm", workers: 1 }),
    await createEngine({ engine: "plain" }), // reaches the others' memories, they do not reach its arrays
  ];
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
});

interface Case {
  n: number;
  sizes: number[];
  whole: boolean;
  copies: number;
  shards: number;
  queries: number;
  signed: boolean;
  k: number;
  popularity: number;
  seed: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  n: fc.integer({ min: 2, max: 130 }),
  sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
  whole: fc.boolean(),
  copies: fc.constantFrom(0, 0, 0.5, 1),
  shards: fc.integer({ min: 1, max: 3 }),
  queries: fc.integer({ min: 1, max: 3 }),
  signed: fc.boolean(),
  k: fc.integer({ min: 1, max: 40 }),
  popularity: fc.constantFrom(0, 0.25, 1),
  seed: fc.nat(2 ** 31 - 1),
});

/** Draws a world and a wish, and hands them over with their rows placed. */
function withWorld(drawn: Case, body: (world: RankWorld, rows: LiftedRows, wish: Wish, random: Random) => void): void {
  const random = new Random(drawn.seed);
  const world = rankWorld({ ...drawn, random });
  const { rows, close } = placeRows(world, engines.slice(0, drawn.shards));
  const wish: Wish = {
    query: Array.from({ length: Math.min(drawn.queries, drawn.n) }, (_, i) => i),
    weights: drawn.sizes.map(() => (drawn.whole ? random.below(4) : random.uniform()) - (drawn.signed ? 1 : 0)),
    temperature: drawn.whole ? 0.5 : 0.2,
    popularity: drawn.popularity,
    // whole numbers are for ties, which lengths of 1 would break
    ...(drawn.whole || drawn.seed % 2 === 0
      ? {}
      : { history: { items: [0, drawn.n - 1, random.below(drawn.n)], weight: 3 * random.uniform() } }),
  };
  try {
    body(world, rows, wish, random);
  } finally {
    close();
  }
}

const historyOf = (rows: LiftedRows, { history }: Wish) =>
  history && { ...history, items: history.items.map((item) => liftedItem(rows, item)) };

const ask = (rows: LiftedRows, wish: Wish) => {
  const { query, ...options } = wish;
  const items = query.map((item) => liftedItem(rows, item));
  return buildQuery(rows, items, { ...options, history: historyOf(rows, wish) });
};

describe("similar", () => {
  test("equals a full sort of exact scores; contributions sum to t to the bit", () => {
    bed.check(
      cases,
      (drawn) =>
        withWorld(drawn, (world, rows, wish) => {
          const found = similar(rows, ask(rows, wish), { k: drawn.k });
          const expected = fullSort(world, wish).slice(0, drawn.k);
          expectSameOrder(found, expected, world, wish);
          for (const { item, total, score, distances, contributions, lifts = new Float64Array() } of found) {
            expect(Array.from(distances)).toEqual(plainDistances(world, wish.query, item));
            expect(Array.from(contributions)).toEqual(wish.weights.map((h, c) => h * distances[c]));
            expect(total).toBe(contributions.reduce((sum, part) => sum + part, 0));
            const lift = lifts.reduce((sum, part) => sum + part, 0);
            const rest = wish.popularity * world.logPopularity[item] + lift;
            expect(score).toBeCloseTo(-total / wish.temperature + rest, 11);
            if (lifts.length > 0) {
              plainLifts(world, wish.history, item).forEach((part, i) => {
                expect(lifts[i]).toBeCloseTo(part, 12);
              });
            }
          }
        }),
      [
        // every item the same as the query: only ties
        {
          n: 120,
          sizes: [2, 3],
          whole: true,
          copies: 1,
          shards: 2,
          queries: 1,
          signed: false,
          k: 5,
          popularity: 1,
          seed: 1,
        },
        {
          n: 3,
          sizes: [1],
          whole: false,
          copies: 0,
          shards: 3,
          queries: 3,
          signed: false,
          k: 9,
          popularity: 0,
          seed: 2,
        },
      ],
    );
  });

  test("leaves out what is excluded or not allowed", () => {
    bed.check(cases, (drawn) =>
      withWorld(drawn, (world, rows, wish, random) => {
        const exclude = world.ids.map((_, i) => i).filter(() => random.below(4) === 0);
        const allowed = Uint8Array.from(world.ids, () => random.below(3));
        const isAllowed = (y: number) => allowed[y] === 1 && !exclude.includes(y);
        const both = similar(rows, ask(rows, wish), { k: drawn.k, exclude, allowed });
        expectSameOrder(both, fullSort(world, wish, isAllowed).slice(0, drawn.k), world, wish);
        const without = similar(rows, ask(rows, wish), { k: drawn.k, exclude });
        expectSameOrder(without, fullSort(world, wish, (y) => !exclude.includes(y)).slice(0, drawn.k), world, wish);
      }),
    );
  });

  test("a long list of excluded items is no different", () => {
    const world = rankWorld({ n: 700, sizes: [4], random: new Random(3) });
    const { rows, close } = placeRows(world, engines.slice(0, 1));
    const wish = { query: [0], weights: [1], temperature: 1, popularity: 0 };
    const exclude = Array.from({ length: 400 }, (_, i) => i);
    const found = similar(rows, ask(rows, wish), { k: 10, exclude });
    expectSameOrder(found, fullSort(world, wish, (y) => y >= 400).slice(0, 10), world, wish);
    close();
  });

  test("the order is the same for every engine and any number of shards", () => {
    const world = rankWorld({ n: 300, sizes: [7, 5], random: new Random(4), copies: 0.3 });
    const wish = { query: [0, 9], weights: [0.7, 0.2], temperature: 0.2, popularity: 0.25 };
    const lists = [[0], [1], [3], [0, 1], [2, 1, 0], [3, 0]].map((which) => {
      const { rows, close } = placeRows(
        world,
        which.map((i) => engines[i]),
      );
      const list = similar(rows, ask(rows, wish), { k: 50 });
      close();
      return list;
    });
    for (const list of lists) expect(list).toEqual(lists[0]);
  });

  test("an item without a known channel is not identical to another such item, and is at distance 0 from itself", () => {
    const layout = rowLayout([1]);
    const inputs = { embeddings: new Float32Array(3), masked: Uint8Array.of(1, 1, 0), logPopularity: [0, 0, 0] };
    const scaling = { centres: new Float64Array(1), factors: Float64Array.of(1), lengths: Float64Array.of(0.5) };
    const lifted = buildRows(layout, scaling, inputs);
    const { rows, close } = placeRows(
      { layout, scaling, lifted, ids: ["a", "b", "c"], ...inputs, logPopularity: new Float64Array(3) },
      engines.slice(0, 1),
    );
    const query = ask(rows, { query: [0], weights: [1], temperature: 1, popularity: 0 });
    expect(similar(rows, query).map(({ item, total }) => [item, total])).toEqual([
      [2, 0.5],
      [1, 1],
    ]);
    close();
  });

  test("a draft is compared with all items", () => {
    const world = rankWorld({ n: 20, sizes: [3, 2], random: new Random(5), products: 0 });
    const { rows, close } = placeRows(world, engines.slice(0, 1));
    const twin: LiftedItem = { ...liftedItem(rows, 7), index: -1 };
    const list = similar(rows, buildQuery(rows, [twin], { weights: [1, 1], temperature: 1 }), { k: 20 });
    expect(list).toHaveLength(20); // item 7 among them: a draft is nobody's self
    const own = [0, 1].map((c) => 2 * world.masked[7 * 2 + c] * world.scaling.lengths[c]);
    expect(Array.from(list.find(({ item }) => item === 7)?.distances ?? [])).toEqual(own);
    close();
  });
});

describe("counterfactual ranks", () => {
  test("equal a full sort with one channel's distance set to 0", () => {
    bed.check(cases, (drawn) =>
      withWorld(drawn, (world, rows, wish, random) => {
        const allowed = Uint8Array.from(world.ids, () => (random.below(4) === 0 ? 0 : 1));
        const items = fullSort(world, wish, (y) => allowed[y] === 1).map(({ item }) => item);
        if (items.length === 0) return;
        const asked = items.slice(0, 8);
        const found = counterfactualRanks(rows, ask(rows, wish), asked, { allowed });
        expect(found).toHaveLength(asked.length);
        const bitmap = new Uint32Array(Math.ceil(world.ids.length / 32));
        allowed.forEach((mark, y) => {
          bitmap[y >>> 5] |= mark << (y & 31);
        });
        for (const same of [bitmap, (y: number) => allowed[y] === 1]) {
          expect(counterfactualRanks(rows, ask(rows, wish), asked, { allowed: same })).toEqual(found);
        }
        const slices = counterfactualRanksInSlices(rows, ask(rows, wish), asked, { allowed, sliceRows: 3 });
        let yields = 0;
        let slice = slices.next();
        for (; !slice.done; slice = slices.next()) yields++;
        expect(slice.value).toEqual(found);
        expect(yields).toBeGreaterThanOrEqual(Math.ceil(world.ids.length / 3));
        asked.forEach((item, i) => {
          expect(found[i].rank).toBe(plainRank(world, wish, items, { item, score: plainScore(world, wish, item) }));
          plainDistances(world, wish.query, item).forEach((d, c) => {
            const score = plainScore(world, wish, item) + (wish.weights[c] * d) / wish.temperature;
            expect(found[i].without[c]).toBe(plainRank(world, wish, items, { item, score }));
          });
        });
      }),
    );
  });

  test("the first of a list stays first without any channel, where no weight is negative", () => {
    const world = rankWorld({ n: 200, sizes: [3, 2], random: new Random(6) });
    const { rows, close } = placeRows(world, engines.slice(0, 1));
    const query = ask(rows, { query: [3], weights: [1, 0.4], temperature: 0.2, popularity: 0 });
    const list = similar(rows, query, { k: 20 }).map(({ item }) => item);
    const ranks = counterfactualRanks(rows, query, list);
    expect(ranks.map(({ rank }) => rank)).toEqual(list.map((_, i) => i + 1));
    for (const { rank, without } of ranks) for (const other of without) expect(other).toBeLessThanOrEqual(rank);
    expect(Array.from(ranks[0].without)).toEqual([1, 1]);
    expect(ranks.some(({ rank, without }) => without[0] < rank)).toBe(true);
    close();
  });
});

describe("neighbours of all items", () => {
  test("are those of one query after the other", () => {
    bed.check(
      cases,
      (drawn) =>
        withWorld(drawn, (world, rows, wish) => {
          const { query: _, ...others } = wish;
          const options = { ...others, history: historyOf(rows, wish) };
          let seen = 0;
          for (const block of neighboursOfAll(rows, { ...options, k: drawn.k })) {
            expect(block.first).toBe(seen);
            for (let i = 0; i < block.count; i++) {
              const found = Array.from({ length: block.k }, (_, r) => ({
                item: block.items[i * block.k + r],
                score: block.scores[i * block.k + r],
              }));
              const own = ask(rows, { ...wish, query: [seen + i] });
              const expected = similar(rows, own, { k: drawn.k }).map(({ item, score }) => ({ item, score }));
              expect(found).toEqual(expected);
            }
            seen += block.count;
          }
          expect(seen).toBe(world.ids.length);
        }),
      [
        {
          n: 300,
          sizes: [5],
          whole: true,
          copies: 0.5,
          shards: 3,
          queries: 1,
          signed: false,
          k: 7,
          popularity: 0,
          seed: 3,
        },
      ],
    );
  });

  test("of some items only, over several blocks of rows", () => {
    const world = rankWorld({ n: 4500, sizes: [3], random: new Random(7) });
    const { rows, close } = placeRows(world, engines.slice(0, 2));
    const options = { weights: [1], temperature: 1, k: 4, from: 4000, to: 4003 };
    const [block, ...more] = [...neighboursOfAll(rows, options)];
    expect([block.first, block.count, more.length]).toEqual([4000, 3, 0]);
    for (let i = 0; i < 3; i++) {
      const expected = fullSort(world, { query: [4000 + i], weights: [1], temperature: 1, popularity: 0 });
      expect(Array.from(block.items.subarray(i * 4, i * 4 + 4))).toEqual(expected.slice(0, 4).map(({ item }) => item));
    }
    close();
  });

  test("one item has none", () => {
    const { rows, close } = placeRows(rankWorld({ n: 1, sizes: [2], random: new Random(8) }), engines.slice(0, 1));
    expect([...neighboursOfAll(rows, { weights: [1], temperature: 1 })]).toEqual([]);
    close();
  });
});

test("centres are means over the items that know the channel", () => {
  const layout = rowLayout([1, 2]);
  const embeddings = Float32Array.of(1, 10, 20, 3, 30, 40, 100, 50, 60);
  const masked = Uint8Array.of(0, 0, 0, 1, 1, 1);
  expect(Array.from(measureCentres(layout, embeddings, masked))).toEqual([2, 10, 20]);
});

test("ids are hashed the same everywhere, and evenly", () => {
  expect([tieHash(""), tieHash("a"), tieHash("tt0111161")]).toMatchInlineSnapshot(`
    [
      2872998923,
      2448022055,
      2127037423,
    ]
  `);
  const buckets = new Int32Array(16);
  for (let i = 0; i < 16_000; i++) buckets[tieHash(String(i)) >>> 28]++;
  for (const count of buckets) expect(Math.abs(count - 1000)).toBeLessThan(150);
});

test("errors say what is wrong", () => {
  const { rows, close } = placeRows(rankWorld({ n: 5, sizes: [2, 1], random: new Random(9) }), engines.slice(0, 1));
  const item = liftedItem(rows, 0);
  const query = (options: object) => () => buildQuery(rows, [item], { weights: [1, 1], temperature: 1, ...options });
  expect([
    errorOf(() => buildQuery(rows, [], { weights: [1, 1], temperature: 1 })),
    errorOf(query({ weights: [1] })),
    errorOf(query({ weights: [1, Number.NaN] })),
    errorOf(query({ temperature: 0 })),
    errorOf(query({ weights: [1e38, 1] })),
    errorOf(() => liftedItem(rows, 5)),
    errorOf(() => similar(rows, query({})(), { k: 0 })),
    errorOf(() => similar(rows, query({})(), { allowed: new Uint8Array(4) })),
    errorOf(() => rowLayout([])),
    errorOf(() =>
      buildRows(
        rowLayout([1]),
        { centres: new Float64Array(1), factors: new Float64Array(1), lengths: new Float64Array(1) },
        { embeddings: Float32Array.of(0), masked: Uint8Array.of(0), logPopularity: [Number.NEGATIVE_INFINITY] },
      ),
    ),
    errorOf(() =>
      buildRows(
        rowLayout([1]),
        { centres: new Float64Array(1), factors: Float64Array.of(1), lengths: new Float64Array(1) },
        { embeddings: Float32Array.of(Number.NaN), masked: Uint8Array.of(0), logPopularity: [0] },
      ),
    ),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "BAD_ARGUMENT",
        "message": "a query needs at least one item",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "a query takes 2 finite weights, got 1",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "a query takes 2 finite weights, got 1, NaN",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "temperature must be positive and popularity finite, got 0 and 0",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "the weights of a query are too large for 32-bit floats; divide all of them by one number",
      },
      {
        "code": "INDEX_OUT_OF_RANGE",
        "message": "item 5 is outside [0, 5)",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "similar: k must be a whole number of at least 1, got 0",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "similar: allowed must have 5 marks, got 4",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "rowLayout: there must be at least one channel",
      },
      {
        "code": "NOT_FINITE",
        "message": "buildRows: log q of item 0 is -Infinity; smooth the frequencies so that none is 0",
      },
      {
        "code": "NOT_FINITE",
        "message": "buildRows: the embedding of item 0 in channel 0 is not finite; did training diverge?",
      },
    ]
  `);
  close();
});

/** Rank of x with this score among the candidates but itself. */
function plainRank(
  world: RankWorld,
  wish: Wish,
  candidates: readonly number[],
  x: { item: number; score: number },
): number {
  const hash = (item: number) => tieHash(world.ids[item]);
  const isBefore = (y: number) => {
    const score = plainScore(world, wish, y);
    if (score !== x.score) return score > x.score;
    return hash(y) !== hash(x.item) ? hash(y) < hash(x.item) : y < x.item;
  };
  return 1 + candidates.filter((y) => y !== x.item && isBefore(y)).length;
}

/** The same items in the same order; the oracle sums in another order, so scores may differ in their last bits. */
function expectSameOrder(
  found: readonly { item: number; score: number }[],
  expected: readonly { item: number; score: number }[],
  world: RankWorld,
  wish: Wish,
): void {
  expect(found.map(({ item }) => item)).toEqual(expected.map(({ item }) => item));
  for (const { item, score } of found) expect(score).toBeCloseTo(plainScore(world, wish, item), 10);
}
