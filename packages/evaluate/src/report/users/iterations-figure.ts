// Fig. 5 of the paper: users' own metrics by the number of gradient steps, from both starts, over all test users.
import type { PersonalisationResult } from "../../experiments/personalisation.ts";
import { PLACES, paperMetrics } from "../../protocol/measure.ts";
import { bandsPanel } from "../figures/bands.ts";
import type { Figure } from "../figures/figure.ts";
import { count, decimals, listed, plural } from "../numbers.ts";
import { shortName } from "../paper/verdict.ts";
import { ownFit, pathOf, type Refit, startNames } from "./refit-names.ts";

const STARTS = ["shared", "learned"] as const;
const LEVELS = ["the metric that all share", startNames.fit] as const;

export function refitsFigure(result: PersonalisationResult): Figure {
  const { seeds, users } = result;
  const paths = STARTS.map((start) => pathOf(result, start, null));
  const levels = [result.base, ownFit(result)];
  const ends = paths.map((path) => path[path.length - 1]);
  const moves = STARTS.map(
    (start, i) =>
      `${startNames[start]} to ${listed(paperMetrics.map((metric) => `${shortName(metric)} ${decimals(ends[i].metrics[metric].mean)}`))}`,
  );
  return {
    id: "refits",
    title: "Users' own metrics by gradient step (Fig. 5 of the paper)",
    finding: `After ${count(ends[0].step ?? 0)} steps: ${moves.join("; ")}.`,
    note: `Means over ${plural(users, "test user")}${seeds.length > 1 ? ` and ${seeds.length} runs; bands are one standard deviation of the runs to either side` : ", one run"}. The axis of steps is stretched at its beginning; vertical axes do not begin at 0.`,
    legend: [...STARTS.map((start) => startNames[start]), ...LEVELS].map((name, series) => ({
      name,
      series,
      shape: "line",
    })),
    panels: paperMetrics.map((metric) => {
      const points = (path: readonly Refit[]) =>
        path.map(({ step, metrics }) => ({
          step: step ?? 0,
          mean: metrics[metric].mean,
          deviation: metrics[metric].overRuns,
        }));
      return bandsPanel({
        title: `${metric}@${PLACES}`,
        description: `${metric} at ${PLACES} by gradient step. ${STARTS.map(
          (start, i) =>
            `${startNames[start]}: ${points(paths[i])
              .map(({ step, mean }) => `${decimals(mean)} after ${step}`)
              .join(", ")}`,
        ).join(
          ". ",
        )}. As levels: ${LEVELS.map((name, i) => `${name} ${decimals(levels[i][metric].mean)}`).join("; ")}.`,
        label: `at ${PLACES}`,
        steps: "gradient steps",
        scale: "sqrt",
        curves: paths.map((path, series) => ({ series, points: points(path) })),
        levels: levels.map((figures, i) => ({
          series: STARTS.length + i,
          mean: figures[metric].mean,
          deviation: figures[metric].overRuns,
        })),
      });
    }),
    table: {
      head: ["start", "steps", ...paperMetrics.flatMap((metric) => [shortName(metric), "± over runs"])],
      text: [0],
      rows: [
        ...paths.flat().map(({ start, step, metrics }) => ({
          cells: [startNames[start], count(step), ...figures(metrics)],
        })),
        ...levels.map((metrics, i) => ({ cells: [LEVELS[i], "–", ...figures(metrics)] })),
      ],
    },
  };
}

const figures = (metrics: Readonly<Record<(typeof paperMetrics)[number], { mean: number; overRuns: number }>>) =>
  paperMetrics.flatMap((metric) => [decimals(metrics[metric].mean), decimals(metrics[metric].overRuns)]);
