// Diversity equals the obvious: every step looks at all pairs anew, from the definition of distances.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import type { Scored } from "./certify.ts";
import { diversify } from "./diversity.ts";
import { buildQuery } from "./query.ts";
import { type LiftedRows, liftedItem } from "./rows.ts";
import { rankExactly } from "./similar.ts";
import { placeRows, plainDistances, type RankWorld, rankWorld } from "./testing/world.ts";
import { tieHash } from "./ties.ts";

const bed = new Bed({ runs: 60 });
let engines: Engine[] = [];
beforeAll(async () => {
  engines = [await createEngine({ engine: "wasm", workers: 1 }), await createEngine({ engine: "wasm", workers: 1 })];
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
  signed: boolean;
  pool: number;
  popularity: number;
  diversity: number;
  seed: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  n: fc.integer({ min: 2, max: 60 }),
  sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
  whole: fc.boolean(),
  copies: fc.constantFrom(0, 0, 0.5, 1),
  shards: fc.integer({ min: 1, max: 2 }),
  signed: fc.boolean(),
  pool: fc.integer({ min: 1, max: 40 }),
  popularity: fc.constantFrom(0, 0.25, 1),
  diversity: fc.constantFrom(0, 0.25, 0.5, 0.75, 1),
  seed: fc.nat(2 ** 31 - 1),
});

interface Drawn {
  world: RankWorld;
  rows: LiftedRows;
  weights: Float64Array;
  temperature: number;
  pool: Scored[];
}

/** A world, its rows, and the candidates of item 0 under weights of which one at least is above 0. */
function withPool(drawn: Case, body: (found: Drawn) => void): void {
  const random = new Random(drawn.seed);
  const world = rankWorld({ ...drawn, random });
  const { rows, close } = placeRows(world, engines.slice(0, drawn.shards));
  const weights = Float64Array.from(
    drawn.sizes,
    () => (drawn.whole ? random.below(4) : random.uniform()) - (drawn.signed ? 1 : 0),
  );
  weights[0] = 1;
  const temperature = drawn.whole ? 0.5 : 0.2;
  const { popularity } = drawn;
  try {
    const query = buildQuery(rows, [liftedItem(rows, 0)], { weights, temperature, popularity });
    body({ world, rows, weights, temperature, pool: rankExactly(rows, query, { k: drawn.pool }) });
  } finally {
    close();
  }
}

/** Worth of every candidate that is left, given what was chosen; all pairs from the definition. */
function worths({ world, weights, temperature, pool }: Drawn, chosen: readonly Scored[], diversity: number) {
  const between = (x: number, y: number) =>
    plainDistances(world, [y], x).reduce((sum, d, c) => sum + Math.max(weights[c], 0) * d, 0) / temperature;
  return pool
    .filter((one) => !chosen.includes(one))
    .map((one) => ({
      one,
      worth:
        (1 - diversity) * one.score + diversity * Math.min(...chosen.map((other) => between(one.item, other.item))),
    }));
}

