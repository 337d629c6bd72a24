// σ, v and γ of the kernel v·exp(−½φ(γt)) for a metric that stays as it is: what ranks best says nothing of how far a rating carries. Distances are
// computed once. Where the process is a channel of the metric, nothing but ratings is predicted with this kernel, so it is fitted to them
// alone: factors have another signal and another noise. The noise of a single rating, s², is then measured, not fitted: ratings of one item
// differ by it. n items of which the first m are inducing, k targets.
import {
  type AdditiveProblem,
  applyLink,
  embed,
  exp,
  fitAdditive,
  type Matrix,
  metricWeights,
  NearkinError,
  pairsOf,
  type Scope,
} from "@nearkin/core";
import { kernelInputs } from "../stages/kernel.ts";
import { chooseInducing, inducingCount } from "./inducing.ts";
import { ensembleOf, type Run, scalar } from "./run.ts";

/** Three numbers need no more. */
const MOST_ITEMS = 2048;
const STEPS = 60;
/** More where s² is known: each changes c = s²/σ² by the σ that was found under the last c. */
const ROUNDS = 3;
const RATE = 0.15;
const LARGEST_C = 1e4;

/** The position of each in the fitted vector. */
const [LOG_SCALE, LOG_VARIANCE, LOG_NOISE] = [0, 1, 2];

/** Columns of the targets that the model's posterior is about: the rating alone where the process is a channel, or all that it was trained on. */
export function predictedTargets({ config, set: { targets } }: Run): number {
  return config.ssl.mode === "channel" ? 1 : (targets?.count ?? 0);
}

/** Sets `logNoise`, `logVariance`, γ and c. */
export function fitKernel(run: Run): void {
  const { config, parameters, progress } = run;
  const linear = config.model.link === "linear";
  // A typical pair is Σh apart: the kernel starts where it tells near from far.
  const { h } = metricWeights(run.model, parameters);
  const typical = h.reduce((sum, weight) => sum + Math.abs(weight), 0);
  if (!(typical > 0)) {
    throw new NearkinError(
      "NOT_FINITE",
      "all channel weights are 0: no two items differ; lower siamese.learningRate or weightRate",
    );
  }
  progress.kernelScale = linear ? 1 / typical : 1;
  const flat = Float64Array.of(0, 0, scalar(parameters, "logNoise"));
  // A saturating link bounds D by itself; and a variance that is not learned is 1.
  const fixed = Uint8Array.of(linear ? 0 : 1, config.ssl.variance ? 0 : 1, 0);
  fitNumbers(run, { flat, fixed });
  parameters.get("logNoise")?.set(0, 0, flat[LOG_NOISE]);
  parameters.get("logVariance")?.set(0, 0, flat[LOG_VARIANCE]);
  progress.kernelScale *= exp(flat[LOG_SCALE]);
  progress.inducing = new Int32Array(0); // those of another kernel
}

function fitNumbers(run: Run, { flat, fixed }: { flat: Float64Array; fixed: Uint8Array }): void {
  const { engine, config, progress, set } = run;
  using scope = engine.scope();
  const problem = kernelProblem(run, scope);
  const ratingVariance = config.ssl.mode === "channel" ? set.targets?.ratingVariance : undefined;
  if (ratingVariance === undefined) {
    for (const _ of fitAdditive(engine, problem, { steps: STEPS, learningRate: RATE, flat, fixed }));
    return;
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const _ of fitAdditive(engine, problem, { steps: STEPS / ROUNDS, learningRate: RATE, flat, fixed }));
    const sigma2 = exp(2 * flat[LOG_NOISE]) + config.ssl.noiseFloor;
    progress.noisePerRating = Math.min(ratingVariance / sigma2, LARGEST_C);
    putNoiseFactors(problem.noiseFactors, problem.ratings, progress.noisePerRating);
  }
}

/** 1 + c/n_i */
function putNoiseFactors(factors: Matrix, ratings: Float64Array, c: number): void {
  ratings.forEach((n, i) => {
    factors.data[factors.offset + i] = 1 + c / n;
  });
}

/** The likelihood as a function of (log of what γ is multiplied by, log v, log σ). */
export function kernelProblem(run: Run, scope: Scope): AdditiveProblem & { ratings: Float64Array } {
  const { engine, config, progress, random, set } = run;
  const { targets } = set;
  if (!targets) throw new Error("there are no targets");
  const k = predictedTargets(run);
  const pool = random.split("kernel fit").shuffle(Int32Array.from(targets.fitted)).slice(0, MOST_ITEMS).sort();
  const count = inducingCount(run, targets.fitted.length);
  const chosen = chooseInducing(run, { among: pool, count: Math.min(count, pool.length), label: "kernel fit" });
  const isChosen = new Set(chosen);
  const rows = Int32Array.from([...chosen, ...pool.filter((row) => !isChosen.has(row))]);
  const [n, m] = [rows.length, chosen.length];
  const T = scope.matrix(n, m);
  const R = scope.matrix(n, k);
  const noiseFactors = scope.matrix(n, 1);
  rows.forEach((row, i) => {
    const from = row * targets.count;
    R.data.set(targets.values.subarray(from, from + k), R.offset + i * k);
  });
  const ratings = Float64Array.from(rows, (row) => targets.ratings[row]);
  putNoiseFactors(noiseFactors, ratings, progress.noisePerRating);
  fillDistances();
  if (config.model.link !== "linear") {
    for (let e = T.offset; e < T.offset + n * m; e++) T.data[e] = applyLink(config.model.link, T.data[e]);
  }
  const { noiseFloor } = config.ssl;
  return { terms: [[0]], distances: pairsOf(T), R, noiseFactors, noiseFloor, ratings };

  function fillDistances(): void {
    using inner = engine.scope();
    const items = rows.map((row) => targets?.items[row] ?? 0);
    const { Z, options } = kernelInputs(run, inner, embed(engine, inner, ensembleOf(run), items));
    const { weights, rowLengths } = options;
    const same = inner.indices(n).write(Int32Array.from({ length: n }, (_, i) => (i < m ? i : -1)));
    engine.distances(T, Z, Z.view(0, m), { weights, rowLengths, columnLengths: rowLengths.view(0, m), same });
  }
}
