// Classes of equal rows, and neighbours of many items in worlds full of them: the same lists as a full sort of exact scores.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { Bed } from "../testing/bed.ts";
import { rowClasses } from "./equal-rows.ts";
import { buildRows } from "./layout.ts";
import { neighboursOfAll } from "./neighbours.ts";
import { buildQuery } from "./query.ts";
import { liftedItem } from "./rows.ts";
import { rankExactly } from "./similar.ts";
import { fullSort, placeRows, plainDistances, type RankWorld, rankWorld } from "./testing/world.ts";
import { tieHash } from "./ties.ts";

const MANY = 300; // queries, so that equal rows are looked for; small worlds are asked several times over

const bed = new Bed({ runs: 40 });
let engines: Engine[] = [];
beforeAll(async () => {
  engines = [
    await createEngine({ engine: "wasm", workers: 2 }),
    await createEngine({ engine: "wasm", workers: 1 }),
    await createEngine({ engine: "plain" }),
  ];
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
});

const cases = fc.record({
  n: fc.integer({ min: 2, max: 90 }),
  sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
  kinds: fc.integer({ min: 1, max: 12 }),
  whole: fc.boolean(),
  weights: fc.array(fc.constantFrom(0, 0, 1, 0.3, -0.5), { minLength: 3, maxLength: 3 }),
  popularity: fc.constantFrom(0, 0, 0.25),
  shards: fc.integer({ min: 1, max: 2 }),
  k: fc.integer({ min: 1, max: 120 }),
  seed: fc.nat(2 ** 31 - 1),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

/** A world whose items take each channel from one of a few items: equal rows, and rows equal in some channels only. */
function worldOfKinds({
  n,
  sizes,
  kinds,
  whole,
  seed,
}: Pick<Case, "n" | "sizes" | "kinds" | "whole" | "seed">): RankWorld {
  const random = new Random(seed);
  const world = rankWorld({ n, sizes, random, whole });
  const { embeddingSize: e, channelCount: p, starts } = world.layout;
  for (let i = kinds; i < n; i++) {
    for (let c = 0; c < p; c++) {
      const kind = random.below(kinds);
      const from = kind * e + starts[c];
      world.embeddings.copyWithin(i * e + starts[c], from, from + sizes[c]);
      world.masked[i * p + c] = world.masked[kind * p + c];
    }
    world.logPopularity[i] = world.logPopularity[random.below(kinds)];
  }
  return { ...world, lifted: buildRows(world.layout, world.scaling, world) };
}

describe("classes of equal rows", () => {
  test("are the items that no query can tell apart, in the order of ties", () => {
    bed.check(cases, (drawn) => {
      const world = worldOfKinds(drawn);
      const { rows, close } = placeRows(world, engines.slice(0, drawn.shards));
      const weights = drawn.weights.slice(0, drawn.sizes.length);
      const classes = rowClasses(rows, { weights, popularity: drawn.popularity });
      close();
      if (!classes) return;
      const { count, classOf, starts, members } = classes;
      expect([starts[0], starts[count], [...members].sort((a, b) => a - b)]).toEqual([
        0,
        drawn.n,
        [...world.ids.keys()],
      ]);
      for (let g = 0; g < count; g++) {
        const own = Array.from(members.subarray(starts[g], starts[g + 1]));
        const sorted = [...own].sort((a, b) => tieHash(world.ids[a]) - tieHash(world.ids[b]) || a - b);
        expect(own).toEqual(sorted);
        expect(own.every((item) => classOf[item] === g)).toBe(true);
      }
      const looks = (item: number) => {
        const distances = plainDistances(world, [0], item).filter((_, c) => weights[c] !== 0);
        return [...distances, ...(drawn.popularity === 0 ? [] : [world.logPopularity[item]])];
      };
      for (let i = 1; i < drawn.n; i++) {
        const first = members[starts[classOf[i]]];
        if (first !== 0) expect(looks(i)).toEqual(looks(first));
      }
    });
  });

  test("are not made where they would save less than half", () => {
    const world = rankWorld({ n: 50, sizes: [3, 2], random: new Random(1) });
    const { rows, close } = placeRows(world, engines.slice(0, 1));
    expect(rowClasses(rows, { weights: [1, 1] })).toBeUndefined();
    expect(rowClasses(rows, { weights: [0, 0] })).toBeUndefined();
    expect(rowClasses(rows, { weights: [1, 0] })).toMatchObject({ count: 50, columns: Int32Array.of(0, 1, 2, 5) });
    expect(rowClasses(rows, { weights: [0, 1], popularity: 1 })?.columns).toEqual(Int32Array.of(3, 4, 6, 7));
    close();
  });

  test("know a stand-in by its mark, where its coordinate is too short to show", () => {
    const world = worldOfKinds({ n: 40, sizes: [2], kinds: 1, whole: true, seed: 1 });
    world.scaling.lengths[0] = 1e-12;
    world.masked.fill(0).fill(1, 20);
    const lifted = buildRows(world.layout, world.scaling, world);
    const { rows, close } = placeRows({ ...world, lifted }, engines.slice(0, 1));
    expect(rowClasses(rows, { weights: [1] })).toMatchObject({ count: 2 });
    close();
  });
});

describe("neighbours of many items", () => {
  test("equal a full sort, whatever the ties", () => {
    bed.check(
      cases,
      (drawn) => {
        const world = worldOfKinds(drawn);
        const { rows, close } = placeRows(world, engines.slice(0, drawn.shards));
        const weights = drawn.weights.slice(0, drawn.sizes.length);
        const metric = { weights, temperature: drawn.whole ? 0.5 : 0.2, popularity: drawn.popularity };
        const sorted = world.ids.map((_, i) => fullSort(world, { ...metric, query: [i] }));
        const items = Int32Array.from({ length: MANY }, (_, r) => r % drawn.n);
        for (const block of neighboursOfAll(rows, { ...metric, k: drawn.k, items })) {
          expect(block.k).toBe(Math.min(drawn.k, drawn.n - 1));
          for (let i = 0; i < block.count; i++) {
            const query = items[block.first + i];
            const found = Array.from(block.items.subarray(i * block.k, (i + 1) * block.k));
            const scores = Array.from(block.scores.subarray(i * block.k, (i + 1) * block.k));
            // In worlds of real numbers the oracle sums in another order, and what is equal to us is not quite to it.
            if (drawn.whole) expect(found).toEqual(sorted[query].slice(0, block.k).map(({ item }) => item));
            const one = rankExactly(rows, buildQuery(rows, [liftedItem(rows, query)], metric), { k: drawn.k });
            expect(found).toEqual(one.map(({ item }) => item));
            expect(scores).toEqual(one.map(({ score }) => score));
          }
        }
        close();
      },
      [
        // one kind only: every list is a tie from end to end
        {
          n: 80,
          sizes: [3],
          kinds: 1,
          whole: true,
          weights: [1, 1, 1],
          popularity: 0,
          shards: 2,
          k: 5,
          seed: 1,
        },
        // no weight at all
        { n: 60, sizes: [2, 2], kinds: 4, whole: true, weights: [0, 0, 0], popularity: 0, shards: 1, k: 9, seed: 2 },
      ],
    );
  });

  test("are the same with and without classes, for any number of workers", () => {
    const world = worldOfKinds({ n: 3000, sizes: [4, 3], kinds: 9, whole: false, seed: 5 });
    const metric = { weights: [1, 0], temperature: 0.2, popularity: 0.25, k: 25 };
    const items = Int32Array.from({ length: MANY }, (_, r) => 10 * r);
    const lists = engines.map((engine) => {
      const { rows, close } = placeRows(world, [engine]);
      const together = [...neighboursOfAll(rows, { ...metric, items })];
      const some = [...neighboursOfAll(rows, { ...metric, items, to: 100 })]; // too few to look for equal rows
      close();
      expect(some[0].items).toEqual(together[0].items.subarray(0, some[0].items.length));
      expect(some[0].scores).toEqual(together[0].scores.subarray(0, some[0].scores.length));
      return together;
    });
    for (const list of lists) expect(list).toEqual(lists[0]);
  });
});
