// HR within each third of the truth by popularity, a row for each recommender.
import { axisX, dot, gridX, type PlotOptions, pointer, ruleY, text, tip } from "@observablehq/plot";
import { decimals } from "../../design/numbers.ts";
import type { StratumDot } from "../strata.ts";
import { stratumLooks } from "../strata.ts";
import { tipText } from "./draw.ts";

const ROW = 46; // px
const SPREAD = 7; // px between the marks of a row, so that equal figures do not hide each other

export function strataOptions(dots: readonly StratumDot[], names: readonly string[], label: string): PlotOptions {
  const rows = names.map((_, row) => row);
  return {
    height: ROW * names.length + 44,
    marginLeft: 12,
    marginTop: 6,
    x: { domain: [0, Math.max(...dots.map(({ value }) => value), 0.01)], nice: true, label },
    y: { axis: null, type: "band", domain: rows, padding: 0 },
    marks: [
      gridX({ stroke: "var(--line)", strokeOpacity: 1, ticks: 5 }),
      ruleY(rows.slice(1), { y: (row: number) => row, dy: -ROW / 2, stroke: "var(--line)" }),
      axisX({ tickSize: 0, ticks: 5, labelArrow: "none", labelAnchor: "center" }),
      text(rows, {
        y: (row: number) => row,
        frameAnchor: "left",
        dy: 10 - ROW / 2,
        text: (row: number) => names[row],
        textAnchor: "start",
        lineWidth: 23, // em, as much as a narrow screen has
        textOverflow: "ellipsis",
        fill: "var(--ink)",
      }),
      ...stratumLooks.map(({ colour, shape }, series) =>
        dot(
          dots.filter((one) => one.series === series),
          {
            x: "value",
            y: "row",
            fill: colour,
            symbol: shape,
            r: 4.5,
            stroke: "var(--surface)",
            strokeWidth: 1,
            dy: 7 + SPREAD * (series - 1),
          },
        ),
      ),
      tip(
        dots,
        pointer({
          x: "value",
          y: "row",
          dy: 7,
          ...tipText,
          title: ({ row, stratum, value }: StratumDot) => `${names[row]}\n${stratum}: ${decimals(value)}`,
        }),
      ),
    ],
  };
}
