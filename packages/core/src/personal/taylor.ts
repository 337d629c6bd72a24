// Lemma 1: κ_u as its Taylor form around w = 0, so that shared weights can be learned without a walk for every user and step.
//
//   κ̂(w) = w_t + J_t w + ½Θ_t[w, w]      Ĵ(w) = J_t + Θ_t[w]
//   w_(s+1) = w_s − ω·∇ℓ(w_s)      J_(s+1) = (I − ωH_s)·J_s      Θ_(s+1) = (I − ωH_s)·Θ_s − ω·T_s(J_s·, J_s·)
//
// from w_0 = 0, J_0 = I, Θ_0 = 0, with H_s and T_s the second and third derivatives of ℓ at w_s. Good near 0, and nowhere else:
// docs/personalisation.md shows how the error grows with ‖w‖. P parameters, t steps
import { type AdaptationOptions, identity, multiply } from "./adaptation.ts";
import type { PersonalLikelihood } from "./likelihood.ts";
import { thirdDerivatives } from "./third.ts";

export interface TaylorAdaptation {
  /** P */
  readonly size: number;
  /** w_t = κ(0) (P). */
  readonly centre: Float64Array;
  /** ∂κ/∂w at 0 (P, P). */
  readonly jacobian: Float64Array;
  /** ∂²κ_i/∂w_j∂w_l at 0 (P, P, P). */
  readonly hessian: Float64Array;
}

export function taylorAdaptation(
  likelihood: PersonalLikelihood,
  { steps = 1, rate }: AdaptationOptions,
): TaylorAdaptation {
  const P = likelihood.size;
  let w: Float64Array = new Float64Array(P);
  let J = identity(P);
  let theta: Float64Array = new Float64Array(P ** 3);
  const gradient = new Float64Array(P);
  const H = new Float64Array(P * P);
  for (let s = 0; s < steps; s++) {
    likelihood.evaluate(w, { gradient, hessian: H });
    const step = identity(P).map((value, k) => value - rate * H[k]);
    const T = thirdDerivatives(likelihood, w);
    theta = nextHessian(theta, { step, T, J, rate, P });
    J = multiply(step, J, P);
    w = w.map((value, i) => value - rate * gradient[i]);
  }
  return { size: P, centre: w, jacobian: J, hessian: theta };
}

interface HessianStep {
  step: Float64Array;
  T: Float64Array;
  J: Float64Array;
  rate: number;
  P: number;
}

/** (I − ωH)·Θ − ω·T(J·, J·) */
function nextHessian(theta: Float64Array, { step, T, J, rate, P }: HessianStep): Float64Array {
  const next = new Float64Array(P ** 3);
  for (let i = 0; i < P; i++) {
    for (let j = 0; j < P; j++) {
      for (let l = 0; l < P; l++) {
        let value = 0;
        for (let a = 0; a < P; a++) value += step[i * P + a] * theta[(a * P + j) * P + l];
        for (let a = 0; a < P; a++) {
          for (let b = 0; b < P; b++) value -= rate * T[(i * P + a) * P + b] * J[a * P + j] * J[b * P + l];
        }
        next[(i * P + j) * P + l] = value;
      }
    }
  }
  return next;
}

/** κ̂(w) (P). */
export function taylorValue(
  { size: P, centre, jacobian, hessian }: TaylorAdaptation,
  w: ArrayLike<number>,
): Float64Array {
  return centre.map((value, i) => {
    let sum = value;
    for (let j = 0; j < P; j++) {
      sum += jacobian[i * P + j] * w[j];
      for (let l = 0; l < P; l++) sum += 0.5 * hessian[(i * P + j) * P + l] * w[j] * w[l];
    }
    return sum;
  });
}

/** Ĵ(w) (P, P). */
export function taylorJacobian({ size: P, jacobian, hessian }: TaylorAdaptation, w: ArrayLike<number>): Float64Array {
  return jacobian.map((value, k) => {
    let sum = value;
    for (let l = 0; l < P; l++) sum += hessian[k * P + l] * w[l];
    return sum;
  });
}
