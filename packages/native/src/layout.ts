// How BLAS sees a matrix: one of its two strides must be 1, and the other one is its leading dimension.
import type { Matrix } from "@nearkin/core";

/**
 * The leading dimension: positive when rows are contiguous, negative when columns are (BLAS then reads the transpose), 0 when
 * BLAS cannot read the matrix. The stride between rows means nothing when there is one row only, and likewise for columns.
 */
export function leadingDimension(m: Matrix): number {
  const ld = rowMajorDimension(m);
  if (ld > 0) return ld;
  if (m.rowStride !== 1 && m.rows > 1) return 0;
  const across = m.cols > 1 ? m.colStride : Math.max(1, m.rows);
  return across >= Math.max(1, m.rows) ? -across : 0;
}

/** The same for a matrix that must have contiguous rows; 0 when it has not. */
export function rowMajorDimension(m: Matrix): number {
  if (m.colStride !== 1 && m.cols > 1) return 0;
  const down = m.rows > 1 ? m.rowStride : Math.max(1, m.cols);
  return down >= Math.max(1, m.cols) ? down : 0;
}
