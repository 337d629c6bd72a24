// How well the validation items, which training has not seen, are ranked (EV3, EV6, EV9), and what popularity adds to that.
import {
  buildQuery,
  buildRows,
  type Engine,
  embed,
  embeddingWidth,
  ensembleRowLayout,
  ensembleScaling,
  exp,
  type LiftedRows,
  liftedItem,
  liftRows,
  measureCentres,
  metricWeights,
  type NeighbourOptions,
  neighboursOfAll,
  paperHitRate,
  paperMrr,
  paperNdcg,
  type QueryOptions,
  type RowScaling,
  type Scope,
  scanScores,
} from "@nearkin/core";
import type { Ranking } from "../events.ts";
import type { Validation } from "../input/validation.ts";
import { ensembleOf, type Run } from "./run.ts";

/** Items embedded at once. */
const BLOCK = 4096;

/** All items as the towers see them; n items, e columns, p channels. */
export interface EmbeddedItems {
  /** (n, e) */
  embeddings: Float32Array;
  /** (n, p) */
  masked: Uint8Array;
}

export function embedItems(run: Run): EmbeddedItems {
  const { engine, model, set } = run;
  const e = embeddingWidth(model);
  const p = model.channels.length;
  const n = set.itemCount;
  const embeddings = new Float32Array(n * e);
  const masked = new Uint8Array(n * p);
  const ensemble = ensembleOf(run);
  for (let first = 0; first < n; first += BLOCK) {
    const count = Math.min(BLOCK, n - first);
    using scope = engine.scope();
    const items = Int32Array.from({ length: count }, (_, i) => first + i);
    const { Z, masked: marks } = embed(engine, scope, ensemble, items);
    embeddings.set(Z.data.subarray(Z.offset, Z.offset + count * e), first * e);
    masked.set(marks.subarray(0, count * p), first * p);
  }
  return { embeddings, masked };
}

/** How tower outputs become columns of lifted rows, under the run's statistics. */
export function rowScaling({ model, parameters, statistics }: Run, items: EmbeddedItems): RowScaling {
  const centres = measureCentres(ensembleRowLayout(model), items.embeddings, items.masked);
  return ensembleScaling(model, parameters, { statistics, centres });
}

/** The catalogue in the engine's memory, ready to be ranked. */
export function liftCatalogue(run: Run, scope: Scope, engine: Engine): LiftedRows {
  const { model, set } = run;
  const items = embedItems(run);
  const layout = ensembleRowLayout(model);
  const scaling = rowScaling(run, items);
  const values = buildRows(layout, scaling, { ...items, logPopularity: set.logq });
  const rows = scope.matrix(set.itemCount, layout.width, "f32");
  rows.data.set(values, rows.offset);
  return liftRows(layout, {
    shards: [{ engine, rows }],
    masked: items.masked,
    lengths: scaling.lengths,
    ids: set.ids,
  });
}

/** Queries × candidates that a look may cost: beyond it, fewer queries are ranked. */
const MOST_SCORES = 1e8;

/** Queries that β is fitted to: one number needs no more. */
const CALIBRATED_ON = 200;

/** The ranking, and by query the mean of its three metrics. */
export interface RankedQueries {
  ranking: Ranking;
  scores: Float64Array;
}

/** The catalogue under the metric as it stands, while `use` runs. */
export function withCatalogue<T>(run: Run, use: (rows: LiftedRows, options: QueryOptions) => T): T {
  using scope = run.engine.scope();
  const rows = liftCatalogue(run, scope, run.engine);
  const { h } = metricWeights(run.model, run.parameters);
  return use(rows, { weights: h, temperature: run.config.siamese.temperature });
}

/** null without validation items. */
export function rankValidation(run: Run): RankedQueries | null {
  const { validation } = run.set;
  return validation && withCatalogue(run, (rows, options) => rankQueries(run, validation, { rows, options }));
}

