// h of every channel by step. A stage measures the channels' scales anew, so that lines may jump between panels without a change of the metric.
import type { ReportedStage } from "../model-report.ts";
import { count, decimals, isMeasured, listed } from "../numbers.ts";
import type { Figure } from "./figure.ts";
import { domainOf, linesPanel } from "./lines.ts";

export function weightsByStepFigure(stages: readonly ReportedStage[], channels: readonly string[]): Figure | undefined {
  const drawn = stages.flatMap((stage) => {
    const points = stage.curves?.points ?? [];
    const curves = channels.flatMap((name, series) => {
      const own = points.map(({ step, weights }) => ({ step, value: weights[name] }));
      return own.some(({ value }) => isMeasured(value)) ? [{ name, series, points: own }] : [];
    });
    return curves.length > 0 ? [{ stage, points, curves }] : [];
  });
  if (drawn.length === 0) return undefined;
  const domain = domainOf(
    drawn.flatMap(({ curves }) => curves),
    0,
  );
  const last = drawn[drawn.length - 1];
  const ends = last.curves
    .map(({ name, points }) => ({ name, value: points[points.length - 1].value ?? 0 }))
    .sort((a, b) => b.value - a.value);
  return {
    id: "weights-by-step",
    title: "Weights by step",
    finding: `At the end of ${last.stage.name}, ${ends[0].name} weighs most (${decimals(ends[0].value, 2)})${ends.length > 1 ? `, ${ends[ends.length - 1].name} least (${decimals(ends[ends.length - 1].value, 2)})` : ""}.`,
    legend: channels.map((name, series) => ({ name, series, shape: "line" })),
    panels: drawn.map(({ stage, curves }) =>
      linesPanel({
        title: stage.name,
        description: `Weights by step in the stage ${stage.name}: ${listed(curves.map(({ name, points }) => `${name} from ${decimals(points.find(({ value }) => isMeasured(value))?.value, 2)} to ${decimals(points[points.length - 1].value, 2)}`))}.`,
        label: "weight h",
        steps: stage.steps,
        best: stage.best,
        domain,
        curves,
      }),
    ),
    table: {
      head: ["stage", "step", ...channels],
      rows: drawn.flatMap(({ stage, points }) =>
        points.map(({ step, weights }) => ({
          cells: [stage.name, count(step), ...channels.map((name) => decimals(weights[name]))],
        })),
      ),
    },
  };
}
