// A model in the hands of users: each asks by a metric of their own, fitted to what they met before, or with what they met last in the query, or both.
import { type HistoryOptions, liftedItem, type Model, type ModelHistory, type UserRating } from "@nearkin/core";
import { lastMet } from "@nearkin/data";
import type { PersonalRecommender } from "../evaluate-users.ts";
import type { PersonalTask } from "../protocol/personal.ts";
import type { Recommender } from "../protocol/recommender.ts";
import { metricRecommender } from "./metric.ts";

export interface PersonalOptions {
  name: string;
  /** Whether what users did before carries ratings. */
  rated: boolean;
  /** Whether users have weights of their own. */
  weights: boolean;
  /** Whether what they met last is part of the query. */
  history: boolean;
}

/** A user's metric is fitted once, however many truths they are measured on. */
export function personalRecommender(
  model: Model,
  { name, rated, weights: hasWeights, history: hasHistory }: PersonalOptions,
): PersonalRecommender {
  const fitted = new Map<number, Recommender>();
  return {
    name,
    of: (task) => {
      const known = fitted.get(task.userIndex);
      if (known) return known;
      const { weights, popularity } = hasWeights
        ? model.personalize(ratingsOf(model, task, rated))
        : { weights: model.weights, popularity: 0 };
      const { temperature, history } = model.parts;
      const own = metricRecommender(model.rows, {
        name,
        weights: Object.values(weights),
        popularity,
        temperature,
        ...(hasHistory && history ? { history: historyOf(model, task, history) } : {}),
      });
      fitted.set(task.userIndex, own);
      return own;
    },
  };
}

/** The user's last items. */
function historyOf(model: Model, { support }: PersonalTask, { weight, decay, items }: ModelHistory): HistoryOptions {
  return { weight, decay, items: Array.from(support.slice(-items), (item) => liftedItem(model.rows, item)) };
}

/** What came first, the oldest first. */
function ratingsOf(model: Model, { support, supportRatings }: PersonalTask, rated: boolean): UserRating[] {
  return Array.from(lastMet(support, supportRatings), ([item, rating]) => ({
    item: model.items.at(item).id,
    ...(rated ? { rating } : {}),
  }));
}
