import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poison } from "../../testing/bed.ts";
import { errorOf, expectWithin } from "../../testing/bounds.ts";
import { createEngine } from "../create.ts";
import type { Engine, EngineKind } from "../engine.ts";
import { hostMatrix, type Matrix } from "../matrix.ts";
import { createPlainEngine } from "../plain/engine.ts";
import { Random } from "../random.ts";
import { type PivotedCholesky, type PivotedCholeskyOptions, pivotedCholesky } from "./pivoted-cholesky.ts";

const oracle = createPlainEngine();

/** A symmetric matrix, whole, as the options ask for it. */
function given(K: Matrix, rank: number): PivotedCholeskyOptions {
  const n = K.rows;
  return {
    n,
    rank,
    diagonal: Float64Array.from({ length: n }, (_, i) => K.get(i, i)),
    column: (item, out) => out.write(Array.from({ length: n }, (_, i) => K.get(i, item))),
  };
}

const square = (rows: number[][]) => hostMatrix(Float64Array.from(rows.flat()), rows.length, rows.length);

/** exp(−½‖z_i − z_j‖²)·(1 + i mod 5), for points in three dimensions that repeat after `distinct` of them. */
function smooth(n: number, distinct = n): Matrix {
  const Z = hostMatrix(new Float64Array(n * 3), n, 3);
  oracle.fillNormal(Z, new Random(8));
  for (let i = distinct; i < n; i++) for (let j = 0; j < 3; j++) Z.set(i, j, Z.get(i % distinct, j));
  const K = hostMatrix(new Float64Array(n * n), n, n);
  oracle.kernel(K, Z, Z);
  const scale = (i: number) => 1 + ((i % distinct) % 5);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) K.set(i, j, K.get(i, j) * Math.sqrt(scale(i) * scale(j)));
  return K;
}

/** Every conditional variance from scratch, k_ii − k_iP·K_PP⁻¹·k_Pi, and the largest of them taken. */
function dense(K: Matrix, rank: number): { pivots: number[]; trace: number[] } {
  const [pivots, trace]: number[][] = [[], []];
  const variances = () => {
    const p = pivots.length;
    const L = hostMatrix(new Float64Array(p * p), p, p);
    const V = hostMatrix(new Float64Array(p * K.rows), p, K.rows);
    pivots.forEach((i, a) => {
      for (let b = 0; b < p; b++) L.set(a, b, K.get(i, pivots[b]));
      for (let j = 0; j < K.rows; j++) V.set(a, j, K.get(i, j));
    });
    oracle.cholesky(L);
    oracle.solveTriangular(V, L);
    return Array.from({ length: K.rows }, (_, j) => {
      const explained = pivots.reduce((sum, _, a) => sum + V.get(a, j) ** 2, 0);
      return pivots.includes(j) ? 0 : K.get(j, j) - explained;
    });
  };
  for (let step = 0; step < rank; step++) {
    const left = variances();
    pivots.push(left.indexOf(Math.max(...left)));
    trace.push(variances().reduce((a, b) => a + b, 0));
  }
  return { pivots, trace };
}

const kinds: EngineKind[] = ["plain", "wasm", "wasm-relaxed"];

