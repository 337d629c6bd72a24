import { checkGemm, checkGemv, checkScaleRows, checkScan, checkSyr2k, checkSyrk } from "../contract.ts";
import type { GemmOptions, Products, Scans } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import { offer, shardScans } from "../top-k.ts";

// op(A) as plain doubles, row by row. V8 compiles a loop for the array types it has seen: one that has met both Float32Array
// and Float64Array runs at a tenth of its speed, so the loops below see only this one.
function dense(A: Matrix, transpose: boolean): Float64Array {
  return (transpose ? A.transposed() : A).read();
}

// C_ij = α·Σ_p A_ip B_pj + β·C_ij, sums in f64 whatever the precision of the operands
function gemm(C: Matrix, A: Matrix, B: Matrix, options: GemmOptions = {}): void {
  const { alpha = 1, beta = 0, transposeA = false, transposeB = false } = options;
  const n = C.cols;
  const depth = transposeA ? A.rows : A.cols;
  const a = dense(A, transposeA); // (m, depth)
  const b = dense(B, transposeB); // (depth, n)
  const row = new Float64Array(n);
  for (let i = 0; i < C.rows; i++) {
    row.fill(0);
    for (let p = 0; p < depth; p++) {
      const x = a[i * depth + p];
      for (let j = 0; j < n; j++) row[j] += x * b[p * n + j];
    }
    for (let j = 0; j < n; j++) C.set(i, j, beta === 0 ? alpha * row[j] : alpha * row[j] + beta * C.get(i, j));
  }
}

/** The lower triangle decides: the upper one becomes its mirror image. */
function mirror(C: Matrix): void {
  for (let i = 0; i < C.rows; i++) for (let j = 0; j < i; j++) C.set(j, i, C.get(i, j));
}

export const products: Products & Scans = {
  gemm(C, A, B, options = {}) {
    checkGemm(C, A, B, options);
    gemm(C, A, B, options);
  },

  syrk(C, A, options = {}) {
    const { alpha = 1, beta = 0, transpose = false } = options;
    checkSyrk("syrk", C, A, transpose);
    gemm(C, A, A, { alpha, beta, transposeA: transpose, transposeB: !transpose });
    mirror(C);
  },

  syr2k(C, A, B, options = {}) {
    const { alpha = 1, beta = 0, transpose = false } = options;
    checkSyr2k(C, A, B, transpose);
    gemm(C, A, B, { alpha, beta, transposeA: transpose, transposeB: !transpose });
    gemm(C, B, A, { alpha, beta: 1, transposeA: transpose, transposeB: !transpose });
    mirror(C);
  },

  gemv(y, A, x, options = {}) {
    const { alpha = 1, beta = 0, transpose = false } = options;
    checkGemv(y, A, x, transpose);
    const [rows, cols, rowStride, colStride] = transpose
      ? [A.cols, A.rows, A.colStride, A.rowStride]
      : [A.rows, A.cols, A.rowStride, A.colStride];
    for (let i = 0; i < rows; i++) {
      let s = 0;
      for (let j = 0; j < cols; j++) s += A.data[A.offset + i * rowStride + j * colStride] * x.data[x.offset + j];
      const at = y.offset + i;
      y.data[at] = beta === 0 ? alpha * s : alpha * s + beta * y.data[at];
    }
  },

  scaleRows(out, A, s) {
    checkScaleRows(out, A, s);
    for (let i = 0; i < A.rows; i++) {
      for (let j = 0; j < A.cols; j++) out.set(i, j, s.data[s.offset + i] * A.get(i, j));
    }
  },

  scan(result, shards, query) {
    checkScan(shards, query);
    result.count = 0;
    let firstRow = 0;
    for (const shard of shards) {
      const elsewhere = shardScans.get(shard.storage);
      if (elsewhere) elsewhere(result, shard, query, firstRow);
      else {
        for (let i = 0; i < shard.rows; i++) {
          let s = 0;
          for (let j = 0; j < shard.cols; j++)
            s += shard.data[shard.offset + i * shard.rowStride + j] * query.data[query.offset + j];
          offer(result, s, firstRow + i);
        }
      }
      firstRow += shard.rows;
    }
  },
};
