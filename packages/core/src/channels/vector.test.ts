import { expect, test } from "vitest";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyPca } from "./pca.ts";
import { applyVector, fitVector } from "./vector.ts";

const engine = createPlainEngine();

test("without reduction a vector stays as it is", () => {
  const fitted = fitVector(engine, [[1, 2, 3], undefined, Float32Array.of(4, 5, 6)]);
  expect(fitted).toEqual({ type: "vector", width: 3, count: 2, missing: 1 });
  expect(applyVector(fitted, [0.5, -1, 2])).toEqual(Float32Array.of(0.5, -1, 2));
  expect(applyVector(fitted, undefined)).toBeUndefined();
});

test("with reduction it is its principal components, of the training vectors alone", () => {
  const fitted = fitVector(engine, [[12, 21], [12, 19], undefined, [8, 21], [8, 19]], { pca: 1 });
  expect(fitted.pca?.count).toBe(4);
  expect(applyVector(fitted, [13, 7])).toEqual(Float32Array.of(3));
  expect(applyVector(fitted, [13, 7])).toEqual(fitted.pca && applyPca(fitted.pca, [13, 7]));
  expect(applyVector(fitted, undefined)).toBeUndefined();
});

test("errors name the position", () => {
  const fitted = fitVector(engine, [[1, 2]], { width: 2 });
  expect(errorOf(() => applyVector(fitted, [1, 2, 3]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_VALUE",
      "message": "expected a vector of 2 numbers, got 3",
    }
  `);
  expect(errorOf(() => applyVector(fitted, [1, Number.NaN]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_VALUE",
      "message": "expected a vector of finite 32-bit floats, got NaN at 1",
    }
  `);
  expect(errorOf(() => applyVector(fitted, [1e39, 0]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_VALUE",
      "message": "expected a vector of finite 32-bit floats, got 1e+39 at 0",
    }
  `);
  expect(errorOf(() => applyVector(fitted, [1, 2], new Float32Array(3)))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "applyVector: out must hold 2 numbers, got 3",
    }
  `);
  expect(errorOf(() => fitVector(engine, [[1, 2], [3]]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_VALUE",
      "message": "training item 1: expected a vector of 2 numbers, got 1",
    }
  `);
  expect(errorOf(() => fitVector(engine, [[1, 2]], { width: 3 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_VALUE",
      "message": "training item 0: expected a vector of 3 numbers, got 2",
    }
  `);
  expect(errorOf(() => fitVector(engine, [undefined], { width: 3 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitVector: none of the 1 training items has a vector; leave the channel out",
    }
  `);
  expect(errorOf(() => fitVector(engine, [[], []]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitVector: none of the 2 training items has a vector; leave the channel out",
    }
  `);
  expect(errorOf(() => fitVector(engine, [[1]], { width: 0 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitVector: width must be a whole number of at least 1, got 0",
    }
  `);
});
