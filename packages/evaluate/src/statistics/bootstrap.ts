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
  const random = new Random(seed).split("bootstrap");
  const means = new Float64Array(resamples);
  for (let b = 0; b < resamples; b++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += values[random.below(n)];
    means[b] = sum / n;
  }
  means.sort();
  return { mean: mean(values), low: percentile(means, 0.025), high: percentile(means, 0.975) };
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
