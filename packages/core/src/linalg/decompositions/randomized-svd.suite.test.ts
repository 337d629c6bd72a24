import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poison } from "../../testing/bed.ts";
import { errorOf, expectWithin } from "../../testing/bounds.ts";
import { digest } from "../../testing/program.ts";
import { createEngine } from "../create.ts";
import type { Engine, EngineKind } from "../engine.ts";
import { hostMatrix } from "../matrix.ts";
import { createPlainEngine } from "../plain/engine.ts";
import { Random } from "../random.ts";
import { denseOperator, type GramOperator } from "./operator.ts";
import { orthonormalize } from "./orthonormalize.ts";
import { type RandomizedSvdOptions, randomizedSvd } from "./randomized-svd.ts";
import { type SparseMatrix, sparseOperator } from "./sparse-operator.ts";

const oracle = createPlainEngine();

/** U·diag(σ)·Vᵀ with random orthonormal U (rows, k) and V (cols, k): the matrix, row-major, and V. */
function withSpectrum(rows: number, cols: number, sigma: readonly number[], seed: number) {
  const k = sigma.length;
  const random = new Random(seed);
  const basis = (n: number) => {
    const Q = hostMatrix(new Float64Array(n * k), n, k);
    oracle.fillNormal(Q, random);
    orthonormalize(oracle, Q);
    return Q;
  };
  const [U, V] = [basis(rows), basis(cols)];
  for (let i = 0; i < rows; i++) for (let j = 0; j < k; j++) U.set(i, j, U.get(i, j) * sigma[j]);
  const A = hostMatrix(new Float64Array(rows * cols), rows, cols);
  oracle.gemm(A, U, V, { transposeB: true });
  return { A: A.read(), V: V.read() };
}

function svd(engine: Engine, A: Float64Array, rows: number, cols: number, options: RandomizedSvdOptions) {
  poison(engine);
  const scope = engine.scope();
  const result = randomizedSvd(engine, denseOperator(engine, scope.matrix(rows, cols).write(A)), options);
  scope.close();
  return result;
}

/** sin of the largest angle between the spans of the first k columns: ‖(I − VVᵀ)W‖, by its largest column. */
function sine(V: Float64Array, W: Float64Array, n: number, k: number): number {
  let worst = 0;
  for (let j = 0; j < k; j++) {
    const w = Float64Array.from({ length: n }, (_, i) => W[i * k + j]);
    const rest = w.slice();
    for (let c = 0; c < k; c++) {
      let dot = 0;
      for (let i = 0; i < n; i++) dot += V[i * k + c] * w[i];
      for (let i = 0; i < n; i++) rest[i] -= dot * V[i * k + c];
    }
    worst = Math.max(worst, Math.sqrt(rest.reduce((s, x) => s + x * x, 0)));
  }
  return worst;
}

function expectOrthonormal(V: Float64Array, n: number, k: number): void {
  const I = hostMatrix(new Float64Array(k * k), k, k);
  oracle.syrk(I, hostMatrix(V, n, k), { transpose: true });
  const unit = Float64Array.from({ length: k * k }, (_, at) => (at % (k + 1) === 0 ? 1 : 0));
  expectWithin("VᵀV", I, unit, 1e-13);
}

