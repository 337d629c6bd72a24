// The standard family (EV9), as information retrieval defines it. Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR
// techniques" (2002), with the discount 1/log₂(i + 1) that has become usual. Never mix with paper.ts.
import { portableLog } from "../linalg/random.ts";
import { countHits, firstHit, type RankedList, type TruthSet } from "./truth.ts";

const LOG_2 = portableLog(2);

/**
 * precision@k = |{i ≤ k : x_i ∈ G}| / k, also for lists shorter than k.
 *
 * @example
 * metricFamilies.standard.precision([5, 2, 9, 7], new Set([2, 7, 8]), 4) // => 0.5
 */
export function precision(ranked: RankedList, truth: TruthSet, k = 10): number {
  return countHits(ranked, truth, k) / k;
}

/**
 * hit@k = 1 if some x_i ∈ G, i ≤ k, and 0 otherwise.
 *
 * @example
 * metricFamilies.standard.hit([5, 2, 9, 7], new Set([7]), 4) // => 1
 * metricFamilies.standard.hit([5, 2, 9, 7], new Set([7]), 3) // => 0
 */
export function hit(ranked: RankedList, truth: TruthSet, k = 10): number {
  return firstHit(ranked, truth, k) === 0 ? 0 : 1;
}

/**
 * MRR@k = 1 / min{i ≤ k : x_i ∈ G}, and 0 without a hit. Both families agree on this one.
 *
 * @example
 * metricFamilies.standard.MRR([5, 2, 9, 7], new Set([9, 7]), 4) // => 1 / 3
 */
export function mrr(ranked: RankedList, truth: TruthSet, k = 10): number {
  const rank = firstHit(ranked, truth, k);
  return rank === 0 ? 0 : 1 / rank;
}

/**
 * NDCG@k = Σ_{i ≤ k} [x_i ∈ G]/log₂(i + 1) / Σ_{i ≤ min(k, |G|)} 1/log₂(i + 1): the ideal list has as many hits as there can be. 0 where
 * G is empty; such queries are to be left out and counted (EV8).
 *
 * @example
 * metricFamilies.standard.NDCG([5, 2, 9, 7], new Set([5, 2, 9, 7]), 4) // => 1
 * metricFamilies.standard.NDCG([5, 2, 9, 7], new Set([9]), 4) // => 0.5
 */
export function ndcg(ranked: RankedList, truth: TruthSet, k = 10): number {
  const depth = Math.min(k, ranked.length);
  let gain = 0;
  for (let i = 1; i <= depth; i++) if (truth.has(ranked[i - 1])) gain += discount(i);
  let ideal = 0;
  const most = Math.min(k, truth.size);
  for (let i = 1; i <= most; i++) ideal += discount(i);
  return ideal === 0 ? 0 : gain / ideal;
}

/** 1/log₂(i + 1) */
function discount(i: number): number {
  return LOG_2 / portableLog(i + 1);
}
