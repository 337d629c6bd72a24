// Whether SSL is above another model, below it, or neither, figure by figure. Two things must agree before it is one of them: the interval of the
// mean difference lies on one side of 0, and so do most test items, by more than chance explains.
import type { Drawn } from "../../experiments/curve.ts";
import type { PaperResult, PaperRow } from "../../experiments/paper.ts";
import { paperMetrics } from "../../protocol/measure.ts";
import { SURE } from "../../statistics/sign-test.ts";
import { listed } from "../numbers.ts";

export type Verdict = "better" | "worse" | "open";

export type Compared = NonNullable<PaperRow["ssl"]>[Drawn];

export function verdictOf({ difference, test }: Compared): Verdict {
  if (!(test.p < SURE)) return "open";
  if (difference.low > 0 && test.better > test.worse) return "better";
  return difference.high < 0 && test.better < test.worse ? "worse" : "open";
}

/** SSL against one other model. */
export interface Comparison {
  readonly name: string;
  readonly figures: readonly { readonly metric: Drawn; readonly compared: Compared; readonly verdict: Verdict }[];
}

export function comparisons({ table }: PaperResult): Comparison[] {
  return table.flatMap(({ name, ssl }) =>
    ssl
      ? [
          {
            name,
            figures: paperMetrics.map((metric) => ({ metric, compared: ssl[metric], verdict: verdictOf(ssl[metric]) })),
          },
        ]
      : [],
  );
}

/** What the paper finds, that SSL is above all others on every figure: all of it, some of it, or nothing of it. */
export function asThePaperFinds(found: readonly Comparison[]): "all" | "some" | "none" {
  const verdicts = found.flatMap(({ figures }) => figures.map(({ verdict }) => verdict));
  if (verdicts.every((verdict) => verdict === "better")) return "all";
  return verdicts.includes("better") ? "some" : "none";
}

/** "better on HR and MRR, no clear difference on NDCG". */
export function inWords({ figures }: Comparison): string {
  const words = { better: "better", worse: "worse", open: "no clear difference" } as const;
  return (["better", "worse", "open"] as const)
    .flatMap((verdict) => {
      const own = figures.filter((figure) => figure.verdict === verdict).map(({ metric }) => shortName(metric));
      if (own.length === 0) return [];
      return [`${words[verdict]} on ${own.length === figures.length ? "all three figures" : listed(own)}`];
    })
    .join(", ");
}

/** The paper's family alone stands on this page: "HR" will do. */
export const shortName = (metric: Drawn): string => metric.replace(/^paper /, "");
