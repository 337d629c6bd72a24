// Random lists: what no knowledge at all scores.
import { Random } from "@nearkin/core";
import type { Recommender } from "../protocol/recommender.ts";
import { scoredRecommender } from "./scored.ts";

/** Every candidate equally likely, drawn anew for each query from (seed, query). */
export function chance(ids: readonly string[], seed: number): Recommender {
  const random = new Random(seed).split("chance");
  return scoredRecommender({
    name: "random",
    ids,
    score: (query, out) => {
      const own = random.split(query);
      for (let i = 0; i < out.length; i++) out[i] = own.uniform();
    },
  });
}
