// The forward pass that all sparse likelihoods share, in white coordinates: B = I + W̃ᵀW̃ has eigenvalues of at least 1, and all that
// follows is a sum of squares. n items, m inducing items, k targets.
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { sum } from "../linalg/reductions.ts";
import { JITTER, type SparseInputs, type SparseKernel } from "./inputs.ts";
import { solveRows } from "./solve-rows.ts";
import { type Whitening, whiten } from "./whitening.ts";

interface FactoredKernel {
  /** LLᵀ = K_mm + (shift + jitter)·I (m, m). */
  L: Matrix;
  /** Absolute. */
  jitter: number;
  /** The jitter over the mean of the diagonal it was added to. */
  relativeJitter: number;
}

export function factorKernel(engine: Engine, scope: Scope, inputs: SparseKernel): FactoredKernel {
  const { likelihood, Kmm, shift = 0, jitter: policy = JITTER } = inputs;
  const m = Kmm.rows;
  const L = scope.matrix(m, m);
  engine.convert(L, Kmm);
  let trace = 0;
  for (let i = 0; i < m; i++) {
    const at = L.offset + i * (m + 1);
    L.data[at] += shift;
    trace += Math.abs(L.data[at]);
  }
  const jitter = engine.cholesky(L, { name: `${likelihood}: K_mm`, jitter: policy });
  return { L, jitter, relativeJitter: (jitter * m) / trace };
}

/** What the inducing items learnt from all rows. */
interface Learnt {
  /** L_BL_Bᵀ = B = I + W̃ᵀW̃ (m, m). */
  LB: Matrix;
  /** B⁻¹W̃ᵀR̃ (m, k); β = L⁻ᵀu. */
  u: Matrix;
}

/** From XᵀX (m + k, m + k): W̃ᵀW̃ in one corner, W̃ᵀR̃ beside it. */
export function learn(engine: Engine, scope: Scope, gram: Matrix, m: number): Learnt {
  const LB = scope.matrix(m, m);
  engine.convert(LB, gram.view(0, m, 0, m));
  for (let i = 0; i < m; i++) LB.data[LB.offset + i * (m + 1)] += 1;
  engine.cholesky(LB, { name: "B = I + W̃ᵀW̃" });
  const u = scope.matrix(m, gram.cols - m);
  engine.convert(u, gram.view(0, m, m, gram.cols));
  engine.solveCholesky(u, LB);
  return { LB, u };
}

export interface Forward extends FactoredKernel, Learnt {
  inputs: SparseInputs;
  /** Holds all that is here. */
  scope: Scope;
  n: number;
  m: number;
  k: number;
  whitening: Whitening;
  /** [W̃ | α̃] (n, m + k), W̃ = Λ^{−½}Vᵀ and α̃ = R̃ − W̃u = Λ^{½ᵀ}α side by side, so that one product serves both. */
  X: Matrix;
  W: Matrix;
  A: Matrix;
  /** W̃ᵀW̃ (m, m). */
  gram: Matrix;
  /** ‖α̃_i‖² (n). */
  residuals: Matrix;
  /** Σ_i (k_ii − q_ii)/Σ_i, the trace term of vfe; 0 for the others. */
  unexplained: number;
  value: number;
}

/** O(nm²): one solve and one product of half the usual flops over all rows. */
export function forward(engine: Engine, scope: Scope, inputs: SparseInputs): Forward {
  const { likelihood, Knm, R, noise, diagonal } = inputs;
  const n = Knm.rows;
  const m = Knm.cols;
  const k = R.cols;
  const factored = factorKernel(engine, scope, inputs);
  const X = scope.matrix(n, m + k);
  const W = X.view(0, n, 0, m);
  const A = X.view(0, n, m, m + k);
  const whitening = whiten(engine, X, { ...inputs, L: factored.L, scope });

  const products = scope.matrix(m + k, m + k);
  engine.syrk(products, X, { transpose: true });
  const { LB, u } = learn(engine, scope, products, m);
  engine.gemm(A, W, u, { alpha: -1, beta: 1 });

  const residuals = scope.matrix(n, 1);
  const weights = scope.matrix(m, 1);
  engine.rowNorms(residuals, A);
  engine.rowNorms(weights, u);
  // tr(RᵀS⁻¹R) = tr((R − Vᵀu)ᵀα) + ‖u‖² = ‖α̃‖² + ‖u‖²: nothing cancels, however small the noise
  const quadratic = sum(residuals) + sum(weights);
  const logS = engine.logDeterminant(LB) + whitening.logDeterminant;
  let unexplained = 0;
  if (likelihood === "vfe" && whitening.kind === "diagonal" && whitening.explained && diagonal) {
    const { explained } = whitening;
    for (let i = 0; i < n; i++) {
      unexplained +=
        diagonal.data[diagonal.offset + i] / noise.data[noise.offset + i] - explained.data[explained.offset + i];
    }
  }
  const value = 0.5 * (k * (logS + unexplained) + quadratic);
  const gram = products.view(0, m, 0, m);
  return { inputs, scope, n, m, k, ...factored, LB, u, whitening, X, W, A, gram, residuals, unexplained, value };
}

/**
 * Y = W̃L_B⁻ᵀ (n, m) into `out`: ‖y_i‖² = ‖L_B⁻¹v_i‖²/Λ_i is what the other items' information takes from (S⁻¹)_ii = (1 − ‖y_i‖²)/Λ_i.
 * Solved rather than multiplied out, since 1 − ‖y_i‖² is as small as Σ_i/(k_ii + Σ_i).
 */
export function whitenTwice(engine: Engine, pass: Forward, out: Matrix): void {
  solveRows(engine, out, { source: pass.W, L: pass.LB });
}
