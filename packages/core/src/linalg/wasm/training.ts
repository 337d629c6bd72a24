// What a training step needs besides products: the softmax loss, AdamW, rows by index, random numbers.
import { checkAdamw, checkGather, checkSameShape, checkSoftmax, checkSparse, integerPower } from "../contract.ts";
import type { Training } from "../engine.ts";
import type { Indices, Matrix } from "../matrix.ts";
import type { Random } from "../random.ts";
import { sum } from "../reductions.ts";
import { elementwise } from "./elementwise.ts";
import { cut, type Pool } from "./pool.ts";

const THRESHOLD = 1 << 14; // elements below which one thread does it alone

export function training(pool: Pool): Training {
  const softmax = pool.kernel("softmax");
  const adamw = pool.kernel("adamw");
  const gather = pool.kernel("gather");
  const scatter = pool.kernel("scatter");
  const sparse = pool.kernel("sparse");
  const sparseBackward = pool.kernel("sparse_backward");
  const random = pool.kernel("random");

  function fill(out: Matrix, stream: Random, kind: number): void {
    checkSameShape("fill", out, out);
    const first = stream.takeBlocks(Math.ceil((out.rows * out.cols) / 2));
    // Element i of the matrix is number i of the stream, whatever the stride and whoever computes it.
    const contiguous = out.rowStride === out.cols || out.rows <= 1;
    const runs = contiguous ? 1 : out.rows;
    const length = contiguous ? out.rows * out.cols : out.cols;
    for (let r = 0; r < runs; r++) {
      const parts = pool.share(length, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = r * length + cut(length, parts, t, 1);
        const count = r * length + cut(length, parts, t + 1, 1) - from;
        const size = out.precision === "f32" ? 4 : 8;
        pool
          .job(t)
          .put(from)
          .put(count)
          .put(pool.address(out, r) - r * length * size); // where element 0 would be
        pool
          .put(stream.keyLow)
          .put(stream.keyHigh)
          .put(first % 2 ** 32)
          .put(Math.floor(first / 2 ** 32))
          .put(kind);
      }
      pool.run(random[out.precision], parts);
    }
  }

  return {
    ...elementwise(pool),

    softmaxCrossEntropy(dLogits, logits, labels, offsets) {
      checkSoftmax(dLogits, logits, labels, offsets);
      const scope = pool.arena.open();
      try {
        const losses = scope.matrix(logits.rows, 1, logits.precision);
        const parts = pool.share(logits.rows * logits.cols, THRESHOLD);
        for (let t = 0; t < parts; t++) {
          const from = cut(logits.rows, parts, t, 1);
          pool
            .job(t)
            .put(cut(logits.rows, parts, t + 1, 1) - from)
            .put(logits.cols)
            .putRows(logits, from)
            .putVector(offsets);
          pool.putIndices(labels, from);
          if (dLogits) pool.putRows(dLogits, from);
          else pool.put(0).put(0);
          pool.putVector(losses, from).put(1 / logits.rows);
        }
        pool.run(softmax[logits.precision], parts);
        return sum(losses) / logits.rows;
      } finally {
        scope.close();
      }
    },

    adamw(parameter, gradient, mean, square, options) {
      checkAdamw(parameter, gradient, mean, square, options);
      const { learningRate, step, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
      const n = parameter.rows * parameter.cols;
      const rate = learningRate / (1 - integerPower(beta1, step));
      const root = 1 / Math.sqrt(1 - integerPower(beta2, step));
      const parts = pool.share(n, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(n, parts, t, 4);
        pool.job(t).put(cut(n, parts, t + 1, 4) - from);
        pool.putVector(parameter, from).putVector(gradient, from).putVector(mean, from).putVector(square, from);
        pool
          .put(beta1)
          .put(beta2)
          .put(rate)
          .put(root)
          .put(epsilon)
          .put(1 - learningRate * weightDecay);
      }
      pool.run(adamw[parameter.precision], parts);
    },

    gatherRows(out, table, indices) {
      checkGather("gatherRows", out, table, indices);
      if (table.storage !== pool.arena || indices.storage !== pool.arena) {
        gatherFromHost(out, table, indices);
        return;
      }
      const parts = pool.share(out.rows * out.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(out.rows, parts, t, 1);
        pool
          .job(t)
          .put(cut(out.rows, parts, t + 1, 1) - from)
          .put(out.cols)
          .putRows(out, from)
          .putRows(table);
        pool.putIndices(indices, from);
      }
      pool.run(gather[out.precision], parts);
    },

    scatterAddRows(table, rows, indices, scale = 1) {
      checkGather("scatterAddRows", rows, table, indices);
      const parts = pool.share(rows.rows * rows.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(rows.cols, parts, t, 4);
        pool
          .job(t)
          .put(rows.rows)
          .put(cut(rows.cols, parts, t + 1, 4) - from);
        pool.putRows(table, 0, from).putRows(rows, 0, from).putIndices(indices).put(scale);
      }
      pool.run(scatter[table.precision], parts);
    },

    sparseMultiply(out, S, W) {
      checkSparse("sparseMultiply", out, S, W);
      const parts = pool.share(S.columns.length * W.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(S.rows, parts, t, 1);
        pool
          .job(t)
          .put(cut(S.rows, parts, t + 1, 1) - from)
          .put(W.cols)
          .putRows(out, from);
        pool.putIndices(S.starts, from).putIndices(S.columns).putVector(S.values).putRows(W);
      }
      pool.run(sparse[W.precision], parts);
    },

    sparseMultiplyBackward(dW, S, dOut) {
      checkSparse("sparseMultiplyBackward", dOut, S, dW);
      const parts = pool.share(S.columns.length * dW.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(dW.cols, parts, t, 4);
        pool
          .job(t)
          .put(S.rows)
          .put(cut(dW.cols, parts, t + 1, 4) - from)
          .putRows(dOut, 0, from);
        pool.putIndices(S.starts).putIndices(S.columns).putVector(S.values).putRows(dW, 0, from);
      }
      pool.run(sparseBackward[dW.precision], parts);
    },

    fillUniform(out, stream) {
      fill(out, stream, 0);
    },

    fillNormal(out, stream) {
      fill(out, stream, 1);
    },
  };
}

/** From here on V8's own copy, and the view it takes, cost less than a loop. */
const WIDE_ROW = 32;

// Features stay outside the arena (they may be larger than it); a batch of their rows is copied in.
function gatherFromHost(out: Matrix, table: Matrix, indices: Indices): void {
  const to = out.data;
  const from = table.data;
  const rows = indices.data;
  const width = out.cols;
  for (let i = 0; i < out.rows; i++) {
    const source = table.offset + rows[indices.offset + i] * table.rowStride;
    const target = out.offset + i * out.rowStride;
    if (width >= WIDE_ROW) to.set(from.subarray(source, source + width), target);
    else for (let j = 0; j < width; j++) to[target + j] = from[source + j];
  }
}
