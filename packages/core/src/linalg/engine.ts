// The one interface of the numerical core. Two implementations live here (plain/, the readable oracle, and wasm/); a third,
// on the system's OpenBLAS, in @nearkin/native. Every method writes into matrices the caller allocated: nothing here
// returns a new one. Shapes in comments: n, m rows; d columns; k depth.
import type { Scope } from "./arena.ts";
import type { Indices, Matrix } from "./matrix.ts";
import type { Random } from "./random.ts";
import type { TopK } from "./top-k.ts";

/** Engine kinds a caller can ask for. `auto` decides by policy (see `createEngine`). */
export type EngineKind = "plain" | "wasm" | "wasm-relaxed" | "native";

/** What ran: to be stored with every result. */
export interface EngineInfo {
  kind: EngineKind;
  /** Threads that share the work, the caller's included. */
  workers: number;
  /** Memory is shared between threads. */
  sharedMemory: boolean;
  /** Same bits on every machine and for any number of workers. Relaxed and native arithmetic is repeatable on one machine only. */
  reproducible: boolean;
  /** The native library, when there is one. */
  library?: string;
  /** What was asked for but not to be had, in words. */
  notes: readonly string[];
}

/** The defaults: one object for all calls, so that a call without options makes no garbage. */
export const NO_OPTIONS: Readonly<Record<string, never>> = Object.freeze({});

export interface GemmOptions {
  /** @default 1 */
  alpha?: number;
  /** @default 0: C's old contents are never read */
  beta?: number;
  /** Use Aᵀ. @default false */
  transposeA?: boolean;
  /** Use Bᵀ. @default false */
  transposeB?: boolean;
}

export interface SyrkOptions {
  /** @default 1 */
  alpha?: number;
  /** @default 0 */
  beta?: number;
  /** C from AᵀA instead of AAᵀ. @default false */
  transpose?: boolean;
}

export interface GemvOptions {
  /** @default 1 */
  alpha?: number;
  /** @default 0 */
  beta?: number;
  /** Use Aᵀ. @default false */
  transpose?: boolean;
}

/**
 * How much to add to a diagonal that is not quite positive definite: `relative`·mean(diagonal), ten times more at each try.
 * It cures rounding, never a kernel that is indefinite by construction: when the tries are spent, a typed error says so.
 */
export interface Jitter {
  /** First jitter, relative to the mean of the diagonal. @default 1e-6 */
  relative?: number;
  /** How many jitters to try, each ten times the one before. @default 3 */
  tries?: number;
  /** Add the first jitter even when the matrix would do without. @default false */
  always?: boolean;
}

export interface CholeskyOptions {
  /** Without it the first failure is final. @default none */
  jitter?: Jitter;
  /** Name of the matrix, for errors. @default "cholesky" */
  name?: string;
}

export interface SolveOptions {
  /** `left`: op(L)·X = B. `right`: X·op(L) = B. @default "left" */
  side?: "left" | "right";
  /** op(L) = Lᵀ. @default false */
  transpose?: boolean;
}

/** φ in D = φ(t): `linear` t, `saturating` 1 − e^−t, `sigmoid` σ(t + b) (the paper's, Eq. 7; not positive definite). */
export type Link = "linear" | "saturating" | "sigmoid";

export interface DistanceOptions {
  /** Weight of each embedding column, h_c repeated over its channel: a vector of d. @default all 1 */
  weights?: Matrix;
  /** For each row, the column that is the same item, or −1: there t is exactly 0. Its embedding must be the same too. @default none */
  same?: Indices;
  /** Squared length of each row item along an axis of its own, a vector of n: added to t for every pair but the `same` ones. @default 0 */
  rowLengths?: Matrix;
  /** The same for the column items: a vector of m. @default 0 */
  columnLengths?: Matrix;
}

export interface KernelOptions extends DistanceOptions {
  /** @default "linear" */
  link?: Link;
  /** b of the sigmoid link. @default 0 */
  offset?: number;
  /** v, the signal variance. @default 1 */
  variance?: number;
  /** Receives ∂k/∂t = −½φ′(t)·k (n, m); `kernelBackward` needs it for every link but `linear`. @default not written */
  slope?: Matrix;
}

/** What `kernelBackward` and `distancesBackward` add to; each is optional. Gradients accumulate: clear them first. */
export interface KernelGradients {
  /** ∂ℓ/∂Z_a (n, d). May be the same matrix as `columns` where both are the same items. */
  rows?: Matrix;
  /** ∂ℓ/∂Z_b (m, d). */
  columns?: Matrix;
  /** ∂ℓ/∂h per embedding column: a vector of d. */
  weights?: Matrix;
  /** ∂ℓ/∂length of each row item, Σ of G_t over its pairs that are not `same`: a vector of n. */
  rowLengths?: Matrix;
  /** The same for the column items: a vector of m. */
  columnLengths?: Matrix;
  /** Set, not added to: ∂ℓ/∂b = Σ G_t (0 unless the link is sigmoid). Only by `kernelBackward`. */
  offset?: number;
  /** Set, not added to: ∂ℓ/∂v = Σ G∘K / v. Only by `kernelBackward`. */
  variance?: number;
}

