// Horizontal rows with the name above the mark instead of beside it: names of any length fit a narrow screen.
import * as Plot from "@observablehq/plot";

const EDGE = 16; // half a tick label fits beside the first and the last tick

export interface RowsOptions {
  readonly names: readonly string[];
  /** Rows that are set off. */
  readonly own?: readonly boolean[];
  readonly x: Plot.ScaleOptions;
  /** Height of a row. @default 34 */
  readonly height?: number;
  /** Drawn at `y: "row"`, shifted by `dy` so that the name has its place. */
  readonly marks: (place: { dy: number }) => Plot.Markish[];
  /** Ticks of the axis. @default as the tables print figures */
  readonly tickFormat?: (value: number) => string;
  /** Text at the right end of each row. */
  readonly values?: readonly string[];
}

export function rowsPlot({
  names,
  own = [],
  x,
  marks,
  values = [],
  tickFormat = tick,
  height = 34,
}: RowsOptions): Plot.PlotOptions {
  const rows = names.map((_, row) => row);
  return {
    height: height * names.length + 44,
    marginLeft: EDGE,
    marginRight: EDGE,
    marginTop: 6,
    marginBottom: 38,
    x,
    y: { axis: null, type: "band", domain: rows, padding: 0 },
    marks: [
      Plot.gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks: 5 }),
      Plot.axisX({ tickSize: 0, ticks: 5, tickFormat, labelArrow: "none", labelAnchor: "center" }),
      ...[400, 700].map((fontWeight) =>
        Plot.text(
          rows.filter((row) => (own[row] === true) === (fontWeight === 700)),
          {
            y: (row: number) => row,
            frameAnchor: "left",
            dy: 9 - height / 2,
            text: (row: number) => names[row],
            textAnchor: "start",
            fill: "var(--ink)",
            fontWeight,
          },
        ),
      ),
      Plot.text(rows, {
        y: (row: number) => row,
        frameAnchor: "right",
        dy: 9 - height / 2,
        text: (row: number) => values[row] ?? "",
        textAnchor: "end",
        fill: "var(--ink)",
        fontVariant: "tabular-nums",
      }),
      ...marks({ dy: 6 }),
    ],
  };
}

/** ".05", "0", "1.5". */
const tick = (value: number): string =>
  value === 0 ? "0" : String(Number(value.toPrecision(6))).replace(/^(-?)0\./, "$1.");
