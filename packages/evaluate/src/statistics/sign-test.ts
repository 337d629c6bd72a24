// The paired sign test (EV11): of the items that differ, are there more on one side than a fair coin would give?
import { differences, type Interval } from "./bootstrap.ts";

const ROUNDING = 1e-12; // means over seeds that are equal may differ by their last digits

/** p below which a difference is called one. */
export const SURE = 0.01;

export interface SignTest {
  readonly better: number;
  readonly equal: number;
  readonly worse: number;
  /** Two-sided, exact; 1 where nothing differs. */
  readonly p: number;
}

/**
 * Compares `a` with `b` item by item.
 *
 * @example
 * signTest([1, 1, 1, 1, 1], [0, 0, 0, 0, 0]).p // => 0.0625
 */
export function signTest(a: ArrayLike<number>, b: ArrayLike<number>): SignTest {
  let better = 0;
  let worse = 0;
  for (const difference of differences(a, b)) {
    if (difference > ROUNDING) better++;
    else if (difference < -ROUNDING) worse++;
  }
  return { better, equal: a.length - better - worse, worse, p: binomialTail(better + worse, Math.min(better, worse)) };
}

/** min(1, 2·P(X ≤ k)) for X ~ Binomial(n, ½), summed from the largest term down in log space. */
function binomialTail(n: number, k: number): number {
  if (n === 0) return 1;
  let log = -n * Math.LN2; // log of C(n, 0)/2ⁿ
  const logs = [log];
  for (let i = 1; i <= k; i++) {
    log += Math.log((n - i + 1) / i);
    logs.push(log);
  }
  let sum = 0;
  for (let i = logs.length - 1; i >= 0; i--) sum += Math.exp(logs[i] - logs[logs.length - 1]);
  return Math.min(1, 2 * Math.exp(logs[logs.length - 1]) * sum);
}

/** Which way a difference goes that chance hardly explains: the mean and most of the items must agree on it. */
export function directionOf({
  difference,
  test,
}: {
  difference: Pick<Interval, "mean">;
  test: SignTest;
}): "better" | "worse" | "open" {
  if (!(test.p < SURE)) return "open";
  if (difference.mean > 0 && test.better > test.worse) return "better";
  return difference.mean < 0 && test.better < test.worse ? "worse" : "open";
}
