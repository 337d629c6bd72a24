// One model in the hands of held-out users, refitted step by step: from the weights that all share (the paper's ad-hoc start) and from those that
// were learned through users' adaptation, with few of a user's ratings and with all.
import {
  coordinatesOf,
  descend,
  type Model,
  metricAt,
  nothingToLearn,
  personalise,
  type UserItems,
  userObjective,
  whereCovariance,
} from "@nearkin/core";
import { lastMet } from "@nearkin/data";
import { metricRecommender } from "../baselines/metric.ts";
import { paperMetrics } from "../protocol/measure.ts";
import { measurePersonally, type PersonalTask } from "../protocol/personal.ts";
import type { Drawn } from "./curve.ts";
import type { RunValues } from "./runs.ts";

/** `shared`: the model's own weights. `learned`: the mean of its prior over users. `fit`: no plain descent, but the model's own way. */
export type RefitStart = "shared" | "learned" | "fit";

/** One way to a user's metric. */
export interface RefitPoint {
  readonly start: RefitStart;
  /** A user's last ratings that counted, at most; null is as many as the model takes. */
  readonly ratings: number | null;
  /** Gradient steps; null for `fit`, which ends by itself. */
  readonly step: number | null;
}

/** Values of users are in the order of the tasks. */
export interface RefitRun {
  readonly base: RunValues;
  readonly refits: readonly (RefitPoint & { readonly values: RunValues })[];
}

export interface RefitOptions {
  readonly tasks: readonly PersonalTask[];
  /** Whether what users did carries ratings. */
  readonly rated: boolean;
  /** Gradient steps after which all ratings are measured, ascending. */
  readonly steps: readonly number[];
  /** Numbers of ratings, and the steps after which these are measured: some of `steps`. */
  readonly few: { readonly ratings: readonly number[]; readonly steps: readonly number[] };
  /** Between two users. */
  readonly onUser?: (done: number) => Promise<void>;
}

/** The points of a run, in their order. */
export function refitPoints({ steps, few }: Pick<RefitOptions, "steps" | "few">): RefitPoint[] {
  const paths = (ratings: number | null, own: readonly number[]): RefitPoint[] => [
    ...(["shared", "learned"] as const).flatMap((start) => own.map((step) => ({ start, ratings, step }))),
    { start: "fit", ratings, step: null },
  ];
  return [...paths(null, steps), ...few.ratings.flatMap((ratings) => paths(ratings, few.steps))];
}

interface Metric {
  readonly weights: ArrayLike<number>;
  readonly popularity: number;
}

/** Cost: for each user and number of ratings two descents of as many steps as the last one, and a ranking of their queries for each point. */
export async function measureRefits(model: Model, options: RefitOptions): Promise<RefitRun> {
  const { tasks, rated, onUser } = options;
  const points = refitPoints(options);
  const base = emptyValues();
  const refits = points.map((point) => ({ ...point, values: emptyValues() }));
  const itemCount = model.items.size;
  for (const [u, task] of tasks.entries()) {
    const add = (values: Record<Drawn, number[]>, { weights, popularity }: Metric) => {
      const { temperature } = model.parts;
      const own = metricRecommender(model.rows, { name: "refit", weights, popularity, temperature });
      const measured = measurePersonally([task], () => own, { itemCount });
      for (const name of paperMetrics) values[name].push(measured[name][0]);
    };
    add(base, { weights: model.shared.weights, popularity: 0 });
    const metrics = metricsOf(model, ratingsOf(task, rated), options);
    for (const [i, { values }] of refits.entries()) {
      // most users end where they were: what was measured just now need not be measured again
      const same = i > 0 && isSame(metrics[i], metrics[i - 1]);
      if (same) for (const name of paperMetrics) values[name].push(refits[i - 1].values[name][u]);
      else add(values, metrics[i]);
    }
    await onUser?.(u + 1);
  }
  return { base, refits };
}

const emptyValues = (): Record<Drawn, number[]> => ({ "paper HR": [], "paper MRR": [], "paper NDCG": [] });

const isSame = (a: Metric, b: Metric): boolean =>
  a.popularity === b.popularity && Array.from(a.weights).every((weight, c) => weight === b.weights[c]);

/** What came first, the oldest first, each item once. */
function ratingsOf({ support, supportRatings }: PersonalTask, rated: boolean): UserItems {
  const met = lastMet(support, supportRatings);
  return {
    items: Int32Array.from(met.keys()),
    ratings: Float64Array.from(met.values(), (rating) => (rated ? rating : Number.NaN)),
  };
}

/** A metric for each of `refitPoints`. */
function metricsOf(model: Model, user: UserItems, { steps, few }: RefitOptions): Metric[] {
  return [
    ...metricsWith(model, user, null, steps),
    ...few.ratings.flatMap((ratings) => metricsWith(model, user, ratings, few.steps)),
  ];
}

function metricsWith(model: Model, all: UserItems, most: number | null, steps: readonly number[]): Metric[] {
  const { shared } = model;
  const prior = model.parts.personal;
  if (!prior) throw new Error("a model without a prior has no refits");
  const user = most === null ? all : { items: all.items.slice(-most), ratings: all.ratings.slice(-most) };
  const { target, rate } = prior.settings;
  if (nothingToLearn(user, target) !== undefined) {
    return Array.from({ length: 2 * steps.length + 1 }, () => ({ weights: shared.weights, popularity: 0 }));
  }
  const settings = most === null ? prior.settings : { ...prior.settings, items: most };
  using scope = shared.engine.scope();
  const { objective } = userObjective(shared, scope, user, { ...prior, settings });
  const descents = [coordinatesOf(shared, target), prior.mean].flatMap((start) => {
    const path = new Map<number, Float64Array>([[0, Float64Array.from(start)]]);
    let last = path.get(0) as Float64Array;
    const descent = whereCovariance(() =>
      descend(objective, start, {
        steps: steps[steps.length - 1],
        rate,
        onStep: (step, best) => {
          last = best;
          if (steps.includes(step)) path.set(step, best);
        },
      }),
    );
    if (!descent) return steps.map(() => ({ weights: shared.weights, popularity: 0 })); // as the model's own fit does
    return steps.map((step) => metricAt(shared, target, path.get(step) ?? last)); // a descent that ran away has ended early
  });
  return [...descents, personalise(shared, prior, user)];
}
