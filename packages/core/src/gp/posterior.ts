// The posterior for any item, seen or not, from factors that fit in a file (Eq. 3): m inducing items stand for all n training items
// (exact: the n items themselves). q items asked about, k targets.
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkRowMajor, checkShape, checkVector, type Matrix } from "../linalg/matrix.ts";
import { factorExact } from "./exact.ts";
import { factorKernel, learn } from "./forward.ts";
import {
  checkExact,
  checkKernel,
  checkRows,
  type ExactInputs,
  type Likelihood,
  type SparseKernel,
  type SparseRowInputs,
} from "./inputs.ts";
import { naming } from "./not-finite.ts";
import { whiten } from "./whitening.ts";

/** All a prediction needs besides kernels: plain numbers, row-major, to be stored with a model. */
export interface Posterior {
  likelihood: Likelihood;
  /** Inducing items; for `exact`, the training items. */
  m: number;
  /** Targets. */
  k: number;
  /** LLᵀ = K_mm, jitter and shift included (m, m); for `exact`, of S. */
  L: Float64Array;
  /** L_BL_Bᵀ = B (m, m); absent for `exact`. */
  LB?: Float64Array;
  /** β (m, k): mean = k_*mᵀβ; for `exact`, α. */
  beta: Float64Array;
  jitter: number;
  shift: number;
}

/** Rows of training items with their targets. */
export interface TrainingRows extends SparseRowInputs {
  /** (n, k) */
  R: Matrix;
}

export interface PosteriorInputs extends SparseKernel {
  /** All training items, in as many parts as memory asks for: each is read once, and may be made when it is asked for. */
  blocks: Iterable<TrainingRows>;
}

/**
 * The posterior of a sparse likelihood, O(nm²) over all training items and O(rows of a part) in memory. For pitc each part holds whole
 * blocks. dtc and vfe have the same posterior.
 *
 * @example
 * const engine = await createEngine({ workers: 1 });
 * const scope = engine.scope();
 * const one = (x) => scope.matrix(1, 1).write([x]);
 * const rows = { Knm: one(1), diagonal: one(1), R: one(2), noise: one(1) };
 * const posterior = fitPosterior(engine, { likelihood: "fitc", Kmm: one(1), blocks: [rows] });
 * predict(engine, posterior, { Kxm: one(1), diagonal: one(1) }).mean[0].toFixed(4) // => "1.0000"
 */
export function fitPosterior(engine: Engine, inputs: PosteriorInputs): Posterior {
  checkKernel(inputs);
  const { likelihood, Kmm, shift = 0 } = inputs;
  const m = Kmm.rows;
  const scope = engine.scope();
  try {
    const { L, jitter } = naming(likelihood, { Kmm }, () => ({ value: 0, ...factorKernel(engine, scope, inputs) }));
    let gram: Matrix | undefined; // XᵀX (m + k, m + k)
    for (const rows of inputs.blocks) {
      checkRows(likelihood, m, rows, rows.R);
      const k = rows.R.cols;
      if (gram && gram.cols !== m + k) {
        throw new NearkinError("SHAPE_MISMATCH", `fitPosterior: ${gram.cols - m} targets at first, then ${k}`);
      }
      gram ??= scope.zeros(m + k, m + k);
      addRows(engine, gram, { ...rows, likelihood, L });
    }
    if (!gram) throw new NearkinError("BAD_ARGUMENT", "fitPosterior: needs at least one block of training items");
    const { LB, u } = learn(engine, scope, gram, m);
    engine.solveTriangular(u, L, { transpose: true }); // β = L⁻ᵀu
    return { likelihood, m, k: u.cols, L: L.read(), LB: LB.read(), beta: u.read(), jitter, shift };
  } finally {
    scope.close();
  }
}

function addRows(
  engine: Engine,
  gram: Matrix,
  rows: TrainingRows & { likelihood: SparseKernel["likelihood"]; L: Matrix },
): void {
  const { Knm, R, diagonal, likelihood } = rows;
  const blocks = Object.fromEntries((rows.blocks?.K ?? []).map((K, b) => [`K of block ${b}`, K]));
  naming(likelihood, { Knm, R, diagonal, ...blocks }, () => {
    const scope = engine.scope();
    try {
      const X = scope.matrix(Knm.rows, gram.cols);
      whiten(engine, X, { ...rows, scope });
      engine.syrk(gram, X, { transpose: true, beta: 1 });
      let trace = 0; // NaN in any row is in it
      for (let i = 0; i < gram.rows; i++) trace += gram.data[gram.offset + i * (gram.rows + 1)];
      return { value: trace };
    } finally {
      scope.close();
    }
  });
}

