// How well the validation items, which training has not seen, are ranked (EV3, EV6, EV9).
import {
  buildRows,
  type Engine,
  embed,
  embeddingWidth,
  ensembleRowLayout,
  ensembleScaling,
  type LiftedRows,
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

/** How well these validation items are ranked. */
export function rankQueries(
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
export function chosenQueries(queries: number, itemCount: number, limit = Infinity): number[] {
  const most = Math.min(limit, Math.max(50, Math.floor(MOST_SCORES / itemCount)));
  if (queries <= most) return Array.from({ length: queries }, (_, r) => r);
  return Array.from({ length: most }, (_, i) => Math.floor((i * queries) / most));
}
