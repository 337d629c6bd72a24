// Loss by step, one panel a stage: the stages minimise different things, so that their scales have nothing to do with each other.
import type { ReportedStage } from "../model-report.ts";
import { count, decimals, isMeasured } from "../numbers.ts";
import type { Figure } from "./figure.ts";
import { linesPanel } from "./lines.ts";

export function lossFigure(stages: readonly ReportedStage[]): Figure | undefined {
  const drawn = stages.flatMap((stage) => {
    const points = (stage.curves?.points ?? []).map(({ step, loss }) => ({ step, value: loss }));
    return points.some(({ value }) => isMeasured(value)) ? [{ stage, points }] : [];
  });
  if (drawn.length === 0) return undefined;
  const moves = drawn.map(({ stage, points }) => {
    const known = points.map(({ value }) => value).filter(isMeasured);
    return { name: stage.name, from: known[0], to: known[known.length - 1] };
  });
  const thinned = Math.max(...drawn.map(({ stage }) => stage.curves?.every ?? 1));
  const means = thinned > 1 ? ` A point is the mean over ${thinned} steps.` : "";
  return {
    id: "loss",
    title: "Training loss",
    finding: `${moves.map(({ name, from, to }) => `${name}: ${decimals(from)} to ${decimals(to)}`).join("; ")}.${means}`,
    panels: drawn.map(({ stage, points }, i) =>
      linesPanel({
        title: stage.name,
        description: `Loss of the stage ${stage.name} over ${count(stage.steps)} steps: from ${decimals(moves[i].from)} to ${decimals(moves[i].to)}; step ${stage.best} was kept.`,
        label: "loss",
        steps: stage.steps,
        best: stage.best,
        curves: [{ name: "loss", series: 0, points }],
      }),
    ),
    table: {
      head: ["stage", "step", "loss"],
      rows: drawn.flatMap(({ stage, points }) =>
        points.map(({ step, value }) => ({ cells: [stage.name, count(step), decimals(value, 4)] })),
      ),
    },
  };
}
