import { expect, test } from "vitest";
import { rankCorrelation } from "./rank-correlation.ts";

const f64 = (...values: number[]) => new Float64Array(values);

test("1 for any rising relation, −1 for any falling one", () => {
  expect(rankCorrelation(f64(3, 1, 2, 10), f64(30, 1, 8, 1e6))).toBeCloseTo(1, 15);
  expect(rankCorrelation(f64(3, 1, 2, 10), f64(-30, -1, -8, -1e6))).toBeCloseTo(-1, 15);
});

test("equal values share the mean of their ranks", () => {
  // Ranks 0.5 0.5 2 and 0 1 2: deviations −0.5 −0.5 1 and −1 0 1, so 1.5/√(1.5·2).
  expect(rankCorrelation(f64(7, 7, 9), f64(1, 2, 3))).toBeCloseTo(1.5 / Math.sqrt(3), 15);
});

test("NaN where a column is constant", () => {
  expect(rankCorrelation(f64(1, 1), f64(1, 2))).toBeNaN();
});
