// The sparse likelihoods, with their gradients in closed form. By K_nm it is Λ^{−½ᵀ}·H·L⁻¹, by K_mm ½·L⁻ᵀ·E·L⁻¹, with H and E in white
// coordinates (see whitening.ts):
//   dtc          H = kW̃B⁻¹ − α̃uᵀ      E = uuᵀ − k(I − B⁻¹)
//   vfe          H of dtc − kW̃         E of dtc + kW̃ᵀW̃
//   fitc, pitc   H of dtc − DW̃         E of dtc + W̃ᵀDW̃      D = k(I − YYᵀ) − α̃α̃ᵀ, its diagonal or its blocks
// n items, m inducing items, k targets.
import type { Engine } from "../linalg/engine.ts";
import { checkVector, type Matrix } from "../linalg/matrix.ts";
import { sum } from "../linalg/reductions.ts";
import { setCorrection } from "./corrected.ts";
import { type Forward, forward, whitenTwice } from "./forward.ts";
import { checkGradient, checkKernel, checkRows, type SparseInputs } from "./inputs.ts";
import { naming } from "./not-finite.ts";
import { setKmmGradient, whiteGradients } from "./white-gradients.ts";
import { whitenBack } from "./whitening.ts";

/** Each is optional, and set (not added to). Entries are independent: every ordered pair counts, nothing is doubled. */
export interface SparseGradients {
  /** ∂ℓ/∂K_nm (n, m). */
  Knm?: Matrix;
  /** ∂ℓ/∂K_mm (m, m), the jitter's dependence on its diagonal included. */
  Kmm?: Matrix;
  /** ∂ℓ/∂k_ii (n): 0 for dtc and for pitc, whose diagonal is in its blocks. */
  diagonal?: Matrix;
  /** ∂ℓ/∂Σ_i (n). Costs dtc and vfe one more solve over all rows: where the noise is one factor times fixed numbers, use `noiseScale`. */
  noise?: Matrix;
  /** ∂ℓ/∂K_bb of each block, pitc only. */
  blocks?: readonly Matrix[];
  /** Set at every call: Σ_i Σ_i·∂ℓ/∂Σ_i, the derivative by the log of a factor on all noise; twice that for log σ. */
  noiseScale?: number;
}

export interface SparseNll {
  /** ℓ, without ½nk·log 2π. */
  value: number;
  /** Added to K_mm's diagonal, absolute. */
  jitter: number;
  /** Added to K_mm's diagonal for being indefinite, as given. Part of what the value means: report it. */
  shift: number;
}

/**
 * ℓ = (k/2)·log|S| + ½·tr(RᵀS⁻¹R), vfe + (k/2)·Σ_i(k_ii − q_ii)/Σ_i, and its gradients by all kernel matrices and the noise. O(nm²);
 * dtc and vfe take 4nm² flops with all gradients but `noise`. Inputs stay as they are. The shift counts as a constant.
 *
 * @example
 * const engine = await createEngine({ workers: 1 });
 * const scope = engine.scope();
 * const one = (x) => scope.matrix(1, 1).write([x]);
 * const inputs = { likelihood: "vfe", Knm: one(1), Kmm: one(1), diagonal: one(1), R: one(2), noise: one(1) };
 * sparseNll(engine, inputs).value.toFixed(4) // => (0.5 * Math.log(2) + 1).toFixed(4)
 */
export function sparseNll(engine: Engine, inputs: SparseInputs, gradients?: SparseGradients): SparseNll {
  const { likelihood, Knm, Kmm, diagonal, R, blocks } = inputs;
  checkKernel(inputs);
  checkRows(likelihood, Kmm.rows, inputs, R);
  if (gradients) checkGradients(inputs, gradients);
  const named: Record<string, Matrix | undefined> = { Knm, Kmm, R };
  if (likelihood === "vfe" || likelihood === "fitc") named.diagonal = diagonal;
  if (likelihood === "pitc") for (const [b, K] of blocks?.K.entries() ?? []) named[`K of block ${b}`] = K;
  return naming(likelihood, named, () => {
    const scope = engine.scope();
    try {
      const pass = forward(engine, scope, inputs);
      if (gradients && Number.isFinite(pass.value)) setGradients(engine, pass, gradients);
      return { value: pass.value, jitter: pass.jitter, shift: inputs.shift ?? 0 };
    } finally {
      scope.close();
    }
  });
}

