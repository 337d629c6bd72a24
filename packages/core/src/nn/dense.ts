// One dense layer, Y = f(X·W + 1·bᵀ), on rows that are dense or sparse, and its backward pass. B rows, d inputs, q outputs.
//
//   G = ∂ℓ/∂Y ∘ f′(Y)      ∂ℓ/∂W = XᵀG      ∂ℓ/∂b = Gᵀ1      ∂ℓ/∂X = GWᵀ
import type { Activation, Engine, SparseRows } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";

export interface DenseLayer {
  /** W (d, q) */
  readonly weights: Matrix;
  /** b: a vector of q. */
  readonly bias: Matrix;
}

/** X (B, d): a matrix, or rows of a few entries each. */
export type LayerInput = Matrix | SparseRows;

const isSparse = (X: LayerInput): X is SparseRows => "starts" in X;

const INTO_WEIGHTS = { transposeA: true, beta: 1 };
const INTO_INPUT = { transposeB: true };

/** Y (B, q), which may be a window of a wider matrix. */
export function denseForward(
  engine: Engine,
  Y: Matrix,
  X: LayerInput,
  { layer, f }: { layer: DenseLayer; f: Activation },
): void {
  if (isSparse(X)) engine.sparseMultiply(Y, X, layer.weights);
  else engine.gemm(Y, X, layer.weights);
  engine.activate(Y, Y, f, layer.bias);
}

/** Adds to the gradients of W and b, from G (B, q). `sums` is room for q numbers. */
export function denseWeightGradients(
  engine: Engine,
  gradients: DenseLayer,
  X: LayerInput,
  { G, sums }: { G: Matrix; sums: Matrix },
): void {
  if (isSparse(X)) engine.sparseMultiplyBackward(gradients.weights, X, G);
  else engine.gemm(gradients.weights, X, G, INTO_WEIGHTS);
  engine.columnSums(sums, G);
  const to = gradients.bias.data;
  const from = sums.data;
  for (let j = 0; j < G.cols; j++) to[gradients.bias.offset + j] += from[sums.offset + j];
}

/** The G of the layer below, (B, d) = GWᵀ ∘ f′(X), X = f(…) being what that layer put out. */
export function denseInputGradient(
  engine: Engine,
  below: Matrix,
  G: Matrix,
  { layer, X, f }: { layer: DenseLayer; X: Matrix; f: Activation },
): void {
  engine.gemm(below, G, layer.weights, INTO_INPUT);
  engine.activateBackward(below, below, X, f);
}
