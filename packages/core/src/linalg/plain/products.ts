import { checkGemm, checkGemv, checkScan, checkSyrk } from "../contract.ts";
import type { Engine, GemmOptions } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import { offer, shardScans } from "../wasm/scan.ts";

// C_ij = α·Σ_p A_ip B_pj + β·C_ij
function gemm(C: Matrix, A: Matrix, B: Matrix, options: GemmOptions = {}): void {
  const { alpha = 1, beta = 0, transposeA = false, transposeB = false } = options;
  const depth = transposeA ? A.rows : A.cols;
  const [aRow, aCol] = transposeA ? [A.colStride, A.rowStride] : [A.rowStride, A.colStride];
  const [bRow, bCol] = transposeB ? [B.colStride, B.rowStride] : [B.rowStride, B.colStride];
  const a = A.data;
  const b = B.data;
  const c = C.data;
  const row = new Float64Array(C.cols); // Σ in f64 whatever the precision of the operands
  for (let i = 0; i < C.rows; i++) {
    row.fill(0);
    for (let p = 0; p < depth; p++) {
      const x = a[A.offset + i * aRow + p * aCol];
      for (let j = 0, at = B.offset + p * bRow; j < C.cols; j++, at += bCol) row[j] += x * b[at];
    }
    for (let j = 0, at = C.offset + i * C.rowStride; j < C.cols; j++, at++) {
      c[at] = beta === 0 ? alpha * row[j] : alpha * row[j] + beta * c[at];
    }
  }
}

/** The lower triangle decides: the upper one becomes its mirror image. */
function mirror(C: Matrix): void {
  for (let i = 0; i < C.rows; i++) for (let j = 0; j < i; j++) C.set(j, i, C.get(i, j));
}

export const products: Pick<Engine, "gemm" | "syrk" | "syr2k" | "gemv" | "scan"> = {
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
    checkSyrk("syr2k", C, A, transpose);
    checkSyrk("syr2k", C, B, transpose);
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

  scan(result, shards, query) {
    checkScan(result, shards, query);
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
