// A user's pairs in the engine's memory: the lower triangle with its diagonal, row by row, as a row (1, N) of numbers.
// n items, P directions: the channels, and b where there is one; N pairs
import type { Scope } from "../linalg/arena.ts";
import type { FloatArray, Matrix } from "../linalg/matrix.ts";
import { type PersonalProblem, pairCount } from "./problem.ts";

/** (P, N) d_i of each pair, d_b = 1: then Σ v_i d_i is one product with a vector, and so are the sums Σ C∘d_i of all directions. */
export function pairDirections(scope: Scope, { n, p, distances }: PersonalProblem, P: number): Matrix {
  const N = pairCount(n);
  const directions = scope.matrix(P, N);
  const { data, offset } = directions;
  data.set(distances, offset);
  data.fill(1, offset + p * N, offset + P * N);
  return directions;
}

/** The numbers of a matrix without gaps, row by row: views, good until something allocates. */
export const numbersOf = ({ data, offset, rows, cols }: Matrix): FloatArray =>
  data.subarray(offset, offset + rows * cols);

/** The symmetric matrix (n, n) of a∘b. */
export function spread(K: Matrix, a: Matrix, b: Matrix): void {
  const n = K.rows;
  const [to, left, right] = [numbersOf(K), numbersOf(a), numbersOf(b)];
  for (let i = 0, k = 0; i < n; i++) {
    for (let j = 0; j <= i; j++, k++) to[i * n + j] = to[j * n + i] = left[k] * right[k];
  }
}

/** out = G∘by, G = ½(S⁻¹ − ααᵀ), each pair as often as it stands in the matrix: twice off the diagonal. out may be `by`. */
export function weigh(out: Matrix, by: Matrix, { inverse, alpha }: { inverse: Matrix; alpha: Matrix }): void {
  const n = inverse.rows;
  const [to, from, S, a] = [numbersOf(out), numbersOf(by), numbersOf(inverse), numbersOf(alpha)];
  for (let i = 0, k = 0, row = 0; i < n; i++, row += n) {
    const own = a[i];
    for (let j = 0; j < i; j++, k++) to[k] = (S[row + j] - own * a[j]) * from[k];
    to[k] = 0.5 * (S[row + i] - own * own) * from[k];
    k++;
  }
}

/** out = a∘b; out may be one of them. */
export function multiply(out: Matrix, a: Matrix, b: Matrix): void {
  const [to, left, right] = [numbersOf(out), numbersOf(a), numbersOf(b)];
  for (let k = 0; k < to.length; k++) to[k] = left[k] * right[k];
}

/** Σ A∘B of two matrices without gaps. */
export function innerProduct(A: Matrix, B: Matrix): number {
  const [a, b] = [numbersOf(A), numbersOf(B)];
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** tr(AB) of two square matrices, row-major. */
export function traceOfProduct(A: Matrix, B: Matrix): number {
  const n = A.rows;
  const [a, b] = [numbersOf(A), numbersOf(B)];
  let sum = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) sum += a[i * n + j] * b[j * n + i];
  }
  return sum;
}
