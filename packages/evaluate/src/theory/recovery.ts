// Does fitting a Gaussian process to surrogates find the metric? A world where the answer is known: items with p channels, D* = Σ_c h*_c d_c,
// k* = exp(−½D*), and surrogates r ~ N(0, K*) (A3). The weights are fitted by the likelihood of Eq. 6 to k surrogates on n items, and k and D compared
// with k* and D* on pairs of other items, the same for all n, k and seeds.
// n items, k surrogates, p channels, e_c columns a channel
import {
  type Engine,
  fitWeights,
  inverseSoftplus,
  type Matrix,
  NearkinError,
  SoftplusObjective,
  softplus,
} from "@nearkin/core";
import { percentile } from "../statistics/bootstrap.ts";
import { theoremOne } from "./bounds.ts";
import { certifyDistances } from "./certificate.ts";
import { checkBetween, checkPositive, checkShare, checkWhole } from "./checks.ts";
import { drawWorld, type KernelConstants, otherPairs, type World } from "./recovery-world.ts";
import { SurrogateLikelihood } from "./surrogate-likelihood.ts";

export interface RecoverySettings {
  /** n, each; items are nested: the first n of the largest. */
  readonly sizes: readonly number[];
  /** k, each; nested as well. */
  readonly surrogates: readonly number[];
  /** A world of items and surrogates for each. */
  readonly seeds: readonly number[];
  /** h*, one for each channel. */
  readonly weights: readonly number[];
  /** e_c, the same for every channel. The fewer, the smoother the kernel. */
  readonly embeddingSize: number;
  /** σ² of the likelihood, 1e-100 to 1e100. A3 has no noise: the larger, the farther the likelihood is from the law of r. */
  readonly sigma2: number;
  /** r ~ N(0, K* + σ²I) in place of A3: the likelihood then knows the law of r. */
  readonly noisy: boolean;
  /** Other items, whose pairs k and D are compared on. */
  readonly otherItems: number;
  /** ε of Theorem 1, to hold its bound against what happens. */
  readonly epsilon: number;
}

export const recoveryDefaults: RecoverySettings = {
  sizes: [50, 100, 200, 500, 1000, 2000],
  surrogates: [1, 8, 64],
  seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  weights: [2, 1, 0.5],
  embeddingSize: 8,
  sigma2: 1e-4,
  noisy: false,
  otherItems: 64,
  epsilon: 0.5,
};

/** One fit. */
export interface RecoveryFit {
  readonly seed: number;
  readonly n: number;
  readonly k: number;
  /** (p) h */
  readonly weights: readonly number[];
  /** sup|k − k*|/k*: ε of Lemma 3. */
  readonly kernel: number;
  /** sup|D − D*| */
  readonly distance: number;
  /** What Lemma 3 makes of `kernel`; null where that is 1 or more. */
  readonly certified: number | null;
  /** The constants of A1 and A2, at their best: the smallest d, and the largest α that this draw allows. */
  readonly lambdaMax: number;
  readonly infKernel: number;
  readonly d: number;
  readonly alpha: number;
  /** Theorem 1's, with them. */
  readonly tau: number;
  readonly printed: number;
  readonly converged: boolean;
}

