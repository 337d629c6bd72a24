// The items nearest to a query. A scan finds candidates in f32, a few more than asked for; their scores are computed again in f64, and
// the list is certified: no row left out can be better than the last one kept, for scan scores are off by a known bound at most. Where
// that cannot be said (ties, near-ties), all rows within the bound are compared exactly.
import { NearkinError } from "../errors.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import { TopK } from "../linalg/top-k.ts";
import { bestOf, certify, droppedRows, LONG_LIST, leastScanScore, type Scored, SPARE } from "./certify.ts";
import { channelDistances, scoreOf, totalDistance } from "./exact.ts";
import { historyLifts } from "./history.ts";
import type { Query } from "./query.ts";
import { type LiftedRows, locate } from "./rows.ts";
import { rowsAbove, scanAllowed } from "./scores.ts";

export interface SimilarOptions {
  /** @default 10 */
  k?: number;
  /** Rows never to return, besides the query's own. */
  exclude?: Iterable<number>;
  /** (n) 1 where a row may be returned. @default all */
  allowed?: Uint8Array;
}

/** A neighbour and its exact reasons. */
export interface Neighbour {
  /** Its row. */
  item: number;
  /** −t/T + β·log q + γ·f */
  score: number;
  /** t = Σ contributions, in the order of the channels. */
  total: number;
  /** (p) d_c: 1 is a typical random pair. */
  distances: Float64Array;
  /** (p) h_c·d_c */
  contributions: Float64Array;
  /** (m) How much each item of the user's history adds to the score, if the query has one. */
  lifts?: Float64Array;
}

/** The k best rows, best first; equal scores by a hash of the id (EV7). Never the query's own items. */
export function similar(rows: LiftedRows, query: Query, options: SimilarOptions = {}): Neighbour[] {
  return rankExactly(rows, query, options).map(({ item, score }) => ({ ...reasons(rows, query, item), score }));
}

/** The exact reasons for an item's place; `score` included. */
export function reasons(rows: LiftedRows, query: Query, item: number): Neighbour {
  const distances = channelDistances(rows, query, item);
  const contributions = distances.map((distance, c) => query.weights[c] * distance);
  const total = totalDistance(query.weights, distances);
  const { shard, local } = locate(rows, item);
  const row = { data: shard.data as Float32Array, at: shard.offset + local * shard.rowStride };
  const { history } = query;
  return {
    item,
    score: scoreOf(rows.layout, query, total, row),
    total,
    distances,
    contributions,
    ...(history ? { lifts: historyLifts(rows.layout, history, row.data, row.at) } : {}),
  };
}

/** The k best rows with their scores. */
export function rankExactly(rows: LiftedRows, query: Query, options: SimilarOptions = {}): Scored[] {
  const { k = 10, exclude, allowed } = options;
  checkListLength(k);
  if (allowed && allowed.length !== rows.count) {
    throw new NearkinError("SHAPE_MISMATCH", `similar: allowed must have ${rows.count} marks, got ${allowed.length}`);
  }
  const dropped = droppedRows(query, exclude);
  const most = Math.min(k, rows.count); // no list is longer
  const marks = allowed || dropped.size > LONG_LIST ? allowedRows(rows.count, allowed, dropped) : undefined;
  const candidates = most + SPARE + (marks ? 0 : dropped.size);
  const found = marks
    ? scanAllowed(rows, query, { count: candidates, allowed: marks })
    : scanAll(rows, query, candidates);
  const { list, isCertain } = certify(rows, query, found, { most, candidates, dropped });
  if (isCertain) return list;
  const close = rowsAbove(rows, query, { least: leastScanScore(query, list), allowed: marks });
  return bestOf(rows, query, close, { most, dropped });
}

export function checkListLength(k: number): void {
  if (!Number.isSafeInteger(k) || k < 1) {
    throw new NearkinError("BAD_ARGUMENT", `similar: k must be a whole number of at least 1, got ${k}`);
  }
}

function scanAll({ shards }: LiftedRows, { vector }: Query, count: number): TopK {
  const best = new TopK(count);
  const matrices = shards.map(({ rows }) => rows);
  shards[0]?.engine.scan(best, matrices, hostMatrix(vector, vector.length, 1));
  return best;
}

function allowedRows(count: number, allowed: Uint8Array | undefined, dropped: ReadonlySet<number>): Uint8Array {
  const marks = allowed ? allowed.slice() : new Uint8Array(count).fill(1);
  for (const item of dropped) marks[item] = 0;
  return marks;
}
