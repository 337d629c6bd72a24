// Linear algebra of a handful of numbers, (P, P) with P about five: plain loops, no engine.
import { NearkinError } from "../errors.ts";

/** LLᵀ = A (P, P) in a new array, or undefined where A is not positive definite. */
export function smallCholesky(A: ArrayLike<number>, P: number): Float64Array | undefined {
  const L = new Float64Array(P * P);
  for (let i = 0; i < P; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i * P + j];
      for (let k = 0; k < j; k++) sum -= L[i * P + k] * L[j * P + k];
      if (i !== j) L[i * P + j] = sum / L[j * P + j];
      else if (sum > 0 && sum < Infinity) L[i * P + i] = Math.sqrt(sum);
      else return undefined;
    }
  }
  return L;
}

/** (LLᵀ)⁻¹b */
function smallSolve(L: Float64Array, b: ArrayLike<number>, P: number): Float64Array {
  const x = Float64Array.from(b);
  for (let i = 0; i < P; i++) {
    for (let k = 0; k < i; k++) x[i] -= L[i * P + k] * x[k];
    x[i] /= L[i * P + i];
  }
  for (let i = P - 1; i >= 0; i--) {
    for (let k = i + 1; k < P; k++) x[i] -= L[k * P + i] * x[k];
    x[i] /= L[i * P + i];
  }
  return x;
}

/** A⁻¹ of a positive definite A. */
export function smallInverse(A: ArrayLike<number>, P: number): Float64Array {
  const L = smallCholesky(A, P);
  if (!L)
    throw new NearkinError("NOT_POSITIVE_DEFINITE", "personal: a covariance over weights is not positive definite");
  const inverse = new Float64Array(P * P);
  for (let j = 0; j < P; j++) {
    const column = smallSolve(L, new Float64Array(P).fill(1, j, j + 1), P);
    for (let i = 0; i < P; i++) inverse[i * P + j] = column[i];
  }
  return inverse;
}
