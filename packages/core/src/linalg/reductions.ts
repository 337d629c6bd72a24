// Sums that every engine takes in the same order, on the host: short, and too small to share.
import type { Indices, Matrix } from "./matrix.ts";
import { portableLog } from "./random.ts";

/** Σ of a contiguous vector, first to last. */
export function sum(v: Matrix): number {
  const { data, offset } = v;
  const n = v.rows * v.cols;
  let s = 0;
  for (let i = 0; i < n; i++) s += data[offset + i];
  return s;
}

/** 2·Σ log L_ii. */
export function logDeterminant(L: Matrix): number {
  const { data, offset, rowStride } = L;
  let s = 0;
  for (let i = 0; i < L.rows; i++) s += portableLog(data[offset + i * (rowStride + 1)]);
  return 2 * s;
}

/** No weight is negative: then rounding must not make a distance so. */
export function nonNegative(weights: Matrix | undefined): boolean {
  if (!weights) return true;
  const { data, offset } = weights;
  const n = weights.rows * weights.cols;
  for (let i = 0; i < n; i++) if (!(data[offset + i] >= 0)) return false;
  return true;
}

/** Adds to each length's gradient the sum of G over its row (or column) but without the pair of an item with itself. */
export function addLengthGradients(
  out: Matrix,
  sums: Matrix,
  G: Matrix,
  same: Indices | undefined,
  side: "rows" | "columns",
): void {
  const { data, offset } = out;
  const values = sums.data;
  const n = sums.rows;
  for (let i = 0; i < n; i++) data[offset + i] += values[sums.offset + i];
  if (!same) return;
  const pairs = same.data;
  for (let a = 0; a < same.length; a++) {
    const b = pairs[same.offset + a];
    if (b >= 0) data[offset + (side === "rows" ? a : b)] -= values[G.offset + a * G.rowStride + b];
  }
}
