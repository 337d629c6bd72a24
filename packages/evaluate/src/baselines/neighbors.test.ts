import fc from "fast-check";
import { describe, expect, test } from "vitest";
import golden from "../../../../reference/golden/baselines.json";
import { arbitraryHistories, checkerboard, eventData, itemIds, scoresOf } from "./events-world.ts";
import { bm25, itemKnn, rp3beta } from "./neighbors.ts";

interface Inputs {
  itemCount: number;
  items: number[][];
  ratings: number[][];
  values: "binary" | "ratings";
  shrinkage: number;
  userLengthExponent?: number;
}

const goldenCases = golden.cases.filter(({ op }) => op === "itemKnn");

test("every golden case is of a kind that a test here or in ease.test.ts computes", () => {
  expect(new Set(golden.cases.map(({ op }) => op))).toEqual(new Set(["itemKnn", "rp3beta", "bm25", "ease"]));
});

describe("item-kNN", () => {
  test.each(goldenCases)("is what NumPy computes: $name", ({ inputs, outputs }) => {
    const { itemCount, items, ratings, ...options } = inputs as unknown as Inputs;
    const { items: met, S } = outputs as unknown as { items: number[]; S: { data: number[] } };
    const { userLengthExponent } = options;
    const knn = itemKnn(eventData(itemCount, items, ratings), { ids: itemIds(itemCount), ...options });
    const all = Array.from({ length: itemCount }, (_, item) => item);
    expect(all.filter((item) => knn.knows(item))).toEqual(met);
    met.forEach((query, row) => {
      const scores = scoresOf(knn, query, itemCount);
      for (const item of all) {
        const column = met.indexOf(item);
        if (column < 0 || item === query) expect(scores[item]).toBe(-Infinity);
        else expect(scores[item]).toBeCloseTo(S.data[row * met.length + column], userLengthExponent ? 7 : 14); // roots of weights are f32
      }
    });
  });

  test("puts items of the same parity first on a checkerboard", () => {
    const knn = itemKnn(checkerboard(), { ids: itemIds(12) });
    expect(knn.answers).toBe("warm");
    for (let query = 0; query < 12; query++) {
      const list = knn.rank(Int32Array.of(query), 5).items;
      expect(Array.from(list, (item) => item % 2)).toEqual(new Array(5).fill(query % 2));
    }
  });

  test("is symmetric, at most 1, and the same whatever the order of users", () => {
    fc.assert(
      fc.property(arbitraryHistories(6), fc.constantFrom(0, 3), (histories, shrinkage) => {
        const options = { ids: itemIds(6), shrinkage };
        const knn = itemKnn(eventData(6, histories), options);
        const shuffled = itemKnn(eventData(6, histories.toReversed()), options);
        const known = [0, 1, 2, 3, 4, 5].filter((item) => knn.knows(item));
        const rows = new Map(known.map((query) => [query, scoresOf(knn, query, 6)]));
        for (const [query, row] of rows) {
          expect(scoresOf(shuffled, query, 6)).toEqual(row);
          for (const item of known) {
            if (item === query) continue;
            expect(row[item]).toBe(rows.get(item)?.[query]);
            expect(row[item]).toBeLessThanOrEqual(1 + 1e-15);
          }
        }
      }),
      { seed: 1 },
    );
  });

  test("rejects items without training events", () => {
    const knn = itemKnn(eventData(3, [[0, 1]]), { ids: itemIds(3) });
    expect(knn.knows(2)).toBe(false);
    expect(() => knn.rank(Int32Array.of(0, 2), 2)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: item-kNN: item 2 is not one of the 2 items it learned; ask only about items that it knows()]`,
    );
  });

  test("rejects a negative shrinkage", () => {
    expect(() => itemKnn(checkerboard(), { ids: itemIds(12), shrinkage: -1 })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: item-kNN: shrinkage must be at least 0, got -1]`,
    );
  });
});

const walks = golden.cases.filter(({ op }) => op === "rp3beta" || op === "bm25");

test.each(walks)("$op is what NumPy computes: $name", ({ op, inputs, outputs }) => {
  const { itemCount, items, ratings, ...options } = inputs as unknown as Inputs;
  const { items: met, S } = outputs as unknown as { items: number[]; S: { data: number[] } };
  const make = op === "bm25" ? bm25 : rp3beta;
  const recommender = make(eventData(itemCount, items, ratings), { ids: itemIds(itemCount), ...options });
  met.forEach((query, row) => {
    const scores = scoresOf(recommender, query, itemCount);
    met.forEach((item, column) => {
      if (item === query) return;
      const expected = S.data[row * met.length + column];
      expect(Math.abs(scores[item] - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected))); // roots of weights are f32
    });
  });
});

test.each([
  [
    () => itemKnn(checkerboard(), { ids: itemIds(12), userLengthExponent: -1 }),
    "item-kNN: userLengthExponent must be at least 0, got -1",
  ],
  [() => rp3beta(checkerboard(), { ids: itemIds(12), beta: Number.NaN }), "RP3β: beta must be at least 0, got NaN"],
  [() => bm25(checkerboard(), { ids: itemIds(12), k1: -2 }), "BM25: k1 must be at least 0, got -2"],
])("refuses bad settings", (make, message) => {
  expect(make).toThrow(message);
});
