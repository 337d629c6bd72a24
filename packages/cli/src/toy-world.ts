// The demo's world and its lesson. Items have embeddings in three channels; r ~ N(0, K* + σ²I) with K* from hidden channel
// weights h*. The lesson minimises ℓ = (k/2) log|S| + ½ tr(RᵀS⁻¹R), S = K + σ²I (Eq. 6 with k raters), in h and σ.
// n items, k raters, d embedding width, p channels.
import type { Engine, Matrix, Random, Scope } from "@nearkin/core";

interface Channel {
  name: string;
  width: number;
  weight: number;
}

export interface World {
  channels: readonly Channel[];
  itemCount: number;
  raterCount: number;
  noise: number;
  /** (n, d), rows of training items first. */
  embeddings: Float64Array;
  /** (n, k). */
  ratings: Float64Array;
  trainCount: number;
}

const CHANNELS: readonly Channel[] = [
  { name: "plot", width: 4, weight: 0.4 },
  { name: "genres", width: 3, weight: 0.1 },
  { name: "year", width: 1, weight: 0 },
];
const WIDTH = CHANNELS.reduce((sum, c) => sum + c.width, 0);

/** h_c repeated over the channel's columns. */
function columnWeights(scope: Scope, weights: readonly number[]): Matrix {
  return scope.matrix(WIDTH, 1).write(CHANNELS.flatMap((c, i) => Array<number>(c.width).fill(weights[i])));
}

function diagonalIndices(scope: Scope, n: number) {
  return scope.indices(n).write(Int32Array.from({ length: n }, (_, i) => i));
}

export function simulateCatalogue(engine: Engine, random: Random): World {
  const itemCount = 600;
  const raterCount = 12;
  const noise = 0.3;
  const scope = engine.scope();
  try {
    const Z = scope.matrix(itemCount, WIDTH);
    engine.fillNormal(Z, random.split("embeddings"));
    const K = scope.matrix(itemCount, itemCount);
    const weights = columnWeights(
      scope,
      CHANNELS.map((c) => c.weight),
    );
    engine.kernel(K, Z, Z, { weights, same: diagonalIndices(scope, itemCount) });
    engine.cholesky(K, { jitter: {}, name: "K*" });
    const draws = scope.matrix(itemCount, raterCount);
    engine.fillNormal(draws, random.split("tastes"));
    const R = scope.matrix(itemCount, raterCount);
    engine.fillNormal(R, random.split("noise"));
    engine.gemm(R, K, draws, { beta: noise }); // r = L·e + σ·ε
    return {
      channels: CHANNELS,
      itemCount,
      raterCount,
      noise,
      embeddings: Z.read(),
      ratings: R.read(),
      trainCount: 450,
    };
  } finally {
    scope.close();
  }
}

export interface Lesson {
  weights: number[];
  steps: number;
  rmse: number;
  rmseEqual: number;
  rmseMean: number;
}

