import { expect, test } from "vitest";
import { scaleOf, shownRating } from "./rating-scale.ts";

const scale = (mean: number, observationDeviation: number) => scaleOf({ mean, deviation: 0.1, observationDeviation });

test.each([
  [3.5, 1.01, [2, 3, 4, 5]],
  [3.5, 0.19, [3.3, 3.4, 3.5, 3.6, 3.7]],
  [71, 20, [50, 60, 70, 80, 90, 100]],
  [0.4, 0.05, [0.35, 0.4, 0.45]],
])("%d ± %d stands between round figures", (mean, deviation, ticks) => {
  const { from, to, ticks: found, at } = scale(mean, deviation);
  expect(found).toEqual(ticks);
  expect(from).toBeLessThanOrEqual(mean - deviation + 1e-12);
  expect(to).toBeGreaterThanOrEqual(mean + deviation - 1e-12);
  expect([at(from), at(to)]).toEqual([0, 1]);
});

test("what lies beyond is drawn at the end", () => {
  expect([scale(3.5, 1).at(-9), scale(3.5, 1).at(99)]).toEqual([0, 1]);
});

test("a model that is sure of all is still drawn", () => {
  expect(Number.isFinite(scale(3.5, 0).at(3.5))).toBe(true);
});

test("figures have as many digits as the scale tells apart", () => {
  expect([shownRating(3.504, scale(3.5, 1)), shownRating(71.04, scale(71, 20))]).toEqual(["3.50", "71.0"]);
});
