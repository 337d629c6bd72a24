// Central differences at well- and ill-conditioned inputs. The engine's own forward pass is differenced, so both passes must agree
// with each other.
import { describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import type { KernelOptions, Link } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import type { Bed } from "./bed.ts";
import { expectGradient } from "./differences.ts";
import { LINKS } from "./kernel-pass.ts";

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

    for (const [name, world] of Object.entries(WORLDS)) {
      test(`distances, ${name}`, () => checkDistances(bed, world));
      test(`pair distances, ${name}`, () => checkPairs(bed, world));
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

const [n, m, d] = [9, 6, 3];
const VECTORS = ["weights", "rowLengths", "columnLengths"] as const;

/** Embeddings of n row and m column items, of which rows 1, 2 and 5 are columns 0, 1 and 2; weights, lengths and a fixed G. */
function embeddings(scope: Scope, world: World) {
  const random = new Random(3);
  const numbers = (count: number, scale: number) =>
    Float64Array.from({ length: count }, () => scale * (2 * random.uniform() - 1));
  const Za = scope.matrix(n, d).write(numbers(n * d, world.spread));
  const Zb = scope.matrix(m, d).write(numbers(m * d, world.spread));
  if (world.twins)
    for (let b = 0; b < m; b++) for (let j = 0; j < d; j++) Zb.set(b, j, Za.get(b, j) + 1e-6 * random.normal());
  [1, 2, 5].forEach((a, b) => {
    for (let j = 0; j < d; j++) Zb.set(b, j, Za.get(a, j));
  });
  return {
    Za,
    Zb,
    weights: scope.matrix(d, 1).write(world.weights),
    same: scope.indices(n).write([-1, 0, 1, -1, -1, 2, -1, -1, -1]),
    rowLengths: scope.matrix(n, 1).write(numbers(n, 1).map(Math.abs)),
    columnLengths: scope.matrix(m, 1).write(numbers(m, 1).map(Math.abs)),
    seedG: numbers(n * m, 1),
  };
}

function zeroGradients(scope: Scope) {
  return {
    rows: scope.zeros(n, d),
    columns: scope.zeros(m, d),
    weights: scope.zeros(d, 1),
    rowLengths: scope.zeros(n, 1),
    columnLengths: scope.zeros(m, 1),
  };
}

// ℓ = Σ G∘K for fixed G
function checkKernel(bed: Bed, link: Link, world: World): void {
  const scope = bed.engine.scope();
  const { Za, Zb, seedG, ...distance } = embeddings(scope, world);
  const G = scope.matrix(n, m);
  const K = scope.matrix(n, m);
  const slope = scope.matrix(n, m);
  const options: KernelOptions = { ...distance, link, slope, offset: link === "sigmoid" ? -0.4 : 0, variance: 1.7 };
  const forward = (variant: KernelOptions = options) => {
    bed.engine.kernel(K, Za, Zb, variant);
    return K.read().reduce((sum, k, i) => sum + k * seedG[i], 0);
  };
  const gradients = { ...zeroGradients(scope), offset: Number.NaN, variance: Number.NaN };
  forward();
  bed.engine.kernelBackward(G.write(seedG), K, Za, Zb, options, gradients);
  expectGradient("rows", gradients.rows, Za, forward);
  expectGradient("columns", gradients.columns, Zb, forward);
  for (const name of VECTORS) expectGradient(name, gradients[name], distance[name], forward);

  const scalar = scope.matrix(1, 1).write([options.variance ?? 1]);
  expectGradient("variance", [gradients.variance], scalar, () => forward({ ...options, variance: scalar.get(0, 0) }));
  scalar.set(0, 0, options.offset ?? 0);
  if (link === "sigmoid") {
    expectGradient("offset", [gradients.offset], scalar, () => forward({ ...options, offset: scalar.get(0, 0) }));
  } else expect(gradients.offset).toBe(0);
  scope.close();
}

// ℓ = Σ G∘T
function checkDistances(bed: Bed, world: World): void {
  const scope = bed.engine.scope();
  const { Za, Zb, seedG, ...options } = embeddings(scope, world);
  const T = scope.matrix(n, m);
  const forward = () => {
    bed.engine.distances(T, Za, Zb, options);
    return T.read().reduce((sum, t, i) => sum + t * seedG[i], 0);
  };
  const gradients = zeroGradients(scope);
  bed.engine.distancesBackward(scope.matrix(n, m).write(seedG), Za, Zb, options, gradients);
  expectGradient("rows", gradients.rows, Za, forward);
  expectGradient("columns", gradients.columns, Zb, forward);
  for (const name of VECTORS) expectGradient(name, gradients[name], options[name], forward);
  scope.close();
}

// ℓ = Σ g∘t, the first m rows side by side
function checkPairs(bed: Bed, world: World): void {
  const scope = bed.engine.scope();
  const { Za, Zb, weights, rowLengths } = embeddings(scope, world);
  const [A, g, t] = [Za.view(0, m), rowLengths.view(0, m), scope.matrix(m, 1)];
  const forward = () => {
    bed.engine.pairDistances(t, A, Zb, weights);
    return t.read().reduce((sum, x, i) => sum + x * g.get(i, 0), 0);
  };
  const gradients = { rows: scope.zeros(m, d), columns: scope.zeros(m, d), weights: scope.zeros(d, 1) };
  bed.engine.pairDistancesBackward(g, A, Zb, weights, gradients);
  expectGradient("rows", gradients.rows, A, forward);
  expectGradient("columns", gradients.columns, Zb, forward);
  expectGradient("weights", gradients.weights, weights, forward);
  scope.close();
}
