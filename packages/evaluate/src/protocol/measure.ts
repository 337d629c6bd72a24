// Ranked lists against a truth: every metric of every query (EV9). Means, intervals and tests are made of these later (statistics/).
import { type Metric, metricFamilies } from "@nearkin/core";
import { listOf, type RankedLists } from "./lists.ts";
import type { TruthTable } from "./truths.ts";

/** Places that metrics look at. */
export const PLACES = 10;

/** "paper HR", …, "standard NDCG": the families are never mixed, so a metric's name has its family in it. */
export type MetricName = keyof typeof metrics;

const metrics = {
  "paper HR": metricFamilies.paper.HR,
  "paper MRR": metricFamilies.paper.MRR,
  "paper NDCG": metricFamilies.paper.NDCG,
  "standard precision": metricFamilies.standard.precision,
  "standard hit": metricFamilies.standard.hit,
  "standard MRR": metricFamilies.standard.MRR,
  "standard NDCG": metricFamilies.standard.NDCG,
} as const satisfies Record<string, Metric>;

export const metricNames = Object.keys(metrics) as MetricName[];

/** What the paper reports. */
export const paperMetrics = ["paper HR", "paper MRR", "paper NDCG"] as const satisfies readonly MetricName[];

export const standardMetrics = [
  "standard precision",
  "standard hit",
  "standard MRR",
  "standard NDCG",
] as const satisfies readonly MetricName[];

/** By metric the value of each query, in the order of the truth's queries. */
export type Measured = Readonly<Record<MetricName, Float64Array>>;

/** Metrics of `lists`, whose row r is the answer to `truth.queries[r]`. */
export function measure(lists: RankedLists, truth: TruthTable, k: number = PLACES): Measured {
  const q = truth.queries.length;
  const measured = Object.fromEntries(metricNames.map((name) => [name, new Float64Array(q)])) as Record<
    MetricName,
    Float64Array
  >;
  for (let r = 0; r < q; r++) {
    const list = listOf(lists, r);
    for (const name of metricNames) measured[name][r] = metrics[name](list, truth.sets[r], k);
  }
  return measured;
}
