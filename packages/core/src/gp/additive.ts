// An additive kernel on distances that do not move, and its likelihood. Term t looks at some of the channels:
//
//   k = Σ_t K_t      K_t = v_t·exp(−½ Σ_c e^{w_tc} d_c)      k_ii = Σ_t v_t
//
// Distances are kept as one table, a row for each pair of items and a column for each channel: then all exponents are one product with a
// matrix of (p, q), all exponentials one pass, and the gradients by every w and v two products more.
// n items of which the first m are inducing, p channels, q terms, k targets.
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkShape, checkVector, type Matrix } from "../linalg/matrix.ts";
import { exp } from "../metric/exponential.ts";
import { type SparseGradients, sparseNll } from "./sparse.ts";

/** The channels that each term looks at. */
export type AdditiveTerms = readonly (readonly number[])[];

/** What is learned. Noise is no part of the kernel, but of its likelihood. */
export interface AdditiveParameters {
  /** w_tc: by term, in the order of its channels. */
  readonly logWeights: readonly Float64Array[];
  /** log v_t (q) */
  readonly logVariances: Float64Array;
  /** log σ */
  readonly logNoise: number;
}

/** All channels together, and each by itself. */
export function jointAndSingleTerms(channels: number): AdditiveTerms {
  const all = Array.from({ length: channels }, (_, c) => c);
  return [all, ...all.map((c) => [c])];
}

/** Numbers to learn: all w term by term, then log v, then log σ. */
export function additiveSize(terms: AdditiveTerms): number {
  return terms.reduce((sum, channels) => sum + channels.length, 0) + terms.length + 1;
}

/** From one vector of `additiveSize` numbers. */
export function additiveParameters(terms: AdditiveTerms, flat: ArrayLike<number>): AdditiveParameters {
  let at = 0;
  const take = (count: number) => Float64Array.from({ length: count }, () => flat[at++]);
  return {
    logWeights: terms.map((channels) => take(channels.length)),
    logVariances: take(terms.length),
    logNoise: flat[at],
  };
}

/** All rows of a row-major matrix without gaps, one after the other, as a vector: the pairs of a table. */
export function pairsOf(K: Matrix): Matrix {
  const pairs = K.view(0, K.rows);
  pairs.rows = K.rows * K.cols;
  pairs.cols = 1;
  pairs.rowStride = 1;
  return pairs;
}

/** −½e^{w_tc} (p, q) into `out`; 0 where a term does not look at a channel. */
function setExponents(out: Matrix, terms: AdditiveTerms, { logWeights }: AdditiveParameters): void {
  out.fill(0);
  terms.forEach((channels, t) => {
    channels.forEach((c, i) => {
      out.set(c, t, -0.5 * exp(logWeights[t][i]));
    });
  });
}

export interface AdditiveKernelInputs {
  readonly terms: AdditiveTerms;
  readonly parameters: AdditiveParameters;
  /** (n·m, p) */
  readonly distances: Matrix;
}

/** K (n, m), row-major without gaps; the terms (n·m, q), each by itself, stay in `parts` where it is given. */
export function additiveKernel(engine: Engine, K: Matrix, inputs: AdditiveKernelInputs, parts?: Matrix): void {
  const { terms, parameters, distances } = inputs;
  const pairs = K.rows * K.cols;
  checkShape("additiveKernel: distances", distances, pairs, distances.cols, "f64");
  const scope = engine.scope();
  try {
    const exponents = scope.matrix(distances.cols, terms.length);
    setExponents(exponents, terms, parameters);
    const bias = scope.matrix(1, terms.length).write(parameters.logVariances);
    const ones = scope.matrix(terms.length, 1).fill(1);
    const table = parts ?? scope.matrix(pairs, terms.length);
    checkShape("additiveKernel: parts", table, pairs, terms.length, "f64");
    engine.gemm(table, distances, exponents);
    engine.activate(table, table, "exp", bias);
    engine.gemv(pairsOf(K), table, ones);
  } finally {
    scope.close();
  }
}

/** k_ii = Σ_t v_t */
export function additiveVariance({ logVariances }: AdditiveParameters): number {
  return logVariances.reduce((sum, log) => sum + exp(log), 0);
}

export interface AdditiveProblem {
  readonly terms: AdditiveTerms;
  /** (n·m, p) Each item against each inducing one. */
  readonly distances: Matrix;
  /** (n, k) */
  readonly R: Matrix;
  /** (n) f_i of Σ_i = (σ² + floor)·f_i. */
  readonly noiseFactors: Matrix;
  /** @default 0 */
  readonly noiseFloor?: number;
}

