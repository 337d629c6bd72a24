// Recommenders in the hands of held-out users (EV10): one figure a user, so that one who asks often does not count more.
import type { Measurement, MeasureOptions } from "./evaluate.ts";
import { catalogueFigures } from "./protocol/catalogue.ts";
import { PLACES } from "./protocol/measure.ts";
import { measurePersonally, type PersonalTask } from "./protocol/personal.ts";
import type { Recommender } from "./protocol/recommender.ts";
import type { TruthSummary } from "./result.ts";
import { mean, percentile } from "./statistics/bootstrap.ts";

/** Users who ask, and the items that count. */
export interface PersonalWorld {
  readonly name: string;
  readonly tasks: readonly PersonalTask[];
  /** @default all */
  readonly among?: Int32Array;
}

const NO_STRATA = { head: Number.NaN, middle: Number.NaN, tail: Number.NaN };

export function measureUsers(
  recommender: Recommender,
  {
    seed,
    kind,
    worlds,
    events,
  }: Pick<MeasureOptions, "seed" | "kind" | "events"> & { worlds: readonly PersonalWorld[] },
): Measurement {
  const truths = worlds.map(({ name, tasks, among }) => {
    const metrics = measurePersonally(tasks, () => recommender, {
      itemCount: events.length,
      ...(among ? { among } : {}),
    });
    const queries = Int32Array.from(tasks, ({ userIndex }) => userIndex);
    return [name, { queries, metrics, strata: NO_STRATA }] as const;
  });
  const asked = Int32Array.from(
    new Set(worlds.flatMap(({ tasks }) => tasks.flatMap(({ truth }) => [...truth.queries]))),
  );
  const known = asked.filter((item) => recommender.knows(item)).sort();
  return {
    name: recommender.name,
    seed,
    kind,
    truths: new Map(truths),
    catalogue: catalogueFigures(recommender.rank(known, PLACES + 1), { events, k: PLACES }),
  };
}

/** |G| of a user's query is their later items but that one. */
export function summarizeTasks(name: string, tasks: readonly PersonalTask[]): TruthSummary {
  const sizes = tasks.map(({ truth }) => truth.queries.length - 1).sort((a, b) => a - b);
  const size = sizes.length > 0 ? { mean: mean(sizes), median: percentile(sizes, 0.5) } : { mean: 0, median: 0 };
  return { name, queries: tasks.length, empty: 0, size };
}
