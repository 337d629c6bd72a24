import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chernoffTail, quadraticFormTail } from "./quadratic-form.ts";

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const weights = fc.array(between(0.05, 2), { minLength: 1, maxLength: 10 });
/** Of very different size: 10^−8 to 1. */
const spread = fc.array(
  between(-8, 0).map((power) => 10 ** power),
  { minLength: 1, maxLength: 12 },
);

/**
 * Weights, x and P(Q ≥ x) by mpmath 1.3 with 60 digits, in ways that have nothing to do with ours. One weight: erfc(√(x/2w)). Two: the mean over
 * θ of exp(−x/(2(w₁cos²θ + w₂sin²θ))), by quad. More: Ruben's mixture of χ² laws (Ann. Math. Statist. 33, 1962) with β = min w, to 1e-45.
 */
const GOLDEN: readonly (readonly [weights: number[], x: number, tail: number])[] = [
  [[1], 1e-30, 0.9999999999999992],
  [[1], 1e-12, 0.9999992021154392],
  [[1], 1e-6, 0.9992021155721779],
  [[1], 0.001, 0.9747728793699604],
  [[1], 0.5, 0.4795001221869535],
  [[1], 1.0, 0.3173105078629141],
  [[1], 10.0, 0.0015654022580025497],
  [[1], 300.0, 3.294362383314041e-67],
  [[1.5, 0.5], 1e-12, 0.9999999999994227],
  [[1.5, 0.5], 1e-6, 0.9999994226499233],
  [[1.5, 0.5], 0.001, 0.9994228421327974],
  [[1.5, 0.5], 0.3, 0.8428918546543561],
  [[1.5, 0.5], 4.0, 0.13745360587270253],
  [[1.5, 0.5], 60.0, 3.1294951885365585e-10],
  [[1, 0.01], 1e-12, 0.999999999995],
  [[1, 0.01], 1e-6, 0.9999950000631243],
  [[1, 0.01], 0.001, 0.9950623465798023],
  [[1, 0.01], 0.3, 0.590374305991818],
  [[1, 0.01], 4.0, 0.045772778409338084],
  [[1, 0.01], 60.0, 9.534302977278865e-15],
  [[1, 1e-6], 1e-12, 0.9999999995000001],
  [[1, 1e-6], 1e-6, 0.9995554351623235],
  [[1, 1e-6], 0.001, 0.9747854982165526],
  [[1, 1e-6], 0.3, 0.5838830476825019],
  [[1, 1e-6], 60.0, 9.485742390555316e-15],
  [[1.8, 0.9, 0.3], 1e-6, 0.9999999996184948],
  [[1.8, 0.9, 0.3], 0.001, 0.9999879417704096],
  [[1.8, 0.9, 0.3], 0.3, 0.9457861539329535],
  [[1.8, 0.9, 0.3], 4.0, 0.25198991046343966],
  [[1.8, 0.9, 0.3], 30.0, 7.165265826911303e-5],
  [[2, 1, 0.5, 0.4, 0.1], 1e-6, 0.9999999999999998],
  [[2, 1, 0.5, 0.4, 0.1], 0.001, 0.9999999915991622],
  [[2, 1, 0.5, 0.4, 0.1], 0.3, 0.9904670747160287],
  [[2, 1, 0.5, 0.4, 0.1], 4.0, 0.37494515188995575],
  [[2, 1, 0.5, 0.4, 0.1], 30.0, 0.00021321258502958755],
  [[1, 0.3, 0.3, 0.02], 1e-6, 0.9999999999970537],
  [[1, 0.3, 0.3, 0.02], 0.001, 0.999997067816278],
  [[1, 0.3, 0.3, 0.02], 0.3, 0.8931979254690964],
  [[1, 0.3, 0.3, 0.02], 4.0, 0.07353272734692132],
  [[1, 0.3, 0.3, 0.02], 30.0, 6.324428568478975e-8],
];