describe("diversify", () => {
  test("takes what the definition takes, step by step; scores stay", () => {
    bed.check(
      cases,
      (drawn) =>
        withPool(drawn, (found) => {
          const { rows, pool, world } = found;
          const list = diversify(rows, found, pool, drawn);
          expect(list).toHaveLength(pool.length);
          expect(new Set(list)).toEqual(new Set(pool));
          expect(list[0]).toBe(pool[0]);
          if (drawn.diversity === 0) expect(list).toEqual(pool);
          for (let i = 1; i < list.length; i++) {
            const left = worths(found, list.slice(0, i), drawn.diversity);
            const taken = left.find(({ one }) => one === list[i]);
            const most = Math.max(...left.map(({ worth }) => worth));
            if (!drawn.whole) {
              expect(taken?.worth).toBeCloseTo(most, 9);
              continue;
            }
            // sums of small whole numbers are exact: the very one, ties by the hash of the id
            const best = left
              .filter(({ worth }) => worth === most)
              .sort((a, b) => tieHash(world.ids[a.one.item]) - tieHash(world.ids[b.one.item]));
            expect(taken?.one).toBe(best[0].one);
          }
        }),
      [
        // nothing but ties
        {
          n: 30,
          sizes: [2],
          whole: true,
          copies: 1,
          shards: 1,
          signed: false,
          pool: 29,
          popularity: 1,
          diversity: 0.5,
          seed: 3,
        },
      ],
    );
  });

  test("a longer list begins with the shorter one", () => {
    bed.check(cases, (drawn) =>
      withPool(drawn, ({ rows, pool, ...metric }) => {
        const all = diversify(rows, metric, pool, { diversity: drawn.diversity });
        for (const k of [1, 2, 5, 15, 25]) {
          expect(diversify(rows, metric, pool, { diversity: drawn.diversity, k })).toEqual(all.slice(0, k));
        }
      }),
    );
  });

  test("beyond the pool the order of the scores goes on, so that pages agree however long the list is", () => {
    bed.check(cases, (drawn) =>
      withPool(drawn, ({ rows, pool: ranked, ...metric }) => {
        const { diversity } = drawn;
        const all = diversify(rows, metric, ranked, { diversity, pool: 10 });
        expect(all.slice(0, 10)).toEqual(diversify(rows, metric, ranked.slice(0, 10), { diversity }));
        expect(all.slice(10)).toEqual(ranked.slice(10));
        for (const k of [3, 10, 11, 30]) {
          expect(diversify(rows, metric, ranked, { diversity, pool: 10, k })).toEqual(all.slice(0, k));
        }
      }),
    );
  });

  test("more diversity: the shown lie farther apart, and farther from the query", () => {
    const drawn = { n: 400, sizes: [4, 4], whole: false, copies: 0, shards: 1, signed: false, pool: 200 };
    const at = (diversity: number) => {
      let figures = { apart: 0, score: 0 };
      withPool({ ...drawn, popularity: 0, diversity, seed: 11 }, ({ world, rows, pool, weights, temperature }) => {
        const list = diversify(rows, { weights, temperature }, pool, { diversity, k: 10 });
        const pairs = list.flatMap((a, i) =>
          list
            .slice(0, i)
            .map((b) => plainDistances(world, [a.item], b.item).reduce((sum, d, c) => sum + weights[c] * d, 0)),
        );
        figures = {
          apart: pairs.reduce((sum, t) => sum + t, 0) / pairs.length,
          score: list.reduce((sum, { score }) => sum + score, 0) / list.length,
        };
      });
      return figures;
    };
    const steps = [0, 0.25, 0.5, 0.75, 1].map(at);
    for (let i = 1; i < steps.length; i++) {
      expect(steps[i].apart).toBeGreaterThanOrEqual(steps[i - 1].apart);
      expect(steps[i].score).toBeLessThanOrEqual(steps[i - 1].score);
    }
    expect(steps[4].apart).toBeGreaterThan(1.3 * steps[0].apart);
  });

  test("copies come last, also where a weight is below 0", () => {
    const world = rankWorld({ n: 12, sizes: [2, 2], random: new Random(5), products: 0 });
    const { layout, lifted, masked } = world;
    for (const copy of [1, 2, 3]) lifted.copyWithin(copy * layout.width, 4 * layout.width, 5 * layout.width);
    masked.fill(0);
    const { rows, close } = placeRows(world, engines.slice(0, 1));
    const metric = { weights: Float64Array.of(1, -0.5), temperature: 0.2 };
    const pool = Array.from({ length: 11 }, (_, i) => ({ item: i + 1, score: -1 }));
    const order = diversify(rows, metric, pool, { diversity: 0.9 }).map(({ item }) => item);
    close();
    expect(order.slice(-3).every((item) => [1, 2, 3, 4].includes(item))).toBe(true);
  });

  test("what cannot be asked for is refused, and says why", () => {
    withPool(
      {
        n: 5,
        sizes: [2],
        whole: true,
        copies: 0,
        shards: 1,
        signed: false,
        pool: 4,
        popularity: 0,
        diversity: 0,
        seed: 1,
      },
      ({ rows, pool, ...metric }) => {
        const of = (diversity: unknown, { k = 3, weights = metric.weights } = {}) =>
          errorOf(() => diversify(rows, { ...metric, weights }, pool, { diversity: diversity as number, k })).message;
        expect([
          of(1.5),
          of(Number.NaN),
          of("0.5"),
          of(0.5, { k: 0 }),
          of(0, { k: 2.5 }),
          of(0.5, { weights: Float64Array.of(-1) }),
        ]).toMatchInlineSnapshot(`
          [
            "diversity takes a number from 0 (nearest first) to 1 (as different as can be), got 1.5",
            "diversity takes a number from 0 (nearest first) to 1 (as different as can be), got NaN",
            "diversity takes a number from 0 (nearest first) to 1 (as different as can be), got "0.5"",
            "similar: k must be a whole number of at least 1, got 0",
            "similar: k must be a whole number of at least 1, got 2.5",
            "diversity: no channel has a weight above 0, so no two items are unlike each other; raise a weight, or leave diversity out",
          ]
        `);
        expect(diversify(rows, metric, [], { diversity: 0.5 })).toEqual([]);
      },
    );
  });
});
