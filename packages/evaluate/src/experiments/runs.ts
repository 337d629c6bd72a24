// Runs of several seeds put together, for the figures that the paper draws.
import { paperMetrics } from "../protocol/measure.ts";
import { mean } from "../statistics/bootstrap.ts";
import type { Drawn } from "./curve.ts";

/** Values of all test items, or users, of one run. */
export type RunValues = Readonly<Record<Drawn, readonly number[]>>;

export const byMetric = <T>(of: (name: Drawn) => T): Record<Drawn, T> =>
  Object.fromEntries(paperMetrics.map((name) => [name, of(name)])) as Record<Drawn, T>;

/** (q) An item's, or a user's, mean over the runs. */
export const overRuns = (runs: readonly RunValues[], name: Drawn): number[] =>
  runs[0][name].map((_, r) => mean(runs.map((run) => run[name][r])));

/** Mean of the runs' means, and their standard deviation; 0 with one run. */
export function spreadOf(runs: readonly (readonly number[])[]): { mean: number; deviation: number } {
  const means = runs.map(mean);
  const centre = mean(means);
  const squares = means.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return { mean: centre, deviation: means.length > 1 ? Math.sqrt(squares / (means.length - 1)) : 0 };
}
