// Lemma 5: the residual of a Gaussian process on its own observations, r̂ = K(K + σ²I)⁻¹r, is σ²(K + σ²I)⁻¹r, so that for any square A
//
//   (r − r̂)ᵀA(r − r̂) = σ⁴·rᵀS⁻¹AS⁻¹r,  S = K + σ²I.
//
// With A = S²/n, as A2 has it, K drops out: both sides are σ⁴·rᵀr/n, whatever was learned.
// n items
import { type Engine, type Matrix, Random } from "@nearkin/core";
import { checkPositive, checkWhole } from "./checks.ts";
import { randomKernel } from "./random-matrices.ts";

export interface Lemma5Inputs {
  /** (n, n) The learned kernel, positive semi-definite. */
  readonly K: Matrix;
  /** (n, 1) */
  readonly r: Matrix;
  readonly sigma2: number;
  /** (n, n), any square matrix; A2's (K + σ²I)²/n where there is none. */
  readonly A?: Matrix;
}

export interface Lemma5 {
  /** (r − r̂)ᵀA(r − r̂), from the prediction r̂. */
  readonly left: number;
  /** σ⁴·rᵀS⁻¹AS⁻¹r */
  readonly right: number;
}

/** Both sides, each by its own way: the left one through r̂ of Eq. 3, the right one by solving twice. O(n³). */
export function lemma5(engine: Engine, { K, r, sigma2, A }: Lemma5Inputs): Lemma5 {
  checkPositive("sigma2", sigma2);
  const n = K.rows;
  using scope = engine.scope();
  const [S, L] = [scope.matrix(n, n), scope.matrix(n, n)];
  const [solved, residual, image] = [scope.matrix(n, 1), scope.matrix(n, 1), scope.matrix(n, 1)];
  engine.convert(S, K);
  for (let i = 0; i < n; i++) S.data[S.offset + i * (n + 1)] += sigma2;
  engine.convert(L, S);
  engine.cholesky(L, { name: "Lemma 5: K + σ²I" });
  engine.convert(solved, r);
  engine.solveCholesky(solved, L); // S⁻¹r
  engine.convert(residual, r);
  engine.gemv(residual, K, solved, { alpha: -1, beta: 1 }); // r − r̂, Eq. 3
  const quadratic = (x: Matrix): number => {
    if (A) {
      engine.gemv(image, A, x);
      return dot(x, image);
    }
    engine.gemv(image, S, x);
    return dot(image, image) / n; // xᵀS²x/n
  };
  return { left: quadratic(residual), right: sigma2 ** 2 * quadratic(solved) };
}

function dot(x: Matrix, y: Matrix): number {
  const { data } = x;
  let sum = 0;
  for (let i = 0; i < x.rows; i++) sum += data[x.offset + i] * data[y.offset + i];
  return sum;
}

export interface Lemma5Check {
  readonly trials: number;
  /** Largest difference of the two sides, relative to the larger, for A by chance, neither symmetric nor positive. */
  readonly any: number;
  /** The same between (r − r̂)ᵀA(r − r̂) and σ⁴·rᵀr/n, with A2's A and kernels by chance. */
  readonly energy: number;
}

export interface Lemma5Options {
  /** Items. @default 12 */
  n?: number;
  /** @default 1 */
  seed?: number;
}

const TRIALS = 20;

/** Lemma 5 on kernels, noise, observations and A by chance: what is left is rounding. */
export function checkLemma5(engine: Engine, { n = 12, seed = 1 }: Lemma5Options = {}): Lemma5Check {
  checkWhole("n", n);
  let [any, energy] = [0, 0];
  for (let trial = 0; trial < TRIALS; trial++) {
    using scope = engine.scope();
    const random = new Random(seed).split("Lemma 5", trial);
    const [K, A, r] = [scope.matrix(n, n), scope.matrix(n, n), scope.matrix(n, 1)];
    randomKernel(engine, K, random.split("K"));
    engine.fillNormal(A, random.split("A"));
    engine.fillNormal(r, random.split("r"));
    const sigma2 = 10 ** (2 * random.uniform() - 1.5); // 0.03 to 3
    const { left, right } = lemma5(engine, { K, r, sigma2, A });
    any = Math.max(any, relative(left, right));
    energy = Math.max(energy, relative(lemma5(engine, { K, r, sigma2 }).left, (sigma2 ** 2 * dot(r, r)) / n));
  }
  return { trials: TRIALS, any, energy };
}

const relative = (a: number, b: number): number => Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
