// Paper HR by how well the query is known: the model, and in each stratum the baseline that comes closest to it or passes it.
import * as Plot from "@observablehq/plot";
import { type KnownVerdict, knownVerdicts } from "../../known.ts";
import type { EvaluationResult } from "../../result.ts";
import { count, decimals, plural, signed } from "../numbers.ts";
import { colour, dash } from "./draw.ts";
import type { Figure } from "./figure.ts";

/** undefined if the queries are of one stratum alone, or nothing was measured beside the model. */
export function knownFigure(evaluation: EvaluationResult, truth: string): Figure | undefined {
  const verdicts = knownVerdicts(evaluation, truth);
  if (verdicts.length < 2 || verdicts.every(({ rival }) => !rival)) return undefined;
  const { base, k } = evaluation;
  const points = verdicts.flatMap(({ events, own, rival }) => [
    { events, series: 0, ...own },
    ...(rival ? [{ events, series: 1, ...rival.value }] : []),
  ]);
  return {
    id: "known",
    title: "New items and known ones",
    finding: finding(verdicts),
    note: "The baseline is the one over which the model leads least, chosen anew in each stratum among those that answer half of its queries. A lead whose 95 % interval holds 0 is undecided.",
    legend: [
      { name: base, series: 0, shape: "line" },
      { name: "the best baseline there", series: 1, shape: "line" },
    ],
    panels: [
      {
        title: `Paper HR by how well the query is known, ${truth}`,
        description: `Paper HR at ${k} by training events of the query, with 95 % intervals. ${verdicts.map((one) => `${one.events} events: ${sentence(one)}`).join("; ")}.`,
        plot: {
          height: 220,
          marginLeft: 44,
          marginRight: 14,
          marginTop: 24,
          marginBottom: 34,
          x: {
            type: "point",
            domain: verdicts.map(({ events }) => events),
            label: "training events of the query",
            padding: 0.3,
          },
          y: {
            label: `paper HR@${k}`,
            nice: true,
            ticks: 5,
            domain: [0, Math.max(...points.map(({ high }) => high), 0.01)],
          },
          marks: [
            Plot.gridY({ stroke: "var(--grid)", strokeOpacity: 1, ticks: 5 }),
            Plot.axisY({ tickSize: 0, ticks: 5, labelArrow: "none" }),
            Plot.axisX({ tickSize: 4, labelArrow: "none", labelAnchor: "center" }),
            ...[1, 0].flatMap((series) => {
              const own = points.filter((point) => point.series === series);
              const dx = series === 0 ? -3 : 3; // intervals side by side
              const place = { x: "events", dx, stroke: colour(series) } as const;
              return [
                Plot.lineY(own, { ...place, y: "mean", strokeWidth: 2, strokeDasharray: dash(series) }),
                Plot.ruleX(own, { ...place, y1: "low", y2: "high", strokeWidth: 3, strokeOpacity: 0.45 }),
                Plot.dot(own, { x: "events", dx, y: "mean", fill: colour(series), r: 3.5 }),
              ];
            }),
          ],
        },
      },
    ],
    table: {
      head: ["training events", "queries", "HR", "best baseline", "its HR", "lead", ""],
      text: [0, 3, 6],
      rows: verdicts.map(({ events, queries, own, rival, verdict }) => ({
        own: verdict === "above",
        cells: [
          events,
          count(queries),
          `${decimals(own.mean)} [${decimals(own.low)}, ${decimals(own.high)}]`,
          rival?.name ?? "–",
          rival ? decimals(rival.value.mean) : "–",
          rival ? `${signed(rival.lead.mean)} [${signed(rival.lead.low)}, ${signed(rival.lead.high)}]` : "–",
          rival ? verdict : "no baseline answers",
        ],
      })),
    },
  };
}

function sentence({ queries, own, rival, verdict }: KnownVerdict): string {
  const beside = rival ? `, ${rival.name} ${decimals(rival.value.mean)}, ${verdict}` : "";
  return `${decimals(own.mean)} over ${plural(queries, "query", "queries")}${beside}`;
}

/** In how many strata the model is above, below, or cannot be told from the best baseline. */
function finding(verdicts: readonly KnownVerdict[]): string {
  const judged = verdicts.filter(({ rival }) => rival);
  const of = (word: KnownVerdict["verdict"]) => judged.filter(({ verdict }) => verdict === word);
  const named = (some: readonly KnownVerdict[]) => some.map(({ events }) => events).join(", ");
  const parts = [
    ...(of("above").length > 0
      ? [`Above the best baseline for queries with ${named(of("above"))} training events`]
      : []),
    ...(of("undecided").length > 0 ? [`undecided with ${named(of("undecided"))}`] : []),
    ...(of("below").length > 0 ? [`below it with ${named(of("below"))}`] : []),
  ];
  const text = parts.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
