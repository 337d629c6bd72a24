// The measures, each in one sentence. The two families share names, not formulas.
import type { Metric } from "./comparison.ts";

export interface Measure {
  readonly metric: Metric;
  /** As the column is called. */
  readonly name: string;
  readonly meaning: (places: number) => string;
}

const mrr = (places: number): string =>
  `One divided by the place of the first hit: 1 if the first item is one, 0.5 if the second is, 0 if none of the ${places} is.`;

export const families: Readonly<
  Record<"paper" | "standard", { readonly about: string; readonly measures: readonly Measure[] }>
> = {
  paper: {
    about:
      "As the paper computes them: its HR is elsewhere called precision, its NDCG looks at the list's own hits alone.",
    measures: [
      {
        metric: "paper HR",
        name: "HR",
        meaning: (places) => `The share of the ${places} nearest items that are hits.`,
      },
      { metric: "paper MRR", name: "MRR", meaning: mrr },
      {
        metric: "paper NDCG",
        name: "NDCG",
        meaning: () => "Whether hits stand at the top of the list: 1 if all of them come before everything else.",
      },
    ],
  },
  standard: {
    about: "As the literature defines them.",
    measures: [
      {
        metric: "standard precision",
        name: "Precision",
        meaning: (places) => `The share of the ${places} nearest items that are hits.`,
      },
      {
        metric: "standard hit",
        name: "Hit",
        meaning: (places) => `The share of queries with at least one hit among the ${places}.`,
      },
      { metric: "standard MRR", name: "MRR", meaning: mrr },
      {
        metric: "standard NDCG",
        name: "NDCG",
        meaning: () => "How close the list is to the best one that the catalogue allows; hits at the top count more.",
      },
    ],
  },
};

export type Family = keyof typeof families;

/** The paper's family alone is drawn in its figures. */
export const drawnMetrics = ["paper HR", "paper MRR", "paper NDCG"] as const;
export type Drawn = (typeof drawnMetrics)[number];

export const shortName = (metric: Drawn): string => metric.replace(/^paper /, "");
