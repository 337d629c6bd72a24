// The paper's first experiment: SSL by iteration, with the models it is held against as levels, and what came of it in words.
import type { PaperExperiment } from "@nearkin/client";
import { listed } from "../design/numbers.ts";
import { type Verdict, verdictOf } from "./comparison.ts";
import type { BandCurve, BandLevel } from "./figures/bands.ts";
import { type Drawn, drawnMetrics, shortName } from "./measures.ts";

/** Figs. 1 and 2. */
export function experimentBands(
  { curve, lines }: Pick<PaperExperiment, "curve" | "lines">,
  metric: Drawn,
): { curves: BandCurve[]; levels: BandLevel[] } {
  return {
    curves: [
      {
        name: "SSL",
        points: curve.flatMap(({ step, metrics }) => bandOf(metrics[metric]).map((band) => ({ step, ...band }))),
      },
    ],
    levels: lines.flatMap(({ name, metrics }) => bandOf(metrics[metric]).map((band) => ({ name, ...band }))),
  };
}

const bandOf = ({ mean, deviation }: { mean: number | null; deviation: number | null }) =>
  mean === null ? [] : [{ mean, deviation: deviation ?? 0 }];

const words: Readonly<Record<Verdict, string>> = { better: "better", worse: "worse", open: "not clearly different" };

/** SSL against one other model: "better on HR and MRR, not clearly different on NDCG". */
export function inWords(ssl: NonNullable<PaperExperiment["table"][number]["ssl"]>): string {
  const of = (verdict: Verdict) => drawnMetrics.filter((metric) => verdictOf(ssl[metric]) === verdict).map(shortName);
  return (["better", "worse", "open"] as const)
    .filter((verdict) => of(verdict).length > 0)
    .map(
      (verdict) =>
        `${words[verdict]} on ${of(verdict).length === drawnMetrics.length ? "all three" : listed(of(verdict))}`,
    )
    .join(", ");
}
