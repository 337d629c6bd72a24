// One user's own metric, fitted: from the prior over users to the best point for what this user met and rated.
// p channels, P parameters
import { whereCovariance } from "./covariance.ts";
import { descend } from "./descent.ts";
import { fitWeights } from "./fit.ts";
import { PosteriorObjective } from "./prior.ts";
import type { PersonalPrior } from "./settings.ts";
import { smallInverse } from "./small.ts";
import { metricAt, nothingToLearn, type SharedMetric, type UserItems, userObjective } from "./user.ts";

/** A metric of one user, and how it was found. */
export interface UserMetric {
  /** (p) h */
  readonly weights: Float64Array;
  /** β */
  readonly popularity: number;
  /** b */
  readonly offset: number;
  /** n_u: items given, and those that counted. */
  readonly items: number;
  readonly used: number;
  readonly iterations: number;
  /** What was made small, an item's share of it, at the start and at the end; null where nothing was fitted. */
  readonly before: number | null;
  readonly after: number | null;
  /** Why the shared metric was kept. */
  readonly kept: string | null;
}

/** The metric of one user. Never worse than the prior's mean on its own objective; exactly the shared metric where there is nothing to learn. */
export function personalise(metric: SharedMetric, prior: PersonalPrior, user: UserItems): UserMetric {
  const { settings } = prior;
  const kept = nothingToLearn(user, settings.target);
  if (kept !== undefined) return sharedMetric(metric, user, kept);
  using scope = metric.engine.scope();
  const { objective, evidence, used } = userObjective(metric, scope, user, prior);
  const fit = whereCovariance(() =>
    settings.fit === "descent"
      ? descend(objective, prior.mean, { steps: settings.iterations, rate: settings.rate })
      : fitWeights(
          new PosteriorObjective(
            objective,
            { mean: prior.mean, precision: smallInverse(prior.covariance, prior.mean.length) },
            evidence,
          ),
          prior.mean,
          { iterations: settings.iterations },
        ),
  );
  if (!fit) return sharedMetric(metric, user, "the start gives no covariance");
  return {
    ...metricAt(metric, settings.target, fit.w),
    items: user.items.length,
    used,
    iterations: fit.iterations,
    before: fit.start,
    after: fit.value,
    kept: null,
  };
}

function sharedMetric({ weights, offset }: SharedMetric, user: UserItems, kept: string): UserMetric {
  const none = { iterations: 0, used: 0, before: null, after: null };
  return { weights: weights.slice(), popularity: 0, offset, items: user.items.length, kept, ...none };
}
