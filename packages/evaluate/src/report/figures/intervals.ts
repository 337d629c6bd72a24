// One metric on one truth: a dot with its 95 % interval for every recommender, the best first.
import * as Plot from "@observablehq/plot";
import type { MetricName } from "../../protocol/measure.ts";
import type { EvaluationResult } from "../../result.ts";
import { capital, decimals, isMeasured } from "../numbers.ts";
import type { Panel } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { rowsPlot } from "./rows.ts";

interface Row {
  name: string;
  own: boolean;
  mean: number;
  low: number;
  high: number;
}

/** A panel for each metric: of different families, so never on one axis. */
export function intervalsFigure(
  { recommenders, k }: EvaluationResult,
  truth: string,
  { id, metrics }: { id: string; metrics: readonly MetricName[] },
): Figure | undefined {
  const rowsOf = (metric: MetricName): Row[] =>
    recommenders
      .map(({ name, kind, truths }) => ({ name, own: kind === "model", ...truths[truth]?.metrics[metric] }))
      .filter((row): row is Row => isMeasured(row.mean))
      .sort((a, b) => b.mean - a.mean);
  const drawn = metrics.map((metric) => ({ metric, rows: rowsOf(metric) })).filter(({ rows }) => rows.length > 0);
  if (drawn.length === 0) return undefined;
  return {
    id,
    title: `Models and baselines on ${truth}`,
    finding: drawn.map(({ metric, rows }) => placing(metric, rows)).join(" "),
    panels: drawn.map(({ metric, rows }) => panel(metric, rows, k)),
    table: {
      head: ["metric", "recommender", "mean", "low", "high"],
      text: [0, 1],
      rows: drawn.flatMap(({ metric, rows }) =>
        rows.map(({ name, own, mean, low, high }) => ({
          own,
          cells: [metric, name, decimals(mean), decimals(low), decimals(high)],
        })),
      ),
    },
  };
}

/** Who is first, and where the best model stands. */
function placing(metric: MetricName, rows: readonly Row[]): string {
  const own = rows.findIndex((row) => row.own);
  const place = own > 0 ? `; ${rows[own].name} is number ${own + 1} with ${decimals(rows[own].mean)}` : "";
  return `${capital(metric)}: ${rows[0].name} is first with ${decimals(rows[0].mean)}${place}.`;
}

function panel(metric: MetricName, rows: readonly Row[], k: number): Panel {
  const tone = ({ own }: Row) => (own ? "var(--series-0)" : "var(--muted)");
  const y = (_: unknown, row: number) => row;
  return {
    title: `${metric}@${k}`,
    description: `${metric} at ${k} with 95 % intervals, best first: ${rows.map(({ name, mean }) => `${name} ${decimals(mean)}`).join(", ")}.`,
    plot: rowsPlot({
      names: rows.map(({ name }) => name),
      own: rows.map(({ own }) => own),
      values: rows.map(({ mean }) => decimals(mean)),
      x: {
        domain: [0, Math.max(...rows.map(({ high }) => high), 0.01)],
        nice: true,
        label: `${metric}@${k}, 95 % interval`,
      },
      marks: ({ dy }) => [
        Plot.ruleY(rows, { x1: "low", x2: "high", y, stroke: tone, strokeWidth: 3, strokeOpacity: 0.45, dy }),
        Plot.dot(rows, { x: "mean", y, fill: tone, r: 4, dy }),
      ],
    }),
  };
}
