// Recommenders in the hands of held-out users (EV10): one figure a user, so that one who asks often does not count more.
import type { AnsweredQueries, Measurement, MeasureOptions } from "./evaluate.ts";
import { catalogueFigures } from "./protocol/catalogue.ts";
import { emptyLists, type RankedLists } from "./protocol/lists.ts";
import { metricNames, PLACES } from "./protocol/measure.ts";
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

/** A recommender for each user. */
export interface PersonalRecommender {
  readonly name: string;
  of(task: PersonalTask): Recommender;
}

const NO_STRATA = { head: Number.NaN, middle: Number.NaN, tail: Number.NaN };

export function measureUsers(
  recommender: Recommender | PersonalRecommender,
  {
    seed,
    kind,
    worlds,
    events,
  }: Pick<MeasureOptions, "seed" | "kind" | "events"> & { worlds: readonly PersonalWorld[] },
): Measurement {
  const recommenderOf = "rank" in recommender ? () => recommender : recommender.of;
  const truths = worlds.map(({ name, tasks, among }) => {
    const keys: number[] = [];
    const asked: number[] = [];
    const values = new Map(metricNames.map((metric): [string, number[]] => [metric, []]));
    const metrics = measurePersonally(tasks, recommenderOf, {
      itemCount: events.length,
      ...(among ? { among } : {}),
      onAnswer: ({ userIndex }, query, measured, row) => {
        keys.push(userIndex * events.length + query);
        asked.push(events[query]);
        for (const metric of metricNames) values.get(metric)?.push(measured[metric][row]);
      },
    });
    const queries = Int32Array.from(tasks, ({ userIndex }) => userIndex);
    const answered: AnsweredQueries = {
      keys: Float64Array.from(keys),
      events: Int32Array.from(asked),
      metrics: Object.fromEntries(
        metricNames.map((metric) => [metric, Float64Array.from(values.get(metric) ?? [])]),
      ) as AnsweredQueries["metrics"],
    };
    return [name, { queries, metrics, strata: NO_STRATA, answered }] as const;
  });
  return {
    name: recommender.name,
    seed,
    kind,
    truths: new Map(truths),
    catalogue: catalogueFigures("rank" in recommender ? listsForAll(recommender) : listsOfUsers(recommender), {
      events,
      k: PLACES,
    }),
  };

  /** Of every item that somebody asks about, once. */
  function listsForAll(shared: Recommender): RankedLists {
    const asked = new Set(worlds.flatMap(({ tasks }) => tasks.flatMap(({ truth }) => [...truth.queries])));
    const known = Int32Array.from(asked).filter((item) => shared.knows(item));
    return shared.rank(known.sort(), PLACES + 1);
  }

  /** Of every user, about their own items. */
  function listsOfUsers({ of }: PersonalRecommender): RankedLists {
    const lists = worlds[0].tasks.map((task) => of(task).rank(task.truth.queries, PLACES + 1));
    const all = emptyLists(
      lists.reduce((sum, { items, k }) => sum + items.length / k, 0),
      PLACES + 1,
    );
    let at = 0;
    for (const { items, scores } of lists) {
      all.items.set(items, at);
      all.scores.set(scores, at);
      at += items.length;
    }
    return all;
  }
}

/** |G| of a user's query is their later items but that one. */
export function summarizeTasks(name: string, tasks: readonly PersonalTask[]): TruthSummary {
  const sizes = tasks.map(({ truth }) => truth.queries.length - 1).sort((a, b) => a - b);
  const size = sizes.length > 0 ? { mean: mean(sizes), median: percentile(sizes, 0.5) } : { mean: 0, median: 0 };
  return { name, queries: tasks.length, empty: 0, size };
}
