// From embeddings in f32 to what the kernel takes, in f64.
import {
  columnWeights,
  type Embedding,
  type KernelOptions,
  logistic,
  type Matrix,
  metricWeights,
  rowLengths,
  type Scope,
  selfKernel,
} from "@nearkin/core";
import { type Run, signalVariance } from "../run/run.ts";

export interface KernelInputs {
  /** (n, e) */
  readonly Z: Matrix;
  /** Without the other side's lengths. */
  readonly options: KernelOptions & { weights: Matrix; rowLengths: Matrix };
}

/** Embeddings, weights and lengths in f64, as the kernel takes them. */
export function kernelInputs(run: Run, scope: Scope, embedding: Embedding): KernelInputs {
  const Z = scope.matrix(embedding.Z.rows, embedding.Z.cols);
  run.engine.convert(Z, embedding.Z);
  const weights = scope.matrix(Z.cols, 1);
  columnWeights(weights, run.model, run.parameters, run.statistics);
  const lengths = scope.matrix(Z.rows, 1);
  rowLengths(lengths, embedding, run.model, run.parameters, run.statistics);
  const { kernelScale } = run.progress;
  if (kernelScale !== 1)
    for (const vector of [weights, lengths]) vector.write(vector.read().map((x) => kernelScale * x));
  const { b } = metricWeights(run.model, run.parameters);
  const options = {
    weights,
    rowLengths: lengths,
    link: run.config.model.link,
    offset: b,
    variance: signalVariance(run),
  };
  return { Z, options };
}

/** k_ii, and ∂k_ii/∂b. */
export function diagonalOf(options: KernelOptions): { value: number; slope: number } {
  const value = selfKernel(options);
  if (options.link !== "sigmoid") return { value, slope: 0 };
  const D = logistic(options.offset ?? 0); // an item's distance to itself is φ(0), not 0
  return { value, slope: -0.5 * D * (1 - D) * value };
}
