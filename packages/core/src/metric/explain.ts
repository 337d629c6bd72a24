// Why two items are near or far: the weighted distance t is a sum over channels, so each channel's part is exact. In float64, from
// the rows as they are stored.
import { NearkinError } from "../errors.ts";
import type { EnsembleConfig, Statistics } from "./ensemble.ts";

/** What to explain by: the weights may be a user's own. */
export interface ExplainedMetric {
  readonly config: EnsembleConfig;
  /** h (p) */
  readonly h: ArrayLike<number>;
  readonly statistics: Statistics;
  /** λ_j² (e) where Λ is learned. @default all 1 */
  readonly squares?: ArrayLike<number>;
}

export interface EmbeddedItem {
  /** z (e), all channels side by side. */
  readonly row: ArrayLike<number>;
  /** (p) 1 where the channel is a stand-in. */
  readonly masked: ArrayLike<number>;
}

export interface Contributions {
  /** d_c (p), its own axes included where a value is unknown. */
  readonly distances: Float64Array;
  /** h_c·d_c (p) */
  readonly parts: Float64Array;
  /** t: the sum of the parts, first to last, to the bit. */
  readonly total: number;
  /** (p) 1 where the part rests on a stand-in, of one item or of both. */
  readonly masked: Uint8Array;
}

/**
 * d_c = (Σ_j λ_j²(a_j − b_j)² + ρ_c for each of the two that has no value)/s_c and h_c·d_c. Two items that are unknown in a channel are
 * 2ρ_c/s_c apart in it: unknown is never identical. An item and itself (`same`) are at 0.
 */
export function contributions(
  { config, h, statistics, squares }: ExplainedMetric,
  a: EmbeddedItem,
  b: EmbeddedItem,
  { same = false }: { same?: boolean } = {},
): Contributions {
  const p = config.channels.length;
  const e = config.channels.reduce((sum, { embeddingSize }) => sum + embeddingSize, 0);
  for (const { row, masked } of [a, b]) {
    if (row.length !== e || masked.length !== p) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `contributions: expected rows of ${e} and masks of ${p}, got ${row.length} and ${masked.length}`,
      );
    }
  }
  const distances = new Float64Array(p);
  const parts = new Float64Array(p);
  const masked = new Uint8Array(p);
  let total = 0;
  let j = 0;
  for (let c = 0; c < p; c++) {
    const unknown = (a.masked[c] !== 0 ? 1 : 0) + (b.masked[c] !== 0 ? 1 : 0);
    let square = unknown * statistics.lengths[c];
    for (const end = j + config.channels[c].embeddingSize; j < end; j++) {
      const difference = a.row[j] - b.row[j];
      square += (squares ? squares[j] : 1) * difference * difference;
    }
    masked[c] = unknown > 0 ? 1 : 0;
    distances[c] = same ? 0 : square / statistics.scales[c];
    parts[c] = h[c] * distances[c] + 0; // −0 is 0
    total += parts[c];
  }
  return { distances, parts, total, masked };
}