/** Over seeds: the middle one, and the quarters to either side. */
export interface Quartiles {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface RecoveryCell {
  readonly n: number;
  readonly k: number;
  readonly kernel: Quartiles;
  readonly distance: Quartiles;
  /** Share of seeds with sup|k − k*|/k* ≥ ε: what Theorem 1 bounds. */
  readonly missed: number;
  /** The constants of A1, in the middle of the seeds. */
  readonly lambdaMax: number;
  readonly infKernel: number;
  readonly d: number;
  /** The smallest τ of any seed, and the largest printed bound: what speaks for Theorem 1 the most. */
  readonly leastTau: number;
  readonly printed: number;
}

export interface RecoveryResult {
  readonly settings: RecoverySettings;
  /** By n, then k. */
  readonly cells: readonly RecoveryCell[];
  readonly fits: readonly RecoveryFit[];
}

export interface RecoveryEvent {
  readonly seed: number;
  readonly n: number;
  readonly k: number;
  /** Of all work, before this fit. */
  readonly share: number;
}

export interface RecoveryOptions extends Partial<RecoverySettings> {
  readonly onEvent?: (event: RecoveryEvent) => void;
  readonly signal?: AbortSignal;
}

/** The same settings give the same result, on every machine if the engine is `reproducible`. O(Σ n³) for each seed and k. */
export async function simulateRecovery(engine: Engine, options: RecoveryOptions = {}): Promise<RecoveryResult> {
  const { onEvent, signal, ...changes } = options;
  const settings = { ...recoveryDefaults, ...changes };
  checkSettings(settings);
  const sizes = [...settings.sizes].sort((a, b) => a - b);
  const surrogates = [...settings.surrogates].sort((a, b) => a - b);
  const work = settings.seeds.length * surrogates.length * sizes.reduce((sum, n) => sum + n ** 3, 0);
  const fits: RecoveryFit[] = [];
  let done = 0;
  const pairs = otherPairs(engine, settings);
  for (const seed of settings.seeds) {
    using own = engine.scope();
    const world = drawWorld(engine, own, { settings, seed });
    for (const n of sizes) {
      for (const k of surrogates) {
        await new Promise((resolve) => setImmediate(resolve)); // signals and timers have their turn
        signal?.throwIfAborted();
        onEvent?.({ seed, n, k, share: done / work });
        const { h, converged } = fitMetric(engine, world, { n, k, settings });
        fits.push({ seed, n, k, weights: [...h], ...measure(pairs, h, { world, n, k, settings }), converged });
        done += n ** 3;
      }
    }
  }
  const cells = sizes.flatMap((n) =>
    surrogates.map((k) =>
      cellOf(
        fits.filter((fit) => fit.n === n && fit.k === k),
        settings.epsilon,
      ),
    ),
  );
  return { settings: { ...settings, sizes, surrogates }, cells, fits };
}

interface FitSize {
  readonly n: number;
  readonly k: number;
  readonly settings: RecoverySettings;
}

const COARSE = 250; // items up to which a fit starts anywhere
const REACH = 10; // a start stays within this factor of 1: farther off the softplus is flat

/** h by maximum likelihood. A large fit starts from one of a quarter of its items, a small one from h = 1, where a typical pair is. */
function fitMetric(engine: Engine, world: World, size: FitSize): { h: Float64Array; converged: boolean } {
  const { n, k, settings } = size;
  const p = settings.weights.length;
  const coarse =
    n > COARSE ? fitMetric(engine, world, { ...size, n: Math.ceil(n / 4) }).h : new Float64Array(p).fill(1);
  using scope = engine.scope();
  const [Z, R] = [scope.matrix(n, world.Z.cols), scope.matrix(n, k)];
  engine.convert(Z, world.Z.view(0, n));
  engine.convert(R, world.R.view(0, n, 0, k));
  const sizes = new Array<number>(p).fill(settings.embeddingSize);
  const likelihood = new SurrogateLikelihood(engine, scope, { Z, R, sizes, sigma2: settings.sigma2 });
  const start = coarse.map((weight) => inverseSoftplus(Math.min(Math.max(weight, 1 / REACH), REACH)));
  // a thousandth of a nat in all: far below the half nat for each weight by which a fit is off by chance
  const fit = fitWeights(new SoftplusObjective(likelihood, p), start, { tolerance: 1e-3 / (n * k), iterations: 100 });
  return { h: fit.w.map(softplus), converged: fit.converged };
}

function measure(
  pairs: readonly Float64Array[],
  h: Float64Array,
  { world, n, k, settings }: FitSize & { world: World },
): Omit<RecoveryFit, "seed" | "n" | "k" | "weights" | "converged"> {
  const N = pairs[0].length;
  const total = (weights: ArrayLike<number>, i: number) => pairs.reduce((sum, d, c) => sum + weights[c] * d[i], 0);
  const truth = Float64Array.from({ length: N }, (_, i) => total(settings.weights, i));
  const found = Float64Array.from({ length: N }, (_, i) => total(h, i));
  const { epsilon, bound, gap } = certifyDistances(Array.from(truth, (D, i) => [D, found[i]] as const));
  const kernels = truth.map((D) => Math.exp(-0.5 * D));
  const off = Math.max(...kernels.map((value, i) => Math.abs(Math.exp(-0.5 * found[i]) - value)));
  const constants = world.constants.get(n) as KernelConstants;
  const { lambdaMax } = constants;
  const infKernel = Math.min(constants.infKernel, ...kernels);
  const d = lambdaMax / infKernel;
  const alpha = settings.sigma2 ** 2 * meanSquare(world.R, n, k) * (1 - off); // A2, solved for α
  const sigma = Math.sqrt(settings.sigma2);
  const { tau, printed } = theoremOne({ n, sigma, alpha, d, lambdaMax, epsilon: settings.epsilon });
  return { kernel: epsilon, distance: gap, certified: bound, lambdaMax, infKernel, d, alpha, tau, printed };
}

/** rᵀr/n, the mean of k surrogates. */
function meanSquare(R: Matrix, n: number, k: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < k; j++) sum += R.get(i, j) ** 2;
  return sum / (n * k);
}

