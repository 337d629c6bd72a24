// Each channel's part of the distance of a typical random pair.
import * as Plot from "@observablehq/plot";
import type { ChannelWeight } from "../model-report.ts";
import { decimals, listed, percent } from "../numbers.ts";
import { colour } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { rowsPlot } from "./rows.ts";

export function channelWeightsFigure(weights: readonly ChannelWeight[]): Figure {
  const sorted = weights.map((weight, series) => ({ ...weight, series })).sort((a, b) => b.share - a.share);
  const words = sorted.map(({ channel, share }, i) => `${channel} ${i === 0 ? "makes up " : ""}${percent(share)}`);
  const least = Math.min(0, ...sorted.map(({ share }) => share));
  return {
    id: "channel-weights",
    title: "Share of a typical distance",
    finding: `Of the distance between two random items, ${listed(words)}.`,
    panels: [
      {
        title: "Share of a typical distance, by channel",
        description: `Share of the distance of a typical random pair: ${listed(words)}.`,
        plot: rowsPlot({
          names: sorted.map(({ channel }) => channel),
          values: sorted.map(({ share, weight }) => `${percent(share)}  (h ${decimals(weight)})`),
          x: {
            domain: [least, Math.max(...sorted.map(({ share }) => share), 0.01)],
            label: "share of the distance",
          },
          tickFormat: percent,
          marks: ({ dy }) => [
            Plot.barX(sorted, {
              x1: 0,
              x2: "share",
              y: (_: unknown, row: number) => row,
              fill: (row: { series: number }) => colour(row.series),
              dy,
              insetTop: 13,
              insetBottom: 11,
              rx: 2,
            }),
          ],
        }),
      },
    ],
    table: {
      head: ["channel", "type", "weight h", "share"],
      text: [0, 1],
      rows: sorted.map(({ channel, type, weight, share }) => ({
        cells: [channel, type, decimals(weight, 4), percent(share)],
      })),
    },
  };
}
