import { createEngine, type Engine, Random } from "@nearkin/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arbitraryHistories, checkerboard, denseEvents, eventData, itemIds, scoresOf } from "./events-world.ts";
import { type IalsSettings, ials, ialsFactors } from "./ials.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const random = () => new Random(7);

/** One user after the other, then one item after the other, each by Gaussian elimination in f64. */
function solvedExactly(itemCount: number, histories: readonly number[][], settings: Required<IalsSettings>) {
  const { factors: k, alpha, lambda, sweeps } = settings;
  const rows = denseEvents(itemCount, histories);
  const met = Array.from({ length: itemCount }, (_, i) => i).filter((i) => rows.some((row) => row[i] === 1));
  const draw = random();
  let Y = met.map(() => Array.from({ length: k }, () => Math.fround(0.1 * draw.normal())));
  const columns = rows.map((row) => met.flatMap((item, column) => (row[item] === 1 ? [column] : [])));
  let X = rows.map(() => new Array<number>(k).fill(0));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    X = columns.map((entries) => solvedFor(entries, Y, { k, alpha, lambda }));
    const users = met.map((_, column) => columns.flatMap((entries, u) => (entries.includes(column) ? [u] : [])));
    Y = users.map((entries) => solvedFor(entries, X, { k, alpha, lambda }));
  }
  return { met, Y };
}

function solvedFor(
  entries: readonly number[],
  Y: readonly number[][],
  { k, alpha, lambda }: { k: number; alpha: number; lambda: number },
): number[] {
  if (entries.length === 0) return new Array<number>(k).fill(0);
  const ridge = lambda * (entries.length + alpha * Y.length);
  const A = Array.from({ length: k }, (_, i) =>
    Array.from({ length: k }, (_, j) => {
      const all = alpha * Y.reduce((sum, y) => sum + y[i] * y[j], 0);
      return all + entries.reduce((sum, e) => sum + Y[e][i] * Y[e][j], 0) + (i === j ? ridge : 0);
    }),
  );
  const b = Array.from({ length: k }, (_, i) => entries.reduce((sum, e) => sum + Y[e][i], 0));
  for (let i = 0; i < k; i++) {
    for (let r = i + 1; r < k; r++) {
      const factor = A[r][i] / A[i][i]; // symmetric and positive definite: no pivoting
      for (let j = i; j < k; j++) A[r][j] -= factor * A[i][j];
      b[r] -= factor * b[i];
    }
  }
  for (let i = k - 1; i >= 0; i--) {
    for (let j = i + 1; j < k; j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
  return b;
}

describe("iALS", () => {
  test("with steps enough solves each user and each item exactly", () => {
    const itemCount = 8;
    const settings = { factors: 3, alpha: 0.4, lambda: 0.05, sweeps: 4, steps: 12 };
    fc.assert(
      fc.property(arbitraryHistories(itemCount), (histories) => {
        const vectors = ialsFactors(engine, eventData(itemCount, histories), { ...settings, random: random() });
        const { met, Y } = solvedExactly(itemCount, histories, settings);
        const largest = Math.max(1e-3, ...Y.flat().map(Math.abs));
        for (let item = 0; item < itemCount; item++) {
          const exact = met.includes(item) ? Y[met.indexOf(item)] : [0, 0, 0];
          exact.forEach((y, j) => {
            expect(Math.abs(vectors[item * 3 + j] - y)).toBeLessThan(1e-4 * largest); // factors are kept as f32
          });
        }
      }),
      { seed: 1, numRuns: 40 },
    );
  });

  test("puts items of the same parity first on a checkerboard", () => {
    const recommender = ials(engine, checkerboard(), { ids: itemIds(12), factors: 2, random: random() });
    for (let query = 0; query < 12; query++) {
      const list = recommender.rank(Int32Array.of(query), 5).items;
      expect(Array.from(list, (item) => item % 2)).toEqual(new Array(5).fill(query % 2));
    }
  });

  test("knows what people met, and nothing else", () => {
    const data = eventData(4, [
      [0, 1],
      [0, 1, 2],
    ]);
    const recommender = ials(engine, data, { ids: itemIds(4), factors: 2, random: random() });
    expect(recommender.answers).toBe("warm");
    expect([0, 1, 2, 3].map((item) => recommender.knows(item))).toEqual([true, true, true, false]);
    expect(scoresOf(recommender, 0, 4)[3]).toBe(-Infinity);
    expect(() => recommender.rank(Int32Array.of(3), 2)).toThrow(/iALS: nobody met item 3/);
  });

  test.each([
    [{ alpha: -1 }, "alpha"],
    [{ alpha: Number.NaN }, "alpha"],
    [{ lambda: 0 }, "lambda"],
  ])("rejects %j", (settings, name) => {
    expect(() => ials(engine, checkerboard(), { ids: itemIds(12), ...settings, random: random() })).toThrow(name);
  });
});
