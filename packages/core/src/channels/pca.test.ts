import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { Random } from "../linalg/random.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyPca, fitPca, type Pca } from "./pca.ts";

const bed = new Bed({ runs: 50 });
const engine = createPlainEngine();
const normals = (n: number, seed: number) => {
  const random = new Random(seed);
  return Float32Array.from({ length: n }, () => random.normal());
};

test("by hand: four points of a rectangle", () => {
  // corners (±2, ±1) around (10, 20): variances 4 and 1 along the axes
  const pca = fitPca(engine, Float32Array.of(12, 21, 12, 19, 8, 21, 8, 19), { width: 2, dimensions: 5 });
  expect(pca).toEqual({
    width: 2,
    dimensions: 2,
    count: 4,
    mean: Float32Array.of(10, 20),
    components: Float32Array.of(1, 0, 0, 1),
    variances: Float64Array.of(4, 1),
    totalVariance: 5,
  });
  expect(applyPca(pca, [11, 23])).toEqual(Float32Array.of(1, 3));
});

test("all components keep all distances; fewer keep the most variance", () => {
  bed.check(
    fc.record({ n: fc.integer({ min: 2, max: 30 }), d: fc.integer({ min: 1, max: 8 }), seed: fc.nat() }),
    (shape) => {
      const { n, d, seed } = shape;
      const rows = normals(n * d, seed);
      const pca = fitPca(engine, rows, { width: d, dimensions: d });
      expect(pca.dimensions).toBe(Math.min(d, n - 1));
      const Y = Array.from({ length: n }, (_, i) => applyPca(pca, rows.subarray(i * d, (i + 1) * d)));
      const square = (a: ArrayLike<number>, b: ArrayLike<number>) =>
        Array.from(a).reduce((s, x, j) => s + (x - b[j]) ** 2, 0);
      for (let i = 1; i < n; i++) {
        const direct = square(rows.subarray(0, d), rows.subarray(i * d, (i + 1) * d));
        expect(Math.abs(square(Y[0], Y[i]) - direct)).toBeLessThan(1e-5 * (1 + direct));
      }
      pca.variances.forEach((variance, j) => {
        const measured = Y.reduce((sum, y) => sum + y[j] ** 2, 0) / n;
        expect(Math.abs(measured - variance)).toBeLessThan(1e-5 * pca.totalVariance);
        expect(j === 0 || variance <= pca.variances[j - 1]).toBe(true);
      });
    },
  );
});

test("the order of items matters to the last bits only", () => {
  const [n, d] = [200, 6];
  const rows = normals(n * d, 3).map((x, at) => x * (1 + (at % d)));
  const order = new Random(1).shuffle(Array.from({ length: n }, (_, i) => i));
  const shuffled = Float32Array.from(order.flatMap((i) => Array.from(rows.subarray(i * d, (i + 1) * d))));
  const [a, b] = [rows, shuffled].map((X) => fitPca(engine, X, { width: d, dimensions: 4 }));
  a.components.forEach((x, at) => {
    expect(Math.abs(x - b.components[at])).toBeLessThan(1e-6);
  });
});

test("the number of workers does not matter, to the last bit; nor does a block's end", async () => {
  const [n, d] = [2500, 24]; // two blocks of 1024 rows and a part
  const rows = normals(n * d, 5);
  const fits: Pca[] = [];
  for (const workers of [1, 2, 3]) {
    const threads = await createEngine({ engine: "wasm", workers });
    fits.push(fitPca(threads, rows, { width: d, dimensions: 10 }));
    await threads.close();
  }
  expect(fits[1]).toEqual(fits[0]);
  expect(fits[2]).toEqual(fits[0]);
  const plain = fitPca(engine, rows, { width: d, dimensions: 10 });
  plain.variances.forEach((variance, j) => {
    expect(Math.abs(fits[0].variances[j] - variance)).toBeLessThan(1e-13 * plain.totalVariance);
  });
});

test("rounding makes no components: equal rows, and rows on a line far from 0", () => {
  const equal = new Float32Array(40).fill(0.1);
  expect(errorOf(() => fitPca(engine, equal, { width: 4, dimensions: 2 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitPca: all 10 training vectors are equal; look at what made them, or leave the channel out",
    }
  `);
  const line = Float32Array.from({ length: 30 }, (_, at) => 1000 + Math.floor(at / 3));
  expect(fitPca(engine, line, { width: 3, dimensions: 3 }).dimensions).toBe(1);
});

test("errors", () => {
  const fit =
    (rows: number[], width: number, dimensions = 1) =>
    () =>
      fitPca(engine, Float32Array.from(rows), { width, dimensions });
  expect(errorOf(fit([1, 2, 3], 2))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "fitPca: 3 numbers are not whole rows of 2",
    }
  `);
  expect(errorOf(fit([1, 2], 2))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitPca: needs at least 2 training vectors, got 1",
    }
  `);
  expect(errorOf(fit([1, 2, Number.NaN, 4], 2))).toMatchInlineSnapshot(`
    {
      "code": "NOT_FINITE",
      "message": "fitPca: column 0 has a value that is not finite",
    }
  `);
  expect(errorOf(fit([1, 2, 3, 4], 2, 0))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitPca: dimensions must be a whole number of at least 1, got 0",
    }
  `);
  const pca = fit([1, 2, 3, 5], 2)();
  expect(errorOf(() => applyPca(pca, [1, 2, 3]))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "applyPca: expected 2 numbers, got 3",
    }
  `);
  expect(errorOf(() => applyPca(pca, [1, 2], new Float32Array(2)))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "applyPca: out must hold 1 numbers, got 2",
    }
  `);
});