const kinds: EngineKind[] = ["plain", "wasm", "wasm-relaxed"];
describe.each(kinds)("%s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, ...(kind !== "plain" && { workers: 2 }) });
  });
  afterAll(() => engine.close());

  test("a spectrum that decays: leading values to 1e-6 and better, and the subspace", () => {
    const [rows, cols, rank] = [90, 60, 8];
    const sigma = Array.from({ length: 40 }, (_, k) => 5 * 0.7 ** k);
    const { A, V } = withSpectrum(rows, cols, sigma, 1);
    const result = svd(engine, A, rows, cols, { rank, random: new Random(2) });
    expect(result.rank).toBe(rank);
    expectWithin("σ", result.singularValues, sigma.slice(0, rank), (j) => 1e-10 * sigma[j]);
    expectOrthonormal(result.rightVectors, cols, rank);
    const leading = Float64Array.from(
      { length: cols * rank },
      (_, at) => V[Math.floor(at / rank) * sigma.length + (at % rank)],
    );
    expect(sine(leading, result.rightVectors, cols, rank)).toBeLessThan(1e-6);
    for (let j = 0; j < rank; j++) {
      const column = Array.from({ length: cols }, (_, i) => result.rightVectors[i * rank + j]);
      const top = Math.max(...column.map(Math.abs));
      expect(column.find((x) => Math.abs(x) === top)).toBeGreaterThan(0);
    }
    expect(Math.max(...result.residuals)).toBeLessThan(1e-6);
  });

  test("one more iteration brings the values up, never down, and the residuals say how near they are", () => {
    const [rows, cols, rank] = [80, 70, 5];
    const sigma = Array.from({ length: 70 }, (_, k) => 1 / (1 + 0.1 * k)); // decays slowly
    const { A } = withSpectrum(rows, cols, sigma, 3);
    let before = new Float64Array(rank);
    for (const iterations of [0, 1, 2, 4, 8]) {
      const result = svd(engine, A, rows, cols, { rank, oversample: 5, iterations, random: new Random(4) });
      for (let j = 0; j < rank; j++) {
        expect(result.singularValues[j]).toBeGreaterThanOrEqual(before[j] - 1e-14);
        expect(result.singularValues[j]).toBeLessThanOrEqual(sigma[j] + 1e-14); // Ritz values lie below (Cauchy)
        // some σ² lies within the residual of each Ritz value
        const value = result.singularValues[j] ** 2;
        const nearest = Math.min(...sigma.map((s) => Math.abs(s * s - value)));
        expect(nearest).toBeLessThanOrEqual(result.residuals[j] + 1e-14);
      }
      before = Float64Array.from(result.singularValues);
    }
    expect(Math.abs(before[0] - 1)).toBeLessThan(1e-3);
  });

  test("a rank beyond the matrix is clipped, and then the answer is exact", () => {
    for (const [rows, cols] of [
      [9, 5],
      [5, 9],
    ]) {
      const sigma = [4, 3, 2, 1, 0.5];
      const { A } = withSpectrum(rows, cols, sigma, 5);
      const result = svd(engine, A, rows, cols, { rank: 50, random: new Random(1) });
      expect([result.rank, result.singularValues.length, result.rightVectors.length]).toEqual([5, 5, 5 * cols]);
      expectWithin("σ", result.singularValues, sigma, 1e-12);
      expectOrthonormal(result.rightVectors, cols, 5);
    }
  });

  test("a matrix of lower rank than asked for: the rest are rounding, their vectors still orthonormal", () => {
    const { A } = withSpectrum(50, 40, [3, 2], 6);
    const result = svd(engine, A, 50, 40, { rank: 6, random: new Random(1) });
    expectWithin("σ", result.singularValues.subarray(0, 2), [3, 2], 1e-13);
    expect(Math.max(...result.singularValues.subarray(2))).toBeLessThan(3e-7);
    expectOrthonormal(result.rightVectors, 40, 6);
  });

  test("zeros, one entry, and nothing", () => {
    const zeros = svd(engine, new Float64Array(30), 6, 5, { rank: 2, random: new Random(1) });
    expect(Array.from(zeros.singularValues)).toEqual([0, 0]);
    expect(Array.from(zeros.residuals)).toEqual([0, 0]);
    expectOrthonormal(zeros.rightVectors, 5, 2);
    const one = svd(engine, Float64Array.of(-3), 1, 1, { rank: 1, random: new Random(1) });
    expectWithin("σ", one.singularValues, [3], 1e-15);
    expect(Array.from(one.rightVectors)).toEqual([1]);
    const none = svd(engine, new Float64Array(0), 0, 5, { rank: 3, random: new Random(1) });
    expect([none.rank, none.singularValues.length, none.rightVectors.length]).toEqual([0, 0, 0]);
  });

  test("degrees divided out: σ₁ = 1 in each connected part, its vector √d", () => {
    // Two groups of users with no item in common: two singular values of exactly 1, spanned by √d on each group's items.
    const random = new Random(12);
    const { rows, cols, starts, columns } = communities(random, [30, 50], [8, 12]);
    const normalised = divided({ rows, cols, starts, columns });
    const degree = new Float64Array(cols);
    for (const c of columns) degree[c]++;
    const result = randomizedSvd(engine, sparseOperator(engine, normalised), {
      rank: 3,
      iterations: 30,
      random: random.split("svd"),
    });
    expectWithin("σ", result.singularValues.subarray(0, 2), [1, 1], 1e-12);
    expect(result.singularValues[2]).toBeLessThan(0.95);
    const expected = new Float64Array(cols * 2);
    for (const [part, from, to] of [
      [0, 0, 8],
      [1, 8, 20],
    ]) {
      const total = degree.subarray(from, to).reduce((a, b) => a + b);
      for (let i = from; i < to; i++) expected[i * 2 + part] = Math.sqrt(degree[i] / total);
    }
    const found = Float64Array.from(
      { length: cols * 2 },
      (_, at) => result.rightVectors[Math.floor(at / 2) * 3 + (at % 2)],
    );
    expect(sine(expected, found, cols, 2)).toBeLessThan(1e-9);
  });

  test("sparse equals dense, and f32 equals f64 to its own rounding", () => {
    fc.assert(
      fc.property(
        fc.record({
          rows: fc.integer({ min: 1, max: 60 }),
          cols: fc.integer({ min: 1, max: 40 }),
          width: fc.integer({ min: 1, max: 20 }),
          seed: fc.nat(),
          weighted: fc.boolean(),
          scaled: fc.boolean(),
        }),
        ({ rows, cols, width, seed, weighted, scaled }) => {
          const random = new Random(seed);
          const matrix = drawn(random, rows, cols, weighted, scaled);
          poison(engine);
          const scope = engine.scope();
          const A = scope.matrix(rows, cols).write(dense(matrix));
          const [X, want, got] = [scope.matrix(cols, width), scope.matrix(cols, width), scope.matrix(cols, width)];
          engine.fillUniform(X, random);
          denseOperator(engine, A).gram(want, X);
          const scale = Math.max(...want.read().map(Math.abs), 1e-300);
          sparseOperator(engine, matrix).gram(got, X);
          expectWithin("f64", got, want, 1e-14 * scale * rows);
          sparseOperator(engine, matrix, { precision: "f32" }).gram(got, X);
          expectWithin("f32", got, want, 1e-7 * scale * (rows + 8));
          scope.close();
        },
      ),
      { seed: 20220328, numRuns: 40 },
    );
  });
});

