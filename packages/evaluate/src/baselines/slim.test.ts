import { Random } from "@nearkin/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  arbitraryHistories,
  checkerboard,
  denseEvents,
  denseGram,
  eventData,
  itemIds,
  scoresOf,
} from "./events-world.ts";
import { type SlimOptions, slim } from "./slim.ts";

const ROUNDING = 2 ** -24; // weights are kept as f32
const exactly = { minEvents: 1, tolerance: 1e-12, maxSweeps: 100_000 };

/** W (n, n) over the catalogue, 0 on the diagonal and for items outside the subset. */
function weights(itemCount: number, histories: readonly number[][], options: Omit<SlimOptions, "ids">): number[][] {
  const recommender = slim(eventData(itemCount, histories), { ids: itemIds(itemCount), ...options });
  expect(recommender.unconverged).toBe(0);
  return Array.from({ length: itemCount }, (_, query) => {
    if (!recommender.knows(query)) return new Array<number>(itemCount).fill(0);
    return scoresOf(recommender, query, itemCount).map((score) => Math.max(score, 0));
  });
}

const repeat = (times: number, history: number[]) => Array.from({ length: times }, () => history);

describe("SLIM with a known answer", () => {
  test("has no weights between items that share no user", () => {
    const W = weights(3, [...repeat(6, [0]), ...repeat(5, [1]), ...repeat(7, [2])], { ...exactly, lambda: 0 });
    expect(W.flat().every((weight) => weight === 0)).toBe(true);
  });

  test("gives two items with the same 8 users (8 − λ)/(8 + β)", () => {
    const W = weights(2, repeat(8, [0, 1]), { ...exactly, lambda: 2, beta: 4 });
    expect(W[0][1]).toBeCloseTo(6 / 12, 7);
    expect(W[1][0]).toBeCloseTo(6 / 12, 7);
  });

  test("shares the weight of an item among copies: (8 − λ)/(2·8 + β) each", () => {
    const W = weights(3, repeat(8, [0, 1, 2]), { ...exactly, lambda: 2, beta: 4 });
    for (const i of [0, 1, 2]) for (const j of [0, 1, 2]) expect(W[i][j]).toBeCloseTo(i === j ? 0 : 6 / 20, 7);
  });

  test("is 0 where λ is as large as the most users that two items share", () => {
    const histories = [...repeat(4, [0, 1]), ...repeat(3, [1, 2]), [0, 1, 2]];
    expect(weights(3, histories, { ...exactly, lambda: 5 }).flat()).toEqual(new Array(9).fill(0));
    expect(weights(3, histories, { ...exactly, lambda: 4.9 })[0][1]).toBeGreaterThan(0);
  });

  test("with λ = 0 is the ridge regression, where that has no negative weight", () => {
    // Item 2 from items 0 and 1: G = [[6, 2], [2, 5]], g = (4, 3), β = 1, so w = [[7, 2], [2, 6]]⁻¹·(4, 3) = (18, 13)/38
    const histories = [[0, 1, 2], [0, 1], ...repeat(3, [0, 2]), [0], ...repeat(2, [1, 2]), [1]];
    const W = weights(3, histories, { ...exactly, lambda: 0, beta: 1 });
    expect(W[0][2]).toBeCloseTo(18 / 38, 7);
    expect(W[1][2]).toBeCloseTo(13 / 38, 7);
  });

  test("puts items of the same parity first on a checkerboard", () => {
    const recommender = slim(checkerboard(), { ids: itemIds(12) });
    expect(recommender.answers).toBe("warm");
    for (let query = 0; query < 12; query++) {
      const list = recommender.rank(Int32Array.of(query), 5).items;
      expect(Array.from(list, (item) => item % 2)).toEqual(new Array(5).fill(query % 2));
    }
  });
});

