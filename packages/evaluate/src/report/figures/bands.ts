// Means over several runs with a band of one standard deviation: lines over steps, and levels that do not depend on them.
import * as Plot from "@observablehq/plot";
import { colour, dash, type Panel } from "./draw.ts";

interface Band {
  readonly mean: number;
  /** Half the height of the band. */
  readonly deviation: number;
}

/** `series` is colour and dash, the same in the legend. */
interface BandCurve {
  readonly series: number;
  readonly points: readonly (Band & { readonly step: number })[];
}

interface BandLevel extends Band {
  readonly series: number;
}

export interface BandsOptions {
  readonly title: string;
  readonly description: string;
  /** What the vertical axis counts. */
  readonly label: string;
  /** What the horizontal axis counts. */
  readonly steps: string;
  /** `sqrt` gives the first steps more room. @default "linear" */
  readonly scale?: "linear" | "sqrt";
  readonly curves: readonly BandCurve[];
  readonly levels: readonly BandLevel[];
}

/** Bands lie over each other: light enough to be told apart. */
const OPACITY = { curve: 0.22, level: 0.1 } as const;

export function bandsPanel({
  title,
  description,
  label,
  steps,
  scale = "linear",
  curves,
  levels,
}: BandsOptions): Panel {
  const points = curves.flatMap((curve) => curve.points);
  const last = Math.max(...points.map(({ step }) => step), 1);
  const low = ({ mean, deviation }: Band) => Math.max(0, mean - deviation); // metrics lie in [0, 1], and so do their bands
  const high = ({ mean, deviation }: Band) => Math.min(1, mean + deviation);
  const values = [...points, ...levels].flatMap((band) => [low(band), high(band)]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = least < most ? 0 : 0.05; // a single value has no scale of its own
  return {
    title,
    description,
    plot: {
      height: 250,
      marginLeft: 44,
      marginRight: 20,
      marginTop: 24,
      marginBottom: 34,
      x: { type: scale, domain: [0, last], label: steps },
      y: { domain: [least - room, most + room], label, nice: true },
      marks: [
        Plot.gridY({ stroke: "var(--grid)", strokeOpacity: 1, ticks: 5 }),
        Plot.axisY({ tickSize: 0, ticks: 5, labelArrow: "none" }),
        Plot.axisX({ tickSize: 4, ticks: 5, labelArrow: "none", labelAnchor: "center" }),
        ...levels.map((level) =>
          Plot.rect([null], {
            x1: 0,
            x2: last,
            y1: low(level),
            y2: high(level),
            fill: colour(level.series),
            fillOpacity: OPACITY.level,
          }),
        ),
        ...curves.map(({ series, points: own }) =>
          Plot.areaY(own, { x: "step", y1: low, y2: high, fill: colour(series), fillOpacity: OPACITY.curve }),
        ),
        ...levels.map(({ mean, series }) =>
          Plot.ruleY([mean], {
            x1: 0,
            x2: last,
            stroke: colour(series),
            strokeWidth: 2,
            strokeDasharray: dash(series),
          }),
        ),
        ...curves.flatMap(({ series, points: own }) => [
          Plot.lineY(own, {
            x: "step",
            y: "mean",
            stroke: colour(series),
            strokeWidth: 2.5,
            strokeDasharray: dash(series),
          }),
          Plot.dot(own, { x: "step", y: "mean", fill: colour(series), r: 2.5 }),
        ]),
      ],
    },
  };
}
