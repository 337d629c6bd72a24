// The worlds of the simulation: items whose metric is known, and surrogates drawn from it.
// n items, k surrogates, p channels, e = Σ e_c columns, m other items, N pairs
import { type Engine, type Matrix, Random, type Scope } from "@nearkin/core";
import type { RecoverySettings } from "./recovery.ts";

type WorldSettings = Pick<
  RecoverySettings,
  "sizes" | "surrogates" | "weights" | "embeddingSize" | "sigma2" | "noisy" | "otherItems"
>;

/** What one seed draws. */
export interface World {
  /** (n, e) of the largest n. */
  readonly Z: Matrix;
  /** (n, k) of the largest of both. */
  readonly R: Matrix;
  /** By n. */
  readonly constants: ReadonlyMap<number, KernelConstants>;
}

export interface KernelConstants {
  /** λ_max(K*) */
  readonly lambdaMax: number;
  /** The smallest k* of two of the items. */
  readonly infKernel: number;
}

/** Items ~ N(0, 1) in every column, scaled so that two are at d_c = 1 on average; r = Lξ, LLᵀ = K*. Rows of both are nested in n, columns in k. */
export function drawWorld(
  engine: Engine,
  scope: Scope,
  { settings, seed }: { settings: WorldSettings; seed: number },
): World {
  const [n, k] = [Math.max(...settings.sizes), Math.max(...settings.surrogates)];
  const random = new Random(seed).split("recovery");
  const Z = drawItems(engine, scope, { n, settings, random: random.split("items") });
  const R = scope.matrix(n, k);
  using own = engine.scope();
  const K = own.matrix(n, n);
  const same = own.indices(n).write(Array.from({ length: n }, (_, i) => i));
  engine.kernel(K, Z, Z, { weights: columnWeights(own, settings), same });
  const constants = new Map(settings.sizes.map((size) => [size, constantsOf(engine, K.view(0, size, 0, size))]));
  if (settings.noisy) for (let i = 0; i < n; i++) K.data[K.offset + i * (n + 1)] += settings.sigma2;
  engine.cholesky(K, { name: "recovery: K*", jitter: { relative: 1e-12 } });
  const draws = own.matrix(k, n);
  for (let j = 0; j < k; j++) engine.fillNormal(draws.view(j, j + 1), random.split("surrogate", j));
  engine.gemm(R, K, draws, { transposeB: true });
  return { Z, R, constants };
}

function drawItems(
  engine: Engine,
  scope: Scope,
  { n, settings, random }: { n: number; settings: WorldSettings; random: Random },
): Matrix {
  const { weights, embeddingSize } = settings;
  const Z = scope.matrix(n, weights.length * embeddingSize);
  engine.fillNormal(Z, random);
  const scale = 1 / Math.sqrt(2 * embeddingSize);
  for (let i = Z.offset; i < Z.offset + Z.rows * Z.cols; i++) Z.data[i] *= scale;
  return Z;
}

function columnWeights(scope: Scope, { weights, embeddingSize }: WorldSettings): Matrix {
  return scope
    .matrix(weights.length * embeddingSize, 1)
    .write(weights.flatMap((weight) => new Array<number>(embeddingSize).fill(weight)));
}

const POWER_STEPS = 200;

/** λ_max by the power method: entries are positive, so that it starts near its vector, and its quotient only grows. */
function constantsOf(engine: Engine, K: Matrix): KernelConstants {
  const n = K.rows;
  let infKernel = 1;
  for (let i = 0; i < n; i++) {
    for (let j = 0, at = K.offset + i * K.rowStride; j < i; j++) infKernel = Math.min(infKernel, K.data[at + j]);
  }
  using scope = engine.scope();
  const x = scope.matrix(n, 1).fill(1 / Math.sqrt(n));
  const y = scope.matrix(n, 1);
  let lambdaMax = 0;
  for (let step = 0; step < POWER_STEPS; step++) {
    engine.gemv(y, K, x);
    let [product, square] = [0, 0];
    for (let i = 0; i < n; i++) {
      product += x.data[x.offset + i] * y.data[y.offset + i];
      square += y.data[y.offset + i] ** 2;
    }
    const settled = product - lambdaMax < 1e-12 * product;
    lambdaMax = product;
    if (settled) break;
    for (let i = 0; i < n; i++) x.data[x.offset + i] = y.data[y.offset + i] / Math.sqrt(square);
  }
  return { lambdaMax, infKernel };
}

/** (p, N) d_c of all pairs of the other items, the same in every run. */
export function otherPairs(engine: Engine, settings: WorldSettings): Float64Array[] {
  const { otherItems: m, embeddingSize: e, weights } = settings;
  using scope = engine.scope();
  const Z = drawItems(engine, scope, { n: m, settings, random: new Random(0).split("recovery", "other items") });
  const [T, one] = [scope.matrix(m, m), scope.matrix(Z.cols, 1)];
  const same = scope.indices(m).write(Array.from({ length: m }, (_, i) => i));
  return weights.map((_, c) => {
    one.write(Array.from({ length: Z.cols }, (_, j) => (Math.floor(j / e) === c ? 1 : 0)));
    engine.distances(T, Z, Z, { weights: one, same });
    const all = T.read();
    return Float64Array.from(lowerTriangle(m), (at) => all[at]);
  });
}

/** Places of the pairs below the diagonal of an (m, m) matrix. */
const lowerTriangle = (m: number): number[] =>
  Array.from({ length: m }, (_, i) => Array.from({ length: i }, (_, j) => i * m + j)).flat();
