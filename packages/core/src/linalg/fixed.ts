// Rows in 16-bit fixed point. The whole numbers of a row have a norm below √2³¹, so (Cauchy and Schwarz) no inner product of two such rows
// can leave 32 bits: sums are exact, whatever their order. How they lie in memory is the register tile's wish (assembly/fixed.ts).
import type { Scope } from "./arena.ts";
import type { Indices, Matrix } from "./matrix.ts";

/** Rows that lie side by side, word by word. */
export const SLIVER = 4;

/** Words of one row: two columns each, an even number of them. */
export const wordsOf = (cols: number): number => 2 * Math.ceil(cols / 4);

/** The norm that n whole numbers may have before they are rounded: √2³¹ = 46341, less what rounding adds. */
export const normLimit = (n: number): number => 46_300 - 0.5 * Math.sqrt(n);

/** Steps below this count as 0, and so does a row that would need one. */
export const LEAST_STEP = 2 ** -120;

/** A matrix (rows, cols) whose row i is `steps_i` times 16-bit whole numbers. Written by `quantize`. */
export interface FixedRows {
  readonly rows: number;
  readonly cols: number;
  /** Two whole numbers to a word, slivers of four rows after each other, columns padded with zeros. */
  readonly words: Indices;
  /** A vector of `rows`, f32. */
  readonly steps: Matrix;
}

/** Room for rows in fixed point. */
export function fixedRows(scope: Scope, rows: number, cols: number): FixedRows {
  const words = scope.indices(Math.ceil(rows / SLIVER) * SLIVER * wordsOf(cols));
  return { rows, cols, words, steps: scope.matrix(rows, 1, "f32") };
}

/** Where row i's word of columns 2q and 2q + 1 lies, counted from the first word. */
export const wordAt = (cols: number, i: number, q: number): number =>
  (Math.floor(i / SLIVER) * wordsOf(cols) + q) * SLIVER + (i % SLIVER);

/** The whole numbers of row i, one by one: for the oracle, and for whoever wants to look. */
export function wholeNumbers(fixed: FixedRows, i: number): Int32Array {
  const { words, cols } = fixed;
  const { data, offset } = words;
  return Int32Array.from({ length: cols }, (_, j) => {
    const word = data[offset + wordAt(cols, i, j >> 1)];
    return j % 2 === 0 ? (word << 16) >> 16 : word >> 16;
  });
}
