// "Because you rated X": how much each training item's target counts for a mean, mean = Σ_i ω_i·r_i, exactly.
// n training items, m inducing items, q items asked about.
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkRowMajor, checkShape, type Matrix } from "../linalg/matrix.ts";
import { checkRows, type SparseRowInputs } from "./inputs.ts";
import { type Posterior, placePosterior } from "./posterior.ts";
import { whiten, whitenBack } from "./whitening.ts";

export interface EvidenceInputs extends SparseRowInputs {
  /** Kernel between the items asked about and the inducing items (q, m). */
  Kxm: Matrix;
}

/**
 * ω (q, n), row-major: how much each target of the n given training items counts for the mean, mean = Σ_i ω_i·r_i over all of them.
 * Any rows may be asked for; for pitc, whole blocks. ω = Λ⁻¹Vᵀ·B⁻¹y. For `exact` see `exactEvidence`.
 */
export function evidenceWeights(engine: Engine, posterior: Posterior, inputs: EvidenceInputs): Float64Array {
  const { likelihood, m } = posterior;
  if (likelihood === "exact" || !posterior.LB) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "evidenceWeights: an exact posterior has no inducing items; use exactEvidence",
    );
  }
  const { Kxm, R: _, ...rows }: EvidenceInputs & { R?: Matrix } = inputs; // training rows come with targets, which do not matter here
  const { Knm } = rows;
  const q = Kxm.rows;
  checkShape("evidenceWeights: Kxm", Kxm, q, m, "f64");
  checkRowMajor("evidenceWeights: Kxm", Kxm);
  checkRows(likelihood, m, rows);
  const scope = engine.scope();
  try {
    const { L, LB } = placePosterior(scope, posterior);
    const W = scope.matrix(Knm.rows, m);
    const whitening = whiten(engine, W, { ...rows, likelihood, L, scope });
    const Y = scope.matrix(q, m); // rows y, then B⁻¹y
    engine.convert(Y, Kxm);
    engine.solveTriangular(Y, L, { side: "right", transpose: true });
    engine.solveTriangular(Y, LB as Matrix, { side: "right", transpose: true });
    engine.solveTriangular(Y, LB as Matrix, { side: "right" });
    const weights = scope.matrix(Knm.rows, q);
    engine.gemm(weights, W, Y, { transposeB: true });
    whitenBack(engine, whitening, weights);
    return weights.transposed().read();
  } finally {
    scope.close();
  }
}

/** ω (q, n), row-major, for an exact posterior: S⁻¹k_*. `Kxn` is the kernel between the items asked about and the training items (q, n). */
export function exactEvidence(engine: Engine, posterior: Posterior, Kxn: Matrix): Float64Array {
  const { m } = posterior;
  if (posterior.likelihood !== "exact") {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `exactEvidence: the posterior is of ${posterior.likelihood}; use evidenceWeights`,
    );
  }
  checkShape("exactEvidence: Kxn", Kxn, Kxn.rows, m, "f64");
  checkRowMajor("exactEvidence: Kxn", Kxn);
  const scope = engine.scope();
  try {
    const { L } = placePosterior(scope, posterior);
    const weights = scope.matrix(Kxn.rows, m);
    engine.convert(weights, Kxn);
    engine.solveTriangular(weights, L, { side: "right", transpose: true });
    engine.solveTriangular(weights, L, { side: "right" });
    return weights.read();
  } finally {
    scope.close();
  }
}
