// The likelihood of a batch and its gradients, from embeddings in f64 and back to them. n items of which the first m are inducing, e columns, k
// targets. Gradients are added to a `LikelihoodGradients`; constants such as 1/(n·k) are the caller's.
import {
  blocksByNearest,
  type Engine,
  type ExactGradients,
  exactNll,
  type Indices,
  type KernelGradients,
  type KernelOptions,
  type Matrix,
  measureShift,
  NotPositiveDefiniteError,
  type Scope,
  type SparseGradients,
  type SparseInputs,
  type SparseLikelihood,
  sparseNll,
} from "@nearkin/core";
import { diagonalOf, type KernelInputs } from "./kernel.ts";

export interface LikelihoodBatch extends KernelInputs {
  readonly engine: Engine;
  readonly scope: Scope;
  /** (n, k) */
  readonly R: Matrix;
  /** (n) Σ_i */
  readonly noise: Matrix;
  readonly m: number;
  /** Added to the diagonal of an indefinite kernel. */
  readonly shift: number;
  /** Measure the shift anew. */
  readonly measureShift: boolean;
}

export interface LikelihoodGradients {
  /** (n, e) */
  readonly Z: Matrix;
  /** (e) By column weight. */
  readonly weights: Matrix;
  /** (n) By the squared length of each item along its own axis. */
  readonly lengths: Matrix;
  /** Σ_i Σ_i·∂ℓ/∂Σ_i */
  noiseScale: number;
  variance: number;
  offset: number;
}

export interface LikelihoodValue {
  value: number;
  jitter: number;
  shift: number;
}

export function batchLikelihood(
  batch: LikelihoodBatch,
  likelihood: "exact" | SparseLikelihood,
  gradients: LikelihoodGradients,
): LikelihoodValue {
  if (likelihood === "exact") return exactLikelihood(batch, gradients);
  return likelihood === "pitc" ? blockLikelihood(batch, gradients) : sparseLikelihood(batch, likelihood, gradients);
}

function exactLikelihood(batch: LikelihoodBatch, gradients: LikelihoodGradients): LikelihoodValue {
  const { engine, scope, Z, options, R, noise } = batch;
  const n = Z.rows;
  const K = scope.matrix(n, n);
  const G = scope.matrix(n, n);
  const among = amongThemselves(scope, Z, options);
  engine.kernel(K, Z, Z, among);
  const shift = shiftOf(batch, K);
  const by: ExactGradients = { K: G };
  const found = exactNll(engine, { K, R, noise, shift }, by);
  gradients.noiseScale += by.noiseScale ?? 0;
  symmetricBackward(batch, { G, K, Z, options: among }, gradients, gradients);
  return found;
}

function sparseLikelihood(
  batch: LikelihoodBatch,
  likelihood: Exclude<SparseLikelihood, "pitc">,
  gradients: LikelihoodGradients,
): LikelihoodValue {
  const { engine, scope, Z, options, R, noise, m } = batch;
  const n = Z.rows;
  const Zm = Z.view(0, m);
  const against: KernelOptions = {
    ...options,
    columnLengths: options.rowLengths.view(0, m),
    same: scope.indices(n).write(Int32Array.from({ length: n }, (_, i) => (i < m ? i : -1))),
    ...slopeFor(scope, options, n, m),
  };
  const K = scope.matrix(n, m);
  engine.kernel(K, Z, Zm, against);
  const Kmm = K.view(0, m); // the inducing items come first
  const self = diagonalOf(options);
  const diagonal = scope.matrix(n, 1).fill(self.value);
  const [G, Gmm, dDiagonal] = [scope.matrix(n, m), scope.matrix(m, m), scope.zeros(n, 1)];
  const by: SparseGradients = { Knm: G, Kmm: Gmm, diagonal: dDiagonal };
  const found = shiftedNll(batch, { likelihood, Knm: K, Kmm, diagonal, R, noise }, by);
  gradients.noiseScale += by.noiseScale ?? 0;
  engine.scatterAddRows(G, Gmm, scope.indices(m).write(Int32Array.from({ length: m }, (_, i) => i)));
  kernelBackward(engine, { G, K, Za: Z, Zb: Zm, options: against }, gradients, {
    rows: gradients.Z,
    columns: gradients.Z.view(0, m),
    rowLengths: gradients.lengths,
    columnLengths: gradients.lengths.view(0, m),
  });
  let direct = 0;
  for (let i = 0; i < n; i++) direct += dDiagonal.data[dDiagonal.offset + i];
  gradients.variance += (direct * self.value) / (options.variance ?? 1);
  gradients.offset += direct * self.slope;
  return found;
}