/** What `pairDistancesBackward` adds to; each is optional. */
export interface PairGradients {
  /** ∂ℓ/∂A (n, d). */
  rows?: Matrix;
  /** ∂ℓ/∂B (n, d). May be the same matrix as `rows`. */
  columns?: Matrix;
  /** ∂ℓ/∂w: a vector of d. */
  weights?: Matrix;
}

export type Activation = "exp" | "tanh" | "sigmoid" | "relu";

export interface AdamwOptions {
  learningRate: number;
  /** 1 at the first step. */
  step: number;
  /** @default 0.9 */
  beta1?: number;
  /** @default 0.999 */
  beta2?: number;
  /** @default 1e-8 */
  epsilon?: number;
  /** Decoupled decay (not multiplied into the gradient). @default 0 */
  weightDecay?: number;
}

/** A sparse matrix by rows: row i holds entries starts[i] … starts[i+1], each a column and a value. */
export interface SparseRows {
  rows: number;
  cols: number;
  /** rows + 1 of them. */
  starts: Indices;
  columns: Indices;
  /** A vector as long as `columns`. @default all 1 (multi-hot categories) */
  values?: Matrix;
}

export interface SparseGramOptions {
  /** r of A = diag(r)·S·diag(c): a vector of S.rows. @default all 1 */
  rowScale?: Matrix;
  /** c: a vector of S.cols. @default all 1 */
  columnScale?: Matrix;
}

/** Products, with a matrix or a vector. */
export interface Products {
  /** C (n, m) = α·op(A)·op(B) + β·C. A and B may have any strides; C is row-major and no part of A or B. O(n·m·k). */
  gemm(C: Matrix, A: Matrix, B: Matrix, options?: GemmOptions): void;
  /** C (n, n) = α·AAᵀ + β·C, both triangles written (C's lower one is read when β ≠ 0). Half the work of gemm. */
  syrk(C: Matrix, A: Matrix, options?: SyrkOptions): void;
  /** C (n, n) = α·(ABᵀ + BAᵀ) + β·C, both triangles written. */
  syr2k(C: Matrix, A: Matrix, B: Matrix, options?: SyrkOptions): void;
  /** y = α·op(A)·x + β·y, reading A once, row by row, at the speed of memory. */
  gemv(y: Matrix, A: Matrix, x: Matrix, options?: GemvOptions): void;
  /** out_ij = s_i·A_ij, s a vector of n; out may be A. */
  scaleRows(out: Matrix, A: Matrix, s: Matrix): void;
}

export interface Scans {
  /**
   * The rows of all shards with the highest inner product with `query`; equal scores by ascending row number, NaN never.
   * Shards may lie in the memories of different engines (one memory holds 4 GiB). O(rows·d).
   */
  scan(result: TopK, shards: readonly Matrix[], query: Matrix): void;
}

/** The step of iterative decompositions. */
export interface Grams {
  /**
   * out (v, d) = Aᵀ(A·X) for X (v, d) and A = diag(r)·S·diag(c), S sparse (n, v), in one pass over S. S may lie outside the arena
   * (`hostIndices`, and `hostMatrix` for values, of either precision): it is then read block by block. O(entries·d).
   */
  sparseGram(out: Matrix, S: SparseRows, X: Matrix, options?: SparseGramOptions): void;
}

/** Cholesky and what follows from it. */
export interface Factorisations {
  /** A = LLᵀ in place: L in the lower triangle, zeros above. Returns the jitter that was added (absolute; 0 = none). O(n³/3). */
  cholesky(A: Matrix, options?: CholeskyOptions): number;
  /** Solves with the lower triangle L; B is overwritten with X. */
  solveTriangular(B: Matrix, L: Matrix, options?: SolveOptions): void;
  /** B ← (LLᵀ)⁻¹·B. */
  solveCholesky(B: Matrix, L: Matrix): void;
  /** out = (LLᵀ)⁻¹, both triangles. out is not L. O(2n³/3). */
  inverseFromCholesky(out: Matrix, L: Matrix): void;
  /** log|LLᵀ| = 2·Σ log L_ii. */
  logDeterminant(L: Matrix): number;
  /** L′L′ᵀ = LLᵀ + sign·xxᵀ; L and x are overwritten. O(n²). A downdate that loses positive definiteness throws and leaves L undefined. */
  choleskyUpdate(L: Matrix, x: Matrix, sign?: 1 | -1): void;
}