describe("the tail of Σ w_j ξ_j²", () => {
  test.each([0.1, 1, 4, 10, 40])("four equal weights: e^(−x/2)(1 + x/2) at x = %f", (x) => {
    expect(quadraticFormTail([1, 1, 1, 1], x)).toBeCloseTo(Math.exp(-x / 2) * (1 + x / 2), 14);
  });

  test.each([0.5, 3, 12])("two exponentials of different length at x = %f", (x) => {
    const [a, b] = [1.5, 0.4];
    const exact = (a * Math.exp(-x / (2 * a)) - b * Math.exp(-x / (2 * b))) / (a - b);
    expect(quadraticFormTail([a, b, a, b], x)).toBeCloseTo(exact, 14);
  });

  test.each(GOLDEN)("%j at x = %d is what 60 digits give", (own, x, tail) => {
    const found = quadraticFormTail(own, x);
    expect(Math.abs(found - tail)).toBeLessThanOrEqual(4e-16);
    expect(Math.abs(found / tail - 1)).toBeLessThan(1e-14);
  });

  test("two weights: the mean of exponentials over the angle, for any x", () => {
    const mean = ([a, b]: readonly [number, number], x: number, nodes = 2000) => {
      let sum = 0;
      for (let i = 0; i < nodes; i++) {
        const turn = Math.cos((2 * Math.PI * i) / nodes); // cos² θ = (1 + cos 2θ)/2
        sum += Math.exp(-x / (a + b + (a - b) * turn));
      }
      return sum / nodes;
    };
    fc.assert(
      fc.property(fc.tuple(between(0.02, 1), between(0.02, 1)), between(-14, 1.5), (own, power) => {
        expect(quadraticFormTail(own, 10 ** power)).toBeCloseTo(mean(own, 10 ** power), 12);
      }),
    );
  });

  test("a thousand equal weights, either tail", () => {
    // P(χ²_1000 ≥ x) = gammainc(500, x/2, regularized=True) of mpmath
    const own = new Array<number>(1000).fill(0.25);
    expect(quadraticFormTail(own, 250 * 3) / 1.6436845843569544e-198).toBeCloseTo(1, 11);
    expect(quadraticFormTail(own, 250 * 0.8)).toBeCloseTo(0.9999991890618921, 13);
  });

  test("a probability, and it falls as x grows, whatever the weights are", () => {
    fc.assert(
      fc.property(fc.oneof(weights, spread), between(-40, 30), between(0, 2), (own, power, more) => {
        const [low, high] = [10 ** power, 10 ** (power + more)];
        const [first, second] = [quadraticFormTail(own, low), quadraticFormTail(own, high)];
        for (const tail of [first, second]) {
          expect(tail).toBeGreaterThanOrEqual(0);
          expect(tail).toBeLessThanOrEqual(1);
        }
        expect(second).toBeLessThanOrEqual(first * (1 + 1e-13));
      }),
      { numRuns: 300 },
    );
    for (const own of [[1], [1, 1], [1.5, 0.5], [0.9, 0.8, 1.3]]) {
      const tails = Array.from({ length: 200 }, (_, i) => quadraticFormTail(own, 10 ** (-40 + 0.22 * i)));
      tails.forEach((tail, i) => {
        if (i > 0) expect(tail).toBeLessThanOrEqual(tails[i - 1] + 1e-15);
      });
      expect([tails[0], tails[199]]).toEqual([1, 0]);
    }
  });

  test("numbers at the ends of what a double holds", () => {
    for (const scale of [1e-320, 1e-200, 1e200, 1e305]) {
      expect(quadraticFormTail([scale, scale], scale)).toBeCloseTo(Math.exp(-0.5), 3);
      expect(quadraticFormTail([scale], 1e-320)).toBeGreaterThan(0.2);
      expect(chernoffTail([scale, scale], 6 * scale)).toBeCloseTo(3 * Math.exp(-2), 3);
    }
    for (const tail of [quadraticFormTail, chernoffTail]) {
      expect(tail([1, 2], Infinity)).toBe(0);
      expect(tail([1e-300, 1e-310], 1e300)).toBe(0);
      expect(tail([1e308, 1e308, 1e308], 1)).toBe(1);
      expect(() => tail([1], Number.NaN)).toThrow(/x must be a number, got NaN/);
    }
  });

  test("only x over the weights counts, and weights of 0 do not", () => {
    expect(quadraticFormTail([3, 6, 9, 0], 21)).toBeCloseTo(quadraticFormTail([1, 2, 3], 7), 14);
    expect(quadraticFormTail([1, 2], 0)).toBe(1);
    expect(quadraticFormTail([0, 0], 1)).toBe(0);
  });

  test("Chernoff's bound is above it, below 1 exactly beyond the mean, and the known one for equal weights", () => {
    fc.assert(
      fc.property(weights, between(0.01, 30), (own, x) => {
        const mean = own.reduce((sum, w) => sum + w, 0);
        fc.pre(Math.abs(x - mean) > 1e-6 * mean);
        const bound = chernoffTail(own, x);
        expect(bound).toBeGreaterThanOrEqual(quadraticFormTail(own, x) * (1 - 1e-12));
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
