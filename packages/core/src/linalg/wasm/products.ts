// gemm, syrk, syr2k and gemv: who computes which rows (or columns), and on whose workspace.
import { checkGemm, checkGemv, checkScaleRows, checkSyr2k, checkSyrk } from "../contract.ts";
import { NO_OPTIONS, type Products } from "../engine.ts";
import type { Matrix, Precision } from "../matrix.ts";
import type { Accelerator } from "./engine.ts";
import { cut, type Pool } from "./pool.ts";

const GEMM_THRESHOLD = 1 << 18; // multiply-adds below which waking a worker costs more than it saves
const SCALE_THRESHOLD = 1 << 16; // elements
const STREAM_THRESHOLD = 1 << 19; // elements, for passes bound by memory: waking a thread costs as much as reading 1 MB

export function products(pool: Pool, accelerator?: Accelerator): Products {
  const gemmKernel = pool.kernel("gemm");
  const mirrorKernel = pool.kernel("mirror");
  const gemvKernel = pool.kernel("gemv");
  const gemvTransposedKernel = pool.kernel("gemv_transposed");
  const scaleRowsKernel = pool.kernel("scale_rows");

  // Strides rather than copies: op(A) is (rowStride, colStride) or the two swapped.
  const outer = (m: Matrix, transpose: boolean) => (transpose ? m.colStride : m.rowStride);
  const inner = (m: Matrix, transpose: boolean) => (transpose ? m.rowStride : m.colStride);

  // y = α·A·x + β·y, A (rows, cols) with contiguous rows; all by address
  function streamRows(
    precision: Precision,
    rows: number,
    cols: number,
    a: number,
    lda: number,
    x: number,
    y: number,
    alpha: number,
    beta: number,
  ): void {
    const size = precision === "f32" ? 4 : 8;
    const parts = pool.share(rows * cols, STREAM_THRESHOLD);
    for (let t = 0; t < parts; t++) {
      const from = cut(rows, parts, t, 1);
      pool
        .job(t)
        .put(cut(rows, parts, t + 1, 1) - from)
        .put(cols)
        .put(a + from * lda * size)
        .put(lda);
      pool
        .put(x)
        .put(y + from * size)
        .put(alpha)
        .put(beta)
        .put(pool.workspace(t));
    }
    pool.run(gemvKernel[precision], parts);
  }

  // y = α·Aᵀ·x + β·y, still row by row of A
  function streamColumns(
    precision: Precision,
    rows: number,
    cols: number,
    a: number,
    lda: number,
    x: number,
    y: number,
    alpha: number,
    beta: number,
  ): void {
    const parts = pool.share(rows * cols, STREAM_THRESHOLD);
    for (let t = 0; t < parts; t++) {
      pool
        .job(t)
        .put(rows)
        .put(cut(cols, parts, t, 4))
        .put(cut(cols, parts, t + 1, 4))
        .put(a)
        .put(lda);
      pool.put(x).put(y).put(alpha).put(beta);
    }
    pool.run(gemvTransposedKernel[precision], parts);
  }

  // A product with a vector is bound by memory: packing would cost more than it. False where the strides do not allow it.
  function vectorProduct(
    C: Matrix,
    A: Matrix,
    B: Matrix,
    alpha: number,
    beta: number,
    transposeA: boolean,
    transposeB: boolean,
  ): boolean {
    const { rows: m, cols: n, precision } = C;
    const k = transposeA ? A.rows : A.cols;
    if (m > 1 && n > 1) return false;
    const ao = outer(A, transposeA);
    const ai = inner(A, transposeA);
    const bo = outer(B, transposeB);
    const bi = inner(B, transposeB);
    const a = pool.address(A);
    const b = pool.address(B);
    const c = pool.address(C);
    if (n === 1 && (k <= 1 || bo === 1) && (m === 1 || C.rowStride === 1)) {
      if (k <= 1 || ai === 1) streamRows(precision, m, k, a, ao, b, c, alpha, beta);
      else if (m === 1 || ao === 1) streamColumns(precision, k, m, a, ai, b, c, alpha, beta);
      else return false;
      return true;
    }
    if (m === 1 && (k <= 1 || ai === 1)) {
      if (bi === 1) streamColumns(precision, k, n, b, bo, a, c, alpha, beta);
      else if (k <= 1 || bo === 1) streamRows(precision, n, k, b, bi, a, c, alpha, beta);
      else return false;
      return true;
    }
    return false;
  }

  function gemm(
    C: Matrix,
    A: Matrix,
    B: Matrix,
    alpha: number,
    beta: number,
    transposeA: boolean,
    transposeB: boolean,
  ): void {
    const m = C.rows;
    const n = C.cols;
    const k = transposeA ? A.rows : A.cols;
    if (m === 0 || n === 0) return;
    pool.checkOpen();
    if (vectorProduct(C, A, B, alpha, beta, transposeA, transposeB)) return;
    if (accelerator?.gemm(C, A, B, alpha, beta, transposeA, transposeB)) return;
    const size = C.precision === "f32" ? 4 : 8;
    const parts = pool.share(m * n * Math.max(k, 1), GEMM_THRESHOLD);
    const byRows = m >= n || m >= 16 * parts * pool.tileRows;
    const quantum = byRows ? pool.tileRows : 32 / size;
    for (let t = 0; t < parts; t++) {
      const from = cut(byRows ? m : n, parts, t, quantum);
      const to = cut(byRows ? m : n, parts, t + 1, quantum);
      const row = byRows ? from : 0;
      const col = byRows ? 0 : from;
      pool
        .job(t)
        .put(byRows ? to - from : m)
        .put(byRows ? n : to - from)
        .put(k)
        .put(alpha);
      pool
        .put(pool.address(A) + row * outer(A, transposeA) * size)
        .put(outer(A, transposeA))
        .put(inner(A, transposeA));
      pool
        .put(pool.address(B) + col * inner(B, transposeB) * size)
        .put(outer(B, transposeB))
        .put(inner(B, transposeB));
      pool.put(beta).putRows(C, row, col).put(pool.workspace(t)).put(-1);
    }
    pool.run(gemmKernel[C.precision], parts);
  }

  // C's lower triangle = α·op(A)·op(B)ᵀ + β·C. Rows are cut so that each thread gets the same area of the triangle.
  function lowerProduct(C: Matrix, A: Matrix, B: Matrix, alpha: number, beta: number, transpose: boolean): void {
    const n = C.rows;
    const k = transpose ? A.rows : A.cols;
    if (n === 0) return;
    const parts = pool.share((n * n * Math.max(k, 1)) / 2, GEMM_THRESHOLD);
    for (let t = 0; t < parts; t++) {
      const from = triangleCut(n, parts, t, pool.tileRows);
      const to = triangleCut(n, parts, t + 1, pool.tileRows);
      const size = C.precision === "f32" ? 4 : 8;
      pool
        .job(t)
        .put(to - from)
        .put(to)
        .put(k)
        .put(alpha);
      pool
        .put(pool.address(A) + from * outer(A, transpose) * size)
        .put(outer(A, transpose))
        .put(inner(A, transpose));
      pool.put(pool.address(B)).put(inner(B, transpose)).put(outer(B, transpose));
      pool.put(beta).putRows(C, from).put(pool.workspace(t)).put(from);
    }
    pool.run(gemmKernel[C.precision], parts);
  }

  function mirror(C: Matrix): void {
    pool.job(0).put(C.rows).putRows(C);
    pool.run(mirrorKernel[C.precision], 1);
  }

  return {
    gemm(C, A, B, options = NO_OPTIONS) {
      checkGemm(C, A, B, options);
      gemm(C, A, B, options.alpha ?? 1, options.beta ?? 0, options.transposeA ?? false, options.transposeB ?? false);
    },

    syrk(C, A, options = NO_OPTIONS) {
      const { alpha = 1, beta = 0, transpose = false } = options;
      checkSyrk("syrk", C, A, transpose);
      if (!accelerator?.syrk(C, A, alpha, beta, transpose)) lowerProduct(C, A, A, alpha, beta, transpose);
      mirror(C);
    },

    syr2k(C, A, B, options = NO_OPTIONS) {
      const { alpha = 1, beta = 0, transpose = false } = options;
      checkSyr2k(C, A, B, transpose);
      lowerProduct(C, A, B, alpha, beta, transpose);
      lowerProduct(C, B, A, alpha, 1, transpose);
      mirror(C);
    },

    gemv(y, A, x, options = NO_OPTIONS) {
      const { alpha = 1, beta = 0, transpose = false } = options;
      checkGemv(y, A, x, transpose);
      const stream = transpose ? streamColumns : streamRows;
      stream(A.precision, A.rows, A.cols, pool.address(A), A.rowStride, pool.address(x), pool.address(y), alpha, beta);
    },

    scaleRows(out, A, s) {
      checkScaleRows(out, A, s);
      const parts = pool.share(A.rows * A.cols, SCALE_THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(A.rows, parts, t, 1);
        pool
          .job(t)
          .put(cut(A.rows, parts, t + 1, 1) - from)
          .put(A.cols);
        pool.putRows(A, from).putVector(s, from).putRows(out, from);
      }
      pool.run(scaleRowsKernel[A.precision], parts);
    },
  };
}

/** Row at which part `index` of a lower triangle of n rows begins, parts of equal area. */
export function triangleCut(n: number, parts: number, index: number, quantum: number): number {
  if (index === parts) return n;
  return Math.min(n, Math.ceil((n * Math.sqrt(index / parts)) / quantum) * quantum);
}