/** From embeddings to the kernel matrix and back. */
export interface KernelPass {
  /** out_i = Σ_j w_j A_ij² (w = 1 when absent). */
  rowNorms(out: Matrix, A: Matrix, weights?: Matrix): void;
  /** out_j = Σ_i A_ij. */
  columnSums(out: Matrix, A: Matrix): void;
  /**
   * T (n, m): t_ab = Σ_j w_j (Z_aj − Z_bj)² + length_a + length_b, as a²_a + a²_b − 2·Z_a·W·Z_bᵀ; not below 0 where all weights
   * and lengths are ≥ 0.
   */
  distances(T: Matrix, Za: Matrix, Zb: Matrix, options?: DistanceOptions): void;
  /** K (n, m) = v·exp(−½φ(t)), fused with the distances (Eq. 5; the link is Eq. 7's sigmoid or a positive definite one). */
  kernel(K: Matrix, Za: Matrix, Zb: Matrix, options?: KernelOptions): void;
  /** From G = ∂ℓ/∂K (n, m), overwritten by G_t = G∘∂k/∂t, to the embeddings, the weights, b and v. */
  kernelBackward(
    G: Matrix,
    K: Matrix,
    Za: Matrix,
    Zb: Matrix,
    options: KernelOptions,
    gradients: KernelGradients,
  ): void;
  /** From G = ∂ℓ/∂T (n, m), kept as it is, to the embeddings, the weights and the lengths; `offset` and `variance` stay as they were. */
  distancesBackward(G: Matrix, Za: Matrix, Zb: Matrix, options: DistanceOptions, gradients: KernelGradients): void;
  /** t_i = Σ_j w_j (A_ij − B_ij)² (w = 1 when absent): rows side by side, not all pairs; t a vector of n. */
  pairDistances(t: Matrix, A: Matrix, B: Matrix, weights?: Matrix): void;
  /** From g = ∂ℓ/∂t, a vector of n, to both sides and the weights: ∂ℓ/∂A_ij += 2·g_i·w_j (A_ij − B_ij). */
  pairDistancesBackward(g: Matrix, A: Matrix, B: Matrix, weights: Matrix | undefined, gradients: PairGradients): void;
}

/** What a training step needs besides products. */
export interface Training {
  /** Y = f(X + 1·biasᵀ), element by element, the bias a vector of cols (none when absent); Y may be X. */
  activate(Y: Matrix, X: Matrix, f: Activation, bias?: Matrix): void;
  /** dX = dY ∘ f′, with f′ from Y = f(X); dX may be dY. */
  activateBackward(dX: Matrix, dY: Matrix, Y: Matrix, f: Activation): void;
  /**
   * Mean over rows of log Σ_j e^{x_ij − o_j} − (x_iy − o_y), y = labels_i, o the logQ correction (0 when absent).
   * Writes the gradient of that mean into `dLogits` unless it is null; `dLogits` may be `logits`.
   */
  softmaxCrossEntropy(dLogits: Matrix | null, logits: Matrix, labels: Indices, offsets?: Matrix): number;
  /** One step of AdamW on contiguous vectors of equal length; `mean` and `square` are the optimiser's state. */
  adamw(parameter: Matrix, gradient: Matrix, mean: Matrix, square: Matrix, options: AdamwOptions): void;

  /**
   * out = 0 with probability `rate` (to the nearest 2⁻¹⁶), else X/(1 − rate); out may be X. Element i, row by row, is dropped where
   * 16 bits of the stream, half i from the next whole block on, are below rate·2¹⁶: the same mask for every engine, precision and
   * stride, so the same stream anew gives the mask of the backward pass. Takes ⌈elements/8⌉ blocks of `random`; rate 0 copies and takes none.
   */
  dropout(out: Matrix, X: Matrix, rate: number, random: Random): void;
  /** out = A, between precisions and any strides. Either may lie outside the arena (`hostMatrix`). */
  convert(out: Matrix, A: Matrix): void;

  /** out_i = table[indices_i]. The table may lie outside the arena (`hostMatrix`). */
  gatherRows(out: Matrix, table: Matrix, indices: Indices): void;
  /** table[indices_i] += scale·rows_i, entries in order. */
  scatterAddRows(table: Matrix, rows: Matrix, indices: Indices, scale?: number): void;
  /** out (n, d) = S·W, S sparse (n, v), W (v, d). */
  sparseMultiply(out: Matrix, S: SparseRows, W: Matrix): void;
  /** dW (v, d) += Sᵀ·dOut. */
  sparseMultiplyBackward(dW: Matrix, S: SparseRows, dOut: Matrix): void;

  /** Uniform numbers in [0, 1), the same for every engine and any number of workers; advances `random`. */
  fillUniform(out: Matrix, random: Random): void;
  /** Standard normal numbers; advances `random`. */
  fillNormal(out: Matrix, random: Random): void;
}

export interface Engine extends Products, Scans, Grams, Factorisations, KernelPass, Training, AsyncDisposable {
  readonly info: EngineInfo;

  /** Opens a scope to allocate matrices in. Close it, or use `using`. */
  scope(): Scope;

  /** Ends the workers. Using the engine afterwards throws (the plain engine has nothing to end, and goes on). */
  close(): Promise<void>;
}
