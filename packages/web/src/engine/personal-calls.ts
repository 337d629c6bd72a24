// What the worker learns of the one who sits before the page. Ratings come in, and go nowhere else.
import type { ItemId, Model, PersonalMetric, PersonalPosterior, PersonalTarget } from "@nearkin/core";
import type { ExplainedItem } from "./similarity.ts";

/** A rating as the model takes it; the oldest first, each item once. */
export interface GivenRating {
  readonly item: string;
  readonly rating: number;
}

/** What was learned from ratings. */
export interface Learned {
  readonly metric: PersonalMetric;
  /** h by channel of the metric that all share. */
  readonly base: Readonly<Record<string, number>>;
  /** How sure the metric is. */
  readonly own: PersonalPosterior;
  /** How people differ. */
  readonly people: PersonalPosterior;
  readonly target: PersonalTarget;
  /** Ratings that count at most: the last ones. */
  readonly most: number;
  /** Whether it can say what a rating would be. */
  readonly predicts: boolean;
  /** Items that the catalogue does not have, or no longer. */
  readonly unknown: readonly string[];
}

/** What the weights would be without one rating. */
export interface Influence {
  readonly item: string;
  /** h by channel. */
  readonly without: Readonly<Record<string, number>>;
}

/** An item that the user may like. */
export interface SuggestedItem {
  readonly id: string;
  readonly title: string | null;
  /** What they may rate it, and the deviation of such a rating. */
  readonly mean: number;
  readonly deviation: number;
  /** The ratings that move the mean most, the strongest first. */
  readonly reasons: readonly {
    readonly item: string;
    readonly title: string | null;
    readonly rating: number;
    readonly contribution: number;
  }[];
}

/** An item similar to one that was rated, by the user's own metric. */
export interface OwnNeighbour extends ExplainedItem {
  /** Its rank by the metric that all share, among the same items. */
  readonly sharedRank: number | undefined;
}

const CANDIDATES = 300; // items that are weighed for a list: the nearest to what was liked
const LIKED = 50; // items that the candidates are near to: the last ones
const QUESTIONS = 60; // as core weighs, of those with most ratings
const REASONS = 4;

export const personalCalls = {
  /** The user's metric, and how sure it is. */
  learn(model: Model, given: readonly GivenRating[]): Learned {
    const { known, unknown } = split(model, given);
    const { settings, rating } = priorOf(model);
    return {
      metric: model.personalize(known),
      base: model.weights,
      own: model.posterior(known),
      people: model.posterior([]),
      target: settings.target,
      most: settings.items,
      predicts: rating !== null,
      unknown,
    };
  },

  /** What each rating that counts did to the weights. */
  influences(model: Model, given: readonly GivenRating[]): readonly Influence[] {
    const { known } = split(model, given);
    return known.slice(-priorOf(model).settings.items).map(({ item }) => ({
      item,
      without: model.personalize(known.filter((one) => one.item !== item)).weights,
    }));
  },

  /** What the user may like best, with the ratings that say so. */
  async suggestions(model: Model, given: readonly GivenRating[], k: number): Promise<readonly SuggestedItem[]> {
    const { known } = split(model, given);
    const metric = model.personalize(known);
    const mean = known.reduce((sum, { rating }) => sum + rating / known.length, 0);
    const liked = known
      .filter(({ rating }) => rating >= mean)
      .map(({ item }) => item)
      .slice(-LIKED);
    const { weights, popularity } = metric;
    const near = await model.similar(liked, {
      weights,
      popularity,
      k: CANDIDATES,
      exclude: known.map(({ item }) => item),
    });
    const ids = near.items.map(({ id }) => id);
    return model
      .predictAllFor(known, ids, metric)
      .map((predicted, i) => ({ ...near.items[i], ...predicted }))
      .sort((a, b) => b.mean - a.mean) // of equals, the nearer one
      .slice(0, k)
      .map(({ id, title, mean: own, observationDeviation, evidence }) => ({
        id,
        title,
        mean: own,
        deviation: observationDeviation,
        reasons: evidence
          .map(({ id: item, title: name, rating, contribution }) => ({ item, title: name, rating, contribution }))
          .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
          .slice(0, REASONS),
      }));
  },

  /** What is similar to an item by the user's own metric, none of it rated yet, with where it stands for everybody. */
  async ownSimilar(
    model: Model,
    given: readonly GivenRating[],
    item: string,
    k: number,
  ): Promise<readonly OwnNeighbour[]> {
    const { known } = split(model, given);
    const { weights, popularity } = model.personalize(known);
    const exclude = known.map((one) => one.item).filter((id) => id !== item);
    const own = await model.similar(item, { weights, popularity, k, exclude, explain: true });
    const shared = await model.similar(item, { k: CANDIDATES, exclude });
    const ranks = new Map(shared.items.map(({ id, rank }) => [id, rank]));
    return own.items.map(({ contributions = [], ...rest }) => ({
      ...rest,
      contributions,
      sharedRank: ranks.get(rest.id),
    }));
  },

  /** What to ask next, the most telling first: of items that most have rated, neither rated nor passed over here. */
  questions(
    model: Model,
    given: readonly GivenRating[],
    { skipped, k }: { skipped: readonly string[]; k: number },
  ): readonly string[] {
    const { known } = split(model, given);
    const done = new Set([...skipped, ...known.map(({ item }) => item)]);
    const { items } = model;
    const candidates = Array.from({ length: items.size }, (_, row) => row)
      .filter((row) => !done.has(items.idOf(row)))
      .sort((a, b) => items.ratingsOf(b) - items.ratingsOf(a) || a - b)
      .slice(0, QUESTIONS)
      .map((row) => items.idOf(row));
    if (candidates.length === 0) return [];
    return model.nextQuestions(known, { k, candidates }).map(({ id }) => id);
  },
};

/** Ratings of items that the model knows, and the ids of the others. */
function split(
  { items }: Model,
  given: readonly GivenRating[],
): { known: readonly GivenRating[]; unknown: readonly string[] } {
  const isKnown = ({ item }: GivenRating) => items.ids.index(item as ItemId) !== undefined;
  return {
    known: given.filter(isKnown),
    unknown: given.filter((one) => !isKnown(one)).map(({ item }) => item),
  };
}

function priorOf({ parts, name }: Model) {
  if (!parts.personal) throw new Error(`the model ${name} knows nothing of how users differ`);
  return parts.personal;
}