function checkGradients(inputs: SparseInputs, gradients: SparseGradients): void {
  const { likelihood, Knm, Kmm, blocks } = inputs;
  const n = Knm.rows;
  const m = Kmm.rows;
  checkGradient(`${likelihood}: gradient of K_nm`, gradients.Knm, n, m);
  checkGradient(`${likelihood}: gradient of K_mm`, gradients.Kmm, m, m);
  if (gradients.diagonal) checkVector(`${likelihood}: gradient of diagonal`, gradients.diagonal, n, "f64");
  if (gradients.noise) checkVector(`${likelihood}: gradient of noise`, gradients.noise, n, "f64");
  if (likelihood !== "pitc") return;
  gradients.blocks?.forEach((G, b) => {
    const size = blocks?.K[b]?.rows ?? 0;
    checkGradient(`pitc: gradient of K of block ${b}`, G, size, size);
  });
}

function setGradients(engine: Engine, pass: Forward, gradients: SparseGradients): void {
  const { inputs, scope, n, m, k, L, W, X, whitening } = pass;
  const { likelihood, noise } = inputs;
  const { Knm, Kmm } = gradients;
  const white = whiteGradients(engine, pass);
  if (likelihood === "fitc" || likelihood === "pitc") {
    const H = Knm ?? scope.matrix(n, m);
    setCorrection(engine, pass, { H, gradients }); // −DW̃
    if (Knm || Kmm) engine.solveTriangular(H, L, { side: "right" });
    if (Kmm) engine.gemm(white.EL, W, H, { transposeA: true, alpha: -1, beta: 1 });
    if (Knm) engine.gemm(Knm, X, white.C, { beta: 1 });
  } else {
    if (gradients.noise) setNoiseGradient(engine, pass, { ...gradients, noise: gradients.noise });
    if (Knm) engine.gemm(Knm, X, white.C);
    if (gradients.diagonal) {
      const { data, offset } = gradients.diagonal;
      for (let i = 0; i < n; i++)
        data[offset + i] = likelihood === "vfe" ? (0.5 * k) / noise.data[noise.offset + i] : 0;
    }
    gradients.noiseScale = 0.5 * (k * (n - white.information - pass.unexplained) - sum(pass.residuals));
  }
  if (Knm) whitenBack(engine, whitening, Knm);
  if (Kmm) setKmmGradient(engine, Kmm, { EL: white.EL, L, relativeJitter: pass.relativeJitter });
}

// g_i = ½(k(S⁻¹)_ii − Σ_j α_ij²) = (k(1 − ‖y_i‖²) − ‖α̃_i‖²)/(2Σ_i); vfe − k(k_ii − q_ii)/(2Σ_i²)
function setNoiseGradient(engine: Engine, pass: Forward, gradients: SparseGradients & { noise: Matrix }): void {
  const { inputs, scope, n, m, k, residuals, whitening } = pass;
  const { noise, diagonal } = inputs;
  const Y = gradients.Knm ?? scope.matrix(n, m); // filled later: until then it is room to work in
  const norms = scope.matrix(n, 1);
  whitenTwice(engine, pass, Y);
  engine.rowNorms(norms, Y);
  const explained = inputs.likelihood === "vfe" && whitening.kind === "diagonal" ? whitening.explained : undefined;
  for (let i = 0; i < n; i++) {
    const sigma = noise.data[noise.offset + i];
    let rest = 1 - norms.data[norms.offset + i];
    if (explained && diagonal) {
      rest -= diagonal.data[diagonal.offset + i] / sigma - explained.data[explained.offset + i];
    }
    gradients.noise.data[gradients.noise.offset + i] = (k * rest - residuals.data[residuals.offset + i]) / (2 * sigma);
  }
}
