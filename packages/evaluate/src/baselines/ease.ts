// EASE: each item predicted linearly from all others, in closed form (Steck: Embarrassingly Shallow Autoencoders for Sparse Data, WWW 2019).
//
//   G = XᵀX + λI,  P = G⁻¹,  B_ij = −P_ij / P_jj,  B_ii = 0
//
// Cost: O(Σ_u n_u²) for G, then n³ multiplications and additions for P. Memory: two (n, n) matrices in the engine while it is fitted, and B
// as f32 afterwards: 1 GB and 256 MB for 8,000 items.
// Precision: f64, since two matrices of 8,000 still fit into the 4 GiB of one engine. The condition number of G is the largest eigenvalue of
// XᵀX over λ, plus 1: 250 for 6,140 films and 2,686 users, where f32 would do, and more with every user. B is only sorted: f32.
// n items of the subset
import { type Engine, NearkinError } from "@nearkin/core";
import {
  columnOf,
  type EventData,
  type EventMatrix,
  type FrequentItemsOptions,
  type FrequentItemsRecommender,
  frequentItemsMatrix,
  gramRowInto,
} from "./events.ts";
import { scoredRecommender } from "./scored.ts";

export interface EaseOptions extends FrequentItemsOptions {
  /** Ids of the catalogue's items. */
  ids: readonly string[];
  /** As tables print it. @default "EASE" */
  name?: string;
  /**
   * λ, above 0, in users: the more data, the larger. RecBole searches 1 to 1,000 and takes 250 if not told.
   * @default 250
   */
  lambda?: number;
}

/** Candidates j by B_ij, what having met the query i adds to the prediction of j. Queries and candidates are the items of the subset. */
export function ease(engine: Engine, data: EventData, options: EaseOptions): FrequentItemsRecommender {
  const { ids, name = "EASE", lambda = 250, ...subset } = options;
  if (!(lambda > 0)) throw new NearkinError("BAD_ARGUMENT", `${name}: lambda must be above 0, got ${lambda}`);
  const X = frequentItemsMatrix(data, subset);
  const { items, columns } = X;
  const n = items.length;
  const B = easeWeights(engine, X, lambda); // (n, n)
  const recommender = scoredRecommender({
    name,
    ids,
    knows: (item) => columns[item] >= 0,
    score: (query, out) => {
      const row = columnOf({ items, columns }, query, name) * n;
      out.fill(-Infinity);
      for (let j = 0; j < n; j++) out[items[j]] = B[row + j];
    },
  });
  return { ...recommender, answers: "warm", items };
}

/** B (n, n), row-major. */
function easeWeights(engine: Engine, X: EventMatrix, lambda: number): Float32Array {
  const n = X.items.length;
  using scope = engine.scope();
  const G = scope.matrix(n, n);
  const P = scope.matrix(n, n);
  const row = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    gramRowInto(row, X, i);
    row[i] += lambda;
    G.data.set(row, G.offset + i * n); // G = XᵀX + λI
  }
  engine.cholesky(G, { name: "EASE: XᵀX + λI" });
  engine.inverseFromCholesky(P, G); // P = G⁻¹
  const { data, offset } = P;
  const B = new Float32Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i !== j) B[i * n + j] = -data[offset + i * n + j] / data[offset + j * n + j]; // B_ij = −P_ij / P_jj
    }
  }
  return B;
}
