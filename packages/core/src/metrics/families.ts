// Both families by name, as reports print them: side by side, never mixed (EV9).
import { paperHitRate, paperMrr, paperNdcg } from "./paper.ts";
import { hit, mrr, ndcg, precision } from "./standard.ts";
import type { RankedList, TruthSet } from "./truth.ts";

/** A number in [0, 1] for one query; its mean over queries is what is reported. */
export type Metric = (ranked: RankedList, truth: TruthSet, k?: number) => number;

/**
 * Every metric, by family and name.
 *
 * @example
 * Object.keys(metricFamilies.paper) // => ["HR", "MRR", "NDCG"]
 * metricFamilies.standard.NDCG([4, 1], new Set([4]), 2) // => 1
 */
export const metricFamilies = {
  paper: { HR: paperHitRate, MRR: paperMrr, NDCG: paperNdcg },
  standard: { precision, hit, MRR: mrr, NDCG: ndcg },
} as const satisfies Record<string, Record<string, Metric>>;

export type MetricFamily = keyof typeof metricFamilies;