/** Users of each group take about half of the group's items, at least one. */
function communities(random: Random, users: readonly number[], items: readonly number[]): SparseMatrix {
  const starts = [0];
  const columns: number[] = [];
  let first = 0;
  users.forEach((count, part) => {
    for (let u = 0; u < count; u++) {
      columns.push(first + (u % items[part]));
      for (let i = 0; i < items[part]; i++) if (i !== u % items[part] && random.below(2) === 0) columns.push(first + i);
      starts.push(columns.length);
    }
    first += items[part];
  });
  return {
    rows: starts.length - 1,
    cols: first,
    starts: Int32Array.from(starts),
    columns: Int32Array.from(columns),
  };
}

/** Each entry divided by √(d_u·d_i). */
function divided(matrix: SparseMatrix): SparseMatrix {
  const { rows, cols, starts, columns } = matrix;
  const degree = new Float64Array(cols);
  for (const c of columns) degree[c]++;
  return {
    ...matrix,
    rowScale: Float64Array.from({ length: rows }, (_, u) => 1 / Math.sqrt(Math.max(1, starts[u + 1] - starts[u]))),
    columnScale: degree.map((d) => 1 / Math.sqrt(Math.max(1, d))),
  };
}

function drawn(random: Random, rows: number, cols: number, weighted: boolean, scaled: boolean): SparseMatrix {
  const starts = [0];
  const columns: number[] = [];
  for (let u = 0; u < rows; u++) {
    for (let e = random.below(6); e > 0; e--) columns.push(random.below(cols));
    starts.push(columns.length);
  }
  const kinds = [Int32Array, Uint32Array, Float64Array];
  const matrix: SparseMatrix = {
    rows,
    cols,
    starts: kinds[random.below(3)].from(starts),
    columns: Int32Array.from(columns),
    ...(weighted && { values: Float32Array.from(columns, () => random.uniform() - 0.5) }),
  };
  return scaled ? divided(matrix) : matrix;
}

function dense({ rows, cols, starts, columns, values, rowScale, columnScale }: SparseMatrix): Float64Array {
  const A = new Float64Array(rows * cols);
  for (let u = 0; u < rows; u++) {
    for (let e = starts[u]; e < starts[u + 1]; e++) {
      const i = columns[e];
      A[u * cols + i] += (rowScale?.[u] ?? 1) * (values?.[e] ?? 1) * (columnScale?.[i] ?? 1);
    }
  }
  return A;
}

test("the same bits for 1, 2 and 3 workers, and in Node and in the browser", async () => {
  const random = new Random(21);
  const [rows, cols, rank] = [900, 300, 40];
  const matrix = divided(drawn(random, rows, cols, true, false));
  for (const precision of ["f64", "f32"] as const) {
    const digests: string[] = [];
    for (const workers of [1, 2, 3, 2]) {
      await using engine = await createEngine({ engine: "wasm", workers });
      expect(engine.info.workers).toBe(workers);
      const result = randomizedSvd(engine, sparseOperator(engine, matrix, { precision }), {
        rank,
        iterations: 2,
        random: new Random(5),
      });
      digests.push(
        digest([
          hostMatrix(result.singularValues, rank, 1),
          hostMatrix(result.rightVectors, cols, rank),
          hostMatrix(result.residuals, rank, 1),
        ]),
      );
    }
    expect(new Set(digests).size).toBe(1);
    if (precision === "f64") expect(digests[0]).toMatchInlineSnapshot(`"f27e82afd1636bd1"`);
    else expect(digests[0]).toMatchInlineSnapshot(`"04ab73d57cb20967"`);
  }
});

