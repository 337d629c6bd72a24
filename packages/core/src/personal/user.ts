// From a user's ratings to what is to be made small: the objective of each target, in the coordinates that are fitted.
// n items of the user, p channels, P parameters
import type { Scope } from "../linalg/arena.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import { inverseSoftplus, softplus } from "../metric/exponential.ts";
import { type LiftedRows, liftedItem } from "../rank/rows.ts";
import { channelPairs } from "./channel-pairs.ts";
import { ChoiceLikelihood } from "./choice.ts";
import { choiceProblem, withoutMet } from "./choices.ts";
import { type Objective, PersonalLikelihood } from "./likelihood.ts";
import type { PersonalProblem } from "./problem.ts";
import type { PersonalPrior, PersonalTarget, ProcessScale } from "./settings.ts";
import { SoftplusObjective } from "./softplus.ts";

/** The metric that all users share, and the catalogue under it. */
export interface SharedMetric {
  readonly engine: Engine;
  readonly rows: LiftedRows;
  /** (p) h */
  readonly weights: Float64Array;
  /** b */
  readonly offset: number;
  readonly link: Link;
  readonly parameters: "signed" | "softplus";
  /** T */
  readonly temperature: number;
}

/** A user's items, each once, the oldest first. */
export interface UserItems {
  /** (n) Rows of the catalogue. */
  readonly items: Int32Array;
  /** (n) NaN where an item was met but not rated. */
  readonly ratings: Float64Array;
}

/** What a user's metric is fitted to. */
export interface UserObjective {
  readonly objective: Objective;
  /** n_u: `objective` is one item's share, and counts so many times against the prior. */
  readonly evidence: number;
  /** Items that count. */
  readonly used: number;
}

const LEAST_WEIGHT = 1e-12; // softplus(θ) = 0 has no θ

/** The shared metric in the coordinates of a fit (P). */
export const coordinatesOf = (metric: SharedMetric, target: PersonalTarget): Float64Array =>
  coordinatesAt(metric, target, { weights: metric.weights, popularity: 0, offset: metric.offset });

/** A metric in the coordinates of a fit (P); the inverse of `metricAt`. */
export function coordinatesAt(
  { parameters, link }: SharedMetric,
  target: PersonalTarget,
  { weights, popularity, offset }: { weights: Float64Array; popularity: number; offset: number },
): Float64Array {
  const own = Array.from(weights, (h) => (parameters === "softplus" ? inverseSoftplus(Math.max(h, LEAST_WEIGHT)) : h));
  if (target === "choice") return Float64Array.from([...own, popularity]);
  return Float64Array.from(link === "sigmoid" ? [...own, offset] : own);
}

/** h (p), β and b of a point. */
export function metricAt(
  metric: SharedMetric,
  target: PersonalTarget,
  point: Float64Array,
): { weights: Float64Array; popularity: number; offset: number } {
  const p = metric.weights.length;
  const weights = point.slice(0, p);
  const further = point.length > p ? point[p] : 0;
  return {
    weights: metric.parameters === "softplus" ? weights.map(softplus) : weights,
    popularity: target === "choice" ? further : 0,
    offset: target === "choice" || point.length === p ? metric.offset : further,
  };
}

/**
 * Why a user keeps the shared metric, undefined where there is something to learn: from nothing, from a single item, and from ratings that are
 * all the same nothing follows about what sets items apart.
 */
export function nothingToLearn({ ratings }: UserItems, target: PersonalTarget): string | undefined {
  const given = ratings.filter((rating) => !Number.isNaN(rating));
  if (ratings.length === 0) return "no ratings";
  if (target === "rating" && given.length < 2) return "fewer than two ratings";
  if (ratings.length < 2) return "a single item";
  const counted = target === "rating" ? given : ratings; // an item without a rating sets the others apart, unless it does not count
  return counted.every((rating) => rating === given[0]) ? "all ratings are the same" : undefined;
}

/** ℓ_u of the model's target, the last items first of all. Matrices live in `scope`. */
export function userObjective(
  metric: SharedMetric,
  scope: Scope,
  user: UserItems,
  prior: Pick<PersonalPrior, "settings" | "pool" | "process">,
): UserObjective {
  const { engine, rows, temperature, link, weights } = metric;
  const { settings, pool, process } = prior;
  const { items, ratings } = lastOf(user, settings.items, settings.target);
  const used = items.length;
  const wrap = (objective: Objective) =>
    metric.parameters === "softplus" ? new SoftplusObjective(objective, weights.length) : objective;
  if (settings.target === "choice") {
    const problem = choiceProblem(engine, {
      rows,
      items,
      met: user.items,
      pool,
      temperature,
      window: settings.window,
    });
    const objective = new ChoiceLikelihood(engine, scope, problem);
    return { objective: wrap(objective), evidence: settings.evidence * used, used };
  }
  if (!process) throw new Error("a Gaussian process needs its scale");
  const problem =
    settings.target === "rating"
      ? gaussianProblem(metric, items, aroundMean(ratings), process)
      : preferenceProblem(metric, { items, ratings, met: user.items }, prior, process);
  const likelihood = new PersonalLikelihood(engine, scope, problem, { link, variance: process.variance });
  return { objective: wrap(likelihood), evidence: settings.evidence * problem.n, used };
}

/** The last `most` items; those without a rating do not count for the target `rating`. */
function lastOf({ items, ratings }: UserItems, most: number, target: PersonalTarget): UserItems {
  const kept = Array.from(items.keys())
    .filter((i) => target !== "rating" || !Number.isNaN(ratings[i]))
    .slice(-most);
  return { items: Int32Array.from(kept, (i) => items[i]), ratings: Float64Array.from(kept, (i) => ratings[i]) };
}

/** A user's items with targets of their own. */
export function gaussianProblem(
  { engine, rows }: SharedMetric,
  items: Int32Array,
  targets: Float64Array,
  { rate, noise }: Pick<ProcessScale, "rate" | "noise">,
): PersonalProblem {
  const lifted = Array.from(items, (item) => liftedItem(rows, item));
  const distances = channelPairs(engine, rows, lifted);
  for (let k = 0; k < distances.length; k++) distances[k] *= rate;
  const n = items.length;
  return { n, p: rows.layout.channelCount, distances, targets, noise: new Float64Array(n).fill(noise) };
}

/** Liked items +1, those below the user's mean `low`, items that they did not meet −½. `met`: all that they did. */
export function preferenceProblem(
  metric: SharedMetric,
  { items, ratings, met = items }: UserItems & { met?: Int32Array },
  { settings, pool }: Pick<PersonalPrior, "settings" | "pool">,
  scale: Pick<ProcessScale, "rate" | "noise">,
): PersonalProblem {
  const unmet = withoutMet(pool, [met, items]).items.slice(0, settings.unseen * items.length);
  const given = ratings.filter((rating) => !Number.isNaN(rating));
  const mean = given.reduce((sum, rating) => sum + rating / given.length, 0);
  const targets = Float64Array.from([
    ...Array.from(ratings, (rating) => (rating < mean ? settings.low : 1)), // not rated: NaN is not below
    ...Array.from(unmet, () => -0.5),
  ]);
  return gaussianProblem(metric, Int32Array.from([...items, ...unmet]), targets, scale);
}

/** Ratings around their own mean. */
export function aroundMean(ratings: Float64Array): Float64Array {
  const mean = ratings.reduce((sum, rating) => sum + rating / ratings.length, 0);
  return ratings.map((rating) => rating - mean);
}
