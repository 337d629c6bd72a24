// Lists of some candidates only, out of recommenders that rank the whole catalogue.
import { listsWithout, type RankedLists } from "./lists.ts";
import type { Recommender } from "./recommender.ts";

export interface AmongOptions {
  k: number;
  /** (n) 1 where an item may be listed. */
  allowed: Uint8Array;
}

/**
 * The k best allowed candidates of each query. Recommenders are asked for longer and longer lists, and only about the queries that came
 * out short: a list that is short of k although the whole catalogue was asked for stays short.
 */
export function rankAmong(recommender: Recommender, queries: Int32Array, { k, allowed }: AmongOptions): RankedLists {
  const n = allowed.length;
  const refused = new Set<number>();
  for (let item = 0; item < n; item++) if (allowed[item] === 0) refused.add(item);
  const asked = Math.min(n - 1, refused.size === 0 ? k : 4 * k);
  const result = listsWithout(recommender.rank(queries, asked), refused, k);
  let rows = shortRows(result);
  for (let length = 4 * asked; rows.length > 0 && length < 4 * (n - 1); length *= 4) {
    const again = recommender.rank(
      Int32Array.from(rows, (r) => queries[r]),
      Math.min(length, n - 1),
    );
    const longer = listsWithout(again, refused, k);
    rows.forEach((row, i) => {
      result.items.set(longer.items.subarray(i * k, (i + 1) * k), row * k);
      result.scores.set(longer.scores.subarray(i * k, (i + 1) * k), row * k);
    });
    rows = shortRows(result);
  }
  return result;
}

function shortRows({ items, k }: RankedLists): number[] {
  const rows: number[] = [];
  for (let r = 0; r < items.length / k; r++) if (items[(r + 1) * k - 1] < 0) rows.push(r);
  return rows;
}
