// Intervals of a mean over test items by the bootstrap (EV11): Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), ch. 13.
import { NearkinError, Random } from "@nearkin/core";

/** A mean, and the 2.5 % and 97.5 % percentiles of the means of resampled items. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** Resamples. @default 2000 */
  resamples?: number;
  /** @default 1 */
  seed?: number;
}

/**
 * The interval of the mean of `values`. The same seed resamples the same items: differences between two lists of values are to be formed
 * first, item by item, and then resampled.
 *
 * @example
 * bootstrapMean([2, 2, 2]) // => { mean: 2, low: 2, high: 2 }
 */
export function bootstrapMean(
  values: ArrayLike<number>,
  { resamples = 2000, seed = 1 }: BootstrapOptions = {},
): Interval {
  const n = values.length;
  if (n === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN };
  const drawn = resampled(n, resamples, seed);
  const means = new Float64Array(resamples);
  for (let b = 0, at = 0; b < resamples; b++) {
    let sum = 0;
    for (const end = at + n; at < end; at++) sum += values[drawn[at]];
    means[b] = sum / n;
  }
  means.sort();
  return { mean: mean(values), low: percentile(means, 0.025), high: percentile(means, 0.975) };
}

/** Draws are kept: an evaluation asks for thousands of intervals over the same few numbers of items, one for each truth. */
const kept = new Map<string, Uint32Array>();
const MOST_KEPT = 2 ** 24; // places, 64 MiB: of more items than that, intervals are rare

/** (resamples · n) Places in a list of n. */
function resampled(n: number, resamples: number, seed: number): Uint32Array {
  const key = `${n} ${resamples} ${seed}`;
  const known = kept.get(key);
  if (known) return known;
  const random = new Random(seed).split("bootstrap");
  const drawn = new Uint32Array(resamples * n);
  for (let k = 0; k < drawn.length; k++) drawn[k] = random.below(n);
  let size = drawn.length;
  for (const other of kept.values()) size += other.length;
  for (const [oldest, other] of kept) {
    if (size <= MOST_KEPT) break;
    kept.delete(oldest);
    size -= other.length;
  }
  if (size <= MOST_KEPT) kept.set(key, drawn);
  return drawn;
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** a − b, item by item. */
export function differences(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  if (a.length !== b.length) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `differences: ${a.length} values against ${b.length}; compare the same items`,
    );
  }
  return Float64Array.from({ length: a.length }, (_, i) => a[i] - b[i]);
}

/** Of sorted values, linear between neighbours. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}
