import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { g, theoremOne, theoremTwo } from "./bounds.ts";
import { chernoffTail, quadraticFormTail } from "./quadratic-form.ts";

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** Eigenvalues of a matrix with ones on its diagonal, and α, ε, σ. */
const spectra = fc.record({
  raw: fc.array(between(0.01, 1), { minLength: 2, maxLength: 12 }),
  sigma: between(0.3, 2),
  energy: between(0.1, 20), // α/σ⁴
  epsilon: between(0.05, 0.95),
  share: between(0.01, 1), // inf k*
});

describe("Theorem 1", () => {
  test("g is 0 at 1 and positive elsewhere, so that the printed bound is never above 1, vacuous or not", () => {
    expect(g(1)).toBe(0);
    fc.assert(fc.property(between(1e-6, 1e6), (tau) => g(tau) >= 0));
    expect([g(Infinity), g(0), g(5e-324)]).toEqual([Infinity, Infinity, Infinity]);
    for (const z of [1e-8, -1e-9, 1e-4, -1e-3]) expect(g(1 / (1 + z)) / (z ** 2 / 2)).toBeCloseTo(1 - (2 * z) / 3, 4);
    expect(g(1 / 1.00999)).toBeCloseTo(0.00999 - Math.log(1.00999), 15); // to either side of where the series ends
    expect(g(1 / 1.01001)).toBeCloseTo(0.01001 - Math.log(1.01001), 15);
  });

  test("is exp(−½n·g(τ)) where τ < 1", () => {
    // c_ε = 0.9·1.5/3 = 0.45, τ = 0.55·1.5/4
    const { cEpsilon, tau, printed, bound, vacuous, why, contradictions } = theoremOne({
      n: 2,
      sigma: 1,
      alpha: 4,
      d: 3,
      lambdaMax: 1.5,
      epsilon: 0.9,
    });
    expect(cEpsilon).toBeCloseTo(0.45, 15);
    expect(tau).toBeCloseTo(0.20625, 15);
    expect(printed).toBeCloseTo(Math.exp(-(Math.log(0.20625) + 1 / 0.20625 - 1)), 15);
    expect({ bound, vacuous, why, contradictions }).toEqual({
      bound: printed,
      vacuous: false,
      why: [],
      contradictions: [],
    });
  });

  test("σ, α and d count as the paper has it", () => {
    const base = { n: 10, sigma: 1, alpha: 40, d: 60, lambdaMax: 6, epsilon: 0.5 };
    expect(theoremOne({ ...base, sigma: 2, alpha: 16 * 40 })).toEqual(theoremOne(base)); // σ⁴/α alone counts
    expect(theoremOne({ ...base, alpha: 80 }).tau).toBeCloseTo(theoremOne(base).tau / 2, 15);
    expect(theoremOne({ ...base, d: 30 }).cEpsilon).toBeCloseTo(2 * theoremOne(base).cEpsilon, 15);
  });

  test("vacuous from τ = 1 on, with reasons; the printed number falls all the while", () => {
    const at = (alpha: number) => theoremOne({ n: 20, sigma: 1, alpha, d: 100, lambdaMax: 10, epsilon: 0.5 });
    const one = 9.5; // σ⁴(1 − c_ε)λ_max
    expect(at(one * 1.001)).toMatchObject({ vacuous: false, why: [] });
    expect(at(one)).toMatchObject({ vacuous: true, bound: 1 });
    expect(at(one / 2).printed).toBeGreaterThan(at(one / 20).printed);
    expect(at(0)).toMatchObject({ vacuous: true, bound: 1, tau: Infinity, printed: 0, assumption: 1 });
    expect(at(0.5).why).toMatchInlineSnapshot(`
      [
        "τ = σ⁴(1 − c_ε)λ_max/α = 19, and the proof needs τ < 1: its λ is a positive multiple of 1 − τ, and Markov's inequality takes a positive λ. The printed 2.1e−9 bounds nothing; only 1 does",
        "α/σ⁴ = 0.5 is at most 1 − c_ε = 0.95, the mean of what must stay below it: no bound of this kind can be under 1",
      ]
    `);
  });

  test("each bound holds, and each is sharper than the one before: printed, from λ_max and the trace, from all eigenvalues, exact", () => {
    fc.assert(
      fc.property(spectra, ({ raw, sigma, energy, epsilon, share }) => {
        const n = raw.length;
        const sum = raw.reduce((a, b) => a + b, 0);
        const eigenvalues = raw.map((value) => (n * value) / sum);
        const lambdaMax = Math.max(...eigenvalues);
        const alpha = energy * sigma ** 4;
        const { bound, sharper, cEpsilon, assumption } = theoremOne({
          n,
          sigma,
          alpha,
          d: lambdaMax / share,
          lambdaMax,
          epsilon,
        });
        const weights = eigenvalues.map((value) => (sigma ** 4 * value) / n);
        const chernoff = chernoffTail(weights, alpha / (1 - cEpsilon));
        const rounding = 1 + 1e-9;
        expect(sharper).toBeLessThanOrEqual(bound * rounding);
        expect(chernoff).toBeLessThanOrEqual(sharper * rounding);
        expect(quadraticFormTail(weights, alpha / (1 - cEpsilon))).toBeLessThanOrEqual(chernoff * rounding);
        expect(quadraticFormTail(weights, alpha)).toBeLessThanOrEqual(assumption * rounding); // A2 needs X ≥ α
      }),
      { numRuns: 60 },
    );
  });

  test("at τ ≥ 1 what is printed is false: a wrong kernel that meets A2 in almost every draw misses always", () => {
    // k* = ½ between all of 20 items, and the learned kernel is 0.8: |k − k*|/k* = 0.6 whatever r is
    const [n, k, learned, epsilon] = [20, 0.5, 0.8, 0.5];
    const lambdaMax = 1 + (n - 1) * k;
    const alpha = 0.1;
    const eigenvalues = [lambdaMax, ...new Array<number>(n - 1).fill(1 - k)];
    const meetsA2 = quadraticFormTail(
      eigenvalues.map((value) => value / n),
      alpha / (1 - (learned - k)), // sup|k − k*| ≤ 1 − α/X
    );
    expect(meetsA2).toBeGreaterThan(0.999);
    expect((learned - k) / k).toBeGreaterThan(epsilon);
    const { printed, bound, vacuous } = theoremOne({ n, sigma: 1, alpha, d: lambdaMax / k, lambdaMax, epsilon });
    expect(printed).toBeLessThan(1e-14);
    expect({ bound, vacuous }).toEqual({ bound: 1, vacuous: true });
  });

  test("A1 and A2 leave τ < 1 to fewer than 1 + ε/(1 − ε·inf k*) observations, where rᵀr/n is its mean", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), between(0.01, 0.99), between(0.01, 0.99), (n, inf, epsilon) => {
        const lambdaMax = 1 + (n - 1) * inf; // the least that A1 allows
        const limit = 1 + epsilon / (1 - epsilon * inf);
        fc.pre(Math.abs(n - limit) > 1e-9);
        const { vacuous } = theoremOne({ n, sigma: 1, alpha: 1, d: lambdaMax / inf, lambdaMax, epsilon });
        expect(vacuous).toBe(n > limit);
      }),
    );
  });

  test("σ⁴ may be more or less than a double holds: no bound is NaN, none is above 1, and only α/σ⁴ counts", () => {
    const powers = fc.integer({ min: -300, max: 300 }).map((power) => 10 ** power);
    fc.assert(
      fc.property(powers, fc.oneof(powers, fc.constant(0)), between(0.01, 0.99), (sigma, alpha, epsilon) => {
        const inputs = { n: 7, sigma, alpha, d: 20, lambdaMax: 3, epsilon };
        const { tau, printed, bound, sharper, assumption, vacuous, why } = theoremOne(inputs);
        const { observations, leastDelta, gap } = theoremTwo({ ...inputs, delta: 1e-320 });
        for (const value of [printed, bound, sharper, assumption, leastDelta]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
        const log = Math.log(alpha) - 4 * Math.log(sigma);
        if (Math.abs(log) > 10) expect(vacuous).toBe(log < 0);
        expect(tau).toBeGreaterThanOrEqual(0);
        expect(gap).toBeGreaterThan(0);
        if (observations !== null) expect(observations).toBeGreaterThanOrEqual(0);
        expect(observations === null).toBe(vacuous);
        expect(observations).not.toBe(Infinity);
        expect(why.join()).not.toMatch(/NaN|–/);
      }),
    );
    const near = theoremTwo({ n: 2, sigma: 1, alpha: 1 + 1e-9, d: 2e9, lambdaMax: 1, epsilon: 0.5, delta: 0.05 });
    expect(near.observations).toBeGreaterThan(1e17); // τ is 1 − 1e-9, and g half its square
    expect(near.observations).toBeLessThan(1e20);
  });

  test("numbers that no kernel has are named", () => {
    const base = { n: 1000, sigma: 1, alpha: 50, d: 100, lambdaMax: 20, epsilon: 0.1 };
    expect(theoremOne(base).contradictions).toMatchInlineSnapshot(`
      [
        "A1 with d = 100 keeps every k* at 0.2 or more, so that λ_max is at least 1 + (n − 1)·inf k* = 201, not 20",
      ]
    `);
    expect(theoremOne({ ...base, n: 10, d: 1e6 }).contradictions).toMatchInlineSnapshot(`
      [
        "λ_max = 20 is above n = 10, the sum of all eigenvalues",
      ]
    `);
    expect(theoremOne({ ...base, d: 20 * 1000 }).contradictions).toEqual([]);
  });

  test("inputs outside their range are refused", () => {
    const base = { n: 10, sigma: 1, alpha: 1, d: 60, lambdaMax: 6, epsilon: 0.5 };
    const errors = (
      [
        { n: 0 },
        { n: 1.5 },
        { sigma: 0 },
        { alpha: -1 },
        { lambdaMax: Number.NaN },
        { epsilon: 1 },
        { d: 5 },
        { d: 1e300, lambdaMax: 1e-300 },
      ] as Partial<typeof base>[]
    ).map((change) => {
      try {
        return String(theoremOne({ ...base, ...change }).bound);
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(errors).toMatchInlineSnapshot(`
      [
        "n must be a whole number of at least 1, got 0",
        "n must be a whole number of at least 1, got 1.5",
        "sigma must be above 0 and finite, got 0",
        "alpha must be at least 0 and finite, got -1",
        "lambdaMax must be above 0 and finite, got NaN",
        "epsilon must be between 0 and 1, neither of them, got 1",
        "d must be at least lambdaMax: A1 asks for d·inf k* ≥ 6, and no kernel value is above 1; got 5",
        "d must be nearer to lambdaMax: A1 then has inf k* at lambdaMax/d, which for 1e-300 and 1e+300 is less than a number can be",
      ]
    `);
  });
});

describe("Theorem 2", () => {
  test("its number of observations brings Theorem 1 to δ", () => {
    const inputs = { sigma: 1, alpha: 8, d: 60, lambdaMax: 6, epsilon: 0.5 };
    const { observations, gap } = theoremTwo({ ...inputs, n: 1, delta: 0.05 });
    expect(gap).toBeCloseTo(2 * Math.log(2), 15);
    const n = Math.ceil(observations as number);
    expect(theoremTwo({ ...inputs, n, delta: 0.05 }).kept).toBe(true);
    expect(theoremTwo({ ...inputs, n: n - 1, delta: 0.05 }).kept).toBe(false);
    expect(theoremOne({ ...inputs, n }).bound).toBeLessThanOrEqual(0.05);
    expect(theoremOne({ ...inputs, n: n - 1 }).bound).toBeGreaterThan(0.05);
  });

  test("where Theorem 1 is vacuous no number of observations is enough", () => {
    expect(theoremTwo({ n: 1e6, sigma: 1, alpha: 1, d: 60, lambdaMax: 6, epsilon: 0.5, delta: 0.05 })).toMatchObject({
      observations: null,
      kept: false,
    });
  });

  test("more observations do not bring the sharper bound below its least δ: λ_max grows with n", () => {
    const [inf, alpha, epsilon] = [0.2, 3, 0.5];
    const bounds = [2, 10, 100, 1e4, 1e6].map((n) => {
      const lambdaMax = 1 + (n - 1) * inf;
      const inputs = { n, sigma: 1, alpha, d: lambdaMax / inf, lambdaMax, epsilon };
      const { leastDelta } = theoremTwo({ ...inputs, delta: 0.05 });
      return { sharper: theoremOne(inputs).sharper, leastDelta };
    });
    const { leastDelta } = bounds[0];
    expect(leastDelta).toBeGreaterThan(0.05);
    for (const bound of bounds) {
      expect(bound.leastDelta).toBeCloseTo(leastDelta, 12); // of inf k* and α alone
      expect(bound.sharper).toBeGreaterThan(leastDelta);
    }
    expect(bounds[4].sharper).toBeCloseTo(leastDelta, 4);
    const vacuous = theoremTwo({ n: 5, sigma: 1, alpha: 0.5, d: 60, lambdaMax: 6, epsilon: 0.5, delta: 0.05 });
    expect(vacuous.leastDelta).toBe(1);
  });
});