describe.each(kinds)("pivotedCholesky, %s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 2 });
  });
  afterAll(() => engine.close());

  function run(options: PivotedCholeskyOptions): PivotedCholesky {
    poison(engine);
    return pivotedCholesky(engine, options);
  }

  test("pivots and what is left are the dense algebra's", () => {
    const K = smooth(70);
    const { pivots, trace } = run(given(K, 25));
    const expected = dense(K, 25);
    expect([...pivots]).toEqual(expected.pivots);
    expectWithin("trace", trace, expected.trace, 1e-10); // of a trace of 200
    expect([...trace].every((t, k) => k === 0 || t <= trace[k - 1])).toBe(true);
  });

  test("stops when a matrix of low rank is explained", () => {
    const B = hostMatrix(new Float64Array(50 * 6), 50, 6);
    oracle.fillNormal(B, new Random(4));
    const K = hostMatrix(new Float64Array(2500), 50, 50);
    oracle.syrk(K, B);
    const { pivots, trace } = run(given(K, 50));
    expect([...pivots]).toEqual(dense(K, 6).pivots);
    expect(trace[5]).toBeLessThan(1e-10 * trace[0]);
  });

  test("never takes an item, or its duplicate, twice", () => {
    const { pivots } = run(given(smooth(60, 20), 60));
    const classes = [...pivots].map((i) => i % 20);
    expect(new Set(classes).size).toBe(classes.length);
    expect(classes.length).toBe(20);
    expect(Math.max(...pivots)).toBeLessThan(20); // of equal ones the first
  });

  test("of equal variances the first; a tolerance stops earlier", () => {
    const identity = square([
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 1],
    ]);
    expect(run(given(identity, 3))).toEqual({ pivots: Int32Array.of(0, 1, 2), trace: Float64Array.of(3, 2, 1) });
    const falling = square([
      [0.04, 0, 0],
      [0, 1, 0],
      [0, 0, 0.1],
    ]);
    expect([...run({ ...given(falling, 3), tolerance: 0.05 }).pivots]).toEqual([1, 2]);
    expect([...run({ ...given(falling, 3), tolerance: 0.1 }).pivots]).toEqual([1]); // as much as the tolerance is enough
  });

  test("nothing to take: no items, no rank, no variance; more rank than items", () => {
    const none = { pivots: new Int32Array(0), trace: new Float64Array(0) };
    expect(run(given(square([]), 3))).toEqual(none);
    expect(run(given(square([[1]]), 0))).toEqual(none);
    expect(run(given(square([[0]]), 1))).toEqual(none);
    expect([...run(given(square([[2]]), 5)).pivots]).toEqual([0]);
  });

  test("an indefinite matrix: what would fall below 0 counts as 0", () => {
    const K = square([
      [1, 2],
      [2, 1],
    ]);
    expect(run(given(K, 2))).toEqual({ pivots: Int32Array.of(0), trace: Float64Array.of(0) });
  });

  test("mistakes have codes", () => {
    const good = given(smooth(3), 2);
    const wrong = (change: Partial<PivotedCholeskyOptions>) => errorOf(() => run({ ...good, ...change }));
    expect([
      wrong({ n: 4 }),
      wrong({ rank: -1 }),
      wrong({ tolerance: 1 }),
      wrong({ diagonal: Float64Array.of(1, Number.NaN, 1) }),
      wrong({ column: (_, out) => out.fill(Number.NaN) }),
    ]).toEqual([
      { code: "SHAPE_MISMATCH", message: "pivotedCholesky: diagonal: expected 4 numbers, got 3" },
      { code: "BAD_ARGUMENT", message: "pivotedCholesky: rank must be a whole number of at least 0, got -1" },
      { code: "BAD_ARGUMENT", message: "pivotedCholesky: tolerance must lie in [0, 1), got 1" },
      { code: "BAD_ARGUMENT", message: "pivotedCholesky: diagonal: item 1 has variance NaN" },
      { code: "BAD_ARGUMENT", message: "pivotedCholesky: column 2 holds NaN at 0" },
    ]);
    expect([...run(good).pivots]).toEqual([2, 1]); // a failure leaves the engine as it was
  });
});

test("the same for any number of workers", async () => {
  const [n, d, rank] = [6000, 4, 110]; // from 88 columns on, workers share a product
  const points = new Float64Array(n * d);
  oracle.fillNormal(hostMatrix(points, n, d), new Random(5));
  const options: PivotedCholeskyOptions = {
    n,
    rank,
    diagonal: new Float64Array(n).fill(1),
    column(item, out) {
      const { data, offset } = out;
      for (let i = 0; i < n; i++) {
        let t = 0;
        for (let j = 0; j < d; j++) t += (points[i * d + j] - points[item * d + j]) ** 2;
        data[offset + i] = 1 / (1 + t);
      }
    },
  };
  const results = [];
  for (const workers of [1, 2, 3]) {
    const engine = await createEngine({ engine: "wasm", workers });
    results.push(pivotedCholesky(engine, options));
    await engine.close();
  }
  expect(results[0].pivots.length).toBe(rank);
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});
