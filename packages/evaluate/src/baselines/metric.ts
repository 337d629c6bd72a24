// A trained model as a recommender: its lifted rows, scanned exactly.
import { type HistoryOptions, type LiftedRows, type Model, neighboursOfAll } from "@nearkin/core";
import { emptyLists } from "../protocol/lists.ts";
import type { Recommender } from "../protocol/recommender.ts";

export interface MetricRecommenderOptions {
  name: string;
  /** (p) h by channel. */
  weights: ArrayLike<number>;
  /** T: the unit in which distances and log q are weighed against each other. */
  temperature: number;
  /** β. @default 0 */
  popularity?: number;
  /** What a user met lately. @default nothing */
  history?: HistoryOptions | undefined;
}

/** Lists by −t/T + β·log q (method §6). */
export function metricRecommender(rows: LiftedRows, { name, ...options }: MetricRecommenderOptions): Recommender {
  return {
    name,
    answers: "all",
    knows: () => true,
    rank: (queries, k) => {
      const lists = emptyLists(queries.length, k);
      for (const block of neighboursOfAll(rows, { ...options, k, items: queries })) {
        for (let i = 0; i < block.count; i++) {
          const row = (block.first + i) * k;
          lists.items.set(block.items.subarray(i * block.k, (i + 1) * block.k), row);
          lists.scores.set(block.scores.subarray(i * block.k, (i + 1) * block.k), row);
        }
      }
      return lists;
    },
  };
}

/** The metric that a model learned, at its own temperature. */
export function modelRecommender(
  model: Model,
  { name = model.name, popularity = 0 }: { name?: string; popularity?: number } = {},
): Recommender {
  const weights = Object.values(model.weights);
  return metricRecommender(model.rows, { name, weights, popularity, temperature: model.parts.temperature });
}
