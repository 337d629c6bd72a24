// Central differences: step 1e-5·max(1, |x|), relative tolerance 1e-6 against the largest entry of the gradient, in float64.
import type { Matrix } from "../linalg/matrix.ts";
import { expectWithin, largest } from "./bounds.ts";

/** ∂loss/∂x for every element of x, row by row. `loss` is computed anew for each; x comes out as it went in. */
export function centralDifferences(x: Matrix, loss: () => number): Float64Array {
  const gradient = new Float64Array(x.rows * x.cols);
  for (let i = 0; i < x.rows; i++) {
    for (let j = 0; j < x.cols; j++) {
      const value = x.get(i, j);
      const step = 1e-5 * Math.max(1, Math.abs(value));
      x.set(i, j, value + step);
      const above = loss();
      x.set(i, j, value - step);
      const below = loss();
      x.set(i, j, value);
      gradient[i * x.cols + j] = (above - below) / (2 * step);
    }
  }
  return gradient;
}

/** Throws unless `analytic` is the gradient of `loss` by x. */
export function expectGradient(
  name: string,
  analytic: Matrix | ArrayLike<number>,
  x: Matrix,
  loss: () => number,
): void {
  const numeric = centralDifferences(x, loss);
  expectWithin(name, analytic, numeric, 1e-6 * Math.max(largest(numeric), 1e-6));
}