const softplus = (x: number) => Math.log1p(Math.exp(x));
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Learns h = softplus(θ) and σ by AdamW on the exact likelihood of the training items. */
export function learnWeights(
  engine: Engine,
  world: World,
  progress: (step: number, steps: number, nll: number) => void,
): Lesson {
  const { trainCount: n, raterCount: k } = world;
  const p = CHANNELS.length;
  const steps = 80;
  const scope = engine.scope();
  try {
    const Z = scope.matrix(n, WIDTH).write(world.embeddings.subarray(0, n * WIDTH));
    const R = scope.matrix(n, k).write(world.ratings.subarray(0, n * k));
    const same = diagonalIndices(scope, n);
    // θ per channel, then log σ
    const parameters = scope.matrix(p + 1, 1).write([...CHANNELS.map(() => Math.log(Math.expm1(0.25))), Math.log(0.6)]);
    const [gradient, mean, square] = [scope.zeros(p + 1, 1), scope.zeros(p + 1, 1), scope.zeros(p + 1, 1)];
    for (let step = 1; step <= steps; step++) {
      using inner = engine.scope();
      const weights = columnWeights(
        inner,
        CHANNELS.map((_, c) => softplus(parameters.get(c, 0))),
      );
      const noise = Math.exp(2 * parameters.get(p, 0));
      const K = inner.matrix(n, n);
      engine.kernel(K, Z, Z, { weights, same });
      const L = inner.matrix(n, n).write(K.read());
      for (let i = 0; i < n; i++) L.set(i, i, L.get(i, i) + noise);
      engine.cholesky(L, { name: "K + σ²I" });
      const alpha = inner.matrix(n, k).write(R.read());
      engine.solveCholesky(alpha, L);
      // Eq. 6: ℓ = (k/2) log|S| + ½ tr(Rᵀα)
      const fit = dot(R.read(), alpha.read());
      const nll = (0.5 * k * engine.logDeterminant(L) + 0.5 * fit) / (n * k) + 0.5 * Math.log(2 * Math.PI);
      // ∂ℓ/∂K = ½(kS⁻¹ − ααᵀ), ∂ℓ/∂σ² = its trace
      const G = inner.matrix(n, n);
      engine.inverseFromCholesky(G, L);
      engine.syrk(G, alpha, { alpha: -0.5, beta: 0.5 * k });
      let trace = 0;
      for (let i = 0; i < n; i++) trace += G.get(i, i);
      const dColumns = inner.zeros(WIDTH, 1);
      engine.kernelBackward(G, K, Z, Z, { weights, same }, { weights: dColumns });
      let at = 0;
      CHANNELS.forEach((channel, c) => {
        let sum = 0;
        for (let j = 0; j < channel.width; j++) sum += dColumns.get(at++, 0);
        gradient.set(c, 0, (sigmoid(parameters.get(c, 0)) * sum) / (n * k));
      });
      gradient.set(p, 0, (2 * noise * trace) / (n * k));
      engine.adamw(parameters, gradient, mean, square, { learningRate: 0.1, step });
      progress(step, steps, nll);
    }
    const learned = CHANNELS.map((_, c) => softplus(parameters.get(c, 0)));
    const noise = Math.exp(2 * parameters.get(p, 0));
    return {
      weights: learned,
      steps,
      rmse: heldOutError(engine, world, learned, noise),
      rmseEqual: heldOutError(
        engine,
        world,
        CHANNELS.map(() => 0.25),
        noise,
      ),
      rmseMean: Math.sqrt(
        dot(world.ratings.subarray(n * k), world.ratings.subarray(n * k)) / ((world.itemCount - n) * k),
      ),
    };
  } finally {
    scope.close();
  }
}

/** RMSE of the posterior mean k_*ᵀα (Eq. 3) on the items left out. */
function heldOutError(engine: Engine, world: World, weights: readonly number[], noise: number): number {
  const { trainCount: n, itemCount, raterCount: k } = world;
  const scope = engine.scope();
  try {
    const all = scope.matrix(itemCount, WIDTH).write(world.embeddings);
    const Z = all.view(0, n);
    const h = columnWeights(scope, weights);
    const L = scope.matrix(n, n);
    engine.kernel(L, Z, Z, { weights: h, same: diagonalIndices(scope, n) });
    for (let i = 0; i < n; i++) L.set(i, i, L.get(i, i) + noise);
    engine.cholesky(L, { name: "K + σ²I" });
    const alpha = scope.matrix(n, k).write(world.ratings.subarray(0, n * k));
    engine.solveCholesky(alpha, L);
    const cross = scope.matrix(itemCount - n, n);
    engine.kernel(cross, all.view(n, itemCount), Z, { weights: h });
    const predicted = scope.matrix(itemCount - n, k);
    engine.gemm(predicted, cross, alpha);
    const error = predicted.read().map((x, i) => x - world.ratings[n * k + i]);
    return Math.sqrt(dot(error, error) / error.length);
  } finally {
    scope.close();
  }
}

export interface Neighbour {
  item: number;
  distance: number;
  /** Share of each channel in the distance; they add up to 1. */
  shares: number[];
}

/** The items nearest to `item` under the learned weights, each with its exact reason: t = Σ_c h_c d_c. */
export function nearest(
  engine: Engine,
  world: World,
  weights: readonly number[],
  item: number,
  count: number,
): Neighbour[] {
  const scope = engine.scope();
  try {
    const Z = scope.matrix(world.itemCount, WIDTH).write(world.embeddings);
    const query = Z.view(item, item + 1);
    const T = scope.matrix(1, world.itemCount);
    engine.distances(T, query, Z, { weights: columnWeights(scope, weights) });
    const order = Array.from(T.read(), (distance, i) => ({ item: i, distance })).filter((x) => x.item !== item);
    order.sort((a, b) => a.distance - b.distance || a.item - b.item);
    return order.slice(0, count).map((x) => {
      let at = 0;
      const shares = CHANNELS.map((channel, c) => {
        let d = 0;
        for (let j = 0; j < channel.width; j++, at++) d += (Z.get(item, at) - Z.get(x.item, at)) ** 2;
        return (weights[c] * d) / x.distance;
      });
      return { ...x, shares };
    });
  } finally {
    scope.close();
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let s = 0;
  for (let i = 0; i < a.length; i++) s += a[i] * b[i];
  return s;
}
