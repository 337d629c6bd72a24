import { NO_OPTIONS } from "../engine.ts";
import { LEAST_STEP, normLimit, wholeNumbers, wordAt } from "../fixed.ts";
import type { Matrix } from "../matrix.ts";
import type { Transformer } from "../transformer.ts";
import {
  checkAttention,
  checkGelu,
  checkLayerNorm,
  checkMultiplyFixed,
  checkQuantize,
} from "../transformer-contract.ts";
import { normalDistribution } from "./normal-distribution.ts";

/** To the nearest whole number, halves to even. */
function nearest(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

const rowOf = (X: Matrix, i: number, from = 0, to = X.cols): Float64Array =>
  Float64Array.from({ length: to - from }, (_, j) => X.get(i, from + j));

const mean = (x: Float64Array): number => x.reduce((sum, value) => sum + value, 0) / x.length;

export const plainTransformer: Transformer = {
  quantize(out, X) {
    checkQuantize(out, X);
    const { words, steps } = out;
    words.data.fill(0, words.offset, words.offset + words.length);
    for (let i = 0; i < X.rows; i++) {
      const x = rowOf(X, i);
      const norm = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
      const top = x.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
      const step = Math.fround(Math.max(norm / normLimit(X.cols), top / 32767));
      steps.data[steps.offset + i] = step < LEAST_STEP ? 0 : step;
      if (step < LEAST_STEP) continue;
      for (let j = 0; j < X.cols; j++) {
        const at = words.offset + wordAt(X.cols, i, j >> 1);
        words.data[at] |= (nearest(x[j] / step) & 0xffff) << (16 * (j % 2));
      }
    }
  },

  multiplyFixed(C, A, B, options = NO_OPTIONS) {
    checkMultiplyFixed(C, A, B, options);
    const { bias, plus } = options;
    const b = Array.from({ length: B.rows }, (_, j) => wholeNumbers(B, j));
    for (let i = 0; i < A.rows; i++) {
      const a = wholeNumbers(A, i);
      for (let j = 0; j < B.rows; j++) {
        let sum = 0;
        for (let k = 0; k < a.length; k++) sum += a[k] * b[j][k];
        const product = sum * A.steps.data[A.steps.offset + i] * B.steps.data[B.steps.offset + j];
        C.set(i, j, product + (bias ? bias.data[bias.offset + j] : 0) + (plus ? plus.get(i, j) : 0));
      }
    }
  },

  layerNorm(out, X, gain, bias, epsilon = 1e-12) {
    checkLayerNorm(out, X, gain, bias, epsilon);
    for (let i = 0; i < X.rows; i++) {
      const x = rowOf(X, i);
      const centre = mean(x);
      const deviation = Math.sqrt(mean(x.map((value) => (value - centre) ** 2)) + epsilon);
      for (let j = 0; j < x.length; j++) {
        out.set(i, j, ((x[j] - centre) / deviation) * gain.data[gain.offset + j] + bias.data[bias.offset + j]);
      }
    }
  },

  gelu(out, X) {
    checkGelu(out, X);
    for (let i = 0; i < X.rows; i++) {
      for (let j = 0; j < X.cols; j++) {
        const x = X.get(i, j);
        out.set(i, j, x === -Infinity ? 0 : x * normalDistribution(x));
      }
    }
  },

  // Without fixed point: what the others are held against.
  attention(out, QKV, heads, starts) {
    checkAttention(out, QKV, heads, starts);
    const d = out.cols / heads;
    for (let text = 0; text + 1 < starts.length; text++) {
      const first = starts.data[starts.offset + text];
      const n = starts.data[starts.offset + text + 1] - first;
      for (let head = 0; head < heads; head++) {
        const part = (which: number) =>
          Array.from({ length: n }, (_, i) => {
            const from = which * out.cols + head * d;
            return rowOf(QKV, first + i, from, from + d);
          });
        const [q, k, v] = [part(0), part(1), part(2)];
        for (let i = 0; i < n; i++) {
          const scores = k.map((key) => key.reduce((sum, value, j) => sum + value * q[i][j], 0) / Math.sqrt(d));
          const top = scores.reduce((largest, score) => Math.max(largest, score), -Infinity);
          const weights = scores.map((score) => Math.exp(score - top));
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          for (let j = 0; j < d; j++) {
            const sum = weights.reduce((s, weight, row) => s + weight * v[row][j], 0);
            out.set(first + i, head * d + j, sum / total);
          }
        }
      }
    }
  },
};
