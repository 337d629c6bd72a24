// What popularity adds to similarity: after how many days an event counts half in q, and β, what log q weighs beside the distance. Both are chosen on
// validation items.
//
//   q_i = max(c_i, w̄)/Σc      c_i = Σ 2^(−age/half-life) over the events of item i, w̄ the mean of these weights: an item that nobody met counts as met once
//
// n items
import {
  buildQuery,
  exp,
  type LiftedRows,
  liftedItem,
  portableLog,
  type QueryOptions,
  scanScores,
} from "@nearkin/core";
import type { TrainingSet } from "../input/training-set.ts";
import type { Validation } from "../input/validation.ts";
import { chosenQueries, rankQueries, withCatalogue } from "./ranking.ts";
import type { Run } from "./run.ts";

export interface PopularityChoice {
  /** Days after which an event counts half; null: all count alike. */
  readonly halfLife: number | null;
  /** β */
  readonly beta: number;
}

/** Days that are tried, the slowest fading first. */
const HALF_LIVES = [1825, 730, 365, 180, 90, 30];
const CLOSE = 0.995; // of the best score: of half-lives that cannot be told apart, the slowest fading is taken
const DAY = 86_400; // s

/** (n) log q. */
export function logPopularityOf({ data, logq }: TrainingSet, halfLife: number | null): Float64Array {
  if (halfLife === null) return logq;
  const { items, times } = data.histories;
  const now = times.reduce((latest, time) => Math.max(latest, time), Number.NEGATIVE_INFINITY);
  const rate = portableLog(2) / (halfLife * DAY);
  const counts = new Float64Array(data.itemCount);
  let total = 0;
  items.forEach((item, e) => {
    const weight = exp(rate * (times[e] - now));
    counts[item] += weight;
    total += weight;
  });
  const once = total / items.length;
  return counts.map((count) => portableLog(Math.max(count, once) / total));
}

/** Of half-lives, each with its best β, the one that ranks validation items best; all alike, and β = 0, without any. */
export function choosePopularity(run: Run): PopularityChoice {
  const { set, config } = run;
  const { validation, dataset } = set;
  const { halfLife: asked } = config.popularity;
  const isTimed = dataset.manifest.time.kind === "seconds";
  const halfLives = !isTimed ? [null] : asked === "auto" ? [null, ...HALF_LIVES] : [asked];
  if (!validation) return { halfLife: isTimed && asked !== "auto" ? asked : null, beta: 0 };
  const logs = halfLives.map((halfLife) => logPopularityOf(set, halfLife));
  return withCatalogue(run, (rows, options) => {
    const betas = calibrate(validation, { rows, options, logs });
    const found = halfLives.map((halfLife, i) => {
      const beta = betas[i];
      if (halfLives.length === 1) return { halfLife, beta, score: 0 };
      const own = { rows: withLogPopularity(rows, logs[i]), options: { ...options, popularity: beta } };
      const { hr, mrr, ndcg } = rankQueries(run, validation, own).ranking;
      return { halfLife, beta, score: hr + mrr + ndcg };
    });
    const enough = CLOSE * Math.max(...found.map(({ score }) => score));
    const [{ halfLife, beta }] = found.filter(({ score }) => score >= enough);
    return { halfLife, beta };
  });
}

/** The same rows with another log q, written over theirs. */
function withLogPopularity(rows: LiftedRows, logs: Float64Array): LiftedRows {
  const [{ rows: shard }] = rows.shards;
  let largestLog = 0;
  logs.forEach((log, i) => {
    shard.data[shard.offset + (i + 1) * shard.rowStride - 1] = log;
    largestLog = Math.max(largestLog, Math.abs(log));
  });
  return { ...rows, largestLog };
}

/** Queries that β is fitted to: one number needs no more. */
const CALIBRATED_ON = 200;

/**
 * For each log q, the β that makes the items met around the validation items most likely under P(x|query) ∝ exp(−t/T + β·log q): the log-likelihood is
 * concave in β, and Newton's method finds its maximum. Never below 0, which would push down what many know.
 *
 * Items met equally often have the same log q, so Σ e^(−t/T) by value of log q is all that β needs of a query: one scan each, for every log q.
 */
function calibrate(
  validation: Validation,
  { rows, options, logs }: { rows: LiftedRows; options: QueryOptions; logs: readonly Float64Array[] },
): number[] {
  const chosen = chosenQueries(validation.queries.length, rows.count, CALIBRATED_ON);
  const grouped = logs.map(distinct);
  const sums = grouped.map((): Float64Array[] => []);
  const scores = new Float32Array(rows.count);
  for (const r of chosen) {
    const item = validation.queries[r];
    const query = buildQuery(rows, [liftedItem(rows, item)], options);
    scanScores(rows, query, (first, length, found, at) => scores.set(found.subarray(at, at + length), first));
    scores[item] = Number.NEGATIVE_INFINITY;
    const top = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
    const likely = Float64Array.from(scores, (score) => exp(score - top));
    grouped.forEach(({ values, groups }, i) => {
      const sum = new Float64Array(values.length);
      likely.forEach((x, item) => {
        sum[groups[item]] += x;
      });
      sums[i].push(sum);
    });
  }
  return grouped.map(({ values, groups }, i) => {
    const met = chosen.map((r) => {
      let sum = 0;
      for (let e = validation.starts[r]; e < validation.starts[r + 1]; e++) sum += values[groups[validation.items[e]]];
      return sum / (validation.starts[r + 1] - validation.starts[r]);
    });
    return bestBeta(values, { sums: sums[i], met });
  });
}

/** β from Σ e^(−t/T) by value of log q, and the mean log q of what was met, query by query. */
function bestBeta(
  values: Float64Array,
  { sums, met }: { sums: readonly Float64Array[]; met: readonly number[] },
): number {
  let beta = 0;
  for (let iteration = 0; iteration < 12; iteration++) {
    const factors = values.map((value) => exp(beta * value));
    let slope = 0;
    let curvature = 0;
    sums.forEach((sum, i) => {
      const { mean, variance } = moments(values, (g) => sum[g] * factors[g]);
      slope += met[i] - mean;
      curvature += variance;
    });
    if (!(curvature > 0)) break;
    const next = Math.max(0, Math.min(3, beta + slope / curvature));
    const done = Math.abs(next - beta) < 1e-4;
    beta = next;
    if (done) break;
  }
  return beta;
}

const MOST_GROUPS = 4096;
const STEP = 1 / 64; // of log q, where there are more

/** The distinct values of log q, less the largest (only differences count), and for each item which of them is its own. */
function distinct(logq: Float64Array): { values: Float64Array; groups: Int32Array } {
  const exact = new Set(logq);
  const rounded = exact.size > MOST_GROUPS ? logq.map((value) => Math.round(value / STEP) * STEP) : logq;
  const sorted = Float64Array.from(rounded === logq ? exact : new Set(rounded)).sort();
  const places = new Map(Array.from(sorted, (value, g) => [value, g]));
  const largest = sorted[sorted.length - 1];
  return {
    values: sorted.map((value) => value - largest),
    groups: Int32Array.from(rounded, (value) => places.get(value) ?? 0),
  };
}

/** Mean and variance of the values under these weights. */
function moments(values: Float64Array, weightOf: (g: number) => number): { mean: number; variance: number } {
  let total = 0;
  let first = 0;
  let second = 0;
  for (let g = 0; g < values.length; g++) {
    const weight = weightOf(g);
    total += weight;
    first += weight * values[g];
    second += weight * values[g] * values[g];
  }
  const mean = first / total;
  return { mean, variance: second / total - mean * mean };
}
