// Whether intervals keep what they promise: on the diagonal they do, below it they are too narrow, above it too wide.
import * as Plot from "@observablehq/plot";
import type { Calibration } from "../../protocol/calibration.ts";
import { percent, plural } from "../numbers.ts";
import type { Figure } from "./figure.ts";

const FAR = 0.05; // a difference worth a word, where there are items enough to see it

export function reliabilityFigure(calibration: Calibration): Figure {
  const points = Object.entries(calibration.coverage)
    .map(([promised, actual]) => ({ promised: Number(promised), actual }))
    .sort((a, b) => a.promised - b.promised);
  const words = points.map(({ promised, actual }) => `${percent(actual)} in the ${percent(promised)} interval`);
  const far = (promised: number) => Math.max(FAR, 2 * Math.sqrt((promised * (1 - promised)) / calibration.items));
  const narrow = points.some(({ promised, actual }) => actual < promised - far(promised));
  const wide = points.some(({ promised, actual }) => actual > promised + far(promised));
  const verdict =
    narrow && wide
      ? "narrow ones are too narrow or wide ones too wide: errors are not normal"
      : narrow
        ? "intervals are too narrow: the model is surer than it may be"
        : wide
          ? "intervals are wider than they need to be"
          : `intervals keep what they promise, as far as ${plural(calibration.items, "item")} can tell`;
  return {
    id: "reliability",
    title: "Promised and actual coverage",
    finding: `${words.join(", ")}: ${verdict}.`,
    panels: [
      {
        title: "Promised and actual coverage of rating intervals",
        description: `Share of test items whose mean rating lies in the interval, against the share that it promises: ${words.join(", ")}; ${verdict}.`,
        plot: {
          height: 300,
          marginLeft: 50,
          marginRight: 20,
          marginTop: 26,
          marginBottom: 38,
          x: { domain: [0.4, 1], label: "promised", tickFormat: percent, ticks: 4 },
          y: {
            domain: [Math.min(0.4, ...points.map(({ actual }) => Math.floor(actual * 10) / 10)), 1],
            label: "actual",
            tickFormat: percent,
            ticks: 4,
          },
          marks: [
            Plot.gridY({ stroke: "var(--grid)", strokeOpacity: 1, ticks: 4 }),
            Plot.gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks: 4 }),
            Plot.axisX({ tickSize: 0, ticks: 4, tickFormat: percent, labelArrow: "none", labelAnchor: "center" }),
            Plot.axisY({ tickSize: 0, ticks: 4, tickFormat: percent, labelArrow: "none" }),
            Plot.line(
              [
                [0.4, 0.4],
                [1, 1],
              ],
              { stroke: "var(--muted)", strokeDasharray: "4 4" },
            ),
            Plot.line(points, { x: "promised", y: "actual", stroke: "var(--series-0)", strokeWidth: 2 }),
            Plot.dot(points, { x: "promised", y: "actual", fill: "var(--series-0)", r: 5 }),
            Plot.text(points, {
              x: "promised",
              y: "actual",
              text: ({ actual }: { actual: number }) => percent(actual),
              dx: -10,
              dy: -10,
              textAnchor: "end",
              fill: "var(--ink)",
            }),
          ],
        },
      },
    ],
    table: {
      head: ["promised", "actual"],
      text: [],
      rows: points.map(({ promised, actual }) => ({ cells: [percent(promised), percent(actual)] })),
    },
  };
}
