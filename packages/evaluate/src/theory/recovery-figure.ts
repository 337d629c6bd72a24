// The error of the metric by the number of items, a line for each number of surrogates. Both axes are logarithmic: what falls with a power is straight.
import * as Plot from "@observablehq/plot";
import { colour, dash, type Panel } from "../report/figures/draw.ts";
import type { Figure } from "../report/figures/figure.ts";
import { count, listed, plural } from "../report/numbers.ts";
import { significant } from "./numbers.ts";
import { exponentOf, type RecoveryCell, type RecoveryResult } from "./recovery.ts";

type Error = "kernel" | "distance";

const errorNames: Readonly<Record<Error, string>> = { kernel: "sup|k − k*|/k*", distance: "sup|D − D*|" };

export function recoveryFigure(result: RecoveryResult): Figure {
  const { settings, cells } = result;
  const { surrogates, seeds } = settings;
  const fastest = cells.filter(({ k }) => k === surrogates[surrogates.length - 1]);
  const [first, last] = [fastest[0], fastest[fastest.length - 1]];
  const slopes = surrogates.map((k) => exponentOf(cells.filter((cell) => cell.k === k)));
  const power = slopes.every((slope) => slope !== null)
    ? ` It goes as n to the power of ${listed(slopes.map((slope) => significant(slope, 2)))} for k = ${listed(surrogates.map(count))}.`
    : "";
  return {
    id: "recovery",
    title: "How far the learned metric is off",
    finding: `With ${plural(first.k, "surrogate")} ${errorNames.distance} goes from ${significant(first.distance.median)} at n = ${count(first.n)} to ${significant(last.distance.median)} at n = ${count(last.n)}.${power}`,
    note: `Medians of ${plural(seeds.length, "seed")}${seeds.length > 1 ? "; bands are the middle half of them" : ""}. Both axes are logarithmic.`,
    legend: surrogates.map((k, series) => ({ name: `k = ${k}`, series, shape: "line" })),
    panels: (["kernel", "distance"] as const).map((error) => panelOf(error, result)),
    table: {
      head: ["n", "k", ...Object.values(errorNames).flatMap((name) => [name, "lower quarter", "upper quarter"])],
      text: [],
      rows: cells.map(({ n, k, kernel, distance }) => ({
        cells: [
          count(n),
          count(k),
          ...[kernel, distance].flatMap(({ median, low, high }) =>
            [median, low, high].map((value) => significant(value)),
          ),
        ],
      })),
    },
  };
}

function panelOf(error: Error, { settings: { sizes, surrogates }, cells }: RecoveryResult): Panel {
  const curves = surrogates.map((k) => cells.filter((cell) => cell.k === k));
  const values = cells.flatMap((cell) => [cell[error].low, cell[error].high]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const ends = (curve: readonly RecoveryCell[]) =>
    `k = ${curve[0].k} from ${significant(curve[0][error].median)} to ${significant(curve[curve.length - 1][error].median)}`;
  const x = (cell: RecoveryCell) => cell.n;
  return {
    title: errorNames[error],
    description: `${errorNames[error]} between n = ${count(sizes[0])} and n = ${count(sizes[sizes.length - 1])}: ${listed(curves.map(ends))}.`,
    plot: {
      height: 270,
      marginLeft: 48,
      marginRight: 16,
      marginTop: 24,
      marginBottom: 36,
      x: { type: "log", domain: widened(sizes[0], sizes[sizes.length - 1]), label: "items n" },
      y: { type: "log", domain: widened(least, most) },
      marks: [
        Plot.gridY(ticks(least, most), { stroke: "var(--grid)", strokeOpacity: 1 }),
        Plot.axisY(ticks(least, most), { tickSize: 0, text: String, label: null }),
        Plot.axisX([...sizes], { tickSize: 4, text: count, labelArrow: "none", labelAnchor: "center" }),
        ...curves.map((curve, series) =>
          Plot.areaY(curve, {
            x,
            y1: (cell: RecoveryCell) => cell[error].low,
            y2: (cell: RecoveryCell) => cell[error].high,
            fill: colour(series),
            fillOpacity: 0.18,
          }),
        ),
        ...curves.flatMap((curve, series) => {
          const y = (cell: RecoveryCell) => cell[error].median;
          return [
            Plot.lineY(curve, { x, y, stroke: colour(series), strokeWidth: 2.5, strokeDasharray: dash(series) }),
            Plot.dot(curve, { x, y, fill: colour(series), r: 2.5 }),
          ];
        }),
      ],
    },
  };
}

/** A single value has no scale of its own. */
const widened = (least: number, most: number): [number, number] =>
  least < most ? [least, most] : [least / 1.5, most * 1.5];

/** 0.1, 0.3, 1, 3, … that lie in the range; its ends where none does. */
function ticks(least: number, most: number): number[] {
  const decades = Array.from({ length: 13 }, (_, i) => i - 8);
  const inside = decades
    .flatMap((power) => [1, 3].map((digit) => Number(`${digit}e${power}`)))
    .filter((value) => value >= least && value <= most);
  return inside.length > 0 ? inside : [...new Set([least, most])].map((value) => Number(value.toPrecision(2)));
}
