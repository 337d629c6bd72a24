// Item-kNN: items are alike when the same users met them. The oldest collaborative baseline, and with shrinkage a hard one to beat
// (Ferrari Dacrema, Cremonesi, Jannach: Are We Really Making Much Progress?, RecSys 2019).
//
// A row of similarities is made when it is asked for: O(events of the query's users + catalogue) a query, and no n × n matrix.
import { NearkinError } from "@nearkin/core";
import type { Recommender } from "../protocol/recommender.ts";
import { columnOf, type EventData, type EventMatrixOptions, eventMatrix, gramRowInto } from "./events.ts";
import { scoredRecommender } from "./scored.ts";

export interface ItemKnnOptions extends Pick<EventMatrixOptions, "values"> {
  /** Ids of the catalogue's items. */
  ids: readonly string[];
  /** As tables print it. @default "item-kNN" */
  name?: string;
  /** s, at least 0: similarities of items that few users met shrink towards 0. @default 0 */
  shrinkage?: number;
}

/**
 * Candidates j by xᵢᵀxⱼ / (‖xᵢ‖‖xⱼ‖ + s), x the columns of X; with s = 0 their cosine. Queries and candidates are items with training
 * events; a candidate that shares no user with the query has 0.
 */
export function itemKnn(data: EventData, options: ItemKnnOptions): Recommender {
  const { ids, name = "item-kNN", shrinkage = 0, values = "binary" } = options;
  if (!(shrinkage >= 0))
    throw new NearkinError("BAD_ARGUMENT", `${name}: shrinkage must be at least 0, got ${shrinkage}`);
  const X = eventMatrix(data, { values });
  const n = X.items.length;
  const squares = new Float64Array(n); // ‖xᵢ‖²
  for (let i = 0; i < n; i++) {
    for (let entry = X.byItem.starts[i]; entry < X.byItem.starts[i + 1]; entry++)
      squares[i] += X.byItem.values[entry] ** 2;
  }
  const products = new Float64Array(n);
  return scoredRecommender({
    name,
    ids,
    knows: (item) => X.columns[item] >= 0,
    score: (query, out) => {
      const i = columnOf(X, query, name);
      gramRowInto(products, X, i);
      out.fill(-Infinity);
      for (let j = 0; j < n; j++) {
        const length = Math.sqrt(squares[i] * squares[j]) + shrinkage;
        out[X.items[j]] = length === 0 ? 0 : products[j] / length; // ratings of 0 alone point nowhere
      }
    },
  });
}
