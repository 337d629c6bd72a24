// Means over runs with a band of one standard deviation: lines over steps, and levels that do not depend on them.
import { areaY, dot, lineY, type PlotOptions, pointerX, rect, ruleX, ruleY, tip } from "@observablehq/plot";
import { count, decimals } from "../../design/numbers.ts";
import { axes, tipText } from "./draw.ts";
import { seriesLook, strokeOf } from "./series.ts";

interface Band {
  readonly mean: number;
  /** Half the height of the band. */
  readonly deviation: number;
}

export interface BandCurve {
  readonly name: string;
  readonly points: readonly (Band & { readonly step: number })[];
}

export interface BandLevel extends Band {
  readonly name: string;
}

export interface Bands {
  /** What the horizontal axis counts. */
  readonly steps: string;
  /** `sqrt` gives the first steps more room. */
  readonly scale: "linear" | "sqrt";
  /** Series in order; levels come after them. */
  readonly curves: readonly BandCurve[];
  readonly levels: readonly BandLevel[];
}

// figures lie between 0 and 1, and so do their bands
const low = ({ mean, deviation }: Band) => Math.max(0, mean - deviation);
const high = ({ mean, deviation }: Band) => Math.min(1, mean + deviation);

export function bandsOptions({ steps, scale, curves, levels }: Bands): PlotOptions {
  const points = curves.flatMap((curve) => curve.points);
  const last = Math.max(...points.map(({ step }) => step), 1);
  const values = [...points, ...levels].flatMap((band) => [low(band), high(band)]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = least < most ? 0 : 0.05; // a single value has no scale of its own
  const places = [...new Set(points.map(({ step }) => step))];
  const level = (one: BandLevel, i: number) => ({ ...one, series: curves.length + i });
  return {
    height: 240,
    x: { type: scale, domain: [0, last], label: steps },
    y: { domain: [least - room, most + room], label: null, nice: true },
    marks: [
      ...axes({ x: {} }),
      ...levels.map(level).map((one) =>
        rect([one], {
          x1: 0,
          x2: last,
          y1: low,
          y2: high,
          fill: seriesLook(one.series).colour,
          fillOpacity: 0.1,
        }),
      ),
      ...curves.map(({ points: own }, series) =>
        areaY(own, { x: "step", y1: low, y2: high, fill: seriesLook(series).colour, fillOpacity: 0.2 }),
      ),
      ...levels.map(level).map(({ mean, series }) =>
        ruleY([mean], {
          x1: 0,
          x2: last,
          stroke: seriesLook(series).colour,
          strokeWidth: 2,
          strokeDasharray: strokeOf(series),
        }),
      ),
      ...curves.flatMap(({ points: own }, series) => [
        lineY(own, {
          x: "step",
          y: "mean",
          stroke: seriesLook(series).colour,
          strokeWidth: 2.5,
          strokeDasharray: strokeOf(series),
        }),
        dot(own, { x: "step", y: "mean", fill: seriesLook(series).colour, r: 2.5 }),
      ]),
      ruleX(places, pointerX({ x: (step: number) => step, stroke: "var(--edge)" })),
      tip(
        places,
        pointerX({
          x: (step: number) => step,
          title: (step: number) => [`${steps} ${count(step)}`, ...linesAt(step, curves, levels)].join("\n"),
          y: (step: number) => curves[0]?.points.find((point) => point.step === step)?.mean ?? (least + most) / 2,
          preferredAnchor: "bottom",
          ...tipText,
        }),
      ),
    ],
  };
}

function linesAt(step: number, curves: readonly BandCurve[], levels: readonly BandLevel[]): string[] {
  const text = ({ name, mean, deviation }: BandLevel) =>
    `${name}: ${decimals(mean)}${deviation > 0 ? ` ± ${decimals(deviation)}` : ""}`;
  const own = curves.flatMap(({ name, points }) => {
    const point = points.find((one) => one.step === step);
    return point ? [text({ name, ...point })] : [];
  });
  return [...own, ...levels.map(text)];
}
