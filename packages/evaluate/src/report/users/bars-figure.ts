// Figs. 3 and 4 of the paper: twenty users, each with a bar for the metric that all share and one for their own.
import * as Plot from "@observablehq/plot";
import type { Drawn } from "../../experiments/curve.ts";
import type { PersonalisationResult, ShownUser } from "../../experiments/personalisation.ts";
import { PLACES, paperMetrics } from "../../protocol/measure.ts";
import { colour, type Panel } from "../figures/draw.ts";
import type { Figure } from "../figures/figure.ts";
import { count, decimals, listed } from "../numbers.ts";
import { shortName } from "../paper/verdict.ts";

const SERIES = [
  { name: "the metric that all share", series: 0, of: "base" },
  { name: "the user's own", series: 1, of: "personal" },
] as const;
const WIDTH = 0.4; // of the place of a user

export function barsFigure({ shown, shownTests }: PersonalisationResult): Figure {
  const better = paperMetrics.map((metric) => `${shownTests[metric].better} by ${shortName(metric)}`);
  return {
    id: "bars",
    title: `${shown.length} users, one by one (Figs. 3 and 4 of the paper)`,
    finding: `Their own metric is better for ${listed(better)}, of ${shown.length}.`,
    note: "Drawn by chance from all test users; in the order of the HR of the shared metric.",
    legend: SERIES.map(({ name, series }) => ({ name, series, shape: "bar" })),
    panels: paperMetrics.map((metric) => panel(metric, shown)),
    table: {
      head: ["user", "ratings", ...paperMetrics.flatMap((metric) => [shortName(metric), "own"])],
      rows: shown.map(({ ratings, base, personal }, i) => ({
        cells: [
          String(i + 1),
          count(ratings),
          ...paperMetrics.flatMap((metric) => [decimals(base[metric]), decimals(personal[metric])]),
        ],
      })),
    },
  };
}

function panel(metric: Drawn, shown: readonly ShownUser[]): Panel {
  const bars = shown.flatMap((user, i) =>
    SERIES.map(({ series, of }) => ({
      x1: i + 0.5 + (series - 1) * WIDTH,
      x2: i + 0.5 + series * WIDTH,
      value: user[of][metric],
      series,
    })),
  );
  const most = Math.max(...bars.map(({ value }) => value), 0.01);
  return {
    title: `${metric}@${PLACES}`,
    description: `${metric} at ${PLACES} of each user, by the shared metric and by their own: ${shown.map(({ base, personal }, i) => `user ${i + 1} ${decimals(base[metric])}, ${decimals(personal[metric])}`).join("; ")}.`,
    plot: {
      height: 220,
      marginLeft: 44,
      marginRight: 14,
      marginTop: 24,
      marginBottom: 34,
      x: { domain: [0, shown.length], label: "user" },
      y: { domain: [0, most], label: `at ${PLACES}`, nice: true },
      marks: [
        Plot.gridY({ stroke: "var(--grid)", strokeOpacity: 1, ticks: 5 }),
        Plot.axisY({ tickSize: 0, ticks: 5, labelArrow: "none" }),
        Plot.axisX(
          shown.map((_, i) => i + 0.5).filter((_, i) => i === 0 || (i + 1) % 5 === 0),
          { tickSize: 0, tickFormat: (at: number) => String(at + 0.5), labelArrow: "none", labelAnchor: "center" },
        ),
        Plot.rect(bars, { x1: "x1", x2: "x2", y1: 0, y2: "value", fill: ({ series }) => colour(series) }),
      ],
    },
  };
}
