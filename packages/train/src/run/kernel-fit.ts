// σ, v and γ of the kernel v·exp(−½φ(γt)) for a metric that stays as it is: what ranks best says nothing of how far a rating carries. Distances are
// computed once. n items of which the first m are inducing, k targets.
import {
  type AdditiveProblem,
  applyLink,
  embed,
  exp,
  fitAdditive,
  metricWeights,
  pairsOf,
  type Scope,
} from "@nearkin/core";
import { kernelInputs } from "../stages/kernel.ts";
import { chooseInducing, inducingCount } from "./inducing.ts";
import { ensembleOf, type Run, scalar } from "./run.ts";

/** Three numbers need no more. */
const MOST_ITEMS = 2048;
const STEPS = 60;
const RATE = 0.15;

/** The position of each in the fitted vector. */
const [LOG_SCALE, LOG_VARIANCE, LOG_NOISE] = [0, 1, 2];

/** Sets `logNoise`, `logVariance` and γ. */
export function fitKernel(run: Run): void {
  const { engine, config, parameters, progress } = run;
  using scope = engine.scope();
  const linear = config.model.link === "linear";
  // A typical pair is Σh apart: the kernel starts where it tells near from far.
  const { h } = metricWeights(run.model, parameters);
  progress.kernelScale = linear ? 1 / h.reduce((sum, weight) => sum + weight, 0) : 1;
  const problem = kernelProblem(run, scope);
  const flat = Float64Array.of(0, 0, scalar(parameters, "logNoise"));
  // A saturating link bounds D by itself; and a variance that is not learned is 1.
  const fixed = Uint8Array.of(linear ? 0 : 1, config.ssl.variance ? 0 : 1, 0);
  for (const _ of fitAdditive(engine, problem, { steps: STEPS, learningRate: RATE, flat, fixed }));
  parameters.get("logNoise")?.set(0, 0, flat[LOG_NOISE]);
  parameters.get("logVariance")?.set(0, 0, flat[LOG_VARIANCE]);
  progress.kernelScale *= exp(flat[LOG_SCALE]);
  progress.inducing = new Int32Array(0); // those of another kernel
}

/** The likelihood as a function of (log of what γ is multiplied by, log v, log σ). */
export function kernelProblem(run: Run, scope: Scope): AdditiveProblem {
  const { engine, config, random, set } = run;
  const { targets } = set;
  if (!targets) throw new Error("there are no targets");
  const k = targets.count;
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
    R.data.set(targets.values.subarray(row * k, (row + 1) * k), R.offset + i * k);
    noiseFactors.data[noiseFactors.offset + i] = 1 + config.ssl.noisePerRating / targets.ratings[row];
  });
  fillDistances();
  if (config.model.link !== "linear") {
    for (let e = T.offset; e < T.offset + n * m; e++) T.data[e] = applyLink(config.model.link, T.data[e]);
  }
  const { noiseFloor } = config.ssl;
  return { terms: [[0]], distances: pairsOf(T), R, noiseFactors, noiseFloor };

  function fillDistances(): void {
    using inner = engine.scope();
    const items = rows.map((row) => targets?.items[row] ?? 0);
    const { Z, options } = kernelInputs(run, inner, embed(engine, inner, ensembleOf(run), items));
    const { weights, rowLengths } = options;
    const same = inner.indices(n).write(Int32Array.from({ length: n }, (_, i) => (i < m ? i : -1)));
    engine.distances(T, Z, Z.view(0, m), { weights, rowLengths, columnLengths: rowLengths.view(0, m), same });
  }
}