// pitc: the same with the items in the order of their blocks, and the kernel within each block besides.
function blockLikelihood(batch: LikelihoodBatch, gradients: LikelihoodGradients): LikelihoodValue {
  const { engine, scope, options, m } = batch;
  const n = batch.Z.rows;
  const inducing = { Z: batch.Z.view(0, m), lengths: options.rowLengths.view(0, m) };
  const { order, starts } = blocksByNearest(engine, {
    Z: batch.Z,
    inducing: inducing.Z,
    options: { weights: options.weights, rowLengths: options.rowLengths, columnLengths: inducing.lengths },
  });
  const places = scope.indices(n).write(order);
  const ordered = (A: Matrix) => {
    const out = scope.matrix(n, A.cols);
    engine.gatherRows(out, A, places);
    return out;
  };
  const [Z, R, noise, rowLengths] = [batch.Z, batch.R, batch.noise, options.rowLengths].map(ordered);
  const at = new Int32Array(m); // where in the order each inducing item is
  order.forEach((item, i) => {
    if (item < m) at[item] = i;
  });
  const inducingRows = scope.indices(m).write(at);
  const against: KernelOptions = {
    ...options,
    rowLengths,
    columnLengths: inducing.lengths,
    same: scope.indices(n).write(order.map((item) => (item < m ? item : -1))),
    ...slopeFor(scope, options, n, m),
  };
  const K = scope.matrix(n, m);
  engine.kernel(K, Z, inducing.Z, against);
  const Kmm = scope.matrix(m, m);
  engine.gatherRows(Kmm, K, inducingRows);
  const blocks = Array.from({ length: starts.length - 1 }, (_, b) => {
    const part = (A: Matrix) => A.view(starts[b], starts[b + 1]);
    const among = amongThemselves(scope, part(Z), { ...options, rowLengths: part(rowLengths) });
    const Kb = scope.matrix(starts[b + 1] - starts[b], starts[b + 1] - starts[b]);
    engine.kernel(Kb, part(Z), part(Z), among);
    return { part, among, K: Kb, G: scope.matrix(Kb.rows, Kb.rows) };
  });
  const [G, Gmm] = [scope.matrix(n, m), scope.matrix(m, m)];
  const by: SparseGradients = { Knm: G, Kmm: Gmm, blocks: blocks.map((block) => block.G) };
  const inputs = {
    likelihood: "pitc" as const,
    Knm: K,
    Kmm,
    R,
    noise,
    blocks: { starts, K: blocks.map((block) => block.K) },
  };
  const found = shiftedNll(batch, inputs, by);
  gradients.noiseScale += by.noiseScale ?? 0;
  engine.scatterAddRows(G, Gmm, inducingRows);
  const [dZ, dLengths] = [scope.zeros(n, Z.cols), scope.zeros(n, 1)];
  kernelBackward(engine, { G, K, Za: Z, Zb: inducing.Z, options: against }, gradients, {
    rows: dZ,
    columns: gradients.Z.view(0, m),
    rowLengths: dLengths,
    columnLengths: gradients.lengths.view(0, m),
  });
  for (const { part, among, K: Kb, G: Gb } of blocks) {
    const into = { Z: part(dZ), lengths: part(dLengths) };
    symmetricBackward(batch, { G: Gb, K: Kb, Z: part(Z), options: among }, gradients, into);
  }
  engine.scatterAddRows(gradients.Z, dZ, places);
  engine.scatterAddRows(gradients.lengths, dLengths, places);
  return found;
}

/** Options of the kernel of items among themselves. */
export function amongThemselves(
  scope: Scope,
  Z: Matrix,
  options: KernelInputs["options"],
): KernelOptions & { same: Indices } {
  const same: Indices = scope.indices(Z.rows).write(Int32Array.from({ length: Z.rows }, (_, i) => i));
  return { ...options, columnLengths: options.rowLengths, same, ...slopeFor(scope, options, Z.rows, Z.rows) };
}

/** Room for ∂k/∂t; the linear link's is −½k. */
function slopeFor(scope: Scope, { link }: KernelOptions, rows: number, cols: number): { slope?: Matrix } {
  return link === "linear" ? {} : { slope: scope.matrix(rows, cols) };
}

function shiftOf(batch: LikelihoodBatch, K: Matrix): number {
  return batch.measureShift && batch.options.link === "sigmoid" ? measureShift(batch.engine, K).shift : batch.shift;
}

/** The kernel moves between two measurements of its shift: where it has become too small, it is measured at once. */
function shiftedNll(batch: LikelihoodBatch, inputs: Omit<SparseInputs, "shift">, by: SparseGradients): LikelihoodValue {
  const shift = shiftOf(batch, inputs.Kmm);
  try {
    return sparseNll(batch.engine, { ...inputs, shift }, by);
  } catch (error) {
    if (batch.options.link !== "sigmoid" || !(error instanceof NotPositiveDefiniteError)) throw error;
    const measured = measureShift(batch.engine, inputs.Kmm).shift;
    return sparseNll(batch.engine, { ...inputs, shift: Math.max(measured, shift) }, by);
  }
}

function kernelBackward(
  engine: Engine,
  { G, K, Za, Zb, options }: { G: Matrix; K: Matrix; Za: Matrix; Zb: Matrix; options: KernelOptions },
  gradients: LikelihoodGradients,
  sides: KernelGradients,
): void {
  const by: KernelGradients = { ...sides, weights: gradients.weights };
  engine.kernelBackward(G, K, Za, Zb, options, by);
  gradients.variance += by.variance ?? 0;
  gradients.offset += by.offset ?? 0;
}

/** Items among themselves: G and K are symmetric, so both sides get the same gradient, and one product does for two. */
function symmetricBackward(
  { engine, scope }: LikelihoodBatch,
  { G, K, Z, options }: { G: Matrix; K: Matrix; Z: Matrix; options: KernelOptions & { same: Indices } },
  gradients: LikelihoodGradients,
  into: Pick<LikelihoodGradients, "Z" | "lengths">,
): void {
  const rows = scope.zeros(Z.rows, Z.cols);
  kernelBackward(engine, { G, K, Za: Z, Zb: Z, options }, gradients, {
    rows,
    rowLengths: into.lengths,
    columnLengths: into.lengths,
  });
  engine.scatterAddRows(into.Z, rows, options.same, 2); // item i is row i
}
