// A big sparse matrix in the host's own arrays, as an operator: users × items, say, each entry divided by √(d_u·d_i).
import { NearkinError } from "../../errors.ts";
import type { Scope } from "../arena.ts";
import type { Engine, SparseRows } from "../engine.ts";
import { hostIndices, hostMatrix, type Matrix, type Precision } from "../matrix.ts";
import { checkGram, type GramOperator } from "./operator.ts";

/** A = diag(rowScale)·S·diag(columnScale), S by rows: row u holds entries starts[u] … starts[u + 1]. */
export interface SparseMatrix {
  rows: number;
  cols: number;
  /** rows + 1 of them. */
  starts: Float64Array | Int32Array | Uint32Array;
  /** The column of each entry. */
  columns: Int32Array;
  /** The value of each entry. @default all 1 */
  values?: Float32Array;
  /** One factor per row, 1/√d_u for degrees d. @default all 1 */
  rowScale?: Float64Array;
  /** One factor per column. @default all 1 */
  columnScale?: Float64Array;
}

export interface SparseOperatorOptions {
  /** Of the products. `f32` takes less time than `f64` and gives singular values to about 1e-5 instead of 1e-14. @default "f64" */
  precision?: Precision;
}

/**
 * The operator of a sparse matrix. The arrays stay where they are and are read at each pass, so they must not change meanwhile.
 * A pass costs 4·entries·l operations; it needs two more matrices (cols, l) and some 16 MB, 48 MB where there are values.
 */
export function sparseOperator(
  engine: Engine,
  matrix: SparseMatrix,
  options: SparseOperatorOptions = {},
): GramOperator {
  const { rows, cols, values } = matrix;
  const { precision = "f64" } = options;
  checkMatrix(matrix);
  const S: SparseRows = {
    rows,
    cols,
    starts: hostIndices(wholeNumbers(matrix.starts)),
    columns: hostIndices(matrix.columns),
    ...(values && { values: hostMatrix(values, values.length, 1) }),
  };
  const vector = (scope: Scope, scale: Float64Array) => {
    const m = scope.matrix(scale.length, 1, precision);
    m.data.set(scale, m.offset);
    return m;
  };
  const operator: GramOperator = {
    rows,
    cols,
    gram(out, X) {
      checkGram("sparseOperator", operator, out, X);
      const scope = engine.scope();
      try {
        const scales = {
          ...(matrix.rowScale && { rowScale: vector(scope, matrix.rowScale) }),
          ...(matrix.columnScale && { columnScale: vector(scope, matrix.columnScale) }),
        };
        if (precision === "f64") {
          engine.sparseGram(out, S, X, scales);
          return;
        }
        const [Y, Z] = [scope.matrix(cols, X.cols, "f32"), scope.matrix(cols, X.cols, "f32")];
        convert(Y, X);
        engine.sparseGram(Z, S, Y, scales);
        convert(out, Z);
      } finally {
        scope.close();
      }
    },
  };
  return operator;
}

function checkMatrix({ rows, cols, starts, columns, values, rowScale, columnScale }: SparseMatrix): void {
  const expect = (name: string, array: ArrayLike<number> | undefined, length: number) => {
    if (array && array.length !== length) {
      throw new NearkinError("SHAPE_MISMATCH", `sparseOperator: ${name}: expected ${length}, got ${array.length}`);
    }
  };
  expect("starts", starts, rows + 1);
  expect("columns, as many as the last of starts", columns, starts[rows]);
  expect("values, one for each column", values, columns.length);
  expect("rowScale", rowScale, rows);
  expect("columnScale", columnScale, cols);
  if (columns.length >= 2 ** 31) {
    throw new NearkinError("BAD_ARGUMENT", `sparseOperator: at most 2^31 − 1 entries, got ${columns.length}`);
  }
}

function wholeNumbers(starts: SparseMatrix["starts"]): Int32Array {
  if (starts instanceof Int32Array) return starts;
  const whole = Int32Array.from(starts);
  for (let u = 0; u < starts.length; u++) {
    if (whole[u] !== starts[u]) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `sparseOperator: starts are whole numbers below 2^31, got ${starts[u]} at ${u}`,
      );
    }
  }
  return whole;
}

/** to = from, of either precision. */
function convert(to: Matrix, from: Matrix): void {
  const target = to.data;
  const source = from.data;
  for (let i = 0; i < from.rows; i++) {
    const t = to.offset + i * to.rowStride;
    const s = from.offset + i * from.rowStride;
    target.set(source.subarray(s, s + from.cols), t);
  }
}
