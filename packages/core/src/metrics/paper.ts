// The paper's family (its section "Evaluation"; EV9). Two of the three differ from what the same names mean elsewhere: its hit rate is a
// precision, and its NDCG discounts ranks 1 and 2 alike and takes the ideal over the returned list. Never mix with standard.ts.
import { portableLog } from "../linalg/random.ts";
import { countHits, firstHit, type RankedList, type TruthSet } from "./truth.ts";

const LOG_2 = portableLog(2);

/**
 * HR@k = |{i ≤ k : x_i ∈ G}| / k, also for lists shorter than k. Elsewhere this is called precision.
 *
 * @example
 * paperHitRate([5, 2, 9, 7], new Set([2, 7]), 4) // => 0.5
 */
export function paperHitRate(ranked: RankedList, truth: TruthSet, k = 10): number {
  return countHits(ranked, truth, k) / k;
}

/**
 * MRR@k = 1 / min{i ≤ k : x_i ∈ G}, and 0 without a hit.
 *
 * @example
 * paperMrr([5, 2, 9, 7], new Set([2, 7]), 4) // => 0.5
 */
export function paperMrr(ranked: RankedList, truth: TruthSet, k = 10): number {
  const rank = firstHit(ranked, truth, k);
  return rank === 0 ? 0 : 1 / rank;
}

/**
 * NDCG@k = Σ_{i ≤ k} [x_i ∈ G]·δ_i / Σ_{i ≤ hits} δ_i with δ = 1, 1/log₂2, 1/log₂3, …, 1/log₂k: the ideal is the best permutation of
 * the returned list, so what the list misses does not count, and a single hit at rank 1 or 2 scores 1. 0 without a hit.
 *
 * @example
 * paperNdcg([5, 2, 9, 7], new Set([2]), 4) // => 1
 * paperNdcg([5, 2, 9, 7], new Set([2, 7]), 4) // => 0.75
 */
export function paperNdcg(ranked: RankedList, truth: TruthSet, k = 10): number {
  const depth = Math.min(k, ranked.length);
  let gain = 0;
  let ideal = 0;
  let hits = 0;
  for (let i = 1; i <= depth; i++) {
    if (!truth.has(ranked[i - 1])) continue;
    hits++;
    gain += discount(i);
    ideal += discount(hits);
  }
  return hits === 0 ? 0 : gain / ideal;
}

/** δ_i: 1, 1, 1/log₂3, 1/log₂4, … */
function discount(i: number): number {
  return i <= 2 ? 1 : LOG_2 / portableLog(i);
}
