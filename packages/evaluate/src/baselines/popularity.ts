// The same list for everyone: what is met most often, ever or lately.
import { NearkinError } from "@nearkin/core";
import type { Histories } from "@nearkin/data";
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

const DAY = 86_400; // s

export interface RecentPopularityOptions {
  ids: readonly string[];
  /** As tables print it. @default "recent popularity" */
  name?: string;
  /** Days after which an event counts half, above 0. */
  halfLife: number;
}

/** Candidates by events that fade: Σ 2^(−age/half-life), age before the last training event. */
export function recentPopularity(
  { items, times }: Pick<Histories, "items" | "times">,
  { ids, name = "recent popularity", halfLife }: RecentPopularityOptions,
): Recommender {
  if (!(halfLife > 0)) throw new NearkinError("BAD_ARGUMENT", `${name}: halfLife must be above 0, got ${halfLife}`);
  const now = times.reduce((latest, time) => Math.max(latest, time), Number.NEGATIVE_INFINITY);
  const counts = new Float64Array(ids.length);
  items.forEach((item, e) => {
    counts[item] += 2 ** ((times[e] - now) / (halfLife * DAY));
  });
  return scoredRecommender({ name, ids, score: (_, out) => out.set(counts) });
}
