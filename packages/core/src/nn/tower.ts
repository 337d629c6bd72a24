// The tower of a channel (App. A.2): dense 2h ReLU → dense h sigmoid → dense e tanh, forward and back in closed form.
// B rows, d inputs, h hidden, e outputs.
//
//   A₁ = relu(X·W₁ + b₁) (B, 2h)      A₂ = σ(A₁·W₂ + b₂) (B, h)      Z = tanh(A₂·W₃ + b₃) (B, e)
//
// The gradient of the input is never computed: nothing below it learns, and it would be the largest product of the pass.
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix, Precision } from "../linalg/matrix.ts";
import type { Random } from "../linalg/random.ts";
import { type DenseLayer, denseForward, denseInputGradient, denseWeightGradients, type LayerInput } from "./dense.ts";
import { type ParameterSpec, type Parameters, parameter } from "./parameters.ts";

export interface TowerSize {
  /** d */
  readonly inputWidth: number;
  /** h */
  readonly hidden: number;
  /** e */
  readonly embeddingSize: number;
}

/** The three layers of a tower, first to last: its parameters, or their gradients. */
export type Tower = readonly [DenseLayer, DenseLayer, DenseLayer];

/** What the backward pass needs of the forward pass. */
export interface TowerActivations {
  /** A₁ (B, 2h) */
  readonly first: Matrix;
  /** A₂ (B, h) */
  readonly second: Matrix;
}

/** Room for the backward pass, which the towers of all channels share one after the other. */
export interface TowerScratch {
  /** (B, e) at least */
  readonly output: Matrix;
  /** (B, h) */
  readonly second: Matrix;
  /** (B, 2h) */
  readonly first: Matrix;
  /** max(2h, e) numbers. */
  readonly sums: Matrix;
}

/** Inputs and outputs of the three layers. */
function widths({ inputWidth, hidden, embeddingSize }: TowerSize): readonly (readonly [number, number])[] {
  return [
    [inputWidth, 2 * hidden],
    [2 * hidden, hidden],
    [hidden, embeddingSize],
  ];
}

/** `name.w1` (d, 2h), `name.b1` (1, 2h), `name.w2` (2h, h), `name.b2`, `name.w3` (h, e), `name.b3`. */
export function towerSpecs(name: string, size: TowerSize): ParameterSpec[] {
  return widths(size).flatMap(([rows, cols], layer) => [
    { name: `${name}.w${layer + 1}`, rows, cols, decay: true },
    { name: `${name}.b${layer + 1}`, rows: 1, cols, decay: false },
  ]);
}

export function towerOf(parameters: Parameters, name: string): Tower {
  const layer = (number: number): DenseLayer => ({
    weights: parameter(parameters, `${name}.w${number}`),
    bias: parameter(parameters, `${name}.b${number}`),
  });
  return [layer(1), layer(2), layer(3)];
}

/** Weights and biases U(−1/√d, 1/√d), d the inputs of the layer: as PyTorch's Linear. A stream of its own for each tensor. */
export function initializeTower(engine: Engine, parameters: Parameters, name: string, random: Random): void {
  towerOf(parameters, name).forEach(({ weights, bias }, layer) => {
    const bound = 1 / Math.sqrt(weights.rows);
    uniform(engine, weights, bound, random.split(`${name}.w${layer + 1}`));
    uniform(engine, bias, bound, random.split(`${name}.b${layer + 1}`));
  });
}

/** Room for A₁ and A₂ of B rows. */
export function towerActivations(scope: Scope, rows: number, hidden: number, precision: Precision): TowerActivations {
  return { first: scope.matrix(rows, 2 * hidden, precision), second: scope.matrix(rows, hidden, precision) };
}

export function towerScratch(
  scope: Scope,
  rows: number,
  { hidden, embeddingSize }: Omit<TowerSize, "inputWidth">,
  precision: Precision,
): TowerScratch {
  return {
    output: scope.matrix(rows, embeddingSize, precision),
    second: scope.matrix(rows, hidden, precision),
    first: scope.matrix(rows, 2 * hidden, precision),
    sums: scope.matrix(1, Math.max(2 * hidden, embeddingSize), precision),
  };
}

/** A tower with what its forward pass left. */
export interface TowerPass {
  readonly tower: Tower;
  readonly activations: TowerActivations;
}

/** Z (B, e) from X (B, d); fills `activations`. */
export function towerForward(engine: Engine, Z: Matrix, X: LayerInput, { tower, activations }: TowerPass): void {
  const { first, second } = activations;
  denseForward(engine, first, X, { layer: tower[0], f: "relu" });
  denseForward(engine, second, first, { layer: tower[1], f: "sigmoid" });
  denseForward(engine, Z, second, { layer: tower[2], f: "tanh" });
}

/** Adds to the gradients of all six parameters. G (B, e) is ∂ℓ/∂Z ∘ (1 − Z²): rows that are 0 there leave no trace. */
export function towerBackward(
  engine: Engine,
  gradients: Tower,
  X: LayerInput,
  { G, tower, activations, scratch }: TowerPass & { readonly G: Matrix; readonly scratch: TowerScratch },
): void {
  const { first, second } = activations;
  const sums = (count: number) => scratch.sums.view(0, 1, 0, count);
  denseWeightGradients(engine, gradients[2], second, { G, sums: sums(G.cols) });
  const G2 = scratch.second;
  denseInputGradient(engine, G2, G, { layer: tower[2], X: second, f: "sigmoid" });
  denseWeightGradients(engine, gradients[1], first, { G: G2, sums: sums(G2.cols) });
  const G1 = scratch.first;
  denseInputGradient(engine, G1, G2, { layer: tower[1], X: first, f: "relu" });
  denseWeightGradients(engine, gradients[0], X, { G: G1, sums: sums(G1.cols) });
}

function uniform(engine: Engine, out: Matrix, bound: number, random: Random): void {
  engine.fillUniform(out, random);
  const { data, offset } = out;
  for (let i = 0; i < out.rows * out.cols; i++) data[offset + i] = bound * (2 * data[offset + i] - 1);
}