function rankQueries(
  run: Run,
  validation: Validation,
  { rows, options }: { rows: LiftedRows; options: QueryOptions },
): RankedQueries {
  const rowsOfQueries = chosenQueries(validation.queries.length, run.set.itemCount);
  const sums = { hr: 0, mrr: 0, ndcg: 0 };
  const scores = new Float64Array(rowsOfQueries.length);
  const lists = neighbourLists(rows, { ...options, k: 10, items: rowsOfQueries.map((r) => validation.queries[r]) });
  rowsOfQueries.forEach((r, i) => {
    const list = lists[i];
    const relevant = new Set(validation.items.subarray(validation.starts[r], validation.starts[r + 1]));
    const [hr, mrr, ndcg] = [paperHitRate, paperMrr, paperNdcg].map((metric) => metric(list, relevant));
    sums.hr += hr;
    sums.mrr += mrr;
    sums.ndcg += ndcg;
    scores[i] = (hr + mrr + ndcg) / 3; // the three count alike
  });
  const queries = rowsOfQueries.length;
  const ranking = { hr: sums.hr / queries, mrr: sums.mrr / queries, ndcg: sums.ndcg / queries, queries };
  return { ranking, scores };
}

function neighbourLists(rows: LiftedRows, options: NeighbourOptions): Int32Array[] {
  const lists: Int32Array[] = [];
  for (const { count, k, items } of neighboursOfAll(rows, options)) {
    for (let i = 0; i < count; i++) lists.push(items.subarray(i * k, (i + 1) * k));
  }
  return lists;
}

/** Positions of the queries that are ranked, evenly spread. */
function chosenQueries(queries: number, itemCount: number, limit = Infinity): number[] {
  const most = Math.min(limit, Math.max(50, Math.floor(MOST_SCORES / itemCount)));
  if (queries <= most) return Array.from({ length: queries }, (_, r) => r);
  return Array.from({ length: most }, (_, i) => Math.floor((i * queries) / most));
}

/**
 * β that makes the items met around the validation items most likely under P(x|query) ∝ exp(−t/T + β·log q): the log-likelihood is concave in
 * β, and Newton's method finds its maximum. Never below 0, which would push down what many know; 0 without validation items.
 *
 * Items met equally often have the same log q, so Σ e^(−t/T) by value of log q is all that β needs of a query: one scan each.
 */
export function calibratePopularity(run: Run): number {
  const { validation, itemCount, logq } = run.set;
  if (!validation) return 0;
  const { values, groups } = distinct(logq);
  const chosen = chosenQueries(validation.queries.length, itemCount, CALIBRATED_ON);
  const sums = similarityByPopularity(run, chosen, { groups, count: values.length });
  const met = chosen.map((r) => {
    let sum = 0;
    for (let e = validation.starts[r]; e < validation.starts[r + 1]; e++) sum += values[groups[validation.items[e]]];
    return sum / (validation.starts[r + 1] - validation.starts[r]);
  });
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

/** The distinct values of log q, less the largest (only differences count), and for each item which of them is its own. */
function distinct(logq: Float64Array): { values: Float64Array; groups: Int32Array } {
  const sorted = Float64Array.from(new Set(logq)).sort();
  const places = new Map(Array.from(sorted, (value, g) => [value, g]));
  const largest = sorted[sorted.length - 1];
  return {
    values: sorted.map((value) => value - largest),
    groups: Int32Array.from(logq, (value) => places.get(value) ?? 0),
  };
}

/** For each query, Σ e^(−t/T) over the items of each group but the query itself, up to a factor of the query. */
function similarityByPopularity(
  run: Run,
  chosen: readonly number[],
  { groups, count }: { groups: Int32Array; count: number },
): Float64Array[] {
  using scope = run.engine.scope();
  const rows = liftCatalogue(run, scope, run.engine);
  const { h } = metricWeights(run.model, run.parameters);
  const options = { weights: h, temperature: run.config.siamese.temperature };
  const scores = new Float32Array(groups.length);
  return chosen.map((r) => {
    const item = run.set.validation?.queries[r] ?? 0;
    const query = buildQuery(rows, [liftedItem(rows, item)], options);
    scanScores(rows, query, (first, length, found, at) => scores.set(found.subarray(at, at + length), first));
    scores[item] = Number.NEGATIVE_INFINITY;
    let top = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < scores.length; i++) if (scores[i] > top) top = scores[i];
    const sums = new Float64Array(count);
    for (let i = 0; i < scores.length; i++) sums[groups[i]] += exp(scores[i] - top);
    return sums;
  });
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
