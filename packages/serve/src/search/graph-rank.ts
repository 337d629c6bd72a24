// From neighbours under the base metric to an exact list under anyone's: candidates are the graph's nearest rows, rows that are on their way into it and, where
// popularity counts, the most popular ones; all are scored in f64 as the exact scan scores them, with the user's weights, β, filter and exclusions.
import { BestLists, exactScore, type LiftedRows, NearkinError, type Query, type Scored } from "@nearkin/core";
import { countRows, hasRow } from "./graph-bitmap.ts";
import type { GraphIndex } from "./graph-index.ts";
import type { PopularRows } from "./graph-popular.ts";

/** Of the candidates, how many times k must be left by a filter, at the least. */
const ROOM = 2;

export interface GraphRankOptions {
  /** @default 10 */
  k?: number;
  /** Rows never to return, besides the query's own. */
  exclude?: ReadonlySet<number>;
  /** Bits of the rows that may be returned. @default all */
  allowed?: Uint32Array;
  /** How many bits are set in `allowed`, where that is known. @default they are counted */
  allowedCount?: number;
  /** Candidates asked of the graph. @default 500 */
  overfetch?: number;
  /** Looked at besides where β > 0. */
  popular?: PopularRows;
}

/** A list, or the reason why the graph cannot give one and a scan must. */
export type GraphAnswer =
  | {
      list: Scored[];
      /** How deep in an unfiltered list the last entry is likely to stand: k where nothing was filtered out. */
      depth: number;
    }
  | { list: null; why: "filter" | "exclusions" };

export async function graphRank(
  index: GraphIndex,
  rows: LiftedRows,
  { query, options = {} }: { query: Query; options?: GraphRankOptions },
): Promise<GraphAnswer> {
  const { k = 10, exclude, allowed, overfetch = 500, popular } = options;
  if (!Number.isSafeInteger(k) || k < 1 || k > overfetch) {
    throw new NearkinError("BAD_ARGUMENT", `graphRank: k must be a whole number from 1 to ${overfetch}, got ${k}`);
  }
  if (allowed && allowed.length < rows.count / 32) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `graphRank: ${rows.count} rows take ${Math.ceil(rows.count / 32)} words of bits, got ${allowed.length}`,
    );
  }
  if (allowed) {
    const share = (options.allowedCount ?? countRows(allowed)) / rows.count;
    if (share * overfetch < ROOM * k) return { list: null, why: "filter" };
  }
  const found = await index.search(index.vector(query.items, rows.layout), overfetch + query.items.length);
  const candidates = new Candidates(index, rows, query);
  for (const row of found) candidates.add(row);
  index.eachPending((row) => candidates.add(row));
  const near = candidates.rows.size;
  if (popular && query.popularity > 0) for (const { row } of popular.rows) candidates.add(row);

  const best = new BestLists(1, k, rows.hashes);
  const scratch = new Float64Array(rows.layout.channelCount);
  let seen = 0;
  let kept = 0; // of the near ones
  let excluded = 0;
  for (const row of candidates.rows) {
    const isNear = seen++ < near;
    if (exclude?.has(row)) excluded++;
    else if (!allowed || hasRow(allowed, row)) {
      if (isNear) kept++;
      best.offer(0, row, exactScore(rows, query, row, scratch));
    }
  }
  if (kept < Math.min(ROOM * k, near)) return { list: null, why: excluded > near / 2 ? "exclusions" : "filter" };
  best.sort(0);
  const list = Array.from(best.items.subarray(0, best.counts[0]), (item, r) => ({ item, score: best.scores[r] }));
  return { list, depth: Math.ceil((k * near) / Math.max(kept, 1)) };
}

/** Each row once; neither the query's own, nor rows that are leaving, nor such as the caller's catalogue does not have yet. */
class Candidates {
  readonly rows = new Set<number>();
  readonly #index: GraphIndex;
  readonly #count: number;
  readonly #own: ReadonlySet<number>;

  constructor(index: GraphIndex, { count }: LiftedRows, { items }: Query) {
    this.#index = index;
    this.#count = count;
    this.#own = new Set(items.map((item) => item.index));
  }

  add(row: number): void {
    if (row < this.#count && !this.#own.has(row) && !this.#index.isLeaving(row)) this.rows.add(row);
  }
}
