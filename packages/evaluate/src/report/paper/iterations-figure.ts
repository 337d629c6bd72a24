// Figs. 1 and 2 of the paper: the ranking of test items by iteration of SSL, with the other models as levels.
import type { Band, PaperResult } from "../../experiments/paper.ts";
import { PLACES, paperMetrics } from "../../protocol/measure.ts";
import { bandsPanel } from "../figures/bands.ts";
import type { Figure } from "../figures/figure.ts";
import { count, decimals, listed } from "../numbers.ts";
import { shortName } from "./verdict.ts";

export function iterationsFigure({ curve, lines, seeds }: PaperResult): Figure {
  const [first, last] = [curve[0], curve[curve.length - 1]];
  const moves = paperMetrics.map(
    (metric) =>
      `${shortName(metric)} ${decimals(first.metrics[metric].mean)} to ${decimals(last.metrics[metric].mean)}`,
  );
  return {
    id: "iterations",
    title: "Test items by iteration of SSL (Figs. 1 and 2 of the paper)",
    finding: `From SIAMESE, where it starts, to iteration ${count(last.step)}: ${listed(moves)}.`,
    note: `${seeds.length > 1 ? `Means of ${seeds.length} runs; bands are one standard deviation of the runs to either side.` : "One run: there are no bands."} Vertical axes do not begin at 0.`,
    legend: ["SSL", ...lines.map(({ name }) => name)].map((name, series) => ({ name, series, shape: "line" })),
    panels: paperMetrics.map((metric) => {
      const best = curve.reduce((a, b) => (b.metrics[metric].mean > a.metrics[metric].mean ? b : a));
      return bandsPanel({
        title: `${metric}@${PLACES}`,
        description: `${metric} at ${PLACES} of SSL by iteration: ${decimals(first.metrics[metric].mean)} at ${first.step}, at most ${decimals(best.metrics[metric].mean)} at ${best.step}, ${decimals(last.metrics[metric].mean)} at ${last.step}. As levels: ${lines.map(({ name, metrics }) => `${name} ${decimals(metrics[metric].mean)}`).join("; ")}.`,
        label: `at ${PLACES}`,
        steps: "iteration of SSL",
        curves: [{ series: 0, points: curve.map(({ step, metrics }) => ({ step, ...metrics[metric] })) }],
        levels: lines.map(({ metrics }, i) => ({ series: i + 1, ...metrics[metric] })),
      });
    }),
    table: {
      head: ["model", "iteration", ...paperMetrics.flatMap((metric) => [metric, "± over runs"])],
      rows: [
        ...curve.map(({ step, metrics }) => ({ cells: ["SSL", count(step), ...cells(metrics)] })),
        ...lines.map(({ name, metrics }) => ({ cells: [name, "–", ...cells(metrics)] })),
      ],
    },
  };
}

const cells = (metrics: Readonly<Record<(typeof paperMetrics)[number], Band>>): string[] =>
  paperMetrics.flatMap((metric) => [decimals(metrics[metric].mean), decimals(metrics[metric].deviation)]);
