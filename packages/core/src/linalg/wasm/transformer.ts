// The forward pass of a transformer: who computes which rows, columns or heads.
import { NO_OPTIONS } from "../engine.ts";
import { type FixedRows, SLIVER, wordsOf } from "../fixed.ts";
import type { Matrix } from "../matrix.ts";
import type { FixedProductOptions, Transformer } from "../transformer.ts";
import {
  checkAttention,
  checkGelu,
  checkLayerNorm,
  checkMultiplyFixed,
  checkQuantize,
} from "../transformer-contract.ts";
import { cut, type Pool } from "./pool.ts";

const THRESHOLD = 1 << 14; // elements below which one thread does it alone
const PRODUCT_THRESHOLD = 1 << 18; // multiply-adds
const TILE_COLUMNS = 8;

export function wasmTransformer(pool: Pool): Transformer {
  const quantizeKernel = pool.kernelNumber("quantize");
  const multiplyKernel = pool.kernelNumber("multiply_fixed");
  const layerNormKernel = pool.kernelNumber("layer_norm");
  const geluKernel = pool.kernelNumber("gelu");
  const attentionKernel = pool.kernelNumber("attention");

  /** Words and steps from row `row` on, the first of a sliver. */
  function putFixed(fixed: FixedRows, row: number): void {
    pool.putIndices(fixed.words, row * wordsOf(fixed.cols)).putVector(fixed.steps, row);
  }

  function multiply(C: Matrix, A: FixedRows, B: FixedRows, { bias, plus }: FixedProductOptions): void {
    const parts = pool.share(A.rows * B.rows * A.cols, PRODUCT_THRESHOLD);
    const byRows = A.rows > B.rows;
    for (let t = 0; t < parts; t++) {
      const row = byRows ? cut(A.rows, parts, t, SLIVER) : 0;
      const rowEnd = byRows ? cut(A.rows, parts, t + 1, SLIVER) : A.rows;
      const col = byRows ? 0 : cut(B.rows, parts, t, TILE_COLUMNS);
      const colEnd = byRows ? B.rows : cut(B.rows, parts, t + 1, TILE_COLUMNS);
      pool
        .job(t)
        .put(rowEnd - row)
        .put(colEnd - col)
        .put(wordsOf(A.cols));
      putFixed(A, row);
      putFixed(B, col);
      pool.putVector(bias, col);
      if (plus) pool.putRows(plus, row, col);
      else pool.put(0).put(0);
      pool.putRows(C, row, col).put(pool.workspace(t));
    }
    pool.run(multiplyKernel, parts);
  }

  return {
    quantize(out, X) {
      checkQuantize(out, X);
      const parts = pool.share(X.rows * X.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(X.rows, parts, t, SLIVER);
        pool
          .job(t)
          .put(cut(X.rows, parts, t + 1, SLIVER) - from)
          .put(X.cols)
          .putRows(X, from);
        putFixed(out, from);
      }
      pool.run(quantizeKernel, parts);
    },

    multiplyFixed(C, A, B, options = NO_OPTIONS) {
      checkMultiplyFixed(C, A, B, options);
      multiply(C, A, B, options);
    },

    layerNorm(out, X, gain, bias, epsilon = 1e-12) {
      checkLayerNorm(out, X, gain, bias, epsilon);
      const parts = pool.share(X.rows * X.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(X.rows, parts, t, 1);
        pool
          .job(t)
          .put(cut(X.rows, parts, t + 1, 1) - from)
          .put(X.cols)
          .putRows(X, from);
        pool.putVector(gain).putVector(bias).putRows(out, from).put(epsilon);
      }
      pool.run(layerNormKernel, parts);
    },

    gelu(out, X) {
      checkGelu(out, X);
      const parts = pool.share(X.rows * X.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(X.rows, parts, t, 1);
        pool
          .job(t)
          .put(cut(X.rows, parts, t + 1, 1) - from)
          .put(X.cols)
          .putRows(X, from)
          .putRows(out, from);
      }
      pool.run(geluKernel, parts);
    },

    attention(out, QKV, heads, starts) {
      checkAttention(out, QKV, heads, starts);
      const d = out.cols / heads;
      const pairs = (starts.length - 1) * heads;
      let longest = 0;
      let work = 0; // multiply-adds
      for (let i = 1; i < starts.length; i++) {
        const n = starts.data[starts.offset + i] - starts.data[starts.offset + i - 1];
        longest = Math.max(longest, n);
        work += 2 * n * n * out.cols;
      }
      const scope = pool.arena.open();
      try {
        const parts = pool.share(work, PRODUCT_THRESHOLD);
        const scratch = scope.matrix(parts, scratchFloats(longest, d), "f32");
        for (let t = 0; t < parts; t++) {
          pool
            .job(t)
            .put(cut(pairs, parts, t, 1))
            .put(cut(pairs, parts, t + 1, 1))
            .put(heads)
            .put(d);
          pool.putRows(QKV).putIndices(starts).putRows(out);
          pool.put(pool.address(scratch, t)).put(1 / Math.sqrt(d));
        }
        pool.run(attentionKernel, parts);
      } finally {
        scope.close();
      }
    },
  };
}

/** The sums of a tile; Q, K and Vᵀ; four rows of weights and of scores; steps of Q, K, V and the weights. */
function scratchFloats(n: number, d: number): number {
  const padded = 4 * Math.ceil(n / 4);
  return 32 + 2 * padded * wordsOf(d) + d * wordsOf(n) + 4 * wordsOf(n) + 4 * padded + 2 * padded + d + 4;
}
