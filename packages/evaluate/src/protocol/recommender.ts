// One interface for everything that is evaluated: the product's metric, its ablations and every baseline.
import type { RankedLists } from "./lists.ts";

/** Orders the catalogue for query items. Items are indices of the dataset's vocabulary. */
export interface Recommender {
  /** As tables print it. */
  readonly name: string;
  /** Items that can be asked about: `all`, or `warm` for those with training events that it knows. */
  readonly answers: "all" | "warm";
  /** Whether this item can be a query. Always true with `answers: "all"`. */
  knows(item: number): boolean;
  /** The k best candidates of each query out of the whole catalogue minus the query (EV6), equal scores by a hash of the id (EV7). */
  rank(queries: Int32Array, k: number): RankedLists;
}
