// δ(s) = σ(g₀ + gᵀs), how much of an item's free vector counts, by statistics of its ratings (SPE's side information). Exactly 0 for an
// item without training events.
// n items, q statistics
import { logistic, type Matrix, portableLog } from "@nearkin/core";
import type { ItemStatistics } from "@nearkin/data";

/** q: log(1 + ratings), and the mean rating, shrunk. */
export const STATISTICS = 2;

/** (n, q) Statistics, standardised over the training items; rows of other items are never looked at. */
export function gateStatistics({ ratings, shrunkMean }: ItemStatistics, trainItems: Int32Array): Float64Array {
  const s = new Float64Array(ratings.length * STATISTICS);
  const columns = [(item: number) => portableLog(1 + ratings[item]), (item: number) => shrunkMean[item]];
  columns.forEach((statistic, column) => {
    const known = Array.from(trainItems).filter((item) => Number.isFinite(statistic(item)));
    const mean = known.reduce((sum, item) => sum + statistic(item), 0) / Math.max(1, known.length);
    const variance = known.reduce((sum, item) => sum + (statistic(item) - mean) ** 2, 0) / Math.max(1, known.length);
    const deviation = Math.sqrt(variance) || 1; // a constant says nothing, and becomes 0
    for (const item of known) s[item * STATISTICS + column] = (statistic(item) - mean) / deviation;
  });
  return s;
}

/** δ of an item with training events. `gate` is (1, q + 1), g₀ last. */
export function gateOf(gate: Matrix, statistics: Float64Array, item: number): number {
  const { data, offset } = gate;
  let logit = data[offset + STATISTICS];
  for (let k = 0; k < STATISTICS; k++) logit += data[offset + k] * statistics[item * STATISTICS + k];
  return logistic(logit);
}

/** Adds to ∂ℓ/∂(g, g₀) what comes by the δ of one item, from ∂ℓ/∂δ. */
export function gateBackward(
  gradient: Matrix,
  statistics: Float64Array,
  item: number,
  { value, slope }: { value: number; slope: number },
): void {
  const dLogit = slope * value * (1 - value); // σ′ = σ(1 − σ)
  const { data, offset } = gradient;
  for (let k = 0; k < STATISTICS; k++) data[offset + k] += dLogit * statistics[item * STATISTICS + k];
  data[offset + STATISTICS] += dLogit;
}
