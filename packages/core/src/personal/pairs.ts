// Sums and matrices over a user's pairs, stored as the lower triangle with its diagonal, row by row.
// n items, p channels, P directions: the channels, and b where there is one (d_b = 1); N pairs
import type { Matrix } from "../linalg/matrix.ts";
import type { PersonalProblem } from "./problem.ts";

/** d_v = Σ v_i d_i into `out` (N). */
export function along(out: Float64Array, { p, distances }: PersonalProblem, v: ArrayLike<number>): Float64Array {
  const N = out.length;
  out.fill(v.length > p ? v[p] : 0);
  for (let c = 0; c < p; c++) {
    if (v[c] !== 0) for (let k = 0, at = c * N; k < N; k++, at++) out[k] += v[c] * distances[at];
  }
  return out;
}

/** Σ C∘d_i over the pairs. */
export function pairSum({ p, distances }: PersonalProblem, C: Float64Array, i: number): number {
  const N = C.length;
  let sum = 0;
  if (i < p) for (let k = 0, at = i * N; k < N; k++, at++) sum += C[k] * distances[at];
  else for (let k = 0; k < N; k++) sum += C[k];
  return sum;
}

/** The symmetric matrix of a∘b, element by element of the pairs. */
export function spread(K: Matrix, a: Float64Array, b: Float64Array): void {
  const n = K.rows;
  const { data, offset } = K;
  for (let i = 0, k = 0; i < n; i++) {
    for (let j = 0; j <= i; j++, k++) {
      const value = a[k] * b[k];
      data[offset + i * n + j] = value;
      data[offset + j * n + i] = value;
    }
  }
}

/** tr(AB) of two square matrices, row-major. */
export function traceOfProduct(A: Matrix, B: Matrix): number {
  const n = A.rows;
  const { data } = A;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0, a = A.offset + i * n, b = B.offset + i; j < n; j++, a++, b += n) sum += data[a] * data[b];
  }
  return sum;
}
