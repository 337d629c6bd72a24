// The same list for everyone: what is met most often.
import type { Recommender } from "../protocol/recommender.ts";
import { scoredRecommender } from "./scored.ts";

/** Candidates by training events (n). */
export function popularity(ids: readonly string[], events: ArrayLike<number>): Recommender {
  return scoredRecommender({
    name: "popularity",
    ids,
    score: (_, out) => out.set(events),
  });
}
