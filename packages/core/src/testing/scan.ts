// The exact scan equals a full sort: scores descending, equal scores by row, NaN never. Entries are small whole numbers, so sums
// are exact at both precisions and ties are frequent.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix, Precision } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { TopK } from "../linalg/top-k.ts";
import { type Bed, poison, precision, seed, size } from "./bed.ts";

/** (score, row) of every row with a score that is a number, best first. */
function fullSort(shards: readonly Matrix[], query: Matrix): [score: number, row: number][] {
  const all: [number, number][] = [];
  let first = 0;
  for (const shard of shards) {
    for (let i = 0; i < shard.rows; i++) {
      let score = 0;
      for (let j = 0; j < shard.cols; j++) score += shard.get(i, j) * query.get(j, 0);
      if (!Number.isNaN(score)) all.push([score, first + i]);
    }
    first += shard.rows;
  }
  return all.sort(([a, i], [b, j]) => (a === b ? i - j : b > a ? 1 : -1));
}

const found = (result: TopK) => Array.from({ length: result.count }, (_, i) => [result.scores[i], result.rows[i]]);

/** Small whole numbers, here and there NaN or an infinity. */
function shard(
  engine: Engine,
  shape: { rows: number; d: number; precision: Precision },
  random: Random,
  odd: boolean,
): Matrix {
  const wide = engine
    .scope()
    .matrix(shape.rows, shape.d + 2, shape.precision)
    .fill(Number.NaN);
  const view = wide.view(0, shape.rows, 1, shape.d + 1);
  for (let i = 0; i < shape.rows; i++) {
    for (let j = 0; j < shape.d; j++) view.set(i, j, random.below(5) - 2);
    if (odd && shape.d > 0 && random.below(4) === 0)
      view.set(i, random.below(shape.d), [Number.NaN, Infinity, -Infinity][random.below(3)]);
  }
  return view;
}

export function describeScan(bed: Bed): void {
  describe("scan", () => {
    let others: Engine[] = [];
    beforeAll(async () => {
      others = [await createEngine({ engine: "wasm", workers: 1 }), await createEngine({ engine: "wasm", workers: 1 })];
    });
    afterAll(async () => {
      for (const other of others) await other.close();
    });

    test("equals a full sort, over shards here and in other engines' memories", () => {
      bed.check(
        fc.record({
          shards: fc.array(fc.record({ rows: size, engine: fc.nat(2) }), { maxLength: 4 }),
          d: size,
          k: fc.integer({ min: 1, max: 40 }),
          odd: fc.boolean(),
          precision,
          seed,
        }),
        ({ shards: drawn, d, k, odd, precision, seed }) => {
          poison(bed.engine);
          const random = new Random(seed);
          const engines = [bed.engine, ...others];
          const scopes = engines.map((engine) => engine.scope());
          const opened: Engine[] = [];
          const shards = drawn.map(({ rows, engine }) => {
            opened.push(engines[engine]);
            return shard(trackingScope(engines[engine], scopes[engine]), { rows, d, precision }, random, odd);
          });
          const query = scopes[0].matrix(d, 1, precision).write(Array.from({ length: d }, () => random.below(5) - 2));
          const result = new TopK(k);
          bed.engine.scan(result, shards, query);
          expect(found(result)).toEqual(fullSort(shards, query).slice(0, k));
          for (const scope of scopes) scope.close();
        },
        [
          { shards: [{ rows: 1000, engine: 0 }], d: 130, k: 10, odd: false, precision: "f32", seed: 1 }, // shared between workers
          {
            shards: [
              { rows: 500, engine: 0 },
              { rows: 700, engine: 1 },
              { rows: 3, engine: 2 },
            ],
            d: 130,
            k: 40,
            odd: true,
            precision: "f64",
            seed: 2,
          },
          { shards: [{ rows: 3, engine: 0 }], d: 2, k: 40, odd: false, precision: "f64", seed: 3 }, // k larger than rows
          { shards: [], d: 2, k: 3, odd: false, precision: "f64", seed: 4 },
          { shards: [{ rows: 9, engine: 0 }], d: 0, k: 3, odd: false, precision: "f32", seed: 5 },
        ],
      );
    });

    test("a result is reused", () => {
      const scope = bed.engine.scope();
      const A = scope.matrix(3, 1).write([1, 3, 2]);
      const result = new TopK(2);
      bed.engine.scan(result, [A], scope.matrix(1, 1).write([1]));
      expect(found(result)).toEqual([
        [3, 1],
        [2, 2],
      ]);
      bed.engine.scan(result, [A.view(0, 1)], scope.matrix(1, 1).write([-1]));
      expect(found(result)).toEqual([[-1, 0]]);
      scope.close();
    });
  });
}

/** The engine, allocating from a scope that is open already. */
function trackingScope(engine: Engine, scope: ReturnType<Engine["scope"]>): Engine {
  return { ...engine, scope: () => scope };
}
