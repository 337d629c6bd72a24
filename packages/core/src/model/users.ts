// What a model answers about one user: their metric, what they may rate an item, and what to ask them next. Ids outside, rows inside. Nothing
// here holds a model: rows may be more than a model's, lie in memory that another thread owns, and be asked about on an engine of one's own.
import { NearkinError } from "../errors.ts";
import { personalise, type UserMetric } from "../personal/personalise.ts";
import { type MetricPosterior, metricPosterior } from "../personal/posterior.ts";
import { PersonalProcess } from "../personal/process.ts";
import { nextQuestions } from "../personal/question.ts";
import type { PersonalPrior } from "../personal/settings.ts";
import type { SharedMetric } from "../personal/user.ts";
import { type LiftedItem, liftedItem } from "../rank/rows.ts";
import { type PersonalPrediction, type SuggestedQuestion, shown } from "./answers.ts";
import type { ItemDirectory } from "./items.ts";
import { type UserRating, userItems } from "./user-ratings.ts";

/** Items that are weighed as the next question, where a caller names none. */
const QUESTIONS = 60;
/** A user's last ratings that a prediction is made of: its cost grows with their cube, and tastes move on. */
const PROCESS_RATINGS = 1000;

/** As much of a model as its users need. */
export interface UsersOf {
  readonly name: string;
  readonly items: ItemDirectory;
  readonly shared: SharedMetric;
  readonly prior: PersonalPrior | undefined;
}

/** The user's own metric; exactly the shared one where nothing can be learned. */
export function metricOf(model: UsersOf, ratings: readonly UserRating[]): UserMetric {
  return personalise(model.shared, priorOf(model), userItems(model.items, ratings));
}

/** How sure the user's metric is. */
export function posteriorOf(model: UsersOf, ratings: readonly UserRating[]): MetricPosterior {
  return metricPosterior(model.shared, priorOf(model), userItems(model.items, ratings));
}

/** What the user may rate an item, and because of which ratings. `metric`: the user's own h (p) and b. */
export function predictionFor(
  model: UsersOf,
  ratings: readonly UserRating[],
  item: LiftedItem,
  metric: { weights: ArrayLike<number>; offset: number },
): Omit<PersonalPrediction, "missing"> {
  const [prediction] = predictionsFor(model, ratings, [item], metric);
  return prediction;
}

/** The same of many items: the process is factored once. */
export function predictionsFor(
  model: UsersOf,
  ratings: readonly UserRating[],
  items: readonly LiftedItem[],
  metric: { weights: ArrayLike<number>; offset: number },
): Omit<PersonalPrediction, "missing">[] {
  const { engine, rows, link } = model.shared;
  const prior = priorOf(model);
  const user = userItems(model.items, ratings);
  const rated = Array.from(user.items.keys())
    .filter((i) => !Number.isNaN(user.ratings[i]))
    .slice(-PROCESS_RATINGS);
  if (!prior.rating || rated.length === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      prior.rating
        ? "predictFor: none of the items has a rating"
        : `the model ${model.name} was trained on data without ratings; it cannot predict one`,
    );
  }
  const { rate, variance, noise } = prior.rating;
  const process = new PersonalProcess(engine, {
    rows,
    items: rated.map((i) => liftedItem(rows, user.items[i])),
    ratings: rated.map((i) => user.ratings[i]),
    weights: Float64Array.from(metric.weights, (h) => rate * h),
    offset: metric.offset,
    kernel: { link, variance },
    noise,
  });
  return items.map((item) => {
    const { evidence, ...prediction } = process.predict(item);
    return {
      ...prediction,
      centre: process.centre,
      evidence: evidence.map(({ rated: place, ...reason }) => {
        const row = user.items[rated[place]];
        return { id: model.items.idOf(row), title: model.items.titleOf(row), ...reason };
      }),
    };
  });
}

/** What to ask the user next, the most telling first: of the items with most ratings, or among `candidates`. */
export function questionsFor(
  model: UsersOf,
  ratings: readonly UserRating[],
  { k = 5, candidates }: { k?: number; candidates?: Iterable<string> } = {},
): SuggestedQuestion[] {
  const { items, shared } = model;
  const prior = priorOf(model);
  if (!Number.isInteger(k) || k < 1) {
    throw new NearkinError("BAD_ARGUMENT", `nextQuestions: k takes a whole number from 1, got ${shown(k)}`);
  }
  if (typeof candidates === "string") {
    throw new NearkinError("BAD_ARGUMENT", "nextQuestions: candidates takes a list of ids, got a text");
  }
  const user = userItems(items, ratings);
  const own = personalise(shared, prior, user);
  const asked = candidates
    ? Int32Array.from(new Set(candidates), (id) => items.indexOf(id))
    : wellKnown(items, new Set(user.items));
  return nextQuestions(shared, prior, { user, own, candidates: asked })
    .slice(0, k)
    .map(({ item, gain, chance }) => ({ id: items.idOf(item), title: items.titleOf(item), gain, chance }));
}

/** Items with most ratings, the user's own left out; of equals, the first rows. O(n) but for the few that enter. */
function wellKnown(items: ItemDirectory, met: ReadonlySet<number>): Int32Array {
  const best: { row: number; ratings: number }[] = [];
  let least = -1; // ratings that do not enter
  for (let row = 0; row < items.size; row++) {
    const ratings = items.ratingsOf(row);
    if (ratings <= least || met.has(row)) continue;
    const at = best.findIndex((other) => other.ratings < ratings);
    best.splice(at < 0 ? best.length : at, 0, { row, ratings });
    if (best.length > QUESTIONS) best.pop();
    if (best.length === QUESTIONS) least = best[QUESTIONS - 1].ratings;
  }
  return Int32Array.from(best, ({ row }) => row);
}

function priorOf({ name, prior }: UsersOf): PersonalPrior {
  if (prior) return prior;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `the model ${name} knows nothing of how users differ; train it again, on data with users (train.personal)`,
  );
}
