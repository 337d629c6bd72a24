// log q of an item that nobody has met. Training counts it as if one person had: q = max(n_i, 1)/Σn (`candidateFrequencies` in
// train/src/input/pairs.ts), for log 0 has no place in a score. So it stands level with the items met once.
import { portableLog } from "../linalg/random.ts";
import { type LiftedRows, logPopularity } from "../rank/rows.ts";

/** As training gave it to an item without ratings (n_i of `ratings`), to the bit; by its rule where every item has some. */
export function coldLogPopularity(rows: LiftedRows, ratings: Int32Array): number {
  const cold = ratings.indexOf(0);
  if (cold >= 0) return logPopularity(rows, cold);
  const total = ratings.reduce((sum, count) => sum + count, 0);
  return Math.fround(portableLog(1 / Math.max(total, 1)));
}
