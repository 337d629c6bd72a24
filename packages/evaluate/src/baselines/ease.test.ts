import { createEngine, type Engine } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import golden from "../../../../reference/golden/baselines.json";
import { ease } from "./ease.ts";
import { checkerboard, eventData, itemIds, scoresOf } from "./events-world.ts";

interface Inputs {
  itemCount: number;
  items: number[][];
  lambda: number;
  minEvents: number;
  maxItems: number;
}

const ROUNDING = 2 ** -24; // weights are kept as f32

const goldenCases = golden.cases.filter(({ op }) => op === "ease");

describe.each(["plain", "wasm"] as const)("EASE on %s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 1 });
  });
  afterAll(() => engine.close());

  test.each(goldenCases)("is what a ridge regression of each item gives: $name", ({ inputs, outputs }) => {
    const { itemCount, items: histories, lambda, minEvents, maxItems } = inputs as unknown as Inputs;
    const { items, B } = outputs as unknown as { items: number[]; B: { data: number[] } };
    const options = { ids: itemIds(itemCount), lambda, minEvents, maxItems };
    const recommender = ease(engine, eventData(itemCount, histories), options);
    expect(Array.from(recommender.items)).toEqual(items);
    items.forEach((query, row) => {
      const scores = scoresOf(recommender, query, itemCount);
      scores.forEach((score, item) => {
        const column = items.indexOf(item);
        if (column < 0 || item === query) {
          expect(score).toBe(-Infinity);
          return;
        }
        const expected = B.data[row * items.length + column];
        expect(Math.abs(score - expected)).toBeLessThanOrEqual(ROUNDING * Math.abs(expected) + 1e-12);
      });
    });
  });

  test("puts items of the same parity first on a checkerboard", () => {
    const recommender = ease(engine, checkerboard(), { ids: itemIds(12), lambda: 5 });
    expect(recommender.answers).toBe("warm");
    for (let query = 0; query < 12; query++) {
      const list = recommender.rank(Int32Array.of(query), 5).items;
      expect(Array.from(list, (item) => item % 2)).toEqual(new Array(5).fill(query % 2));
    }
  });

  test.each(goldenCases)("does not depend on the order of users: $name", ({ inputs }) => {
    const { itemCount, items: histories, lambda, minEvents, maxItems } = inputs as unknown as Inputs;
    const options = { ids: itemIds(itemCount), lambda, minEvents, maxItems };
    const given = ease(engine, eventData(itemCount, histories), options);
    const reversed = ease(engine, eventData(itemCount, histories.toReversed()), options);
    expect(reversed.rank(given.items, itemCount)).toEqual(given.rank(given.items, itemCount));
  });

  test("rejects items outside its subset", () => {
    const recommender = ease(
      engine,
      eventData(4, [
        [0, 1],
        [0, 1, 2],
      ]),
      { ids: itemIds(4), minEvents: 2 },
    );
    expect([0, 1, 2, 3].map((item) => recommender.knows(item))).toEqual([true, true, false, false]);
    expect(() => recommender.rank(Int32Array.of(2), 2)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: EASE: item 2 is not one of the 2 items it learned; ask only about items that it knows()]`,
    );
  });

  test("rejects a ridge of 0", () => {
    expect(() => ease(engine, checkerboard(), { ids: itemIds(12), lambda: 0 })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: EASE: lambda must be above 0, got 0]`,
    );
  });
});