/** The posterior of the exact likelihood: m is n, and a prediction takes K_*n. */
export function exactPosterior(engine: Engine, inputs: ExactInputs): Posterior {
  checkExact("exact", inputs);
  const { K, R, noise, shift = 0 } = inputs;
  const scope = engine.scope();
  try {
    const factored = naming("exact", { K, R, noise }, () => factorExact(engine, scope, inputs));
    const { L, alpha, jitter } = factored;
    return { likelihood: "exact", m: K.rows, k: R.cols, L: L.read(), beta: alpha.read(), jitter, shift };
  } finally {
    scope.close();
  }
}

/** A posterior in an engine's memory, for many predictions. */
export interface PlacedPosterior {
  m: number;
  k: number;
  L: Matrix;
  LB?: Matrix;
  beta: Matrix;
}

/** Copies a posterior into the memory behind `scope`, once for all the predictions that follow. */
export function placePosterior(scope: Scope, posterior: Posterior): PlacedPosterior {
  const { m, k } = posterior;
  const L = scope.matrix(m, m).write(posterior.L);
  const beta = scope.matrix(m, k).write(posterior.beta);
  return { m, k, L, beta, ...(posterior.LB && { LB: scope.matrix(m, m).write(posterior.LB) }) };
}

const ROUNDING = 1e-8; // of k_**

export interface PredictInputs {
  /** Kernel between the items asked about and the inducing (exact: training) items (q, m). */
  Kxm: Matrix;
  /** k_** of each (q). */
  diagonal: Matrix;
}

export interface Prediction {
  /** (q, k), row-major. */
  mean: Float64Array;
  /** (q), of the latent function, the same for all targets. Add the noise for that of an observation. */
  variance: Float64Array;
}

/**
 * mean = k_*mᵀβ, variance = k_** − ‖y‖² + ‖L_B⁻¹y‖² with y = L⁻¹k_m*. O(q·m²). Where rounding goes below 0 the variance is 0; a kernel that
 * is not positive definite can make it truly negative, and then it is: there is no such posterior.
 */
export function predict(engine: Engine, posterior: Posterior | PlacedPosterior, inputs: PredictInputs): Prediction {
  const { Kxm, diagonal } = inputs;
  const { m, k } = posterior;
  const q = Kxm.rows;
  checkShape("predict: Kxm", Kxm, q, m, "f64");
  checkRowMajor("predict: Kxm", Kxm);
  checkVector("predict: diagonal", diagonal, q, "f64");
  const scope = engine.scope();
  try {
    const { L, LB, beta } = place(scope, posterior);
    const mean = scope.matrix(q, k);
    engine.gemm(mean, Kxm, beta);
    const Y = scope.matrix(q, m); // rows y
    engine.convert(Y, Kxm);
    engine.solveTriangular(Y, L, { side: "right", transpose: true });
    const explained = scope.matrix(q, 1);
    engine.rowNorms(explained, Y);
    const variance = diagonal.read();
    for (let i = 0; i < q; i++) variance[i] -= explained.data[explained.offset + i];
    if (LB) {
      engine.solveTriangular(Y, LB, { side: "right", transpose: true });
      engine.rowNorms(explained, Y);
      for (let i = 0; i < q; i++) variance[i] += explained.data[explained.offset + i];
    }
    for (let i = 0; i < q; i++) {
      if (variance[i] < 0 && variance[i] > -ROUNDING * diagonal.data[diagonal.offset + i]) variance[i] = 0;
    }
    return { mean: mean.read(), variance };
  } finally {
    scope.close();
  }
}

function place(scope: Scope, posterior: Posterior | PlacedPosterior): PlacedPosterior {
  return posterior.L instanceof Float64Array
    ? placePosterior(scope, posterior as Posterior)
    : (posterior as PlacedPosterior);
}
