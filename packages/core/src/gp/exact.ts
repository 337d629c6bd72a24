// The exact likelihood, S = K + Σ. O(n³): for n up to about 2,000, random subsets, and one user's items.
// n items, k targets.
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkVector, type Matrix } from "../linalg/matrix.ts";
import { sum } from "../linalg/reductions.ts";
import { checkExact, checkGradient, type ExactInputs } from "./inputs.ts";
import { naming } from "./not-finite.ts";

/** Each is optional, and set (not added to). */
export interface ExactGradients {
  /** ∂ℓ/∂K (n, n). */
  K?: Matrix;
  /** ∂ℓ/∂Σ_i (n). */
  noise?: Matrix;
  /** Set at every call: Σ_i Σ_i·∂ℓ/∂Σ_i, the derivative by the log of a factor on all noise; twice that for log σ. */
  noiseScale?: number;
}

export interface ExactNll {
  /** ℓ, without ½nk·log 2π. */
  value: number;
  /** Added to the diagonal of K + Σ because it would not factor without; 0 as a rule: the noise does its work. */
  jitter: number;
  /** As given. */
  shift: number;
}

/**
 * ℓ = (k/2)·log|S| + ½·tr(RᵀS⁻¹R), Eq. 6 for k targets, and its gradients by all entries of K (each ordered pair counts) and the noise.
 * K stays as it is.
 *
 * @example
 * const engine = await createEngine({ workers: 1 });
 * const scope = engine.scope();
 * const inputs = { K: scope.matrix(1, 1).write([3]), R: scope.matrix(1, 1).write([2]), noise: scope.matrix(1, 1).write([1]) };
 * const gradients = { K: scope.matrix(1, 1) };
 * exactNll(engine, inputs, gradients).value.toFixed(6) // => (0.5 * Math.log(4) + 0.5).toFixed(6)
 * gradients.K.get(0, 0) // => 0
 */
export function exactNll(engine: Engine, inputs: ExactInputs, gradients?: ExactGradients): ExactNll {
  checkExact("exact", inputs);
  const n = inputs.K.rows;
  checkGradient("exact: gradient of K", gradients?.K, n, n);
  if (gradients?.noise) checkVector("exact: gradient of noise", gradients.noise, n, "f64");
  const { K, R, noise } = inputs;
  return naming("exact", { K, R, noise }, () => {
    const scope = engine.scope();
    try {
      const factored = factorExact(engine, scope, inputs);
      if (gradients) exactGradients(engine, factored, gradients);
      return { value: factored.value, jitter: factored.jitter, shift: inputs.shift ?? 0 };
    } finally {
      scope.close();
    }
  });
}

interface FactoredExact {
  inputs: ExactInputs;
  /** Holds what is below. */
  scope: Scope;
  /** LLᵀ = K + Σ + shift + jitter. */
  L: Matrix;
  /** S⁻¹R (n, k). */
  alpha: Matrix;
  jitter: number;
  /** The jitter over the mean of S's diagonal. */
  relativeJitter: number;
  value: number;
}

export function factorExact(engine: Engine, scope: Scope, inputs: ExactInputs): FactoredExact {
  const { K, R, noise, shift = 0 } = inputs;
  const n = K.rows;
  const k = R.cols;
  const L = scope.matrix(n, n);
  engine.convert(L, K);
  let trace = 0;
  for (let i = 0; i < n; i++) {
    const at = L.offset + i * (n + 1);
    L.data[at] += noise.data[noise.offset + i] + shift;
    trace += Math.abs(L.data[at]);
  }
  const jitter = engine.cholesky(L, { name: "exact: K + Σ", jitter: {} });
  const alpha = scope.matrix(n, k);
  const norms = scope.matrix(n, 1);
  engine.convert(alpha, R);
  engine.solveTriangular(alpha, L);
  engine.rowNorms(norms, alpha); // tr(RᵀS⁻¹R) = ‖L⁻¹R‖²: a sum of squares
  const quadratic = sum(norms);
  engine.solveTriangular(alpha, L, { transpose: true });
  const value = 0.5 * (k * engine.logDeterminant(L) + quadratic);
  return { inputs, scope, L, alpha, jitter, relativeJitter: (jitter * n) / trace, value };
}

// G = ½(kS⁻¹ − ααᵀ); ∂ℓ/∂Σ_i = G_ii
function exactGradients(engine: Engine, factored: FactoredExact, gradients: ExactGradients): void {
  const { scope, L, alpha } = factored;
  const { R, noise } = factored.inputs;
  const n = R.rows;
  const G = gradients.K ?? scope.matrix(n, n);
  engine.inverseFromCholesky(G, L);
  engine.syrk(G, alpha, { alpha: -0.5, beta: 0.5 * R.cols });
  addJitterGradient(G, factored.relativeJitter);
  let scale = 0;
  for (let i = 0; i < n; i++) {
    const g = G.data[G.offset + i * (G.rowStride + 1)];
    scale += g * noise.data[noise.offset + i];
    if (gradients.noise) gradients.noise.data[gradients.noise.offset + i] = g;
  }
  gradients.noiseScale = scale;
}

/** The jitter is ε times the mean of the diagonal: each G_jj gains (ε/n)·Σ_i G_ii, and ∂ℓ/∂v = Σ G∘K / v includes the jitter by itself. */
export function addJitterGradient(G: Matrix, relative: number): void {
  if (relative === 0) return;
  const n = G.rows;
  const step = G.rowStride + 1;
  let trace = 0;
  for (let i = 0; i < n; i++) trace += G.data[G.offset + i * step];
  for (let i = 0; i < n; i++) G.data[G.offset + i * step] += (relative * trace) / n;
}