function cellOf(fits: readonly RecoveryFit[], epsilon: number): RecoveryCell {
  const quartiles = (value: (fit: RecoveryFit) => number): Quartiles => {
    const sorted = fits.map(value).sort((a, b) => a - b);
    return { low: percentile(sorted, 0.25), median: percentile(sorted, 0.5), high: percentile(sorted, 0.75) };
  };
  return {
    n: fits[0].n,
    k: fits[0].k,
    kernel: quartiles(({ kernel }) => kernel),
    distance: quartiles(({ distance }) => distance),
    lambdaMax: quartiles(({ lambdaMax }) => lambdaMax).median,
    infKernel: quartiles(({ infKernel }) => infKernel).median,
    d: quartiles(({ d }) => d).median,
    missed: fits.filter(({ kernel }) => kernel >= epsilon).length / fits.length,
    leastTau: Math.min(...fits.map(({ tau }) => tau)),
    printed: Math.max(...fits.map(({ printed }) => printed)),
  };
}

function checkSettings(settings: RecoverySettings): void {
  const lists = { sizes: 2, surrogates: 1, seeds: 0 } as const;
  for (const [name, least] of Object.entries(lists) as [keyof typeof lists, number][]) {
    const list = settings[name];
    for (const value of list) checkWhole(name, value, least);
    if (list.length === 0 || new Set(list).size < list.length) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `${name}: name at least one, and each once, got ${list.join(", ") || "none"}`,
      );
    }
  }
  for (const weight of settings.weights) checkPositive("weights", weight);
  if (settings.weights.length === 0) throw new NearkinError("BAD_ARGUMENT", "weights: name at least one channel's");
  checkWhole("embeddingSize", settings.embeddingSize);
  checkWhole("otherItems", settings.otherItems, 2);
  checkBetween("sigma2", settings.sigma2, [1e-100, 1e100]); // α of A2 goes with σ⁴, and with σ⁶ where surrogates are noisy
  checkShare("epsilon", settings.epsilon);
}

/** The power of n that sup|D − D*| falls with, by least squares through the logarithms of its medians; null of a single size. */
export function exponentOf(cells: readonly RecoveryCell[]): number | null {
  const points = cells.map(({ n, distance }) => [Math.log(n), Math.log(distance.median)]);
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  return spread > 0 ? points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / spread : null;
}
