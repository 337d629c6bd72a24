// Ranked lists of many queries, and how they are cut out of scores.
import { NearkinError } from "@nearkin/core";

/** q queries, k places. */
export interface RankedLists {
  readonly k: number;
  /** (q, k) Items, best first; −1 from where a list ends. */
  readonly items: Int32Array;
  /** (q, k) */
  readonly scores: Float64Array;
}

/** No item. */
export const NONE = -1;

export function emptyLists(queries: number, k: number): RankedLists {
  if (!Number.isSafeInteger(k) || k < 1) {
    throw new NearkinError("BAD_ARGUMENT", `k must be a whole number of at least 1, got ${k}`);
  }
  return { k, items: new Int32Array(queries * k).fill(NONE), scores: new Float64Array(queries * k).fill(Number.NaN) };
}

/** Row r, cut where it ends. */
export function listOf({ items, k }: RankedLists, r: number): Int32Array {
  let end = r * k;
  while (end < (r + 1) * k && items[end] !== NONE) end++;
  return items.subarray(r * k, end);
}

export interface SelectOptions {
  /** Row of the lists to fill. */
  row: number;
  /** The query, no candidate of its own (EV6). */
  query: number;
  /** (n) `tieHashes` of the ids: what orders equal scores (EV7). */
  hashes: Uint32Array;
}

/**
 * Writes the best candidates by `scores` (n) into a row of the lists: higher score, then smaller hash, then smaller index. A score of −∞ or NaN
 * is no candidate. O(n + n_kept·k): insertion, as k is small.
 */
export function selectInto(lists: RankedLists, scores: ArrayLike<number>, { row, query, hashes }: SelectOptions): void {
  const { k, items, scores: kept } = lists;
  const first = row * k;
  let count = 0;
  for (let item = 0; item < scores.length; item++) {
    const score = scores[item];
    if (!(score > -Infinity) || item === query) continue;
    let at = first + count;
    if (count === k) {
      if (!isBefore(score, item, kept[at - 1], items[at - 1], hashes)) continue;
      at--;
    } else count++;
    while (at > first && isBefore(score, item, kept[at - 1], items[at - 1], hashes)) {
      kept[at] = kept[at - 1];
      items[at] = items[at - 1];
      at--;
    }
    kept[at] = score;
    items[at] = item;
  }
}

function isBefore(score: number, item: number, other: number, otherItem: number, hashes: Uint32Array): boolean {
  if (score !== other) return score > other;
  return hashes[item] !== hashes[otherItem] ? hashes[item] < hashes[otherItem] : item < otherItem;
}

/** The same lists without some items, k places long: what was asked for must have had k + |without| places. */
export function listsWithout(lists: RankedLists, without: ReadonlySet<number>, k: number): RankedLists {
  const queries = lists.items.length / lists.k;
  const rest = emptyLists(queries, k);
  for (let r = 0; r < queries; r++) {
    let at = r * k;
    for (let from = r * lists.k; from < (r + 1) * lists.k && at < (r + 1) * k; from++) {
      const item = lists.items[from];
      if (item === NONE) break;
      if (without.has(item)) continue;
      rest.items[at] = item;
      rest.scores[at++] = lists.scores[from];
    }
  }
  return rest;
}
