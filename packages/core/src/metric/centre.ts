// Towers put all items far from the origin and, before training, close together: ‖z‖² is thousands of times a typical distance, and
// a²_a + a²_b − 2·z_a·z_b loses all but three digits in float32. Distances do not depend on the origin, and neither do their gradients:
// ∂t/∂z is the same at z and at z − μ.
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";

const SUBTRACT = { alpha: -1, beta: 1 };

/** Copies, in the scope, of two matrices (n, e) and (m, e) less the column means of the second. */
export function centred(engine: Engine, scope: Scope, Za: Matrix, Zb: Matrix): [Za: Matrix, Zb: Matrix] {
  const { precision } = Zb;
  const mean = scope.matrix(1, Zb.cols, precision);
  const ones = scope.matrix(Math.max(Za.rows, Zb.rows), 1, precision).fill(1);
  engine.columnSums(mean, Zb);
  for (let j = 0; j < mean.cols; j++) mean.data[mean.offset + j] /= Zb.rows;
  const shifted = (Z: Matrix) => {
    const out = scope.matrix(Z.rows, Z.cols, precision);
    engine.convert(out, Z);
    engine.gemm(out, ones.view(0, Z.rows), mean, SUBTRACT);
    return out;
  };
  return [shifted(Za), shifted(Zb)];
}
