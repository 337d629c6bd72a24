// How well true weights are found again, for docs/personalisation.md: the stored figures as a table and as a drawing.
import { type Interval, markdownTable } from "@nearkin/evaluate";
import * as Plot from "@observablehq/plot";
import { colour, dash, draw } from "../packages/evaluate/src/report/figures/draw.ts";
import { dark, light, type Palette } from "../packages/evaluate/src/report/style.ts";

/** docs/results/recovered-weights.json */
export interface RecoveredWeights {
  /** Users of the sample that the model learned from, and the others, who are fitted. */
  readonly users: { readonly training: number; readonly heldOut: number };
  /** Of the bootstrap. */
  readonly resamples: number;
  /** Ratings that a fit may see: a user's first. */
  readonly ratings: readonly number[];
  /** For each of them: held-out users with that many. */
  readonly fitted: readonly number[];
  readonly targets: readonly {
    readonly target: string;
    /** `personal.items` */
    readonly items: number;
    /** For each number of ratings: the correlation, and its 95 % interval. */
    readonly correlations: readonly Interval[];
  }[];
}

const decimals = (value: number): string => value.toFixed(2).replace(/^(-?)0\./, "$1.");
const interval = ({ mean, low, high }: Interval): string => `${decimals(mean)} [${decimals(low)}, ${decimals(high)}]`;

/** What stands between the markers of the page. */
export function recoveredTable({ ratings, fitted, targets }: RecoveredWeights): string {
  const last = ratings.length - 1;
  return markdownTable([
    ["target, `personal.items`", ...ratings.map((count, k) => (k === last ? `${count} ratings` : String(count)))],
    ...targets.map(({ target, items, correlations }) => [`\`${target}\`, ${items}`, ...correlations.map(interval)]),
    ["users", ...fitted.map(String)],
  ]);
}

const NAME = "recovered-weights";
const HEIGHT = 214; // of the drawing within its margins, in pixels
const LINE = 14; // of a name, in pixels

/** The same figures as an image of its own: colours and type come with it, for light and for dark. */
export function recoveredDrawing(recovered: RecoveredWeights): string {
  const { ratings, targets } = recovered;
  const lines = targets.map(({ target, items, correlations }, series) => ({
    name: `${target}, ${items}`,
    series,
    points: correlations.map((correlation, k) => ({ count: ratings[k], ...correlation })),
  }));
  const low = Math.min(0, ...lines.flatMap(({ points }) => points.map((point) => point.low)));
  const high = Math.max(...lines.flatMap(({ points }) => points.map((point) => point.high)));
  const places = apart(
    lines.map(({ points }) => points[points.length - 1].mean),
    (LINE / HEIGHT) * (high - low),
  );
  const svg = draw(
    {
      title: "Fitted and true weights of users: correlation by number of ratings",
      description: lines.map(({ name, points }) => `${name}: ${points.map(spoken).join(", ")}`).join("; "),
      plot: {
        width: 560,
        height: HEIGHT + 66,
        marginLeft: 44,
        marginRight: 92,
        marginTop: 26,
        marginBottom: 40,
        x: { type: "point", domain: [...ratings], label: "ratings of a user" },
        y: { domain: [low, high] },
        marks: [
          Plot.gridY({ stroke: "var(--grid)", strokeOpacity: 1, ticks: 5 }),
          Plot.axisY({ tickSize: 0, ticks: 5, label: "correlation with the true log weights", labelArrow: "none" }),
          Plot.axisX({ tickSize: 4, labelArrow: "none", labelAnchor: "center" }),
          ...lines.flatMap(({ name, series, points }) => {
            const dx = 4 * (series - (lines.length - 1) / 2); // intervals stand beside each other
            return [
              Plot.ruleX(points, { x: "count", y1: "low", y2: "high", stroke: colour(series), dx }),
              Plot.lineY(points, {
                x: "count",
                y: "mean",
                stroke: colour(series),
                strokeWidth: 2,
                strokeDasharray: dash(series),
                dx,
              }),
              Plot.dot(points, { x: "count", y: "mean", fill: colour(series), r: 3, dx }),
              Plot.text(points.slice(-1), {
                x: "count",
                y: () => places[series],
                text: () => name,
                textAnchor: "start",
                fill: colour(series),
                dx: 12,
              }),
            ];
          }),
        ],
      },
    },
    NAME,
  );
  return `${svg.html.replace(/(<svg[^>]*>)/, `$1<style>${STYLE}</style>`)}\n`;
}

/** The values, those that stand closer than `gap` moved down: names of lines must not lie over each other. */
function apart(values: readonly number[], gap: number): number[] {
  const places: number[] = [];
  let above = Number.POSITIVE_INFINITY;
  for (const k of [...values.keys()].sort((a, b) => values[b] - values[a])) {
    places[k] = Math.min(values[k], above - gap);
    above = places[k];
  }
  return places;
}

const spoken = ({ count, mean }: { count: number; mean: number }): string => `${decimals(mean)} at ${count}`;

/** The colours that a report's page would give. */
const tokens = (palette: Palette): string =>
  Object.entries(palette)
    .filter(([name]) => /^(panel|muted|grid|series-[0-2])$/.test(name))
    .map(([name, value]) => `--${name}:${value};`)
    .join("");

const STYLE = [
  `svg{${tokens(light)}background:var(--panel);color:var(--muted);font:12px system-ui,sans-serif}`,
  `@media(prefers-color-scheme:dark){svg{${tokens(dark)}}}`,
].join("");
