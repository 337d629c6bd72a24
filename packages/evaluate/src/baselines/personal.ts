// A model in the hands of users: each asks by a metric of their own, fitted to what they met before.
import type { Model, UserRating } from "@nearkin/core";
import { lastMet } from "@nearkin/data";
import type { PersonalRecommender } from "../evaluate-users.ts";
import type { PersonalTask } from "../protocol/personal.ts";
import type { Recommender } from "../protocol/recommender.ts";
import { metricRecommender } from "./metric.ts";

/** `rated`: whether what users did before carries ratings. A user's metric is fitted once, however many truths they are measured on. */
export function personalRecommender(
  model: Model,
  { name, rated }: { name: string; rated: boolean },
): PersonalRecommender {
  const fitted = new Map<number, Recommender>();
  return {
    name,
    of: (task) => {
      const known = fitted.get(task.userIndex);
      if (known) return known;
      const { weights, popularity } = model.personalize(ratingsOf(model, task, rated));
      const { temperature } = model.parts;
      const own = metricRecommender(model.rows, { name, weights: Object.values(weights), popularity, temperature });
      fitted.set(task.userIndex, own);
      return own;
    },
  };
}

/** What came first, the oldest first. */
function ratingsOf(model: Model, { support, supportRatings }: PersonalTask, rated: boolean): UserRating[] {
  return Array.from(lastMet(support, supportRatings), ([item, rating]) => ({
    item: model.items.at(item).id,
    ...(rated ? { rating } : {}),
  }));
}
