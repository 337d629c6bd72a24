// The personal protocol (EV10): held-out users, what they did first as support, what they did later as queries and truth.
import type { TruthUsers } from "@nearkin/data";
import { listsWithout, type RankedLists } from "./lists.ts";
import { type Measured, type MetricName, measure, metricNames, PLACES } from "./measure.ts";
import type { Recommender } from "./recommender.ts";
import type { TruthTable } from "./truths.ts";

/** One held-out user. */
export interface PersonalTask {
  readonly userIndex: number;
  /** (s) The earlier items, in time order: what a personal metric may be fitted to. */
  readonly support: Int32Array;
  /** (s) */
  readonly supportRatings: Float32Array;
  /** The later items: each is a query, and the others are its truth. */
  readonly truth: TruthTable;
}

/** A task for each user with at least two later items; an item met again later counts as known, hence is no query. */
export function personalTasks(users: TruthUsers): PersonalTask[] {
  const { userIndex, starts, queryStarts, items, ratings } = users;
  return Array.from(userIndex, (user, r): PersonalTask => {
    const support = items.subarray(starts[r], queryStarts[r]);
    const known = new Set(support);
    const later = [...new Set(items.subarray(queryStarts[r], starts[r + 1]))].filter((item) => !known.has(item));
    const queries = later.length < 2 ? [] : later.sort((a, b) => a - b);
    return {
      userIndex: user,
      support,
      supportRatings: ratings.subarray(starts[r], queryStarts[r]),
      truth: {
        name: "later items",
        queries: Int32Array.from(queries),
        sets: queries.map((query) => new Set(queries.filter((item) => item !== query))),
        empty: later.length - queries.length,
      },
    };
  }).filter(({ truth }) => truth.queries.length > 0);
}

/** By metric the mean over a user's queries: one number a user, in the order of the tasks. */
export function measurePersonally(
  tasks: readonly PersonalTask[],
  recommenderOf: (task: PersonalTask) => Recommender,
): Measured {
  const values = Object.fromEntries(metricNames.map((name) => [name, new Float64Array(tasks.length)])) as Record<
    MetricName,
    Float64Array
  >;
  tasks.forEach((task, u) => {
    const measured = measure(rankFor(task, recommenderOf(task)), task.truth);
    for (const name of metricNames) {
      values[name][u] = measured[name].reduce((sum, value) => sum + value, 0) / task.truth.queries.length;
    }
  });
  return values;
}

/** Lists without what the user knows already (EV10). */
export function rankFor({ support, truth }: PersonalTask, recommender: Recommender, k: number = PLACES): RankedLists {
  const known = new Set(support);
  return listsWithout(recommender.rank(truth.queries, k + known.size), known, k);
}
