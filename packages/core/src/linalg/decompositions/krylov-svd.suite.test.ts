import { describe, expect, test } from "vitest";
import { createEngine } from "../create.ts";
import type { Engine } from "../engine.ts";
import { Random } from "../random.ts";
import { krylovSvd } from "./krylov-svd.ts";
import { denseOperator, type GramOperator } from "./operator.ts";
import { randomizedSvd } from "./randomized-svd.ts";
import { symmetricEigen } from "./symmetric-eigen.ts";

const ROWS = 300;
const COLS = 220;

/** A matrix whose singular values fall as slowly as (j + 1)^−¼, and the exact right singular vectors from its Gram matrix. */
function slowMatrix(engine: Engine) {
  using scope = engine.scope();
  const A = scope.matrix(ROWS, COLS);
  engine.fillNormal(A, new Random(3));
  const values = A.read();
  for (let i = 0; i < ROWS; i++) for (let j = 0; j < COLS; j++) values[i * COLS + j] *= (j + 1) ** -0.25;
  const gram = scope.matrix(COLS, COLS);
  A.write(values);
  engine.gemm(gram, A, A, { transposeA: true });
  return {
    values,
    exact: symmetricEigen(
      gram.read().map((x, at, all) => 0.5 * (x + all[(at % COLS) * COLS + Math.floor(at / COLS)])),
      COLS,
    ),
  };
}

/** Mean share of the exact vectors 0 … rank − 1 that lies in the span found. */
function overlap(exact: Float64Array, found: Float64Array, rank: number): number {
  let total = 0;
  for (let j = 0; j < rank; j++) {
    for (let r = 0; r < rank; r++) {
      let dot = 0;
      for (let i = 0; i < COLS; i++) dot += exact[j * COLS + i] * found[i * rank + r];
      total += dot * dot;
    }
  }
  return total / rank;
}

function withMatrix<T>(engine: Engine, values: Float64Array, use: (operator: GramOperator) => T): T {
  using scope = engine.scope();
  return use(denseOperator(engine, scope.matrix(ROWS, COLS).write(values)));
}

describe("krylovSvd", () => {
  test("comes closer than subspace iteration with as many products, where singular values fall slowly", async () => {
    await using engine = await createEngine({ engine: "wasm", workers: 1 });
    const { values, exact } = slowMatrix(engine);
    const rank = 24;
    const krylov = withMatrix(engine, values, (op) =>
      krylovSvd(engine, op, { rank, block: 16, passes: 5, random: new Random(1) }),
    ); // 5 · 16 columns
    const subspace = withMatrix(
      engine,
      values,
      (op) => randomizedSvd(engine, op, { rank, oversample: 3, iterations: 2, random: new Random(1) }), // 3 · 27 columns
    );
    const close = overlap(exact.vectors, krylov.rightVectors, rank);
    expect(close).toBeGreaterThan(0.9);
    expect(close).toBeGreaterThan(overlap(exact.vectors, subspace.rightVectors, rank) + 0.02);
    // Ritz values never exceed the true ones, and the leading ones have converged.
    krylov.singularValues.forEach((value, j) => {
      expect(value).toBeLessThanOrEqual(Math.sqrt(exact.values[j]) * (1 + 1e-12));
    });
    expect(krylov.singularValues[0]).toBeCloseTo(Math.sqrt(exact.values[0]), 5);
  });

  test("more passes converge to the exact vectors, which are orthonormal", async () => {
    await using engine = await createEngine({ engine: "wasm", workers: 1 });
    const { values, exact } = slowMatrix(engine);
    const rank = 5;
    const { rightVectors, singularValues } = withMatrix(engine, values, (op) =>
      krylovSvd(engine, op, { rank, block: 16, passes: 13, random: new Random(1) }),
    );
    expect(overlap(exact.vectors, rightVectors, rank)).toBeCloseTo(1, 8);
    singularValues.forEach((value, j) => {
      expect(value).toBeCloseTo(Math.sqrt(exact.values[j]), 8);
    });
    for (let a = 0; a < rank; a++) {
      for (let c = 0; c <= a; c++) {
        let dot = 0;
        for (let i = 0; i < COLS; i++) dot += rightVectors[i * rank + a] * rightVectors[i * rank + c];
        expect(dot).toBeCloseTo(a === c ? 1 : 0, 10);
      }
    }
  });

  test("a matrix of low rank has zeros behind it, and the vectors stay orthonormal", async () => {
    await using engine = await createEngine({ engine: "wasm", workers: 1 });
    const values = new Float64Array(ROWS * COLS);
    for (let i = 0; i < ROWS; i++)
      for (let j = 0; j < COLS; j++) values[i * COLS + j] = (i % 3) + 1 + (j % 2) * (i % 5);
    const { singularValues, rightVectors } = withMatrix(engine, values, (op) =>
      krylovSvd(engine, op, { rank: 20, random: new Random(2) }),
    );
    expect(singularValues[0]).toBeGreaterThan(100);
    expect(singularValues[1]).toBeGreaterThan(10);
    for (const value of singularValues.subarray(2)) expect(value).toBeLessThan(1e-4 * singularValues[0]);
    for (let r = 0; r < 20; r++) {
      let square = 0;
      for (let i = 0; i < COLS; i++) square += rightVectors[i * 20 + r] ** 2;
      expect(square).toBeCloseTo(1, 8);
    }
  });

  test("a matrix smaller than the span is decomposed exactly", async () => {
    await using engine = await createEngine({ engine: "plain" });
    using scope = engine.scope();
    const A = scope.matrix(3, 4).write([3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0]);
    const { rank, singularValues } = krylovSvd(engine, denseOperator(engine, A), { rank: 65, random: new Random(1) });
    expect(rank).toBe(3);
    expect([...singularValues].map((value) => value.toFixed(9))).toEqual(["3.000000000", "2.000000000", "1.000000000"]);
  });

  test("gives the same bits for any number of workers", async () => {
    const results: string[] = [];
    for (const workers of [1, 2, 3]) {
      await using engine = await createEngine({ engine: "wasm", workers });
      const { values } = slowMatrix(engine);
      const { rightVectors } = withMatrix(engine, values, (op) =>
        krylovSvd(engine, op, { rank: 20, random: new Random(1) }),
      );
      results.push(rightVectors.join());
    }
    expect(results[1]).toBe(results[0]);
    expect(results[2]).toBe(results[0]);
  });

  test("says what is wrong with its options", async () => {
    await using engine = await createEngine({ engine: "plain" });
    using scope = engine.scope();
    const operator = denseOperator(engine, scope.matrix(3, 3));
    expect(() => krylovSvd(engine, operator, { rank: 0, random: new Random(1) })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: krylovSvd: rank must be a whole number of at least 1, got 0]`,
    );
    expect(() =>
      krylovSvd(engine, operator, { rank: 9, block: 2, passes: 4, random: new Random(1) }),
    ).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: krylovSvd: passes·block must be at least the rank 9, got 4·2]`,
    );
  });
});
