import {
  checkActivate,
  checkActivation,
  checkAdamw,
  checkConvert,
  checkDropout,
  checkGather,
  checkSameShape,
  checkSoftmax,
  checkSparse,
  dropoutLimit,
  integerPower,
} from "../contract.ts";
import type { Activation, Training } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import { normalQuantile, philox, type Random } from "../random.ts";

const apply: Record<Activation, (x: number) => number> = {
  exp: Math.exp,
  tanh: Math.tanh,
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  relu: (x) => Math.max(x, 0),
};

/** f′(x) from y = f(x). */
const derivative: Record<Activation, (y: number) => number> = {
  exp: (y) => y,
  tanh: (y) => (1 - y) * (1 + y),
  sigmoid: (y) => y * (1 - y),
  relu: (y) => (y > 0 ? 1 : 0),
};

// Element i takes words 2i and 2i + 1 of the stream from the next whole block on.
function fill(out: Matrix, random: Random, value: (first: number, second: number) => number): void {
  checkSameShape("fill", out, out);
  const first = random.takeBlocks(Math.ceil((out.rows * out.cols) / 2));
  const words = new Uint32Array(4);
  for (let i = 0; i < out.rows * out.cols; i++) {
    const block = first + (i >> 1);
    if (i % 2 === 0) philox(words, [block >>> 0, Math.floor(block / 2 ** 32), 0, 0], [random.keyLow, random.keyHigh]);
    out.set(Math.floor(i / out.cols), i % out.cols, value(words[(i % 2) * 2], words[(i % 2) * 2 + 1]));
  }
}

const bits53 = (first: number, second: number) => (first >>> 5) * 67108864 + (second >>> 6);

export const training: Training = {
  activate(Y, X, f, bias) {
    checkActivate(Y, X, f, bias);
    for (let i = 0; i < X.rows; i++) {
      for (let j = 0; j < X.cols; j++) {
        Y.set(i, j, apply[f](bias ? X.get(i, j) + bias.data[bias.offset + j] : X.get(i, j)));
      }
    }
  },

  activateBackward(dX, dY, Y, f) {
    checkSameShape("activateBackward", Y, dY);
    checkSameShape("activateBackward", Y, dX);
    checkActivation("activateBackward", f);
    for (let i = 0; i < Y.rows; i++) {
      for (let j = 0; j < Y.cols; j++) dX.set(i, j, dY.get(i, j) * derivative[f](Y.get(i, j)));
    }
  },

  softmaxCrossEntropy(dLogits, logits, labels, offsets) {
    checkSoftmax(dLogits, logits, labels, offsets);
    let loss = 0;
    for (let i = 0; i < logits.rows; i++) {
      const label = labels.data[labels.offset + i];
      const z = Array.from(
        { length: logits.cols },
        (_, j) => logits.get(i, j) - (offsets ? offsets.data[offsets.offset + j] : 0),
      );
      const top = z.reduce((a, b) => Math.max(a, b), -Infinity);
      const total = z.reduce((a, b) => a + Math.exp(b - top), 0);
      loss += Math.log(total) + top - z[label];
      for (let j = 0; j < z.length; j++) {
        dLogits?.set(i, j, (Math.exp(z[j] - top) / total - (j === label ? 1 : 0)) / logits.rows);
      }
    }
    return loss / logits.rows;
  },

  // Loshchilov & Hutter (2019): p ← p·(1 − ηλ) − η·m̂/(√v̂ + ε)
  adamw(parameter, gradient, mean, square, options) {
    checkAdamw(parameter, gradient, mean, square, options);
    const { learningRate, step, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
    for (let i = 0; i < parameter.rows; i++) {
      for (let j = 0; j < parameter.cols; j++) {
        const g = gradient.get(i, j);
        const m = beta1 * mean.get(i, j) + (1 - beta1) * g;
        const v = beta2 * square.get(i, j) + (1 - beta2) * g * g;
        mean.set(i, j, m);
        square.set(i, j, v);
        const mHat = m / (1 - integerPower(beta1, step));
        const vHat = v / (1 - integerPower(beta2, step));
        const kept = parameter.get(i, j) * (1 - learningRate * weightDecay);
        parameter.set(i, j, kept - (learningRate * mHat) / (Math.sqrt(vHat) + epsilon));
      }
    }
  },

  // Element i takes half-word i of the stream from the next whole block on, the low half of each word first.
  dropout(out, X, rate, random) {
    checkDropout(out, X, rate);
    const count = X.rows * X.cols;
    const first = rate === 0 ? 0 : random.takeBlocks(Math.ceil(count / 8));
    const limit = dropoutLimit(rate);
    const scale = 1 / (1 - rate);
    const words = new Uint32Array(4);
    for (let i = 0; i < count; i++) {
      const block = first + (i >> 3);
      if (i % 8 === 0) philox(words, [block >>> 0, Math.floor(block / 2 ** 32), 0, 0], [random.keyLow, random.keyHigh]);
      const half = (words[(i % 8) >> 1] >>> (16 * (i % 2))) & 0xffff;
      const [r, c] = [Math.floor(i / X.cols), i % X.cols];
      out.set(r, c, half < limit ? 0 : X.get(r, c) * scale);
    }
  },

  convert(out, A) {
    checkConvert(out, A);
    for (let i = 0; i < A.rows; i++) for (let j = 0; j < A.cols; j++) out.set(i, j, A.get(i, j));
  },

  gatherRows(out, table, indices) {
    checkGather("gatherRows", out, table, indices);
    for (let i = 0; i < out.rows; i++) {
      for (let j = 0; j < out.cols; j++) out.set(i, j, table.get(indices.data[indices.offset + i], j));
    }
  },

  scatterAddRows(table, rows, indices, scale = 1) {
    checkGather("scatterAddRows", rows, table, indices);
    for (let i = 0; i < rows.rows; i++) {
      const r = indices.data[indices.offset + i];
      for (let j = 0; j < rows.cols; j++) table.set(r, j, table.get(r, j) + scale * rows.get(i, j));
    }
  },

  sparseMultiply(out, S, W) {
    checkSparse("sparseMultiply", out, S, W);
    const { starts, columns, values } = S;
    for (let i = 0; i < S.rows; i++) {
      for (let j = 0; j < W.cols; j++) {
        let s = 0;
        for (let e = starts.data[starts.offset + i]; e < starts.data[starts.offset + i + 1]; e++) {
          s += (values ? values.data[values.offset + e] : 1) * W.get(columns.data[columns.offset + e], j);
        }
        out.set(i, j, s);
      }
    }
  },

  sparseMultiplyBackward(dW, S, dOut) {
    checkSparse("sparseMultiplyBackward", dOut, S, dW);
    const { starts, columns, values } = S;
    for (let i = 0; i < S.rows; i++) {
      for (let e = starts.data[starts.offset + i]; e < starts.data[starts.offset + i + 1]; e++) {
        const r = columns.data[columns.offset + e];
        const value = values ? values.data[values.offset + e] : 1;
        for (let j = 0; j < dW.cols; j++) dW.set(r, j, dW.get(r, j) + value * dOut.get(i, j));
      }
    }
  },

  fillUniform(out, random) {
    if (out.precision === "f32") fill(out, random, (first) => (first >>> 8) * 2 ** -24);
    else fill(out, random, (first, second) => bits53(first, second) * 2 ** -53);
  },

  fillNormal(out, random) {
    fill(out, random, (first, second) => normalQuantile((bits53(first, second) + 0.5) * 2 ** -53));
  },
};
