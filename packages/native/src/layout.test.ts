import { hostMatrix, type Matrix } from "@nearkin/core";
import { expect, test } from "vitest";
import { leadingDimension, rowMajorDimension } from "./layout.ts";

const matrix = (rows: number, cols: number) => hostMatrix(new Float64Array(rows * cols), rows, cols);

function strided(m: Matrix, rowStride: number, colStride: number): Matrix {
  m.rowStride = rowStride;
  m.colStride = colStride;
  return m;
}

test.each([
  ["row-major", matrix(3, 4), 4],
  ["its transpose", matrix(3, 4).transposed(), -4],
  ["a window", matrix(5, 7).view(1, 4, 2, 6), 7],
  ["a transposed window", matrix(5, 7).view(1, 4, 2, 6).transposed(), -7],
  ["one row: its stride means nothing", matrix(5, 7).view(2, 3), 7],
  ["a part of one row", matrix(5, 7).view(2, 3, 1, 4), 3],
  ["a column as one row", matrix(5, 7).view(0, 5, 2, 3).transposed(), -7],
  ["a vector as one row", matrix(5, 1).transposed(), 5],
  ["one column of many", matrix(5, 7).view(0, 5, 2, 3), 7],
  ["a vector", matrix(5, 1), 1],
  ["one row as a column", matrix(1, 5).transposed(), 1],
  ["one element", matrix(5, 7).view(2, 3, 3, 4), 1],
  ["no column", matrix(3, 0), 0],
  ["no row", matrix(0, 3), 3],
  ["neither stride is 1", strided(matrix(2, 2), 8, 2), 0],
  ["overlapping rows", strided(matrix(2, 4), 2, 1), 0],
  ["overlapping columns", strided(matrix(4, 2), 1, 2), 0],
  ["one row repeated", strided(matrix(3, 4), 0, 1), 0],
])("leading dimension: %s", (_, m, expected) => {
  expect(leadingDimension(m)).toBe(expected);
  expect(rowMajorDimension(m)).toBe(Math.max(expected, 0));
});
