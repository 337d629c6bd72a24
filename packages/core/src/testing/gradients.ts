// Central differences: step 1e-5·max(1, |x|), relative tolerance 1e-6 against the largest entry of the gradient, in float64,
// at well- and ill-conditioned inputs. The engine's own forward pass is differenced, so both passes must agree with each other.
import { describe, expect, test } from "vitest";
import type { KernelOptions, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import type { Bed } from "./bed.ts";
import { expectWithin, largest } from "./bounds.ts";
import { LINKS } from "./kernel-pass.ts";

/** ∂loss/∂x for every element of x. */
function centralDifferences(x: Matrix, loss: () => number): Float64Array {
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

function expectGradient(name: string, analytic: Matrix | ArrayLike<number>, x: Matrix, loss: () => number): void {
  const numeric = centralDifferences(x, loss);
  expectWithin(name, analytic, numeric, 1e-6 * Math.max(largest(numeric), 1e-6));
}

interface World {
  /** Coordinates are drawn in [−spread, spread); every second item is a near-duplicate of the one before if `twins`. */
  spread: number;
  twins: boolean;
  weights: readonly number[];
}

const WORLDS: Record<string, World> = {
  "well-conditioned": { spread: 1, twins: false, weights: [0.9, 0.3, 1.4] },
  "ill-conditioned: near-duplicates and weights over four decades": {
    spread: 2,
    twins: true,
    weights: [2, 0.03, 0.0002],
  },
  "negative weights": { spread: 1, twins: false, weights: [0.8, -0.35, 0] },
};

export function describeGradients(bed: Bed): void {
  describe("gradients by central differences", () => {
    for (const link of LINKS) {
      for (const [name, world] of Object.entries(WORLDS)) {
        test(`kernel, ${link} link, ${name}`, () => checkKernel(bed, link, world));
      }
    }

    test.each([1, 30])("softmaxCrossEntropy, logits of size %d", (size) => {
      const scope = bed.engine.scope();
      const random = new Random(4);
      const logits = scope.matrix(5, 7).write(Float64Array.from({ length: 35 }, () => size * random.normal()));
      const offsets = scope.matrix(7, 1).write([0, -1, -2, 0.5, 0, 1, 3]);
      const labels = scope.indices(5).write([0, 6, 3, 3, 1]);
      const gradient = scope.matrix(5, 7);
      bed.engine.softmaxCrossEntropy(gradient, logits, labels, offsets);
      expectGradient("dLogits", gradient, logits, () => bed.engine.softmaxCrossEntropy(null, logits, labels, offsets));
      scope.close();
    });

    test.each(["exp", "tanh", "sigmoid", "relu"] as const)("activateBackward, %s", (f) => {
      const scope = bed.engine.scope();
      const X = scope.matrix(1, 9).write([-4, -1.5, -0.7, -0.1, 0.1, 0.6, 0.65, 2, 4]); // none within a step of relu's corner
      const Y = scope.matrix(1, 9);
      const dY = scope.matrix(1, 9).write([1, -2, 3, 0.5, -1, 2, 1, -1, 1]);
      const dX = scope.matrix(1, 9);
      bed.engine.activate(Y, X, f);
      bed.engine.activateBackward(dX, dY, Y, f);
      expectGradient("dX", dX, X, () => {
        bed.engine.activate(Y, X, f);
        return Y.read().reduce((sum, y, i) => sum + y * dY.get(0, i), 0);
      });
      scope.close();
    });
  });
}

// ℓ = Σ G∘K for fixed G; n = 9 rows, m = 6 columns (rows 1, 2, 5 are columns 0, 1, 2), d = 3
function checkKernel(bed: Bed, link: Link, world: World): void {
  const scope = bed.engine.scope();
  const random = new Random(3);
  const [n, m, d] = [9, 6, 3];
  const numbers = (count: number, scale: number) =>
    Float64Array.from({ length: count }, () => scale * (2 * random.uniform() - 1));
  const Za = scope.matrix(n, d).write(numbers(n * d, world.spread));
  const Zb = scope.matrix(m, d).write(numbers(m * d, world.spread));
  if (world.twins)
    for (let b = 0; b < m; b++) for (let j = 0; j < d; j++) Zb.set(b, j, Za.get(b, j) + 1e-6 * random.normal());
  const weights = scope.matrix(d, 1).write(world.weights);
  const seedG = numbers(n * m, 1);
  const G = scope.matrix(n, m);
  const K = scope.matrix(n, m);
  const slope = scope.matrix(n, m);
  const options: KernelOptions = { link, weights, slope, offset: link === "sigmoid" ? -0.4 : 0, variance: 1.7 };
  const forward = (variant: KernelOptions = options) => {
    bed.engine.kernel(K, Za, Zb, variant);
    return K.read().reduce((sum, k, i) => sum + k * seedG[i], 0);
  };
  const rows = scope.zeros(n, d);
  const columns = scope.zeros(m, d);
  const dWeights = scope.zeros(d, 1);
  const gradients = { rows, columns, weights: dWeights, offset: Number.NaN, variance: Number.NaN };
  forward();
  bed.engine.kernelBackward(G.write(seedG), K, Za, Zb, options, gradients);
  expectGradient("rows", rows, Za, forward);
  expectGradient("columns", columns, Zb, forward);
  expectGradient("weights", dWeights, weights, forward);

  const scalar = scope.matrix(1, 1).write([options.variance ?? 1]);
  expectGradient("variance", [gradients.variance], scalar, () => forward({ ...options, variance: scalar.get(0, 0) }));
  scalar.set(0, 0, options.offset ?? 0);
  if (link === "sigmoid") {
    expectGradient("offset", [gradients.offset], scalar, () => forward({ ...options, offset: scalar.get(0, 0) }));
  } else expect(gradients.offset).toBe(0);
  scope.close();
}
