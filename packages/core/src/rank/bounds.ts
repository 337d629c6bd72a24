// Predicted ratings in an order: by what an item will at least be rated, or by what it may be. The mean alone puts an item that nobody can
// judge beside one that everyone likes.
// q items
import { BestLists } from "./best-lists.ts";
import type { Scored } from "./certify.ts";

/** `safe`: mean − deviation, the surest first. `explore`: mean + deviation, the most promising first. `mean`: the mean. */
export type RatingOrder = "safe" | "explore" | "mean";

const DEVIATIONS: Readonly<Record<RatingOrder, number>> = { safe: -1, mean: 0, explore: 1 };

export interface BoundOptions {
  order: RatingOrder;
  /** By row: what orders equal ones (EV7). */
  hashes: Uint32Array;
  /** How many. @default all */
  k?: number;
}

/** Rows by a bound of their predicted rating, best first; `score` is the bound. O(q·log k) */
export function byBound(
  { items, mean, deviation }: { items: ArrayLike<number>; mean: Float64Array; deviation: Float64Array },
  { order, hashes, k = items.length }: BoundOptions,
): Scored[] {
  const size = Math.min(k, items.length);
  if (size < 1) return [];
  const best = new BestLists(1, size, hashes);
  for (let i = 0; i < items.length; i++) best.offer(0, items[i], mean[i] + DEVIATIONS[order] * deviation[i]);
  best.sort(0);
  return Array.from(best.items, (item, r) => ({ item, score: best.scores[r] }));
}
