// Paper HR within each third of the truth by popularity: what only knows the popular hits the head and nothing else.
import * as Plot from "@observablehq/plot";
import { strata } from "../../protocol/strata.ts";
import type { EvaluationResult } from "../../result.ts";
import { decimals, isMeasured } from "../numbers.ts";
import { colour } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { rowsPlot } from "./rows.ts";

/** Pixels between the marks of a row, so that equal figures do not hide each other. */
const SPREAD = 7;
const SHAPES = ["circle", "square", "triangle"] as const;

export function strataFigure({ recommenders, k }: EvaluationResult, truth: string, model: string): Figure | undefined {
  const rows = recommenders.flatMap(({ name, kind, truths }) => {
    const own = truths[truth]?.strata;
    return own && strata.some((stratum) => isMeasured(own[stratum]))
      ? [{ name, own: kind === "model", strata: own }]
      : [];
  });
  if (rows.length === 0) return undefined;
  const dots = rows.flatMap(({ strata: values }, row) =>
    strata.flatMap((stratum, series) => (isMeasured(values[stratum]) ? [{ row, series, value: values[stratum] }] : [])),
  );
  const judged = rows.find(({ name }) => name === model) ?? rows[0];
  const words = strata.map((stratum) => `${stratum} ${decimals(judged.strata[stratum])}`).join(", ");
  return {
    id: "strata",
    title: `Hits by popularity, ${truth}`,
    finding: `Paper HR of ${judged.name} by third of the truth: ${words}.`,
    legend: strata.map((name, series) => ({ name, series, shape: SHAPES[series] })),
    panels: [
      {
        title: `Paper HR by popularity of the hit, ${truth}`,
        description: `Paper HR at ${k} within the most popular, the middle and the least popular third of the truth. ${rows.map(({ name, strata: own }) => `${name}: ${strata.map((stratum) => decimals(own[stratum])).join(", ")}`).join("; ")}.`,
        plot: rowsPlot({
          names: rows.map(({ name }) => name),
          own: rows.map(({ own }) => own),
          height: 46,
          x: {
            domain: [0, Math.max(...dots.map(({ value }) => value), 0.01)],
            nice: true,
            label: `paper HR@${k} within the third`,
          },
          marks: ({ dy }) => [
            ...SHAPES.map((symbol, series) =>
              Plot.dot(
                dots.filter((dot) => dot.series === series),
                {
                  x: "value",
                  y: "row",
                  fill: colour(series),
                  symbol,
                  r: 4,
                  stroke: "var(--panel)",
                  strokeWidth: 1,
                  dy: dy + 1 + SPREAD * (series - 1),
                },
              ),
            ),
          ],
        }),
      },
    ],
    table: {
      head: ["recommender", ...strata],
      rows: rows.map(({ name, own, strata: values }) => ({
        own,
        cells: [name, ...strata.map((stratum) => decimals(values[stratum]))],
      })),
    },
  };
}