test("an eigenvalue of AᵀA that rounding brought below 0 is a singular value of 0", () => {
  const operator: GramOperator = {
    rows: 4,
    cols: 3,
    gram(out, X) {
      out.write(X.read().map((x, at) => x * (at < 2 ? 1 : -1e-17))); // X has 2 columns: row 0, then the others
    },
  };
  const { singularValues } = randomizedSvd(oracle, operator, { rank: 2, oversample: 0, random: new Random(1) });
  expectWithin("σ", singularValues, [1, 0], 1e-15);
  expect(singularValues[1]).toBe(0);
});

test("the seed decides the start, not the answer", () => {
  const sigma = Array.from({ length: 30 }, (_, k) => 0.5 ** k);
  const { A } = withSpectrum(40, 30, sigma, 8);
  const [one, same, other] = [1, 1, 2].map((seed) => svd(oracle, A, 40, 30, { rank: 5, random: new Random(seed) }));
  expect(same).toEqual(one);
  expect(other.rightVectors).not.toEqual(one.rightVectors);
  expectWithin("V", other.rightVectors, one.rightVectors, 1e-10);
});

test("mistakes", () => {
  const operator: GramOperator = denseOperator(oracle, hostMatrix(new Float64Array(6), 3, 2));
  const random = new Random(1);
  const sparse: SparseMatrix = { rows: 2, cols: 3, starts: Int32Array.of(0, 1, 3), columns: Int32Array.of(0, 1, 2) };
  const [three, other] = [hostMatrix(new Float64Array(6), 3, 2), hostMatrix(new Float64Array(6), 3, 2)];
  const f32 = hostMatrix(new Float32Array(6), 3, 2);
  expect([
    errorOf(() => randomizedSvd(oracle, operator, { rank: 0, random })),
    errorOf(() => randomizedSvd(oracle, operator, { rank: 1.5, random })),
    errorOf(() => randomizedSvd(oracle, operator, { rank: 1, oversample: -1, random })),
    errorOf(() => randomizedSvd(oracle, operator, { rank: 1, iterations: -1, random })),
    errorOf(() => denseOperator(oracle, f32)),
    errorOf(() => operator.gram(three, three)),
    errorOf(() => sparseOperator(oracle, sparse).gram(three, f32)),
    errorOf(() => sparseOperator(oracle, { ...sparse, starts: Int32Array.of(0, 3) })),
    errorOf(() => sparseOperator(oracle, { ...sparse, starts: Float64Array.of(0, 1, 4) })),
    errorOf(() => sparseOperator(oracle, { ...sparse, starts: Float64Array.of(0, 1.5, 3) })),
    errorOf(() => sparseOperator(oracle, { ...sparse, values: new Float32Array(2) })),
    errorOf(() => sparseOperator(oracle, { ...sparse, rowScale: new Float64Array(3) })),
    errorOf(() => sparseOperator(oracle, { ...sparse, columnScale: new Float64Array(2) })),
    errorOf(() => sparseOperator(oracle, { ...sparse, columns: Int32Array.of(0, 1, 3) }).gram(other, three)),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "BAD_ARGUMENT",
        "message": "randomizedSvd: rank must be a whole number of at least 1, got 0",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "randomizedSvd: rank must be a whole number of at least 1, got 1.5",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "randomizedSvd: oversample must be a whole number of at least 0, got -1",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "randomizedSvd: iterations must be a whole number of at least 0, got -1",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "denseOperator: A: expected f64, got f32",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "denseOperator: X: expected (2, 2), got (3, 2)",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "sparseOperator: X: expected f64 like the other operands, got f32",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "sparseOperator: starts: expected 3, got 2",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "sparseOperator: columns, as many as the last of starts: expected 4, got 3",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "sparseOperator: starts are whole numbers below 2^31, got 1.5 at 1",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "sparseOperator: values, one for each column: expected 3, got 2",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "sparseOperator: rowScale: expected 2, got 3",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "sparseOperator: columnScale: expected 3, got 2",
      },
      {
        "code": "INDEX_OUT_OF_RANGE",
        "message": "sparseGram: columns: position 2 holds 3; valid are 0 to 2",
      },
    ]
  `);
});
