// How sure a user's metric is: a Gaussian around their point (Laplace), of the precision
//
//   J = C⁻¹ + n_u·F_u
//
// in the coordinates that are fitted. Weights are h = softplus(θ), or θ itself: the covariance of (h, β) or (h, b) is SJ⁻¹S with S = diag(∂h/∂θ).
// p channels, P parameters
import { logistic } from "../metric/exponential.ts";
import { personalise } from "./personalise.ts";
import type { PersonalPrior } from "./settings.ts";
import { smallInverse } from "./small.ts";
import { coordinatesAt, metricAt, nothingToLearn, type SharedMetric, type UserItems, userObjective } from "./user.ts";

/** What is known of a user's metric. */
export interface MetricPosterior {
  /** (p) h in the middle. */
  readonly weights: Float64Array;
  /** β */
  readonly popularity: number;
  /** b */
  readonly offset: number;
  /** (P, P) of h, then β or b, as the target has it. */
  readonly covariance: Float64Array;
}

const NOBODY: UserItems = { items: new Int32Array(0), ratings: new Float64Array(0) };

/** The user's metric with its covariance. Of one who gives nothing to learn from it is that of people: the prior. */
export function metricPosterior(metric: SharedMetric, prior: PersonalPrior, user: UserItems): MetricPosterior {
  const { target } = prior.settings;
  const fitted = personalise(metric, prior, user);
  const isPeople = fitted.kept !== null;
  const known = isPeople ? NOBODY : user;
  const { weights, popularity, offset } = isPeople ? metricAt(metric, target, prior.mean) : fitted;
  const point = isPeople ? prior.mean : coordinatesAt(metric, target, fitted);
  const P = point.length;
  const p = metric.weights.length;
  const slopes = point.map((theta, i) => (i < p && metric.parameters === "softplus" ? logistic(theta) : 1));
  const covariance = smallInverse(posteriorPrecision(metric, prior, known, { point }), P);
  for (let k = 0; k < P * P; k++) covariance[k] *= slopes[Math.floor(k / P)] * slopes[k % P];
  return { weights, popularity, offset, covariance };
}

/** J (P, P) at a point. `more` items than usual may count, so that a new one does not push out an old one. */
export function posteriorPrecision(
  metric: SharedMetric,
  prior: PersonalPrior,
  user: UserItems,
  { point, more = 0 }: { point: Float64Array; more?: number },
): Float64Array {
  const { target } = prior.settings;
  const P = point.length;
  const J = smallInverse(prior.covariance, P);
  if (nothingToLearn({ ...user, ratings: user.ratings.map(unlike) }, target) !== undefined) return J;
  using scope = metric.engine.scope();
  const settings = { ...prior.settings, items: prior.settings.items + more };
  const { objective, evidence } = userObjective(metric, scope, user, { ...prior, settings });
  const fisher = new Float64Array(P * P);
  objective.evaluate(point, { fisher });
  for (let k = 0; k < J.length; k++) J[k] += evidence * fisher[k];
  return J;
}

/** Ratings that are all the same teach nothing of w, but an item more still would: here they count as different. */
const unlike = (rating: number, place: number): number => (Number.isNaN(rating) ? rating : place);
