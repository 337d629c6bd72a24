// Every item predicted from all the others, in closed form: with α = S⁻¹R,
//   mean_i = r_i − α_i/(S⁻¹)_ii      variance_i = 1/(S⁻¹)_ii, dtc and vfe + k_ii − q_ii
// (Rasmussen & Williams, Gaussian Processes for Machine Learning, §5.4.2). Inducing items stay, also where the item is one of them.
// n items, k targets.
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { sandwich } from "./corrected.ts";
import { factorExact } from "./exact.ts";
import { type Forward, forward, whitenTwice } from "./forward.ts";
import { checkExact, checkKernel, checkRows, type ExactInputs, type SparseInputs } from "./inputs.ts";
import { naming } from "./not-finite.ts";
import type { PlacedPosterior, TrainingRows } from "./posterior.ts";
import { solveRows } from "./solve-rows.ts";
import { whitenBack } from "./whitening.ts";

export interface LeaveOneOut {
  /** (n, k), row-major. */
  mean: Float64Array;
  /** (n), of the observation: noise included. */
  variance: Float64Array;
}

/**
 * Mean and variance of each item's target given the other n − 1 items (pitc: its block's and all other blocks' items).
 * O(n³) for the exact likelihood, O(nm²) for sparse ones, which take `diagonal` too (dtc included; pitc has it in its blocks).
 *
 * @example
 * const engine = await createEngine({ workers: 1 });
 * const scope = engine.scope();
 * const K = scope.matrix(2, 2).write([1, 0.5, 0.5, 1]);
 * const inputs = { likelihood: "exact", K, R: scope.matrix(2, 1).write([1, 2]), noise: scope.matrix(2, 1).write([1, 1]) };
 * Array.from(leaveOneOut(engine, inputs).mean, (x) => x.toFixed(2)) // => ["0.50", "0.25"]
 */
export function leaveOneOut(
  engine: Engine,
  inputs: SparseInputs | (ExactInputs & { likelihood: "exact" }),
): LeaveOneOut {
  if (inputs.likelihood === "exact") return exactLeaveOneOut(engine, inputs);
  checkKernel(inputs);
  checkRows(inputs.likelihood, inputs.Kmm.rows, inputs, inputs.R);
  return sparseLeaveOneOut(engine, inputs);
}

function exactLeaveOneOut(engine: Engine, inputs: ExactInputs): LeaveOneOut {
  checkExact("exact", inputs);
  const { K, R, noise } = inputs;
  const scope = engine.scope();
  try {
    const { L, alpha } = naming("exact", { K, R, noise }, () => factorExact(engine, scope, inputs));
    const inverse = scope.matrix(K.rows, K.rows);
    engine.inverseFromCholesky(inverse, L);
    const precision = Float64Array.from({ length: K.rows }, (_, i) => inverse.get(i, i));
    return fromPrecision(R, alpha, precision);
  } finally {
    scope.close();
  }
}

function sparseLeaveOneOut(engine: Engine, inputs: SparseInputs): LeaveOneOut {
  const { likelihood, Knm, Kmm, R, noise, diagonal } = inputs;
  if (likelihood === "dtc" && !diagonal) {
    throw new NearkinError("BAD_ARGUMENT", "leaveOneOut: dtc needs the diagonal here, k_ii of each item");
  }
  const scope = engine.scope();
  try {
    const pass = naming(likelihood, { Knm, Kmm, R, diagonal }, () => forward(engine, scope, inputs));
    const Y = scope.matrix(pass.n, pass.m);
    whitenTwice(engine, pass, Y);
    const precision =
      pass.whitening.kind === "diagonal" ? itemPrecision(engine, pass, Y) : blockPrecision(engine, pass, Y);
    const alpha = scope.matrix(pass.n, pass.k);
    engine.convert(alpha, pass.A);
    whitenBack(engine, pass.whitening, alpha);
    const result = fromPrecision(R, alpha, precision);
    if (diagonal && (likelihood === "dtc" || likelihood === "vfe")) {
      const explained = scope.matrix(pass.n, 1); // q_ii/Σ_i
      engine.rowNorms(explained, pass.W);
      for (let i = 0; i < pass.n; i++) {
        const q = noise.data[noise.offset + i] * explained.data[explained.offset + i];
        result.variance[i] += diagonal.data[diagonal.offset + i] - q;
      }
    }
    return result;
  } finally {
    scope.close();
  }
}

