// Users' own metrics against the one that all share, as the figures show them.
import type { Personalisation } from "@nearkin/client";
import type { BandCurve, BandLevel } from "./figures/bands.ts";
import type { Drawn } from "./measures.ts";

export type Refit = Personalisation["refits"][number];

/** What the ways to a user's metric are called. */
export const startNames: Readonly<Record<string, string>> = {
  shared: "from the shared weights",
  learned: "from the learned weights",
  fit: "the model's own fit",
};

/** Those of one start and number of ratings, by step. */
export const pathOf = ({ refits }: Pick<Personalisation, "refits">, start: string, ratings: number | null): Refit[] =>
  refits.filter((refit) => refit.start === start && refit.ratings === ratings);

/** What a user gets from the model: its own fit, to as many ratings as it takes. */
export const ownFit = (result: Pick<Personalisation, "refits">): Refit | undefined => pathOf(result, "fit", null)[0];

/** A user of the figure, by one measure. */
export interface UserBars {
  readonly ratings: number;
  readonly shared: number | null;
  readonly own: number | null;
}

export const userBars = ({ shown }: Pick<Personalisation, "shown">, metric: Drawn): UserBars[] =>
  shown.map(({ ratings, base, personal }) => ({ ratings, shared: base[metric], own: personal[metric] }));

/** Fig. 5: lines by gradient step from both starts; levels for what has no steps. */
export function refitBands(result: Personalisation, metric: Drawn): { curves: BandCurve[]; levels: BandLevel[] } {
  const fit = ownFit(result);
  const curves = ["shared", "learned"].map((start) => ({
    name: startNames[start],
    points: pathOf(result, start, null).flatMap(({ step, metrics }) =>
      bandOf(metrics[metric]).map((band) => ({ step: step ?? 0, ...band })),
    ),
  }));
  const levels = [
    ...bandOf(result.base[metric]).map((band) => ({ name: "the metric that all share", ...band })),
    ...(fit ? bandOf(fit.metrics[metric]) : []).map((band) => ({ name: startNames.fit, ...band })),
  ];
  return { curves, levels };
}

/** None where nothing was measured. */
const bandOf = ({ mean, overRuns }: { mean: number | null; overRuns: number | null }) =>
  mean === null ? [] : [{ mean, deviation: overRuns ?? 0 }];

/** Rows of the table by ratings: the numbers there are, ascending, and last as many as the model takes. */
export function ratingCounts({ refits }: Pick<Personalisation, "refits">): (number | null)[] {
  const counts = [...new Set(refits.map(({ ratings }) => ratings))];
  return [...counts.filter((ratings) => ratings !== null).sort((a, b) => a - b), null];
}
