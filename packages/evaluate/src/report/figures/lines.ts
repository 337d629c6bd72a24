// Lines over the steps of a stage, one panel a stage: what all training curves share.
import * as Plot from "@observablehq/plot";
import { isMeasured, type Measured } from "../numbers.ts";
import { colour, dash, type Panel } from "./draw.ts";

/** One curve. `series` is its colour and dash, the same in the legend. */
export interface Curve {
  readonly name: string;
  readonly series: number;
  readonly points: readonly { readonly step: number; readonly value: Measured }[];
  /** Few points, each measured on its own: drawn as dots too. */
  readonly dots?: boolean;
}

export interface LinesOptions {
  readonly title: string;
  readonly description: string;
  /** What the vertical axis counts. */
  readonly label: string;
  readonly curves: readonly Curve[];
  /** The step that was kept: a vertical rule. */
  readonly best?: number | undefined;
  readonly steps: number;
  /** Of the vertical axis; that of the values where it is not given. */
  readonly domain?: readonly [number, number] | undefined;
}

/** Values of curves, together: panels side by side share a scale. */
export function domainOf(curves: readonly Curve[], from?: number): [number, number] {
  const values = curves.flatMap(({ points }) => points.map(({ value }) => value)).filter(isMeasured);
  const low = Math.min(from ?? Number.POSITIVE_INFINITY, ...values);
  const high = Math.max(...values);
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

export function linesPanel({ title, description, label, curves, best, steps, domain }: LinesOptions): Panel {
  const data = curves.map((curve) => ({ ...curve, points: curve.points.filter(({ value }) => isMeasured(value)) }));
  return {
    title,
    description,
    plot: {
      height: 210,
      marginLeft: 44,
      marginRight: 14,
      marginTop: 24,
      marginBottom: 34,
      x: { domain: [0, steps], label: "step", ticks: 5 },
      y: { label, nice: true, ticks: 5, ...(domain ? { domain: [...domain] } : {}) },
      marks: [
        Plot.gridY({ stroke: "var(--grid)", strokeOpacity: 1, ticks: 5 }),
        Plot.axisY({ tickSize: 0, ticks: 5, labelArrow: "none" }),
        Plot.axisX({ tickSize: 4, ticks: 5, labelArrow: "none", labelAnchor: "center" }),
        ...(best === undefined
          ? []
          : [
              Plot.ruleX([best], { stroke: "var(--muted)", strokeDasharray: "3 3" }),
              Plot.text([best], {
                x: (step: number) => step,
                frameAnchor: "top",
                dy: -13,
                text: () => `kept: ${best}`,
                textAnchor: best > 0.8 * steps ? "end" : best < 0.2 * steps ? "start" : "middle",
                fill: "var(--muted)",
              }),
            ]),
        ...data.flatMap(({ points, series, dots }) => [
          Plot.lineY(points, {
            x: "step",
            y: "value",
            stroke: colour(series),
            strokeWidth: 2,
            strokeDasharray: dash(series),
          }),
          ...(dots ? [Plot.dot(points, { x: "step", y: "value", fill: colour(series), r: 2.5 })] : []),
        ]),
      ],
    },
  };
}
