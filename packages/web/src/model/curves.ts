// Curves of a training, ready to be drawn: a panel for each stage.
import type { Training, TrainingStage } from "@nearkin/client";
import { isMeasured, type Measured } from "../design/numbers.ts";

type Curves = NonNullable<TrainingStage["curves"]>;

export interface CurveLine {
  readonly name: string;
  /** A colour token, such as "var(--accent)". */
  readonly colour: string;
  /** One value for each step of the panel; null where it was not measured. */
  readonly values: readonly (number | null)[];
  /** Lengths of strokes and gaps; without it the line is whole. */
  readonly dash?: readonly number[];
  /** What the reader should look at first. */
  readonly strong?: boolean;
}

export interface CurvePanel {
  readonly stage: string;
  /** Steps that were done: the end of the axis. */
  readonly end: number;
  /** The step that was kept. */
  readonly kept: number;
  readonly steps: readonly number[];
  readonly lines: readonly CurveLine[];
  /** Few points, each measured on its own: drawn as dots too. */
  readonly dots: boolean;
}

/** What is minimised. The stages minimise different things: their scales have nothing to do with each other. */
export function lossPanels({ stages }: Pick<Training, "stages">): CurvePanel[] {
  return panels(stages, "points", (points) => [
    { name: "training loss", colour: "var(--accent)", strong: true, values: points.map(({ loss }) => loss) },
  ]);
}

/** Places of the paper's family in the answer, and what they are called. */
const measures = [
  { key: "hr", name: "HR", colour: "var(--ink)", dash: [7, 3] },
  { key: "mrr", name: "MRR", colour: "var(--ink-soft)", dash: [2, 3] },
  { key: "ndcg", name: "NDCG", colour: "var(--edge)", dash: [9, 3, 2, 3] },
] as const;

/** How items are ranked that training does not see. The mean of the three figures is what a step is chosen by. */
export function rankingPanels({ stages }: Pick<Training, "stages">): CurvePanel[] {
  return panels(stages, "validation", (looks) => [
    {
      name: "mean of the three",
      colour: "var(--accent)",
      strong: true,
      values: looks.map(({ hr, mrr, ndcg }) => meanOf([hr, mrr, ndcg])),
    },
    ...measures.map(({ key, name, colour, dash }) => ({ name, colour, dash, values: looks.map((look) => look[key]) })),
  ]);
}

/** The likelihood of what the process is fitted to, and of what it does not see: only where the process trains the towers. */
export function likelihoodPanels({ stages }: Pick<Training, "stages">): CurvePanel[] {
  return stages.flatMap((stage) => {
    const { points = [], validation = [] } = stage.curves ?? {};
    const fitted = new Map(points.map(({ step, nll }) => [step, nll]));
    const held = new Map(validation.map(({ step, holdoutNll }) => [step, holdoutNll]));
    const steps = [...new Set([...fitted.keys(), ...held.keys()])].sort((a, b) => a - b);
    const lines: CurveLine[] = [
      { name: "fitted items", colour: "var(--ink-soft)", values: steps.map((step) => fitted.get(step) ?? null) },
      {
        name: "held-out items",
        colour: "var(--accent)",
        strong: true,
        values: steps.map((step) => held.get(step) ?? null),
      },
    ];
    return panel(stage, steps, lines, false);
  });
}

/** h by channel. Scales are measured anew at the start of a stage: lines may jump between stages without a change of the metric. */
export function weightPanels({ stages }: Pick<Training, "stages">, colours: ReadonlyMap<string, string>): CurvePanel[] {
  const names = [
    ...new Set(stages.flatMap(({ curves }) => curves?.points.flatMap(({ weights }) => Object.keys(weights)) ?? [])),
  ];
  return panels(stages, "points", (points) =>
    names.map((name) => ({
      name,
      colour: colours.get(name) ?? "var(--ink-soft)",
      values: points.map(({ weights }) => weights[name] ?? null),
    })),
  );
}

/** A panel for each stage that has something to show; lines without any value are left out. */
function panels<Part extends "points" | "validation">(
  stages: readonly TrainingStage[],
  part: Part,
  linesOf: (rows: Curves[Part]) => readonly CurveLine[],
): CurvePanel[] {
  return stages.flatMap((stage) => {
    const rows = stage.curves?.[part] ?? ([] as unknown as Curves[Part]);
    return panel(
      stage,
      rows.map(({ step }) => step),
      linesOf(rows),
      part === "validation",
    );
  });
}

function panel(
  stage: TrainingStage,
  steps: readonly number[],
  lines: readonly CurveLine[],
  dots: boolean,
): CurvePanel[] {
  const shown = lines.filter(({ values }) => values.some(isMeasured));
  if (shown.length === 0) return [];
  return [{ stage: stage.name, end: Math.max(stage.steps, ...steps), kept: stage.best, steps, lines: shown, dots }];
}

function meanOf(values: readonly Measured[]): number | null {
  const known = values.filter(isMeasured);
  return known.length === values.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

const FAR = 10; // times the least: from here on a straight axis hides what happens below

/** Whether a logarithmic axis shows more: values are above 0, and the largest is many times the least. */
export function spansDecades(panels: readonly CurvePanel[]): boolean {
  return panels.some(({ lines }) => {
    const values = lines.flatMap((line) => line.values.filter(isMeasured));
    return Math.min(...values) > 0 && Math.max(...values) > FAR * Math.min(...values);
  });
}

/** Whether all values have a logarithm. */
export const allPositive = (panels: readonly CurvePanel[]): boolean =>
  panels.every(({ lines }) => lines.every(({ values }) => values.every((value) => value === null || value > 0)));

export interface CurveRow {
  readonly stage: string;
  readonly step: number;
  readonly kept: boolean;
  /** By the name of the line. */
  readonly values: Readonly<Record<string, number | null>>;
}

/** The numbers of the panels, for the table behind them. */
export function curveRows(panels: readonly CurvePanel[]): CurveRow[] {
  return panels.flatMap(({ stage, steps, lines, kept }) =>
    steps.map((step, i) => ({
      stage,
      step,
      kept: step === kept,
      values: Object.fromEntries(lines.map(({ name, values }) => [name, values[i]])),
    })),
  );
}

/** All lines of the panels, each name once. */
export function linesOf(panels: readonly CurvePanel[]): CurveLine[] {
  const byName = new Map(panels.flatMap(({ lines }) => lines.map((line) => [line.name, line] as const)));
  return [...byName.values()];
}
