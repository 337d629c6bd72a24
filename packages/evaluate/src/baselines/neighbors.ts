// Neighbor counts: items are alike if the same users met them. Simple, and with the right settings hard to beat (Ferrari Dacrema, Cremonesi, Jannach:
// Are We Really Making Much Progress?, RecSys 2019). All three are inner products of columns of X in which each user has a weight, times a factor of
// the candidate:
//
//   item-kNN   Σ_u n_u^−a x_ui x_uj / (‖x_i‖‖x_j‖ + s)                    cosine with shrinkage; a = 0 counts all users alike
//   RP3β       Σ_u n_u^−α x_ui x_uj / n_j^β                               a walk from item to user to item (Paudel et al., 2017)
//   BM25       Σ_u idf_u² x_ui x_uj · w_j           idf_u = log(items/(1 + n_u)), w_j = (K₁ + 1)/(K₁(1 − B + B·n_j/n̄) + 1)
//              items as documents whose words are the users who met them, as the library `implicit` has it
//
// A row of similarities is made when it is asked for: O(events of the query's users + catalogue) a query, and no n × n matrix.
// n_u the items of a user, n_j the users of an item
import { NearkinError } from "@nearkin/core";
import type { Recommender } from "../protocol/recommender.ts";
import {
  columnOf,
  type EventData,
  type EventMatrix,
  type EventMatrixOptions,
  eventMatrix,
  gramRowInto,
} from "./events.ts";
import { scoredRecommender } from "./scored.ts";

interface NeighborOptions {
  /** Ids of the catalogue's items. */
  ids: readonly string[];
  /** As tables print it. */
  name?: string;
}

export interface ItemKnnOptions extends NeighborOptions, Pick<EventMatrixOptions, "values"> {
  /** s, at least 0, in events of an average user: similarities of items that few users met shrink towards 0. @default 0 */
  shrinkage?: number;
  /** a, at least 0: a user of n items weighs n^−a. @default 0 */
  userLengthExponent?: number;
}

/**
 * Candidates by the cosine of their columns, shrunk. Queries and candidates are items with training events; a candidate that shares no user with the
 * query has 0.
 */
export function itemKnn(data: EventData, options: ItemKnnOptions): Recommender {
  const { ids, name = "item-kNN", shrinkage = 0, userLengthExponent = 0, values = "binary" } = options;
  checkAtLeast(name, { shrinkage, userLengthExponent }, 0);
  const X = weighted(eventMatrix(data, { values }), (n) => n ** -userLengthExponent);
  const squares = sumByItem(X, (value) => value * value); // ‖xᵢ‖²
  const entries = X.byItem.values.length;
  const s =
    userLengthExponent === 0 ? shrinkage : (shrinkage * squares.reduce((sum, square) => sum + square, 0)) / entries;
  return neighborRecommender(X, { ids, name }, (product, i, j) => {
    const length = Math.sqrt(squares[i] * squares[j]) + s;
    return length === 0 ? 0 : product / length; // ratings of 0 alone point nowhere
  });
}

export interface Rp3Options extends NeighborOptions {
  /** α, at least 0: a walk leaves a user of n items for each of them with n^−α. @default 1 */
  alpha?: number;
  /** β, at least 0: what popular candidates lose. @default 0.4 */
  beta?: number;
}

/** Candidates by walks of three steps; queries and candidates as of `itemKnn`. */
export function rp3beta(data: EventData, options: Rp3Options): Recommender {
  const { ids, name = "RP3β", alpha = 1, beta = 0.4 } = options;
  checkAtLeast(name, { alpha, beta }, 0);
  const X = weighted(eventMatrix(data), (n) => n ** -alpha);
  const losses = sumByItem(X, () => 1).map((n) => n ** beta);
  return neighborRecommender(X, { ids, name }, (product, _, j) => product / losses[j]);
}

export interface Bm25Options extends NeighborOptions {
  /** K₁, at least 0. @default 1.2 */
  k1?: number;
  /** B, from 0 to 1: how much popular candidates lose. @default 0.75 */
  b?: number;
}

/** Candidates by the products of their columns under BM25's weights; queries and candidates as of `itemKnn`. */
export function bm25(data: EventData, options: Bm25Options): Recommender {
  const { ids, name = "BM25", k1 = 1.2, b = 0.75 } = options;
  checkAtLeast(name, { k1, b }, 0);
  const X = eventMatrix(data);
  const counts = sumByItem(X, () => 1); // n_j
  const average = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);
  const lengths = counts.map((count) => (k1 + 1) / (k1 * (1 - b + (b * count) / average) + 1));
  const scaled = weighted(X, (n) => Math.log(counts.length / (1 + n)) ** 2);
  return neighborRecommender(scaled, { ids, name }, (product, _, j) => product * lengths[j]);
}

/** Candidates j of the query i by `score` of their product. */
function neighborRecommender(
  X: EventMatrix,
  { ids, name }: Required<NeighborOptions>,
  score: (product: number, i: number, j: number) => number,
): Recommender {
  const n = X.items.length;
  const products = new Float64Array(n);
  return scoredRecommender({
    name,
    ids,
    knows: (item) => X.columns[item] >= 0,
    score: (query, out) => {
      const i = columnOf(X, query, name);
      gramRowInto(products, X, i);
      out.fill(-Infinity);
      for (let j = 0; j < n; j++) out[X.items[j]] = score(products[j], i, j);
    },
  });
}

/** The same matrix with every row multiplied by the root of its user's weight, so that products of columns count users by it. */
function weighted(X: EventMatrix, weight: (n: number) => number): EventMatrix {
  const { byUser, byItem } = X;
  const users = byUser.starts.length - 1;
  const roots = Float64Array.from({ length: users }, (_, u) =>
    Math.sqrt(weight(byUser.starts[u + 1] - byUser.starts[u])),
  );
  if (roots.every((root, u) => root === 1 || byUser.starts[u] === byUser.starts[u + 1])) return X;
  const ofUser = byUser.values.slice();
  for (let u = 0; u < users; u++) {
    for (let e = byUser.starts[u]; e < byUser.starts[u + 1]; e++) ofUser[e] *= roots[u];
  }
  const ofItem = byItem.values.map((value, e) => value * roots[byItem.indices[e]]);
  return { ...X, byUser: { ...byUser, values: ofUser }, byItem: { ...byItem, values: ofItem } };
}

/** (n) Σ over an item's entries. */
function sumByItem({ items, byItem }: EventMatrix, of: (value: number) => number): Float64Array {
  const sums = new Float64Array(items.length);
  for (let i = 0; i < sums.length; i++) {
    for (let e = byItem.starts[i]; e < byItem.starts[i + 1]; e++) sums[i] += of(byItem.values[e]);
  }
  return sums;
}

function checkAtLeast(name: string, settings: Readonly<Record<string, number>>, least: number): void {
  for (const [setting, value] of Object.entries(settings)) {
    if (value >= least && Number.isFinite(value)) continue;
    throw new NearkinError("BAD_ARGUMENT", `${name}: ${setting} must be at least ${least}, got ${value}`);
  }
}
