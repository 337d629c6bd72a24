// Single rows of a matrix, on the host: for the few rows of a batch whose value is missing.
import type { FloatArray, Indices, Matrix } from "../linalg/matrix.ts";

/** No rows: one array for all, so that a batch without missing values allocates nothing. */
export const NO_ROWS: readonly number[] = Object.freeze([]);

/** Rows [i] of row-major m become 0. */
export function clearRows(m: Matrix, rows: readonly number[]): void {
  const { data, offset, rowStride, cols } = m;
  for (const i of rows) data.fill(0, offset + i * rowStride, offset + i * rowStride + cols);
}

/** Rows [i] of row-major m become the m.cols numbers of `values` from `from` on. */
export function setRows(m: Matrix, rows: readonly number[], values: FloatArray, from = 0): void {
  const { data, offset, rowStride, cols } = m;
  for (const i of rows) {
    for (let j = 0; j < cols; j++) data[offset + i * rowStride + j] = values[from + j];
  }
}

/** Row i of row-major m becomes row items[i] of `values`. */
export function copyRows(m: Matrix, values: Matrix, items: Indices): void {
  const { data, offset, rowStride, cols } = m;
  for (let i = 0; i < items.length; i++) {
    const from = values.offset + items.data[items.offset + i] * values.rowStride;
    for (let j = 0; j < cols; j++) data[offset + i * rowStride + j] = values.data[from + j];
  }
}

/** out, a vector of m.cols, += the sum of rows [i] of row-major m. */
export function addRows(out: Matrix, m: Matrix, rows: readonly number[]): void {
  const { data, offset, rowStride, cols } = m;
  const to = out.data;
  for (let j = 0; j < cols; j++) {
    let sum = 0;
    for (const i of rows) sum += data[offset + i * rowStride + j];
    to[out.offset + j] += sum;
  }
}
