// The Gaussian process while it is fitted: how surprised it is, by what it is fitted to and by what it is not, and the noise it believes in.
import type { ReportedStage } from "../model-report.ts";
import { count, decimals, isMeasured } from "../numbers.ts";
import type { Panel } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { type Curve, linesPanel } from "./lines.ts";

export function processFigure(stages: readonly ReportedStage[]): Figure | undefined {
  const stage = stages.find(({ curves }) => curves?.points.some(({ nll }) => isMeasured(nll)));
  if (!stage?.curves) return undefined;
  const { points, validation } = stage.curves;
  const held = validation.filter(({ holdoutNll }) => isMeasured(holdoutNll));
  const nll: Curve[] = [
    { name: "NLL, fitted", series: 0, points: points.map(({ step, nll: value }) => ({ step, value })) },
    ...(held.length > 0
      ? [
          {
            name: "NLL, held out",
            series: 1,
            dots: true,
            points: held.map(({ step, holdoutNll }) => ({ step, value: holdoutNll })),
          },
        ]
      : []),
  ];
  const noise = points.map(({ step, noise: value }) => ({ step, value }));
  const [firstNoise, lastNoise] = ends(noise.map(({ value }) => value));
  const [firstNll, lastNll] = ends(nll[0].points.map(({ value }) => value));
  const common = { steps: stage.steps, best: stage.best };
  const panels: Panel[] = [
    linesPanel({
      title: "negative log likelihood",
      description: `Negative log likelihood per item and target: ${decimals(firstNll)} at first, ${decimals(lastNll)} at the end${held.length > 0 ? `; on held-out items ${decimals(held[0].holdoutNll)}, then ${decimals(held[held.length - 1].holdoutNll)}` : ""}.`,
      label: "nats per item and target",
      curves: nll,
      ...common,
    }),
    ...(isMeasured(firstNoise)
      ? [
          linesPanel({
            title: "noise σ",
            description: `Noise of the targets: from ${decimals(firstNoise)} to ${decimals(lastNoise)}.`,
            label: "σ",
            curves: [{ name: "noise σ", series: 2, points: noise }],
            ...common,
          }),
        ]
      : []),
  ];
  return {
    id: "process",
    title: `Gaussian process, stage ${stage.name}`,
    finding: `NLL per item and target from ${decimals(firstNll)} to ${decimals(lastNll)}; noise σ from ${decimals(firstNoise)} to ${decimals(lastNoise)}.`,
    legend: [
      ...nll.map(({ name, series }) => ({ name, series, shape: "line" as const })),
      ...(panels.length > 1 ? [{ name: "noise σ", series: 2, shape: "line" as const }] : []),
    ],
    panels,
    table: {
      head: ["step", "NLL, fitted", "NLL, held out", "noise σ"],
      rows: merged(points, validation).map(({ step, nll: own, holdoutNll, noise: sigma }) => ({
        cells: [count(step), decimals(own, 4), decimals(holdoutNll, 4), decimals(sigma, 4)],
      })),
    },
  };
}

type Row = { step: number; nll: number | null; noise: number | null; holdoutNll: number | null };

/** Points and looks, each step once. */
function merged(
  points: NonNullable<ReportedStage["curves"]>["points"],
  looks: NonNullable<ReportedStage["curves"]>["validation"],
): Row[] {
  const rows = new Map<number, Row>(
    points.map(({ step, nll, noise }) => [step, { step, nll, noise, holdoutNll: null }]),
  );
  for (const { step, holdoutNll } of looks) {
    rows.set(step, { ...(rows.get(step) ?? { step, nll: null, noise: null }), holdoutNll });
  }
  return [...rows.values()].sort((a, b) => a.step - b.step);
}

function ends(values: readonly (number | null | undefined)[]): [number | undefined, number | undefined] {
  const known = values.filter(isMeasured);
  return [known[0], known[known.length - 1]];
}
