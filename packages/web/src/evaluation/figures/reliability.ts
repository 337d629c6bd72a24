// Whether intervals keep what they promise: on the diagonal they do, below it they are too narrow, above it too wide.
import { dot, line, type PlotOptions, pointer, type TextOptions, text, tip } from "@observablehq/plot";
import { percent } from "../../design/numbers.ts";
import type { Coverage } from "../calibration.ts";
import { axes, tipText } from "./draw.ts";

const LEAST = 0.4;

export function reliabilityOptions(points: readonly Coverage[]): PlotOptions {
  const least = Math.min(LEAST, ...points.map(({ actual }) => Math.floor(actual * 10) / 10));
  return {
    height: 280,
    marginLeft: 52,
    x: { domain: [LEAST, 1], label: "promised" },
    y: { domain: [least, 1], label: "actual" },
    marks: [
      ...axes({ x: { ticks: 4, tickFormat: percent }, y: { ticks: 4, tickFormat: percent } }),
      line(
        [
          [LEAST, LEAST],
          [1, 1],
        ],
        { stroke: "var(--edge)", strokeDasharray: "4 4" },
      ),
      line(points, { x: "promised", y: "actual", stroke: "var(--accent)", strokeWidth: 2 }),
      dot(points, { x: "promised", y: "actual", fill: "var(--accent)", r: 5 }),
      figures(
        points.filter(({ promised, actual }) => actual >= promised),
        { dx: -8, dy: -10, textAnchor: "end" },
      ),
      figures(
        points.filter(({ promised, actual }) => actual < promised),
        { dx: 9, dy: 7, textAnchor: "start" },
      ),
      tip(
        points,
        pointer({
          x: "promised",
          y: "actual",
          ...tipText,
          title: ({ promised, actual }: Coverage) =>
            `${percent(actual)} of the items lie in\nintervals that promise ${percent(promised)}`,
        }),
      ),
    ],
  };
}

/** Each on the side of its point that is away from the diagonal. */
const figures = (points: readonly Coverage[], place: TextOptions) =>
  text(points, {
    x: "promised",
    y: "actual",
    text: ({ actual }: Coverage) => percent(actual),
    fill: "var(--ink)",
    ...place,
  });
