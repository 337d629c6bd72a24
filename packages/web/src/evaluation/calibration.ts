// Whether predicted ratings know what they do not know.
import type { RecommenderResult } from "@nearkin/client";
import { plural } from "../design/numbers.ts";

export type Calibration = NonNullable<RecommenderResult["calibration"]>;

/** The share of items that intervals promise to hold, and the share that they do. */
export interface Coverage {
  readonly promised: number;
  readonly actual: number;
}

export const coverageOf = ({ coverage }: Calibration): Coverage[] =>
  Object.entries(coverage)
    .map(([promised, actual]) => ({ promised: Number(promised), actual }))
    .sort((a, b) => a.promised - b.promised);

const FAR = 0.05; // a difference worth a word, where there are items enough to see it

/** What is to be seen of it. */
export function reliabilityVerdict(calibration: Calibration): string {
  const points = coverageOf(calibration);
  const far = (promised: number) => Math.max(FAR, 2 * Math.sqrt((promised * (1 - promised)) / calibration.items));
  const narrow = points.some(({ promised, actual }) => actual < promised - far(promised));
  const wide = points.some(({ promised, actual }) => actual > promised + far(promised));
  if (narrow && wide) return "Narrow intervals are too narrow or wide ones too wide: errors are not normal.";
  if (narrow) return "Intervals are too narrow: the model is surer than it may be.";
  if (wide) return "Intervals are wider than they need to be.";
  return `Intervals keep what they promise, as far as ${plural(calibration.items, "item")} can tell.`;
}

/** Errors by how many ratings items have, without rows of the same items: where all have many, all rows are one. */
export const errorRows = ({ byRatings }: Pick<Calibration, "byRatings">): Calibration["byRatings"][number][] =>
  byRatings.filter(({ items }, i) => i === 0 || items < byRatings[i - 1].items);

const WORTH = 0.02; // of an error: less is not worth a word

/** The error of predictions against that of the mean, which knows nothing of an item. */
export function errorVerdict({ rmse, rmseOfMean }: Pick<Calibration, "rmse" | "rmseOfMean">): string {
  const gain = 1 - rmse / rmseOfMean;
  if (Math.abs(gain) < WORTH) return "about the same";
  return gain > 0 ? "the model errs less" : "the model errs more";
}