/** (S⁻¹)_ii = (1 − ‖y_i‖²)/Λ_i */
function itemPrecision(engine: Engine, pass: Forward, Y: Matrix): Float64Array {
  const { whitening, scope, n } = pass;
  const norms = scope.matrix(n, 1);
  engine.rowNorms(norms, Y);
  const scale = whitening.kind === "diagonal" ? whitening.scale.read() : new Float64Array(n);
  return Float64Array.from(scale, (s, i) => (1 - norms.data[norms.offset + i]) * s * s);
}

/** (S⁻¹)_bb = L_b⁻ᵀ(I − Y_bY_bᵀ)L_b⁻¹ */
function blockPrecision(engine: Engine, pass: Forward, Y: Matrix): Float64Array {
  const { whitening, scope, n } = pass;
  const precision = new Float64Array(n);
  if (whitening.kind !== "blocks") return precision;
  const { starts, factors } = whitening;
  const largest = factors.reduce((most, factor) => Math.max(most, factor.rows), 0);
  const scratch = scope.matrix(largest, largest);
  factors.forEach((factor, b) => {
    const size = factor.rows;
    const D = scratch.view(0, size, 0, size);
    engine.syrk(D, Y.view(starts[b], starts[b + 1]), { alpha: -1 });
    for (let i = 0; i < size; i++) D.set(i, i, D.get(i, i) + 1);
    sandwich(engine, D, factor);
    for (let i = 0; i < size; i++) precision[starts[b] + i] = D.get(i, i);
  });
  return precision;
}

function fromPrecision(R: Matrix, alpha: Matrix, precision: Float64Array): LeaveOneOut {
  const mean = R.read();
  const a = alpha.read();
  for (let i = 0; i < mean.length; i++) mean[i] -= a[i] / precision[Math.floor(i / R.cols)];
  return { mean, variance: precision.map((p) => 1 / p) };
}

/**
 * Leave-one-out means (n, k) of some of the rows that a posterior of dtc or vfe was fitted on, for catalogues whose rows do not fit in
 * memory together: with lev_i = ‖L_B⁻¹v_i‖²/Σ_i, the share that item i has in its own mean μ_i, μ₋ᵢ = (μ_i − lev_i·r_i)/(1 − lev_i). O(nm²).
 */
export function leaveOneOutMeans(
  engine: Engine,
  { m, k, L, LB, beta }: PlacedPosterior,
  rows: Pick<TrainingRows, "Knm" | "R" | "noise">,
): Float64Array {
  const { Knm, R, noise } = rows;
  checkRows("dtc", m, rows, R);
  if (!LB) throw new NearkinError("BAD_ARGUMENT", "leaveOneOutMeans: takes the posterior of dtc or vfe");
  const n = Knm.rows;
  const scope = engine.scope();
  try {
    const means = scope.matrix(n, k);
    engine.gemm(means, Knm, beta);
    const [V, Y] = [scope.matrix(n, m), scope.matrix(n, m)]; // rows v_i and L_B⁻¹v_i
    solveRows(engine, V, { source: Knm, L });
    solveRows(engine, Y, { source: V, L: LB });
    const norms = scope.matrix(n, 1);
    engine.rowNorms(norms, Y);
    const out = means.read();
    const r = R.read();
    for (let i = 0; i < n; i++) {
      const share = norms.data[norms.offset + i] / noise.data[noise.offset + i];
      for (let j = i * k; j < (i + 1) * k; j++) out[j] = (out[j] - share * r[j]) / (1 - share);
    }
    return out;
  } finally {
    scope.close();
  }
}
