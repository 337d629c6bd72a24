import { createEngine, type Engine } from "@nearkin/core";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLemma5, lemma5 } from "./lemma5.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

type Rows = readonly (readonly bigint[])[];
const times = (M: Rows, x: readonly bigint[]) => M.map((row) => row.reduce((sum, m, j) => sum + m * x[j], 0n));
const dot = (x: readonly bigint[], y: readonly bigint[]) => x.reduce((sum, value, i) => sum + value * y[i], 0n);

/** adj(S) of a 3 × 3 matrix: S·adj(S) = |S|·I. */
const adjugate = (S: Rows): Rows =>
  [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => {
      const [a, b, c, d] = [(j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3];
      return S[a][c] * S[b][d] - S[a][d] * S[b][c];
    }),
  );

test("Lemma 5 in whole numbers, so exactly: times |S|², both sides are equal for any K, A and r", () => {
  const whole = fc.integer({ min: -9, max: 9 }).map(BigInt);
  const matrix = fc.array(fc.array(whole, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(
      matrix,
      matrix,
      fc.array(whole, { minLength: 3, maxLength: 3 }),
      fc.integer({ min: 1, max: 9 }).map(BigInt),
      (K, A, r, sigma2) => {
        const S = K.map((row, i) => row.map((value, j) => (i === j ? value + sigma2 : value)));
        const solved = times(adjugate(S), r); // |S|·S⁻¹r
        const determinant = dot(
          S[0],
          adjugate(S).map((row) => row[0]),
        );
        const predicted = times(K, solved); // |S|·r̂
        const residual = r.map((value, i) => determinant * value - predicted[i]);
        expect(dot(residual, times(A, residual))).toBe(sigma2 ** 2n * dot(solved, times(A, solved)));
      },
    ),
  );
});

test("by hand: one item with K = 3, σ² = 1, r = 8 leaves a residual of 2", () => {
  using scope = engine.scope();
  const [K, A, r] = [3, 5, 8].map((value) => scope.matrix(1, 1).write([value]));
  expect(lemma5(engine, { K, A, r, sigma2: 1 })).toEqual({ left: 20, right: 20 });
});

test("what is left of the two sides is rounding, and with A2's A the kernel drops out", () => {
  for (const n of [1, 5, 40]) {
    const { any, energy, trials } = checkLemma5(engine, { n });
    expect(trials).toBe(20);
    expect(any).toBeLessThan(1e-10);
    expect(energy).toBeLessThan(1e-10);
  }
});

test("σ⁴·rᵀr/n for two kernels that have nothing in common: A2 does not see what was learned", () => {
  using scope = engine.scope();
  const r = scope.matrix(3, 1).write([1, -2, 2]);
  const kernels = [
    [1, 0, 0, 0, 1, 0, 0, 0, 1],
    [1, 0.9, 0.2, 0.9, 1, 0.3, 0.2, 0.3, 1],
  ].map((entries) => scope.matrix(3, 3).write(entries));
  for (const K of kernels) expect(lemma5(engine, { K, r, sigma2: 0.5 }).left).toBeCloseTo((0.25 * 9) / 3, 14);
});
