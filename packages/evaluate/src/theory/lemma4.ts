// Lemma 4: for r ~ N(0, K*) and a symmetric positive semi-definite A,
//
//   E[exp(λrᵀAr)] = |I − 2λAK*|^(−½)
//
// which the paper states for every λ > 0. It holds where 2λ·λ_max(AK*) < 1; from there on the mean is infinite, though the determinant may be an
// innocent number. Monte Carlo needs half of that: from 2λ·λ_max = ½ on the draws have no variance, and their mean says little.
// n items, s draws
import { type Engine, type Matrix, NearkinError, Random, symmetricEigen } from "@nearkin/core";
import { checkPositive, checkWhole } from "./checks.ts";
import { randomGram, randomKernel } from "./random-matrices.ts";

export interface Lemma4Inputs {
  /** K* (n, n) */
  readonly K: Matrix;
  /** A (n, n) */
  readonly A: Matrix;
  readonly lambda: number;
}

export interface Lemma4 {
  /** 2λ·λ_max(AK*): below 1 the lemma holds. */
  readonly load: number;
  /** E[exp(λrᵀAr)]; ∞ from `load` = 1 on. */
  readonly mean: number;
  /** |I − 2λAK*|^(−½) as it is printed: NaN where the determinant is negative. */
  readonly printed: number;
}

/** Both sides of Lemma 4. With K* = LLᵀ the eigenvalues of AK* are those of LᵀAL. O(n³). */
export function lemma4(engine: Engine, { K, A, lambda }: Lemma4Inputs): Lemma4 {
  checkPositive("lambda", lambda);
  const factors = lemma4Eigenvalues(engine, K, A).map((value) => 1 - 2 * lambda * value);
  const determinant = factors.reduce((product, factor) => product * factor, 1);
  const load = 1 - Math.min(...factors);
  const printed = determinant ** -0.5;
  return { load, mean: load < 1 ? printed : Infinity, printed };
}

/** (n) The eigenvalues of AK*, the largest first. */
function lemma4Eigenvalues(engine: Engine, K: Matrix, A: Matrix): Float64Array {
  const n = K.rows;
  using scope = engine.scope();
  const [L, AL, M] = [scope.matrix(n, n), scope.matrix(n, n), scope.matrix(n, n)];
  engine.convert(L, K);
  engine.cholesky(L, { name: "Lemma 4: K*", jitter: { relative: 1e-12 } });
  engine.gemm(AL, A, L);
  engine.gemm(M, L, AL, { transposeA: true });
  return symmetricEigen(M.read(), n).values;
}

export interface MonteCarloMean {
  readonly mean: number;
  /** Standard error of the mean. */
  readonly error: number;
}

const BLOCK = 4096; // draws at a time

/** The mean of exp(λrᵀAr) over s draws of r ~ N(0, K*), for several λ at once: the same draws for all. O(s·n²). */
export function lemma4MonteCarlo(
  engine: Engine,
  { K, A, lambdas }: Omit<Lemma4Inputs, "lambda"> & { readonly lambdas: readonly number[] },
  { draws, seed }: { readonly draws: number; readonly seed: number },
): MonteCarloMean[] {
  checkWhole("draws", draws, 2);
  const n = K.rows;
  const random = new Random(seed).split("Lemma 4");
  const [sums, squares] = [new Float64Array(lambdas.length), new Float64Array(lambdas.length)];
  using scope = engine.scope();
  const L = scope.matrix(n, n);
  engine.convert(L, K);
  engine.cholesky(L, { name: "Lemma 4: K*", jitter: { relative: 1e-12 } });
  for (let done = 0; done < draws; done += BLOCK) {
    using own = engine.scope();
    const s = Math.min(BLOCK, draws - done);
    const [X, R, AR] = [own.matrix(s, n), own.matrix(s, n), own.matrix(s, n)];
    engine.fillNormal(X, random);
    engine.gemm(R, X, L, { transposeB: true }); // rows are draws: r = Lξ
    engine.gemm(AR, R, A);
    const { data } = R;
    for (let i = 0; i < s; i++) {
      let energy = 0; // rᵀAr
      for (let j = i * n; j < (i + 1) * n; j++) energy += data[R.offset + j] * data[AR.offset + j];
      lambdas.forEach((lambda, l) => {
        const value = Math.exp(lambda * energy);
        sums[l] += value;
        squares[l] += value * value;
      });
    }
  }
  return lambdas.map((_, l) => {
    const mean = sums[l] / draws;
    return { mean, error: Math.sqrt(Math.max(0, squares[l] / draws - mean * mean) / (draws - 1)) };
  });
}

export interface Lemma4Row extends Lemma4 {
  readonly lambda: number;
  readonly monteCarlo: MonteCarloMean;
  /** Deviations of the draws' mean from `mean`, in standard errors; null from `load` = ½ on, where there is no standard error. */
  readonly z: number | null;
}

export interface Lemma4Options {
  /** Items. @default 12 */
  n?: number;
  /** @default 200000 */
  draws?: number;
  /** @default 1 */
  seed?: number;
  /** 2λ·λ_max(AK*) of the rows. @default [0.1, 0.25, 0.45, 0.75, 1.5] */
  loads?: readonly number[];
}

/** Lemma 4 on a kernel and an A by chance, from where it is easily seen to where it does not hold. */
export function checkLemma4(
  engine: Engine,
  { n = 12, draws = 200_000, seed = 1, loads = [0.1, 0.25, 0.45, 0.75, 1.5] }: Lemma4Options = {},
): Lemma4Row[] {
  checkWhole("n", n);
  for (const load of loads) checkPositive("loads", load);
  if (loads.length === 0) throw new NearkinError("BAD_ARGUMENT", "loads: name at least one");
  using scope = engine.scope();
  const random = new Random(seed).split("lemmas");
  const K = scope.matrix(n, n);
  const A = scope.matrix(n, n);
  randomKernel(engine, K, random.split("K"));
  randomGram(engine, A, random.split("A"));
  const [largest] = lemma4Eigenvalues(engine, K, A);
  const lambdas = loads.map((load) => load / (2 * largest));
  const means = lemma4MonteCarlo(engine, { K, A, lambdas }, { draws, seed });
  return lambdas.map((lambda, l) => {
    const exact = lemma4(engine, { K, A, lambda });
    const monteCarlo = means[l];
    return {
      ...exact,
      load: loads[l],
      lambda,
      monteCarlo,
      z: loads[l] < 0.5 ? (monteCarlo.mean - exact.mean) / monteCarlo.error : null,
    };
  });
}
