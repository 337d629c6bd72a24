// Logistic regression: P(met together) = σ(w₀ − Σ_c h_c d_c). May explain all that a deeper model gains, so it must stand in every table.
// Newton's method on the ridge-penalised log-likelihood, p + 1 unknowns: Hastie, Tibshirani & Friedman, "The Elements of Statistical
// Learning" (2009), §4.4.1.
import { NearkinError } from "@nearkin/core";

export interface LogisticOptions {
  /** λ of λ/2·‖h‖² on coefficients of standardised inputs: keeps separable data finite. @default 1e-3 */
  ridge?: number;
  /** @default 50 */
  iterations?: number;
}

/** What was learned, in the units of the inputs. */
export interface Logistic {
  readonly intercept: number;
  /** (p) */
  readonly coefficients: Float64Array;
}

/** Fits σ(w₀ + wᵀx) to labels 0 and 1. X is (n, p), row-major; the mean log-likelihood is maximised. */
export function fitLogistic(
  X: Float64Array,
  labels: ArrayLike<number>,
  { ridge = 1e-3, iterations = 50 }: LogisticOptions = {},
): Logistic {
  const n = labels.length;
  if (n === 0 || X.length % n !== 0) {
    throw new NearkinError("SHAPE_MISMATCH", `logistic: ${X.length} inputs do not go with ${n} labels`);
  }
  const p = X.length / n;
  const { centre, scale } = standardization(X, n, p);
  const q = p + 1;
  const w = new Float64Array(q); // the intercept last
  const x = new Float64Array(q).fill(1);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const gradient = new Float64Array(q);
    const hessian = new Float64Array(q * q);
    for (let i = 0; i < n; i++) {
      for (let c = 0; c < p; c++) x[c] = (X[i * p + c] - centre[c]) / scale[c];
      let t = 0;
      for (let c = 0; c < q; c++) t += w[c] * x[c];
      const chance = 1 / (1 + Math.exp(-t));
      const residual = (chance - labels[i]) / n;
      const curvature = (chance * (1 - chance)) / n;
      for (let a = 0; a < q; a++) {
        gradient[a] += residual * x[a];
        for (let b = 0; b <= a; b++) hessian[a * q + b] += curvature * x[a] * x[b];
      }
    }
    for (let c = 0; c < p; c++) {
      gradient[c] += ridge * w[c];
      hessian[c * q + c] += ridge;
    }
    const step = solve(hessian, gradient);
    let largest = 0;
    for (let a = 0; a < q; a++) {
      w[a] -= step[a];
      largest = Math.max(largest, Math.abs(step[a]));
    }
    if (largest < 1e-10) break;
  }
  const coefficients = Float64Array.from({ length: p }, (_, c) => w[c] / scale[c]);
  return { intercept: coefficients.reduce((sum, value, c) => sum - value * centre[c], w[p]), coefficients };
}

/** Mean and standard deviation of each column; 1 for a constant one, whose coefficient the ridge holds at 0. */
function standardization(X: Float64Array, n: number, p: number): { centre: Float64Array; scale: Float64Array } {
  const centre = new Float64Array(p);
  const scale = new Float64Array(p);
  for (let i = 0; i < n * p; i++) centre[i % p] += X[i] / n;
  for (let i = 0; i < n * p; i++) scale[i % p] += (X[i] - centre[i % p]) ** 2 / n;
  for (let c = 0; c < p; c++) scale[c] = Math.sqrt(scale[c]) || 1;
  return { centre, scale };
}

/** Solves Hx = g by Cholesky, H (q, q) given by its lower half, which is overwritten. */
function solve(H: Float64Array, g: Float64Array): Float64Array {
  const q = g.length;
  for (let j = 0; j < q; j++) {
    for (let i = j; i < q; i++) {
      let sum = H[i * q + j];
      for (let k = 0; k < j; k++) sum -= H[i * q + k] * H[j * q + k];
      H[i * q + j] = i === j ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / H[j * q + j];
    }
  }
  const x = Float64Array.from(g);
  for (let i = 0; i < q; i++) {
    for (let k = 0; k < i; k++) x[i] -= H[i * q + k] * x[k];
    x[i] /= H[i * q + i];
  }
  for (let i = q - 1; i >= 0; i--) {
    for (let k = i + 1; k < q; k++) x[i] -= H[k * q + i] * x[k];
    x[i] /= H[i * q + i];
  }
  return x;
}
