// What fitc and pitc add to the gradients of dtc: their Λ holds k_ii − q_ii or K_bb − Q_bb and so depends on the kernel. In white coordinates
// (see sparse.ts) that is D = k(I − YYᵀ) − α̃α̃ᵀ, its diagonal (fitc) or its blocks (pitc), with ∂ℓ/∂Λ = ½·Λ^{−½ᵀ}·D·Λ^{−½}.
// n items, m inducing items, k targets, n_b items of a block.
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { type Forward, whitenTwice } from "./forward.ts";
import type { SparseGradients } from "./sparse.ts";
import { writeSymmetric } from "./white-gradients.ts";

interface Correction {
  /** Becomes −DW̃ (n, m). */
  H: Matrix;
  gradients: SparseGradients;
}

/** Sets H, and the gradients by k_ii or K_bb and by the noise. */
export function setCorrection(engine: Engine, pass: Forward, correction: Correction): void {
  whitenTwice(engine, pass, correction.H); // Y for now
  if (pass.whitening.kind === "diagonal") correctItems(engine, pass, correction);
  else correctBlocks(engine, pass, correction);
}

// fitc: D_ii = k(1 − ‖y_i‖²) − ‖α̃_i‖² = 2Λ_i·g_i
function correctItems(engine: Engine, pass: Forward, { H, gradients }: Correction): void {
  const { inputs, scope, n, k, W, residuals, whitening } = pass;
  if (whitening.kind !== "diagonal") return;
  const { scale } = whitening;
  const negative = scope.matrix(n, 1); // −D_ii
  engine.rowNorms(negative, H);
  let total = 0;
  for (let i = 0; i < n; i++) {
    const d = k * (1 - negative.data[negative.offset + i]) - residuals.data[residuals.offset + i];
    const g = 0.5 * d * scale.data[scale.offset + i] ** 2;
    negative.data[negative.offset + i] = -d;
    if (gradients.diagonal) gradients.diagonal.data[gradients.diagonal.offset + i] = g;
    if (gradients.noise) gradients.noise.data[gradients.noise.offset + i] = g;
    total += g * inputs.noise.data[inputs.noise.offset + i];
  }
  gradients.noiseScale = total;
  engine.scaleRows(H, W, negative);
}

// pitc: Γ_b = ½·L_b⁻ᵀ·D_b·L_b⁻¹
function correctBlocks(engine: Engine, pass: Forward, { H, gradients }: Correction): void {
  const { inputs, scope, k, W, A, whitening } = pass;
  if (whitening.kind !== "blocks") return;
  const { starts, factors } = whitening;
  gradients.diagonal?.fill(0);
  const largest = factors.reduce((most, factor) => Math.max(most, factor.rows), 0);
  const scratch = scope.matrix(largest, largest);
  const step = largest + 1;
  let total = 0;
  factors.forEach((factor, b) => {
    const from = starts[b];
    const to = starts[b + 1];
    const size = to - from;
    const D = scratch.view(0, size, 0, size); // −D_b = kY_bY_bᵀ + α̃_bα̃_bᵀ − kI
    engine.syrk(D, H.view(from, to), { alpha: k });
    engine.syrk(D, A.view(from, to), { beta: 1 });
    for (let i = 0; i < size; i++) D.data[D.offset + i * step] -= k;
    engine.gemm(H.view(from, to), D, W.view(from, to));
    sandwich(engine, D, factor);
    for (let i = 0; i < size; i++) {
      const g = -0.5 * D.data[D.offset + i * step];
      total += g * inputs.noise.data[inputs.noise.offset + from + i];
      if (gradients.noise) gradients.noise.data[gradients.noise.offset + from + i] = g;
    }
    const out = gradients.blocks?.[b];
    if (out) writeSymmetric(out, D, -0.5);
  });
  gradients.noiseScale = total;
}

/** D ← L⁻ᵀ·D·L⁻¹. */
export function sandwich(engine: Engine, D: Matrix, L: Matrix): void {
  engine.solveTriangular(D, L, { side: "right" });
  engine.solveTriangular(D, L, { transpose: true });
}
