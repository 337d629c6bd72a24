// Theorem 1 with all eigenvalues of K* at hand, not λ_max alone: its tail to the end, and what is left of the theorem once A2 may fail.
import { NearkinError } from "@nearkin/core";
import { energyOf } from "./bounds.ts";
import { checkKernelValue, checkNotNegative, checkPositive, checkShare } from "./checks.ts";
import { chernoffTail, quadraticFormTail } from "./quadratic-form.ts";

const ROUNDED = 1e-2; // eigenvalues may be typed in

export interface SpectrumInputs {
  /** σ of Eq. 4. */
  readonly sigma: number;
  /** α of A2. */
  readonly alpha: number;
  /** In (0, 1). */
  readonly epsilon: number;
  /** inf k*, in (0, 1]: λ_max/d for the smallest d of A1. */
  readonly infKernel: number;
}

/** X = σ⁴·rᵀr/n, c_ε = ε·inf k*. */
export interface SpectrumBound {
  /** Chernoff's bound on Pr(X(1 − c_ε) ≥ α) over the eigenvalues: the sharpest that the proof of Theorem 1 can give. */
  readonly chernoff: number;
  /** Pr(X(1 − c_ε) ≥ α) itself. */
  readonly tail: number;
  /** Pr(X ≥ α): A2 cannot hold more often, for its right side must not be negative. */
  readonly assumption: number;
  /**
   * The least that the theorem can promise of Pr(sup|k − k*|/k* ≥ ε): `tail`, plus the draws in which A2 fails. 1 − Pr(α ≤ X < α/(1 − c_ε)), a window
   * that is narrower than X is wide, since both go with inf k*.
   */
  readonly promise: number;
}

export function spectrumBound(eigenvalues: ArrayLike<number>, inputs: SpectrumInputs): SpectrumBound {
  const { sigma, alpha, epsilon, infKernel } = inputs;
  checkPositive("sigma", sigma);
  checkNotNegative("alpha", alpha);
  checkShare("epsilon", epsilon);
  checkKernelValue("infKernel", infKernel);
  const n = eigenvalues.length;
  checkEigenvalues(eigenvalues);
  const weights = Array.from(eigenvalues, (value) => value / n); // of X/σ⁴
  const energy = energyOf(inputs);
  const least = energy / (1 - epsilon * infKernel);
  const tail = quadraticFormTail(weights, least);
  const assumption = quadraticFormTail(weights, energy);
  return { chernoff: chernoffTail(weights, least), tail, assumption, promise: Math.min(1, tail + 1 - assumption) };
}

/** Of a covariance with ones on its diagonal: k*(x, x) = exp(−½·0). */
function checkEigenvalues(eigenvalues: ArrayLike<number>): void {
  const list = Array.from(eigenvalues);
  for (const value of list) checkNotNegative("eigenvalues", value);
  const sum = list.reduce((total, value) => total + value, 0);
  if (!(Math.abs(sum - list.length) <= ROUNDED * list.length)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `eigenvalues: the ${list.length} of K* sum to ${list.length}, since k*(x, x) = 1; got ${sum}`,
    );
  }
}
