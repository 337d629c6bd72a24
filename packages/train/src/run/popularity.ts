// What popularity adds to similarity: after how many days an event counts half in q, and β, what log q weighs beside the distance. Both are chosen on
// validation items.
//
//   q_i = max(c_i, w̄)/Σc      c_i = Σ 2^(−age/half-life) over the events of item i, age in days before the last event; w̄ the mean weight of an
//                         event: no item counts less than one event of average weight
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
/** β that are tried: how far β·log q is spread over the items, in units of how far the scores are. */
const STRENGTHS = [0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6];
const PROBE_STRENGTH = 0.4; // at which half-lives are compared if β = 0 ranks best while all events count alike
const CLOSE = 0.995; // of the best score: of choices that cannot be told apart, the first is taken, with less popularity or slower fading
const MAX_QUERIES = 400;
const SAMPLED_QUERIES = 50; // that tell how far scores are spread
const DAY = 86_400; // s

/** (n) log q. */
export function logPopularityOf(set: TrainingSet, halfLife: number | null): Float64Array {
  const { data, logq } = set;
  const { time, perEvent } = eventWeights(set, halfLife);
  if (halfLife === null || time === null) return logq;
  const { items, times } = data.histories;
  const counts = new Float64Array(data.itemCount);
  items.forEach((item, e) => {
    counts[item] += weightAt(times[e] - time, halfLife);
  });
  return counts.map((count) => portableLog(Math.max(count, perEvent) / (perEvent * items.length)));
}

/** Weights of events in q: their mean w̄, if the last one, at `time`, weighs 1. */
export function eventWeights(
  { data, dataset }: TrainingSet,
  halfLife: number | null,
): { time: number | null; halfLife: number | null; perEvent: number } {
  const { times } = data.histories;
  const isTimed = dataset.manifest.time.kind === "seconds" && times.length > 0;
  if (!isTimed) return { time: null, halfLife: null, perEvent: 1 };
  const last = times.reduce((latest, time) => Math.max(latest, time), Number.NEGATIVE_INFINITY);
  if (halfLife === null) return { time: last, halfLife, perEvent: 1 };
  const total = times.reduce((sum, time) => sum + weightAt(time - last, halfLife), 0);
  return { time: last, halfLife, perEvent: total / times.length };
}

const weightAt = (seconds: number, halfLife: number): number => exp((portableLog(2) / (halfLife * DAY)) * seconds);

/** The half-life and β that rank validation items best. Without validation items β is 0, and the half-life the configured one, or none if that is `auto`. */
export function choosePopularity(run: Run): PopularityChoice {
  const { set, config } = run;
  const { validation, dataset } = set;
  const { halfLife: asked } = config.popularity;
  const isTimed = dataset.manifest.time.kind === "seconds";
  const halfLives = !isTimed ? [null] : asked === "auto" ? [null, ...HALF_LIVES] : [asked];
  if (!validation) return { halfLife: isTimed && asked !== "auto" ? asked : null, beta: 0 };
  const queries = sampled(validation, set.itemCount);
  return withCatalogue(run, (rows, options) => {
    const spread = scoreSpread(rows, options, queries.queries);
    const score = (halfLife: number | null, strength: number): number => {
      const logs = logPopularityOf(set, halfLife);
      const popularity = betaOf(spread, logs, strength);
      const { hr, mrr, ndcg } = rankQueries(run, queries, {
        rows: withLogPopularity(rows, logs),
        options: { ...options, popularity },
      }).ranking;
      return hr + mrr + ndcg;
    };
    const [first, ...others] = halfLives;
    let [halfLife, found] = [first, bestOf(STRENGTHS, (strength) => score(first, strength))];
    if (others.length > 0) {
      const probe = found.choice || PROBE_STRENGTH;
      const fading = bestOf(halfLives, (one) => score(one, probe)).choice;
      const faded = fading === first ? found : bestOf(STRENGTHS, (strength) => score(fading, strength));
      if (faded.choice > 0 && found.score < CLOSE * faded.score) [halfLife, found] = [fading, faded];
    }
    return { halfLife, beta: betaOf(spread, logPopularityOf(set, halfLife), found.choice) };
  });
}

/** The first choice whose score is close to the best. */
function bestOf<T>(choices: readonly T[], scoreOf: (choice: T) => number): { choice: T; score: number } {
  const scores = choices.map(scoreOf);
  const enough = CLOSE * Math.max(...scores);
  const i = scores.findIndex((score) => score >= enough);
  return { choice: choices[i], score: scores[i] };
}

/** β with which β·log q is `strength` times as far spread as the scores; 0 if all items are equally popular. */
function betaOf(spread: number, logs: Float64Array, strength: number): number {
  const deviation = Math.sqrt(varianceOf(logs));
  return deviation > 0 ? (strength * spread) / deviation : 0;
}

/** How far −t/T of all items is spread, for some of these queries. */
function scoreSpread(rows: LiftedRows, options: QueryOptions, queries: Int32Array): number {
  const scores = new Float32Array(rows.count);
  const count = Math.min(SAMPLED_QUERIES, queries.length);
  let variance = 0;
  for (let i = 0; i < count; i++) {
    const item = queries[Math.floor((i * queries.length) / count)];
    const query = buildQuery(rows, [liftedItem(rows, item)], options);
    scanScores(rows, query, (first, length, found, at) => scores.set(found.subarray(at, at + length), first));
    variance += varianceOf(scores) / count;
  }
  return Math.sqrt(variance);
}

function varianceOf(values: Float32Array | Float64Array): number {
  let [sum, squares] = [0, 0];
  for (const x of values) sum += x;
  const mean = sum / values.length;
  for (const x of values) squares += (x - mean) ** 2;
  return squares / values.length;
}

/** Some of the queries, evenly spread. */
function sampled({ queries, starts, items }: Validation, itemCount: number): Validation {
  const rows = chosenQueries(queries.length, itemCount, MAX_QUERIES);
  const relevant = rows.map((r) => items.subarray(starts[r], starts[r + 1]));
  const ends = Int32Array.from(relevant, ({ length }) => length);
  for (let r = 1; r < ends.length; r++) ends[r] += ends[r - 1];
  return {
    queries: Int32Array.from(rows, (r) => queries[r]),
    starts: Int32Array.of(0, ...ends),
    items: Int32Array.from(relevant.flatMap((own) => [...own])),
  };
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
