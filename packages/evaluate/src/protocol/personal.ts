// The personal protocol (EV10): held-out users, what they did first as support, what they did later as queries and truth.
import type { TruthUsers } from "@nearkin/data";
import { rankAmong } from "./among.ts";
import { emptyLists, type RankedLists } from "./lists.ts";
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

export interface PersonalOptions {
  /** n */
  itemCount: number;
  /** Items that may be queries, hits and candidates; users are left with those queries that have a hit among them. @default all */
  among?: Int32Array;
  /** Told of every query that the recommender knows, with the metrics of the task's queries and its row among them. */
  onAnswer?: (task: PersonalTask, query: number, measured: Measured, row: number) => void;
}

/** What is left of a task when only some items count; undefined when no query has a hit. */
export function restrictTask(task: PersonalTask, among: ReadonlySet<number>): PersonalTask | undefined {
  const queries = [...task.truth.queries].filter((item) => among.has(item));
  if (queries.length < 2) return undefined;
  const sets = queries.map((query) => new Set(queries.filter((item) => item !== query)));
  const empty = task.truth.empty + task.truth.queries.length - queries.length;
  return { ...task, truth: { ...task.truth, queries: Int32Array.from(queries), sets, empty } };
}

/**
 * By metric the mean over a user's queries: one number a user, in the order of the tasks. What the user knows already is no candidate
 * (EV10). A query that the recommender does not know has an empty list.
 */
export function measurePersonally(
  tasks: readonly PersonalTask[],
  recommenderOf: (task: PersonalTask) => Recommender,
  { itemCount, among, onAnswer }: PersonalOptions,
): Measured {
  const values = Object.fromEntries(metricNames.map((name) => [name, new Float64Array(tasks.length)])) as Record<
    MetricName,
    Float64Array
  >;
  const open = new Uint8Array(itemCount).fill(among ? 0 : 1);
  for (const item of among ?? []) open[item] = 1;
  tasks.forEach((task, u) => {
    const allowed = open.slice();
    for (const item of task.support) allowed[item] = 0;
    const recommender = recommenderOf(task);
    const measured = measure(rankFor(task, recommender, allowed), task.truth);
    task.truth.queries.forEach((query, row) => {
      if (recommender.knows(query)) onAnswer?.(task, query, measured, row);
    });
    for (const name of metricNames) {
      values[name][u] = measured[name].reduce((sum, value) => sum + value, 0) / task.truth.queries.length;
    }
  });
  return values;
}

function rankFor({ truth }: PersonalTask, recommender: Recommender, allowed: Uint8Array): RankedLists {
  const lists = emptyLists(truth.queries.length, PLACES);
  const rows = Array.from(truth.queries.keys()).filter((r) => recommender.knows(truth.queries[r]));
  const known = Int32Array.from(rows, (r) => truth.queries[r]);
  if (known.length === 0) return lists;
  const found = rankAmong(recommender, known, { k: PLACES, allowed });
  rows.forEach((row, i) => {
    lists.items.set(found.items.subarray(i * PLACES, (i + 1) * PLACES), row * PLACES);
    lists.scores.set(found.scores.subarray(i * PLACES, (i + 1) * PLACES), row * PLACES);
  });
  return lists;
}
