// Passes over the elements of one or two matrices: activations, dropout, copies between precisions.
import {
  checkActivate,
  checkActivation,
  checkConvert,
  checkDropout,
  checkSameShape,
  dropoutLimit,
} from "../contract.ts";
import type { Activation, Training } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import { cut, type Pool } from "./pool.ts";

const THRESHOLD = 1 << 14; // elements below which one thread does it alone
const COPY_THRESHOLD = 1 << 17; // the same where there is nothing to compute
const ACTIVATION_CODE: Record<Activation, number> = { exp: 0, tanh: 1, sigmoid: 2, relu: 3 };
const DROPOUT_GROUP = 32; // elements whose masks are made together

/** Rows follow each other without a gap. */
const isContiguous = (m: Matrix) => m.rows <= 1 || m.rowStride === m.cols;

export function elementwise(pool: Pool): Pick<Training, "activate" | "activateBackward" | "dropout" | "convert"> {
  const activate = pool.kernel("activate");
  const activateBackward = pool.kernel("activate_backward");
  const dropout = pool.kernel("dropout");
  const convert = { f32: pool.kernel("convert_f32"), f64: pool.kernel("convert_f64") }; // from, then to

  function copy(out: Matrix, A: Matrix): void {
    // Elements that lie in the same order on both sides are one run, or as many rows as A has.
    const isRun = A.colStride === 1 && out.colStride === 1 && isContiguous(A) && isContiguous(out);
    const rows = isRun ? 1 : A.rows;
    const cols = isRun ? A.rows * A.cols : A.cols;
    const parts = pool.share(rows * cols, COPY_THRESHOLD);
    for (let t = 0; t < parts; t++) {
      const row = isRun ? 0 : cut(rows, parts, t, 16);
      const col = isRun ? cut(cols, parts, t, 16) : 0;
      pool
        .job(t)
        .put(isRun ? 1 : cut(rows, parts, t + 1, 16) - row)
        .put(isRun ? cut(cols, parts, t + 1, 16) - col : cols);
      pool
        .put(pool.address(A, row, col))
        .put(A.rowStride)
        .put(A.colStride);
      pool
        .put(pool.address(out, row, col))
        .put(out.rowStride)
        .put(out.colStride);
    }
    pool.run(convert[A.precision][out.precision], parts);
  }

  return {
    activate(Y, X, f, bias) {
      checkActivate(Y, X, f, bias);
      const parts = pool.share(X.rows * X.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(X.rows, parts, t, 1);
        pool
          .job(t)
          .put(ACTIVATION_CODE[f])
          .put(cut(X.rows, parts, t + 1, 1) - from)
          .put(X.cols);
        pool.putRows(X, from).putVector(bias).putRows(Y, from).put(pool.workspace(t));
      }
      pool.run(activate[X.precision], parts);
    },

    activateBackward(dX, dY, Y, f) {
      checkSameShape("activateBackward", Y, dY);
      checkSameShape("activateBackward", Y, dX);
      checkActivation("activateBackward", f);
      const parts = pool.share(Y.rows * Y.cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(Y.rows, parts, t, 1);
        pool
          .job(t)
          .put(ACTIVATION_CODE[f])
          .put(cut(Y.rows, parts, t + 1, 1) - from)
          .put(Y.cols);
        pool.putRows(dY, from).putRows(Y, from).putRows(dX, from);
      }
      pool.run(activateBackward[Y.precision], parts);
    },

    dropout(out, X, rate, random) {
      checkDropout(out, X, rate);
      if (rate === 0) {
        if (out.offset !== X.offset || out.storage !== X.storage) copy(out, X);
        return;
      }
      const first = random.takeBlocks(Math.ceil((X.rows * X.cols) / 8));
      const isRun = isContiguous(X) && isContiguous(out);
      const rows = isRun ? 1 : X.rows;
      const cols = isRun ? X.rows * X.cols : X.cols;
      const parts = pool.share(rows * cols, THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const row = isRun ? 0 : cut(rows, parts, t, 1);
        const col = isRun ? cut(cols, parts, t, DROPOUT_GROUP) : 0;
        pool
          .job(t)
          .put(row * cols + col)
          .put(isRun ? 1 : cut(rows, parts, t + 1, 1) - row)
          .put(isRun ? cut(cols, parts, t + 1, DROPOUT_GROUP) - col : cols);
        pool.putRows(X, row, col).putRows(out, row, col);
        pool
          .put(random.keyLow)
          .put(random.keyHigh)
          .put(first % 2 ** 32)
          .put(Math.floor(first / 2 ** 32));
        pool
          .put(dropoutLimit(rate))
          .put(1 / (1 - rate))
          .put(pool.workspace(t));
      }
      pool.run(dropout[X.precision], parts);
    },

    convert(out, A) {
      checkConvert(out, A);
      if (out.storage === pool.arena && A.storage === pool.arena) copy(out, A);
      else copyOutside(out, A);
    },
  };
}

// To or from an array of the host's own.
function copyOutside(out: Matrix, A: Matrix): void {
  const to = out.data;
  const from = A.data;
  for (let i = 0; i < A.rows; i++) {
    const source = A.offset + i * A.rowStride;
    const target = out.offset + i * out.rowStride;
    if (A.colStride === 1 && out.colStride === 1) to.set(from.subarray(source, source + A.cols), target);
    else for (let j = 0; j < A.cols; j++) to[target + j * out.colStride] = from[source + j * A.colStride];
  }
}
