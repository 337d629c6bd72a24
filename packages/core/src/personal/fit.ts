// The weights of one user: the best of an objective, from a start. BFGS on a handful of parameters, its first curvature the Fisher matrix at
// the start, which is never indefinite, as the Hessian of ℓ_u often is. Every accepted point is better than the one before, so the
// result is never worse than the start.
// P parameters
import { whereCovariance } from "./covariance.ts";
import type { Objective } from "./likelihood.ts";
import { smallCholesky, smallInverse } from "./small.ts";

export interface FitOptions {
  /** Steps at most. @default 20 */
  iterations?: number;
  /** Ends where a step promises to gain less than this, in nats an item. @default 1e-6: far below what ratings can tell */
  tolerance?: number;
}

export interface PersonalFit {
  /** (P) */
  readonly w: Float64Array;
  /** The objective at the end, and at the start. */
  readonly value: number;
  readonly start: number;
  readonly iterations: number;
  readonly evaluations: number;
  /** Whether it ended where no step promises to gain more. */
  readonly converged: boolean;
}

const SUFFICIENT = 1e-4; // of the gain that the slope promises (Armijo)
const HALVINGS = 20;

export function fitWeights(
  objective: Objective,
  start: ArrayLike<number>,
  { iterations = 20, tolerance = 1e-6 }: FitOptions = {},
): PersonalFit {
  const P = objective.size;
  let w: Float64Array = Float64Array.from(start);
  let gradient: Float64Array = new Float64Array(P);
  const curvature = new Float64Array(P * P);
  const first = objective.evaluate(w, { gradient, curvature });
  let inverse: Float64Array = smallCholesky(curvature, P) ? smallInverse(curvature, P) : scaledIdentity(curvature, P);
  let value = first;
  let evaluations = 1;
  let iteration = 0;
  let converged = false;
  let isFresh = false; // nothing is known of the curvature but its size
  for (; iteration < iterations && !converged; iteration++) {
    const step = descent(inverse, gradient, P);
    const slope = dot(step, gradient);
    converged = -slope < tolerance;
    if (converged) break;
    const next = search();
    if (!next) {
      if (isFresh) break; // not even along the gradient: at the edge of where there is a covariance, or as good as numbers get
      inverse = scaledIdentity(curvature, P);
      isFresh = true;
      continue;
    }
    isFresh = false;
    inverse = bfgs(inverse, difference(next.w, w), difference(next.gradient, gradient), P);
    ({ w, gradient, value } = next);

    function search(): { w: Float64Array; gradient: Float64Array; value: number } | undefined {
      for (let halving = 0, length = 1; halving <= HALVINGS; halving++, length /= 2) {
        const trial = w.map((own, i) => own + length * step[i]);
        const slopes = new Float64Array(P);
        const reached = valueAt(objective, trial, slopes);
        evaluations++;
        if (reached <= value + SUFFICIENT * length * slope) return { w: trial, gradient: slopes, value: reached };
      }
      return undefined;
    }
  }
  return { w, value, start: first, iterations: iteration, evaluations, converged };
}

/** ∞ where the weights give no covariance: a search backs away from there. */
function valueAt(objective: Objective, w: Float64Array, gradient: Float64Array): number {
  const value = whereCovariance(() => objective.evaluate(w, { gradient })) ?? Infinity;
  return Number.isFinite(value) && gradient.every(Number.isFinite) ? value : Infinity;
}

/** −B⁻¹g; along the gradient where rounding has spoilt B. */
function descent(inverse: Float64Array, gradient: Float64Array, P: number): Float64Array {
  const step = gradient.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < P; j++) sum -= inverse[i * P + j] * gradient[j];
    return sum;
  });
  return dot(step, gradient) < 0 ? step : gradient.map((value) => -value);
}

/** B⁻¹ after a step s that changed the gradient by y; unchanged where the curvature along s is not positive. */
function bfgs(inverse: Float64Array, s: Float64Array, y: Float64Array, P: number): Float64Array {
  const sy = dot(s, y);
  if (!(sy > 1e-12 * Math.sqrt(dot(s, s) * dot(y, y)))) return inverse;
  const By = y.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < P; j++) sum += inverse[i * P + j] * y[j];
    return sum;
  });
  const scale = (1 + dot(y, By) / sy) / sy;
  return inverse.map((value, k) => {
    const [i, j] = [Math.floor(k / P), k % P];
    return value + scale * s[i] * s[j] - (By[i] * s[j] + s[i] * By[j]) / sy;
  });
}

/** Where the Fisher matrix is singular: as long a step as its trace allows. */
function scaledIdentity(fisher: Float64Array, P: number): Float64Array {
  let trace = 0;
  for (let i = 0; i < P; i++) trace += fisher[i * (P + 1)];
  const size = trace > 0 ? P / trace : 1;
  return Float64Array.from(fisher, (_, k) => (k % (P + 1) === 0 ? size : 0));
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
const difference = (a: Float64Array, b: Float64Array): Float64Array => a.map((value, i) => value - b[i]);
