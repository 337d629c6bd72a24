// A matrix known only by what it does: all that randomizedSvd asks of it.
import { NearkinError } from "../../errors.ts";
import type { Engine } from "../engine.ts";
import { checkAlive, checkShape, type Matrix } from "../matrix.ts";

/** A matrix A (rows, cols) that can be multiplied, whatever it is made of. */
export interface GramOperator {
  rows: number;
  cols: number;
  /** out (cols, l) = Aᵀ(A·X) for X (cols, l), both f64 in the engine's memory. */
  gram(out: Matrix, X: Matrix): void;
}

export function checkGram(name: string, operator: GramOperator, out: Matrix, X: Matrix): void {
  checkShape(`${name}: X`, X, operator.cols, X.cols, "f64");
  checkShape(`${name}: out`, out, operator.cols, X.cols, "f64");
}

/** A matrix in the engine's memory, f64, as an operator. A pass costs 4·rows·cols·l. */
export function denseOperator(engine: Engine, A: Matrix): GramOperator {
  checkAlive("denseOperator: A", A);
  if (A.precision !== "f64") {
    throw new NearkinError("SHAPE_MISMATCH", `denseOperator: A: expected f64, got ${A.precision}`);
  }
  const operator: GramOperator = {
    rows: A.rows,
    cols: A.cols,
    gram(out, X) {
      checkGram("denseOperator", operator, out, X);
      const scope = engine.scope();
      try {
        const AX = scope.matrix(A.rows, X.cols);
        engine.gemm(AX, A, X);
        engine.gemm(out, A, AX, { transposeA: true });
      } finally {
        scope.close();
      }
    },
  };
  return operator;
}
