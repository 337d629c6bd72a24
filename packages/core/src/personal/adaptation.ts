// κ_u: from weights that are shared to weights of one user, by gradient steps on their likelihood, and how κ_u(w) moves with w.
//
//   w_(s+1) = w_s − ω·∇ℓ(w_s)      ∂κ/∂w = J_t,  J_(s+1) = (I − ω·∇²ℓ(w_s))·J_s
//
// The paper prints +ω∇ℓ, which climbs where it should descend. P parameters, t steps
import { NearkinError } from "../errors.ts";
import type { Objective } from "./likelihood.ts";

export interface AdaptationOptions {
  /** t. @default 1 */
  steps?: number;
  /** ω */
  rate: number;
}

/** w_0 … w_t. */
export function adapt(
  objective: Objective,
  w: ArrayLike<number>,
  { steps = 1, rate }: AdaptationOptions,
): readonly Float64Array[] {
  checkOptions(steps, rate);
  const path = [Float64Array.from(w)];
  const gradient = new Float64Array(objective.size);
  for (let s = 0; s < steps; s++) {
    objective.evaluate(path[s], { gradient });
    path.push(path[s].map((value, i) => value - rate * gradient[i]));
  }
  return path;
}

/**
 * Jᵀg into g (P), from g = ∂L/∂κ at the end of the path: what a step on shared weights needs. Exact for any number of steps; the
 * paper prints J·g, which is the same for one.
 */
export function pullBack(objective: Objective, path: readonly Float64Array[], g: Float64Array, rate: number): void {
  const product = new Float64Array(objective.size);
  for (let s = path.length - 2; s >= 0; s--) {
    objective.hessianProduct(product, path[s], g);
    for (let i = 0; i < g.length; i++) g[i] -= rate * product[i];
  }
}

/** J_t = ∂κ/∂w (P, P) along a path. */
export function adaptationJacobian(objective: Objective, path: readonly Float64Array[], rate: number): Float64Array {
  const P = objective.size;
  let J = identity(P);
  const hessian = new Float64Array(P * P);
  for (const w of path.slice(0, -1)) {
    objective.evaluate(w, { hessian });
    const step = identity(P).map((value, k) => value - rate * hessian[k]);
    J = multiply(step, J, P);
  }
  return J;
}

export function identity(P: number): Float64Array {
  return Float64Array.from({ length: P * P }, (_, k) => (k % (P + 1) === 0 ? 1 : 0));
}

/** AB of two (P, P). */
export function multiply(A: Float64Array, B: Float64Array, P: number): Float64Array {
  const C = new Float64Array(P * P);
  for (let i = 0; i < P; i++) {
    for (let j = 0; j < P; j++) {
      for (let l = 0; l < P; l++) C[i * P + j] += A[i * P + l] * B[l * P + j];
    }
  }
  return C;
}

function checkOptions(steps: number, rate: number): void {
  if (!Number.isSafeInteger(steps) || steps < 1) {
    throw new NearkinError("BAD_ARGUMENT", `adapt: steps must be a whole number of at least 1, got ${steps}`);
  }
  if (!(rate >= 0) || rate === Infinity) {
    throw new NearkinError("BAD_ARGUMENT", `adapt: rate must be at least 0 and finite, got ${rate}`);
  }
}
