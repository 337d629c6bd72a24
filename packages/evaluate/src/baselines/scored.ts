// A recommender out of a function that scores the whole catalogue for a query.
import { tieHashes } from "@nearkin/core";
import { emptyLists, selectInto } from "../protocol/lists.ts";
import type { Recommender } from "../protocol/recommender.ts";

export interface ScoredOptions {
  name: string;
  /** (n) Ids of the items: equal scores are ordered by their hash. */
  ids: readonly string[];
  /** Items that can be queries. @default all */
  knows?: (item: number) => boolean;
  /** Writes the scores (n) of all candidates of a query; −∞ for what is none. The array is used again. */
  score: (query: number, out: Float64Array) => void;
}

/** O(n) a query and what `score` costs. */
export function scoredRecommender({ name, ids, knows, score }: ScoredOptions): Recommender {
  const hashes = tieHashes(ids);
  return {
    name,
    answers: knows ? "warm" : "all",
    knows: knows ?? (() => true),
    rank: (queries, k) => {
      const lists = emptyLists(queries.length, k);
      const scores = new Float64Array(ids.length);
      queries.forEach((query, row) => {
        score(query, scores);
        selectInto(lists, scores, { row, query, hashes });
      });
      return lists;
    },
  };
}
