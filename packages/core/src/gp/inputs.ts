// What the likelihoods take, and what they demand of it. n items, m inducing items, k targets (columns of R).
import { NearkinError } from "../errors.ts";
import type { Jitter } from "../linalg/engine.ts";
import { checkRowMajor, checkShape, checkVector, type Matrix } from "../linalg/matrix.ts";

/**
 * How S, the covariance of the observations, follows from the kernel (Σ = diag of the noise, Q = K_nm·K_mm⁻¹·K_mn):
 * `dtc` Q + Σ (the paper's) · `fitc` Q + Σ + diag(K − Q) · `pitc` Q + Σ + blkdiag(K − Q) · `vfe` as dtc, plus (k/2)·tr(Σ⁻¹(K − Q)).
 */
export type SparseLikelihood = "dtc" | "fitc" | "pitc" | "vfe";
export type Likelihood = "exact" | SparseLikelihood;
export const SPARSE_LIKELIHOODS: readonly SparseLikelihood[] = ["dtc", "fitc", "pitc", "vfe"];

/** The blocks of pitc: rows starts[b] … starts[b+1] of every input are block b. */
export interface Blocks {
  /** One more than there are blocks: 0 first, n last. */
  starts: ArrayLike<number>;
  /** K_bb of each block (n_b, n_b). */
  K: readonly Matrix[];
}

export interface ExactInputs {
  /** (n, n) */
  K: Matrix;
  /** Targets (n, k). */
  R: Matrix;
  /** Σ_i of each item (n), above 0. */
  noise: Matrix;
  /** Added to K's diagonal, for a kernel that is indefinite: see `measureShift`. @default 0 */
  shift?: number;
}

/** Rows of items with what a sparse likelihood knows of them. */
export interface SparseRowInputs {
  /** (n, m) */
  Knm: Matrix;
  /** k_ii of each item (n). vfe and fitc need it, and so does leaving one out; dtc does without. */
  diagonal?: Matrix;
  /** Σ_i of each item (n), above 0. */
  noise: Matrix;
  /** pitc needs them. */
  blocks?: Blocks;
}

export interface SparseKernel {
  likelihood: SparseLikelihood;
  /** (m, m); the lower triangle counts. */
  Kmm: Matrix;
  /** Added to K_mm's diagonal, for a kernel that is indefinite: see `measureShift`. @default 0 */
  shift?: number;
  /**
   * Part of K_mm's meaning: with `always` (the default here) ε·mean(diag) is added at every call, not only where a factorisation fails,
   * so that the value is a smooth function of the kernel. Gradients are those of this sum. @default { relative: 1e-6, tries: 3, always: true }
   */
  jitter?: Jitter;
}

export interface SparseInputs extends SparseKernel, SparseRowInputs {
  /** Targets (n, k). */
  R: Matrix;
}

/** The one jitter that is always on: rounding never decides which function is differentiated. */
export const JITTER: Jitter = { relative: 1e-6, tries: 3, always: true };

function fail(message: string): never {
  throw new NearkinError("BAD_ARGUMENT", message);
}

function checkMatrix(name: string, m: Matrix, rows: number, cols: number): void {
  checkShape(name, m, rows, cols, "f64");
  checkRowMajor(name, m);
}

function checkTargets(name: string, R: Matrix, n: number): void {
  checkMatrix(`${name}: R`, R, n, R.cols);
  if (n < 1 || R.cols < 1) fail(`${name}: needs at least one item and one target, got R (${n}, ${R.cols})`);
}

/** Noise above 0: a variance of 0 makes S singular, and one below it is a parameter that should live in log space. */
function checkNoise(name: string, noise: Matrix, n: number): void {
  checkVector(`${name}: noise`, noise, n, "f64");
  let bad = 0;
  let first = -1;
  for (let i = 0; i < n; i++) {
    if (noise.data[noise.offset + i] > 0 && noise.data[noise.offset + i] < Infinity) continue;
    if (bad++ === 0) first = i;
  }
  if (bad > 0) {
    fail(
      `${name}: noise must be above 0 and finite, but ${bad} of ${n} are not; the first is ${noise.data[noise.offset + first]} at ${first}`,
    );
  }
}

function checkShift(name: string, shift: number): void {
  if (!(shift >= 0) || shift === Infinity) fail(`${name}: shift must be at least 0 and finite, got ${shift}`);
}

export function checkExact(name: string, inputs: ExactInputs): void {
  const n = inputs.K.rows;
  checkMatrix(`${name}: K`, inputs.K, n, n);
  checkTargets(name, inputs.R, n);
  checkNoise(name, inputs.noise, n);
  checkShift(name, inputs.shift ?? 0);
}

export function checkKernel(inputs: SparseKernel): void {
  const { likelihood, Kmm } = inputs;
  if (!SPARSE_LIKELIHOODS.includes(likelihood)) {
    fail(`likelihood must be one of ${SPARSE_LIKELIHOODS.join(", ")}, got ${likelihood}`);
  }
  if (Kmm.rows < 1) fail(`${likelihood}: needs at least one inducing item`);
  checkMatrix(`${likelihood}: K_mm`, Kmm, Kmm.rows, Kmm.rows);
  checkShift(likelihood, inputs.shift ?? 0);
}

/** `R` is absent where only the kernel's side of the rows matters. */
export function checkRows(likelihood: SparseLikelihood, m: number, rows: SparseRowInputs, R?: Matrix): void {
  const { Knm, diagonal, noise, blocks } = rows;
  const n = Knm.rows;
  checkMatrix(`${likelihood}: K_nm`, Knm, n, m);
  if (R) checkTargets(likelihood, R, n);
  checkNoise(likelihood, noise, n);
  if (diagonal) checkVector(`${likelihood}: diagonal`, diagonal, n, "f64");
  else if (likelihood === "vfe" || likelihood === "fitc") fail(`${likelihood}: needs the diagonal, k_ii of each item`);
  if (likelihood === "pitc") checkBlocks(blocks, n);
}

function checkBlocks(blocks: Blocks | undefined, n: number): void {
  if (!blocks) fail("pitc: needs blocks: where each begins, and its kernel");
  const { starts, K } = blocks;
  const count = K.length;
  if (starts.length !== count + 1 || starts[0] !== 0 || starts[count] !== n) {
    fail(
      `pitc: ${count} blocks of ${n} items take ${count + 1} starts, from 0 to ${n}; got ${starts.length}, from ${starts[0]} to ${starts[starts.length - 1]}`,
    );
  }
  for (let b = 0; b < count; b++) {
    const size = starts[b + 1] - starts[b];
    if (!(size >= 1))
      fail(`pitc: block ${b} runs from ${starts[b]} to ${starts[b + 1]}; blocks hold at least one item`);
    checkMatrix(`pitc: K of block ${b}`, K[b], size, size);
  }
}

/** Outputs: alive, of the right shape, row by row. */
export function checkGradient(name: string, G: Matrix | undefined, rows: number, cols: number): void {
  if (G) checkMatrix(name, G, rows, cols);
}
