// The last part of a run: what users have in common, and how they differ, so that a metric can be fitted to a user whom the model has never met.
// Towers and channel weights stay as they are. Users are drawn by the seed, one after the other, so the number of workers decides nothing.

import type { Random } from "@nearkin/core";
import {
  aroundMean,
  coordinatesOf,
  drawPool,
  fitProcessScale,
  gaussianProblem,
  learnPopulation,
  metaLearn,
  type PersonalPrior,
  type PersonalProblem,
  type ProcessScale,
  preferenceProblem,
  type SharedMetric,
  type UserItems,
  userObjective,
} from "@nearkin/core";
import { type Histories, lastMet } from "@nearkin/data";
import type { TrainConfig } from "../config/schema.ts";

export interface PersonalInputs {
  readonly metric: SharedMetric;
  readonly config: TrainConfig["personal"];
  readonly histories: Histories;
  /** (n) Training events by item. */
  readonly events: ArrayLike<number>;
  /** Whether events carry ratings. */
  readonly rated: boolean;
  readonly random: Random;
  /** Called between two pieces of work. */
  readonly pause: () => Promise<void>;
}

/** Of a user's items, what is taken as known; the rest is what adaptation is judged by (method.md §5). */
const SUPPORT = 0.7;
const ROUNDS = 8; // covariances change by a few percent after it
const SCALE_USERS = 50; // v, σ² and γ are three numbers: more users would not change them
const SCALE_ITEMS = 100; // of a user: a prediction uses far more ratings than a fit of the metric

/** undefined where too few users have met enough items. */
export async function learnPersonal(inputs: PersonalInputs): Promise<PersonalPrior | undefined> {
  const { metric, config, events, random, pause } = inputs;
  const users = drawUsers(inputs);
  if (users.length < 2) return undefined;
  const pool =
    config.target === "rating"
      ? { items: new Int32Array(0), shares: new Float64Array(0) }
      : drawPool(events, { others: config.others, popular: config.popular, random: random.split("pool") });
  const { target, fit, items, window, evidence, iterations, rate, unseen, low } = config;
  const settings = { target, fit, items, window, evidence, iterations, rate, unseen, low };
  const scales = scalesOf(inputs, users, { settings, pool });
  if (target === "rating" && !scales.rating) return undefined;
  const known = { settings, pool, process: scales.process };
  const shared = coordinatesOf(metric, target);
  const start = config.mean === "meta" ? await learnMean(inputs, users, shared, known) : shared;

  using scope = metric.engine.scope();
  const objectives = users.map((user) => userObjective(metric, scope, user, known));
  const learning = learnPopulation(objectives, {
    mean: start,
    learnMean: config.mean === "population",
    rounds: fit === "descent" ? 1 : ROUNDS, // a descent has no prior: how users differ is only told
  });
  let round = learning.next();
  for (; !round.done; round = learning.next()) await pause();
  return { ...known, ...round.value, users: users.length, rating: scales.rating };
}

/** Users with enough items, in an order drawn by chance, each item once. */
function drawUsers({ config, histories, rated, random }: PersonalInputs): UserItems[] {
  const { starts } = histories;
  const fit = Array.from({ length: starts.length - 1 }, (_, u) => u).filter(
    (u) => starts[u + 1] - starts[u] >= config.minItems,
  );
  return random
    .split("users")
    .shuffle(fit)
    .slice(0, config.users)
    .map((u) => itemsOf(histories, u, rated))
    .filter(({ items, ratings }) => items.length >= config.minItems && (config.target !== "rating" || varies(ratings)));
}

function itemsOf({ starts, items, ratings }: Histories, user: number, rated: boolean): UserItems {
  const [from, to] = [starts[user], starts[user + 1]];
  const met = lastMet(items.subarray(from, to), ratings.subarray(from, to));
  return {
    items: Int32Array.from(met.keys()),
    ratings: Float64Array.from(met.values(), (rating) => (rated ? rating : Number.NaN)),
  };
}

const varies = (ratings: Float64Array): boolean => ratings.some((rating) => rating !== ratings[0]);

/** v and σ² of users' ratings, and of the target where that is a process of something else. */
function scalesOf(
  { metric, rated }: PersonalInputs,
  users: readonly UserItems[],
  known: Pick<PersonalPrior, "settings" | "pool">,
): { rating: ProcessScale | null; process: ProcessScale | null } {
  const { target, items: fitted } = known.settings;
  const lastOf = (most: number) =>
    users.slice(0, SCALE_USERS).map(({ items, ratings }) => ({
      items: items.slice(-most),
      ratings: ratings.slice(-most),
    }));
  const scale = (problems: readonly PersonalProblem[]) => {
    return fitProcessScale(metric.engine, problems, metric);
  };
  const unit = { rate: 1, noise: 1 };
  const ofRatings = lastOf(target === "rating" ? fitted : SCALE_ITEMS).filter(({ ratings }) => varies(ratings));
  const rating =
    rated && ofRatings.length > 0
      ? scale(ofRatings.map(({ items, ratings }) => gaussianProblem(metric, items, aroundMean(ratings), unit)))
      : null;
  if (target === "choice") return { rating, process: null };
  if (target === "rating") return { rating, process: rating };
  return { rating, process: scale(lastOf(fitted).map((user) => preferenceProblem(metric, user, known, unit))) };
}

/** Weights learned through users' adaptation: the earliest items adapt, the later ones judge. */
async function learnMean(
  { metric, config, random, pause }: PersonalInputs,
  users: readonly UserItems[],
  start: Float64Array,
  known: Pick<PersonalPrior, "settings" | "pool" | "process">,
): Promise<Float64Array> {
  const halves = users.map(({ items, ratings }) => {
    const cut = Math.floor(SUPPORT * items.length);
    return [
      { items: items.slice(0, cut), ratings: ratings.slice(0, cut) },
      { items: items.slice(cut), ratings: ratings.slice(cut) },
    ] as const;
  });
  const learning = metaLearn(
    (step) => {
      const draw = random.split("meta", step);
      const scope = metric.engine.scope();
      const objectiveOf = (user: UserItems) => userObjective(metric, scope, user, known).objective;
      const batch = Array.from({ length: Math.min(config.batch, halves.length) }, () => {
        const [support, query] = halves[draw.below(halves.length)];
        return { support: objectiveOf(support), query: objectiveOf(query) };
      });
      return { users: batch, [Symbol.dispose]: () => scope.close() };
    },
    start,
    {
      adaptation: { steps: config.adaptation, rate: config.rate },
      steps: config.steps,
      learningRate: config.learningRate,
    },
  );
  let step = learning.next();
  for (; !step.done; step = learning.next()) await pause();
  return step.value;
}
