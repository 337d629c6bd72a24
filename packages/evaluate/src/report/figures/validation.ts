// How validation items, which training does not see, are ranked at each look: what the step is chosen by.
import type { ValidationPoint } from "@nearkin/train";
import type { ReportedStage } from "../model-report.ts";
import { count, decimals, isMeasured } from "../numbers.ts";
import type { Figure } from "./figure.ts";
import { type Curve, domainOf, linesPanel } from "./lines.ts";

const METRICS = [
  { key: "hr", name: "paper HR" },
  { key: "mrr", name: "paper MRR" },
  { key: "ndcg", name: "paper NDCG" },
] as const;

export function validationFigure(stages: readonly ReportedStage[]): Figure | undefined {
  const drawn = stages.flatMap((stage) => {
    const looks = (stage.curves?.validation ?? []).filter(({ hr }) => isMeasured(hr));
    return looks.length > 0 ? [{ stage, looks, curves: curvesOf(looks) }] : [];
  });
  if (drawn.length === 0) return undefined;
  const domain = domainOf(
    drawn.flatMap(({ curves }) => curves),
    0,
  );
  const kept = drawn.map(({ stage }) => `${stage.name} ${decimals(stage.metrics.hr)} (step ${count(stage.best)})`);
  return {
    id: "validation",
    title: "Ranking of validation items, paper family",
    finding: `Paper HR of the steps that were kept: ${kept.join(", then ")}.`,
    legend: METRICS.map(({ name }, series) => ({ name, series, shape: "line" })),
    panels: drawn.map(({ stage, looks, curves }) => {
      const last = looks[looks.length - 1];
      return linesPanel({
        title: stage.name,
        description: `Validation figures of the stage ${stage.name}: paper HR from ${decimals(looks[0].hr)} at step ${looks[0].step} to ${decimals(last.hr)} at step ${last.step}; step ${stage.best} was kept with ${decimals(stage.metrics.hr)}.`,
        label: "at 10",
        steps: stage.steps,
        best: stage.best,
        domain,
        curves,
      });
    }),
    table: {
      head: ["stage", "step", ...METRICS.map(({ name }) => name)],
      rows: drawn.flatMap(({ stage, looks }) =>
        looks.map((look) => ({
          cells: [stage.name, count(look.step), ...METRICS.map(({ key }) => decimals(look[key]))],
        })),
      ),
    },
  };
}

function curvesOf(looks: readonly ValidationPoint[]): Curve[] {
  return METRICS.map(({ key, name }, series) => ({
    name,
    series,
    dots: true,
    points: looks.map((look) => ({ step: look.step, value: look[key] })),
  }));
}