/**
 * ℓ/(n·k) of the vfe likelihood at the parameters `flat`; its gradient is written into `gradient`.
 *
 *   ∂ℓ/∂(log v_t) = Σ G∘K_t + v_t·Σ_i G_ii      ∂ℓ/∂w_tc = −½e^{w_tc}·Σ G∘K_t∘d_c
 *
 * G = ∂ℓ/∂K over the pairs of the table, ∂ℓ/∂K_mm added to the rows of the inducing items, which come first.
 */
export function additiveNll(
  engine: Engine,
  problem: AdditiveProblem,
  flat: ArrayLike<number>,
  gradient?: Float64Array,
): number {
  const { terms, distances, R, noiseFactors, noiseFloor = 0 } = problem;
  const { rows: n, cols: k } = R;
  const m = distances.rows / n;
  if (!Number.isInteger(m) || m < 1 || m > n) {
    throw new NearkinError("SHAPE_MISMATCH", `additiveNll: ${distances.rows} pairs do not fit ${n} items`);
  }
  checkVector("additiveNll: noiseFactors", noiseFactors, n, "f64");
  const parameters = additiveParameters(terms, flat);
  const scope = engine.scope();
  try {
    const parts = scope.matrix(n * m, terms.length);
    const K = scope.matrix(n, m);
    additiveKernel(engine, K, { terms, parameters, distances }, parts);
    const diagonal = scope.matrix(n, 1).fill(K.get(0, 0)); // item 0 and itself: Σ_t v_t with the bits of K
    const sigma = exp(parameters.logNoise);
    const variance = sigma * sigma + noiseFloor;
    const noise = scope.matrix(n, 1);
    for (let i = 0; i < n; i++) {
      noise.data[noise.offset + i] = variance * noiseFactors.data[noiseFactors.offset + i];
    }
    const by: SparseGradients | undefined = gradient && {
      Knm: scope.matrix(n, m),
      Kmm: scope.matrix(m, m),
      diagonal: scope.matrix(n, 1),
    };
    const inputs = { likelihood: "vfe" as const, Knm: K, Kmm: K.view(0, m), diagonal, R, noise };
    const { value } = sparseNll(engine, inputs, by);
    const share = 1 / (n * k);
    if (gradient && by) {
      setGradient(engine, { terms, parameters, distances, parts, by, K }, gradient);
      // Σ_i = (σ² + floor)·f_i: noiseScale is the derivative by the log of the first factor
      gradient[gradient.length - 1] = ((by.noiseScale ?? 0) * 2 * sigma * sigma) / variance;
      for (let i = 0; i < gradient.length; i++) gradient[i] *= share;
    }
    return share * value;
  } finally {
    scope.close();
  }
}

interface Backward extends AdditiveKernelInputs {
  /** K_t (n·m, q); overwritten. */
  parts: Matrix;
  by: SparseGradients;
  K: Matrix;
}

function setGradient(engine: Engine, pass: Backward, gradient: Float64Array): void {
  const { terms, parameters, distances, parts, by, K } = pass;
  const { Knm, Kmm, diagonal } = by as Required<SparseGradients>;
  const m = Kmm.rows;
  const scope = engine.scope();
  try {
    engine.scatterAddRows(Knm, Kmm, scope.indices(m).write(Int32Array.from({ length: m }, (_, i) => i)));
    engine.scaleRows(parts, parts, pairsOf(Knm)); // G∘K_t
    const sums = scope.matrix(1, terms.length);
    engine.columnSums(sums, parts);
    const moments = scope.matrix(terms.length, distances.cols); // Σ G∘K_t∘d_c
    engine.gemm(moments, parts, distances, { transposeA: true });
    let direct = 0; // Σ_i G_ii
    for (let i = 0; i < K.rows; i++) direct += diagonal.data[diagonal.offset + i];
    let at = 0;
    terms.forEach((channels, t) => {
      channels.forEach((c, i) => {
        gradient[at++] = -0.5 * exp(parameters.logWeights[t][i]) * moments.get(t, c);
      });
    });
    for (let t = 0; t < terms.length; t++) {
      gradient[at++] = sums.get(0, t) + exp(parameters.logVariances[t]) * direct;
    }
  } finally {
    scope.close();
  }
}
