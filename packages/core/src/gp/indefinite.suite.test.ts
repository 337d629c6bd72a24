// The sigmoid link's kernel is not positive definite, the other two are: what is measured, and what follows.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import { smallestEigenvalue } from "../linalg/decompositions/symmetric-eigen.ts";
import type { Engine, EngineKind, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { measureShift } from "./indefinite.ts";
import { sparseNll } from "./sparse.ts";

interface Points {
  m: number;
  d: number;
  link: Link;
  weights: readonly number[];
  offset?: number;
  seed: number;
  scale?: number;
}

const kinds: EngineKind[] = ["plain", "wasm"];
describe.each(kinds)("%s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, ...(kind === "wasm" && { workers: 2 }) });
  });
  afterAll(() => engine.close());

  /** The kernel of random points, in a scope of its own. */
  function withKernel(points: Points, body: (K: Matrix) => void): void {
    const { m, d, link, weights, offset = 0, seed, scale = 1 } = points;
    const scope = engine.scope();
    try {
      const Z = scope.matrix(m, d);
      engine.fillNormal(Z, new Random(seed));
      for (let i = 0; i < m * d; i++) Z.data[Z.offset + i] *= scale;
      const K = scope.matrix(m, m);
      const same = scope.indices(m).write(Array.from({ length: m }, (_, i) => i));
      engine.kernel(K, Z, Z, { link, offset, weights: scope.matrix(d, 1).write(weights), same });
      body(K);
    } finally {
      scope.close();
    }
  }

  const sigmoid: Points = { m: 200, d: 4, link: "sigmoid", weights: [1, -0.6, 0.8, -0.3], offset: -1, seed: 7 };

  test("a sigmoid kernel on 200 random points is far from positive definite: the shift is needed, and it is reported", () => {
    withKernel(sigmoid, (K) => {
      const truth = smallestEigenvalue(K.read(), 200);
      expect(truth).toBeLessThan(-1);
      const { smallest, error, shift } = measureShift(engine, K);
      expect(smallest).toBeGreaterThanOrEqual(truth - 1e-12);
      expect(smallest - truth).toBeLessThanOrEqual(error + 1e-12);
      expect(shift).toBeGreaterThanOrEqual(-truth);
      expect(shift).toBeLessThan(-1.01 * truth);

      const scope = engine.scope();
      const R = scope.matrix(200, 1).fill(1);
      const noise = scope.matrix(200, 1).fill(0.5);
      const inputs = { likelihood: "dtc", Knm: K, Kmm: K, R, noise } as const;
      expect(() => sparseNll(engine, inputs)).toThrow(expect.objectContaining({ code: "NOT_POSITIVE_DEFINITE" }));
      const result = sparseNll(engine, { ...inputs, shift });
      expect(result.shift).toBe(shift);
      expect(Number.isFinite(result.value)).toBe(true);
      scope.close();
    });
  });

  test("the estimate repeats, and all eigenvalues say the same", () => {
    withKernel(sigmoid, (K) => {
      const first = measureShift(engine, K);
      expect(measureShift(engine, K)).toEqual(first);
      const all = measureShift(engine, K, { exact: true });
      expect(all.error).toBe(0);
      expect(all.smallest).toBe(smallestEigenvalue(K.read(), 200));
      expect(Math.abs(first.smallest - all.smallest)).toBeLessThanOrEqual(first.error + 1e-12);
    });
  });

  test("linear and saturating kernels with h ≥ 0 never need a shift", () => {
    const arbitrary = fc.record({
      m: fc.constantFrom(1, 2, 5, 20, 97, 130),
      link: fc.constantFrom<Link>("linear", "saturating"),
      weights: fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 5, noNaN: true })), {
        minLength: 3,
        maxLength: 3,
      }),
      scale: fc.constantFrom(1e-4, 0.1, 1, 10),
      seed: fc.nat(1e6),
    });
    const property = fc.property(arbitrary, (drawn) =>
      withKernel({ ...drawn, d: 3 }, (K) => {
        const { smallest, shift } = measureShift(engine, K);
        expect(shift).toBe(0);
        expect(smallest).toBeGreaterThan(-1e-12 * drawn.m);
      }),
    );
    fc.assert(property, { seed: 20220328, numRuns: 40 });
  });

  test("what Lanczos cannot see from where it starts, the factorisation finds out", () => {
    const scope = engine.scope();
    const m = 6;
    const start = scope.matrix(1, m);
    engine.fillNormal(start, new Random(1));
    // K = I − 3ggᵀ with g ⟂ start: the start is an eigenvector of eigenvalue 1, and −2 is out of its reach
    const [a, b] = [start.get(0, 0), start.get(0, 1)];
    const g = [b, -a, 0, 0, 0, 0].map((x) => x / Math.sqrt(a * a + b * b));
    const K = scope.matrix(m, m).write(g.flatMap((x, i) => g.map((y, j) => (i === j ? 1 : 0) - 3 * x * y)));
    const { smallest, error, shift } = measureShift(engine, K);
    expect(smallest).toBeCloseTo(-2, 12);
    expect(error).toBe(0);
    expect(shift).toBeCloseTo(2, 5);
    scope.close();
  });

  test("a space that ends at once", () => {
    const scope = engine.scope();
    const K = scope.zeros(120, 120);
    for (let i = 0; i < 120; i++) K.set(i, i, i < 119 ? 1 : -1e-3); // two eigenvalues: the Krylov space ends at once
    const { smallest, shift } = measureShift(engine, K);
    expect(smallest).toBeCloseTo(-1e-3, 12);
    expect(shift).toBeGreaterThanOrEqual(1e-3);
    expect(shift).toBeLessThan(1.01e-3);
    for (let i = 0; i < 120; i++) K.set(i, i, 0);
    expect(measureShift(engine, K)).toEqual({ smallest: 0, error: 0, shift: 0 });
    scope.close();
  });
});
