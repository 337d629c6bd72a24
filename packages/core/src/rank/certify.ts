// From candidates to a list that is certainly right. Scan scores are off by a known bound at most: where the last candidate of a scan lies
// further than that below the last place of the list, no row that the scan left out can belong there.
import type { TopK } from "../linalg/top-k.ts";
import { BestLists } from "./best-lists.ts";
import { exactScore } from "./exact.ts";
import type { Query } from "./query.ts";
import type { LiftedRows } from "./rows.ts";
import { comesBefore } from "./ties.ts";

/** Candidates beyond those asked for: near-ties rarely need more. */
export const SPARE = 16;

/** Excluded rows from which on they are marked, not fetched in excess. */
export const LONG_LIST = 256;

/** A row with its exact score. */
export interface Scored {
  item: number;
  score: number;
}

export interface Wanted {
  /** Length of the list, at most. */
  most: number;
  /** Candidates that the scan was asked for. */
  candidates: number;
  /** Rows never to return. */
  dropped: ReadonlySet<number>;
}

/** Rows never to return: the query's own, and those excluded. */
export function droppedRows(query: Query, exclude: Iterable<number> | undefined): Set<number> {
  const dropped = new Set(exclude);
  for (const { index } of query.items) if (index >= 0) dropped.add(index);
  return dropped;
}

/**
 * The best `most` candidates in their exact order, and whether they are certainly the best of all rows. Candidates come by scan score: once one
 * lies so far below all that were scored that rounding cannot lift it into the list, the rest need not be looked at.
 */
export function certify(
  rows: LiftedRows,
  query: Query,
  found: TopK,
  { most, candidates, dropped }: Wanted,
): { list: Scored[]; isCertain: boolean } {
  const scratch = new Float64Array(rows.layout.channelCount);
  const highest = (i: number) => found.scores[i] + query.constant + query.rounding; // that candidate i can have
  const list: Scored[] = [];
  let least = Number.POSITIVE_INFINITY;
  let isCertain = false;
  for (let i = 0; i < found.count; i++) {
    isCertain = list.length >= most && highest(i) < least;
    if (isCertain) break;
    const item = found.rows[i];
    if (dropped.has(item)) continue;
    const score = exactScore(rows, query, item, scratch);
    list.push({ item, score });
    least = Math.min(least, score);
  }
  list.sort((a, b) => (comesBefore(rows.hashes, a, b) ? -1 : 1));
  isCertain ||=
    found.count < candidates || // every row was seen
    highest(found.count - 1) < lastScore(list, most);
  return { list: list.slice(0, most), isCertain };
}

/** Score of the last place; −∞ where there is none. */
function lastScore(list: readonly Scored[], most: number): number {
  return list[Math.min(most, list.length) - 1]?.score ?? Number.NEGATIVE_INFINITY;
}

/** The least scan score that a row of the list can have: what is below it lies below the last place, however rounded. */
export function leastScanScore({ rounding, constant }: Query, list: readonly Scored[]): number {
  return lastScore(list, list.length) - rounding - constant;
}

/** The best of these rows: of a tie of thousands most do not enter. */
export function bestOf(
  rows: LiftedRows,
  query: Query,
  items: Iterable<number>,
  { most, dropped }: Pick<Wanted, "most" | "dropped">,
): Scored[] {
  const scratch = new Float64Array(rows.layout.channelCount);
  const best = new BestLists(1, most, rows.hashes);
  for (const item of items) if (!dropped.has(item)) best.offer(0, item, exactScore(rows, query, item, scratch));
  best.sort(0);
  return Array.from(best.items.subarray(0, best.counts[0]), (item, r) => ({ item, score: best.scores[r] }));
}