describe("SLIM on any world", () => {
  const n = 9;
  const penalties = fc.record({ lambda: fc.constantFrom(0, 0.3, 1, 2.5), beta: fc.constantFrom(0.1, 1, 10) });

  test("meets the conditions of a minimum: w ≥ 0, w_jj = 0, slope 0 where w > 0 and not below 0 elsewhere", () => {
    fc.assert(
      fc.property(arbitraryHistories(n).filter(hasEvents), penalties, (histories, { lambda, beta }) => {
        const W = weights(n, histories, { ...exactly, lambda, beta });
        const items = Array.from({ length: n }, (_, item) => item);
        const G = denseGram(denseEvents(n, histories), items);
        for (const j of items) {
          for (const i of items) {
            if (i === j) {
              expect(W[j][j]).toBe(0);
              continue;
            }
            // ∂/∂w_i of ½‖x_j − Xw‖² + ½β‖w‖² + λΣw
            const slope = items.reduce((sum, k) => sum + G[i][k] * W[k][j], 0) - G[i][j] + beta * W[i][j] + lambda;
            const rounding = (items.reduce((sum, k) => sum + G[i][k] * W[k][j], 0) + beta * W[i][j]) * ROUNDING + 1e-9;
            expect(W[i][j]).toBeGreaterThanOrEqual(0);
            expect(slope).toBeGreaterThanOrEqual(-rounding);
            if (W[i][j] > 0) expect(slope).toBeLessThanOrEqual(rounding);
          }
        }
      }),
      { seed: 1 },
    );
  });

  test("does not depend on the order of users", () => {
    fc.assert(
      fc.property(arbitraryHistories(n).filter(hasEvents), (histories) => {
        const options = { ids: itemIds(n), minEvents: 1 };
        const given = slim(eventData(n, histories), options);
        const reversed = slim(eventData(n, histories.toReversed()), options);
        expect(reversed.rank(given.items, n)).toEqual(given.rank(given.items, n));
      }),
      { seed: 1, numRuns: 30 },
    );
  });

  test("meets the conditions where active sets grow in several rounds", () => {
    const many = 160;
    const random = new Random(1);
    const histories = Array.from({ length: 300 }, () =>
      itemsOf(many).filter((item) => random.uniform() < 0.5 / (1 + item / 20)),
    );
    const [lambda, beta] = [0.5, 2];
    const W = weights(many, histories, { ...exactly, lambda, beta });
    const G = denseGram(denseEvents(many, histories), itemsOf(many));
    const perColumn = itemsOf(many).map((j) => W.filter((row) => row[j] > 0).length);
    expect(Math.max(...perColumn)).toBeGreaterThan(64); // more than the solver's first capacity
    for (let j = 0; j < many; j++) {
      for (let i = 0; i < many; i++) {
        if (i === j) continue;
        const slope = itemsOf(many).reduce((sum, k) => sum + G[i][k] * W[k][j], 0) - G[i][j] + beta * W[i][j] + lambda;
        if (slope < -1e-4 || (W[i][j] > 0 && slope > 1e-4)) expect.unreachable(`slope ${slope} at ${i}, ${j}`);
      }
    }
  });

  const itemsOf = (count: number) => Array.from({ length: count }, (_, item) => item);
});

const hasEvents = (histories: number[][]) => histories.some((history) => history.length > 0);

describe("SLIM's edges", () => {
  test("rejects items outside its subset", () => {
    const recommender = slim(
      eventData(4, [
        [0, 1],
        [0, 1, 2],
      ]),
      { ids: itemIds(4), minEvents: 2 },
    );
    expect(Array.from(recommender.items)).toEqual([0, 1]);
    expect([0, 1, 2, 3].map((item) => recommender.knows(item))).toEqual([true, true, false, false]);
    expect(() => recommender.rank(Int32Array.of(2), 2)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: SLIM: item 2 is not one of the 2 items it learned; ask only about items that it knows()]`,
    );
  });

  test("counts the items that were not solved in time", () => {
    const recommender = slim(checkerboard(), { ids: itemIds(12), tolerance: 0, maxSweeps: 2 });
    expect(recommender.unconverged).toBe(12);
  });

  test("rejects a negative penalty", () => {
    expect(() => slim(checkerboard(), { ids: itemIds(12), beta: -1 })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: SLIM: beta must be at least 0, got -1]`,
    );
  });
});
