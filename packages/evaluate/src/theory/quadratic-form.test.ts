import { normalQuantile } from "@nearkin/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chernoffTail, quadraticFormTail } from "./quadratic-form.ts";

const weights = fc.array(fc.double({ min: 0.05, max: 2, noNaN: true }), { minLength: 1, maxLength: 10 });

describe("the tail of Σ w_j ξ_j²", () => {
  test.each([0.1, 1, 4, 10, 40])("four equal weights: e^(−x/2)(1 + x/2) at x = %f", (x) => {
    expect(quadraticFormTail([1, 1, 1, 1], x)).toBeCloseTo(Math.exp(-x / 2) * (1 + x / 2), 9);
  });

  test.each([0.5, 3, 12])("two exponentials of different length at x = %f", (x) => {
    const [a, b] = [1.5, 0.4];
    const exact = (a * Math.exp(-x / (2 * a)) - b * Math.exp(-x / (2 * b))) / (a - b);
    expect(quadraticFormTail([a, b, a, b], x)).toBeCloseTo(exact, 9);
  });

  test.each([0.25, 0.05, 0.001])("one weight is a normal number squared: P = %f", (p) => {
    expect(quadraticFormTail([1], normalQuantile(p / 2) ** 2)).toBeCloseTo(p, 5);
  });

  test("only x over the weights counts, and weights of 0 do not", () => {
    expect(quadraticFormTail([3, 6, 9, 0], 21)).toBeCloseTo(quadraticFormTail([1, 2, 3], 7), 9);
    expect(quadraticFormTail([1, 2], 0)).toBe(1);
    expect(quadraticFormTail([0, 0], 1)).toBe(0);
  });

  test("Chernoff's bound is above it, below 1 exactly beyond the mean, and the known one for equal weights", () => {
    fc.assert(
      fc.property(weights, fc.double({ min: 0.01, max: 30, noNaN: true }), (own, x) => {
        const mean = own.reduce((sum, w) => sum + w, 0);
        fc.pre(Math.abs(x - mean) > 1e-6 * mean);
        const bound = chernoffTail(own, x);
        expect(bound).toBeGreaterThanOrEqual(quadraticFormTail(own, x) - 1e-6);
        expect(bound < 1).toBe(x > mean);
      }),
      { numRuns: 60 },
    );
    // n equal weights: (x/n)^(n/2)·e^(−(x − n)/2)
    expect(chernoffTail([1, 1, 1], 12)).toBeCloseTo(8 * Math.exp(-4.5), 12);
    expect(chernoffTail([0, 0], 1)).toBe(0);
  });

  test("weights must be eigenvalues of a covariance", () => {
    expect(() => quadraticFormTail([1, -0.1], 1)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: quadraticFormTail: weights must be at least 0 and finite, got -0.1 at 1]`,
    );
    expect(() => chernoffTail([], 1)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: chernoffTail: needs at least one weight]`,
    );
  });
});
