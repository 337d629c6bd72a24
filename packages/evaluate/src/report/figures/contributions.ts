// The nearest items of one item, each a bar of its channels' contributions: laid end to end they are the distance, exactly.
import * as Plot from "@observablehq/plot";
import type { ExampleContribution, ExampleNeighbour, NeighbourExample } from "../model-report.ts";
import { decimals, listed, shortened } from "../numbers.ts";
import { colour } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { rowsPlot } from "./rows.ts";

const TITLE = 50; // letters that fit a panel

interface Segment {
  row: number;
  channel: string;
  series: number;
  from: number;
  to: number;
  standIn: boolean;
}

export function contributionsFigure(example: NeighbourExample, { id, note }: { id: string; note: string }): Figure {
  const { neighbours } = example;
  const channels = neighbours[0]?.contributions.map(({ channel }) => channel) ?? [];
  const segments = neighbours.flatMap(({ contributions }, row) => segmentsOf(contributions, row));
  const nearest = neighbours[0];
  const name = nameOf(example);
  const most = [...(nearest?.contributions ?? [])].sort((a, b) => b.contribution - a.contribution)[0];
  const finding = nearest
    ? `Nearest is ${nameOf(nearest)}, ${decimals(nearest.distance)} away${most ? `; ${most.channel} is the largest part of it (${decimals(most.contribution)})` : ""}. Two random items are about ${decimals(example.typical, 2)} apart.`
    : "No item is left to be near.";
  const standIns = segments.some(({ standIn }) => standIn);
  return {
    id,
    title: `Nearest to ${name}`,
    finding,
    note,
    legend: [
      ...channels.map((channel, series) => ({ name: channel, series, shape: "bar" as const })),
      ...(standIns ? [{ name: "value not known: stand-in", series: channels.length, shape: "stand-in" as const }] : []),
    ],
    panels: [
      {
        title: `Nearest to ${name}`,
        description: `Distances, with the largest contribution of each: ${neighbours.map((neighbour) => `${nameOf(neighbour)} ${decimals(neighbour.distance)}`).join("; ")}.`,
        plot: rowsPlot({
          names: neighbours.map((neighbour) => shortened(`${neighbour.rank}. ${nameOf(neighbour)}`, TITLE)),
          values: neighbours.map(({ distance }) => decimals(distance)),
          x: {
            domain: [
              Math.min(0, ...segments.map(({ from, to }) => Math.min(from, to))),
              Math.max(0.001, ...segments.map(({ to }) => to)),
            ],
            label: "distance t = sum of the contributions",
          },
          marks: ({ dy }) => [
            bars(
              segments.filter(({ standIn }) => !standIn),
              { dy },
            ),
            bars(
              segments.filter(({ standIn }) => standIn),
              { dy, standIn: true },
            ),
          ],
        }),
      },
    ],
    table: {
      head: ["rank", "item", "distance", ...channels, "not known"],
      text: [1, 3 + channels.length],
      rows: neighbours.map((neighbour) => ({
        cells: [
          String(neighbour.rank),
          nameOf(neighbour),
          decimals(neighbour.distance, 4),
          ...neighbour.contributions.map(({ contribution }) => decimals(contribution, 4)),
          unknownOf(neighbour) || "–",
        ],
      })),
    },
  };
}

/** In the order of the channels, so that the ends add up as the distance did. */
function segmentsOf(contributions: readonly ExampleContribution[], row: number): Segment[] {
  let at = 0;
  return contributions.map(({ channel, contribution, unknown }, series) => {
    const from = at;
    at += contribution;
    return { row, channel, series, from, to: at, standIn: unknown !== null };
  });
}

function bars(segments: readonly Segment[], { dy, standIn = false }: { dy: number; standIn?: boolean }): Plot.Markish {
  const tone = ({ series }: Segment) => colour(series);
  return Plot.barX([...segments], {
    x1: "from",
    x2: "to",
    y: "row",
    dy,
    insetTop: 12,
    insetBottom: 10,
    insetRight: 1,
    title: ({ channel, from, to }: Segment) => `${channel} ${decimals(to - from)}`,
    ...(standIn
      ? { fill: tone, fillOpacity: 0.15, stroke: tone, strokeWidth: 1.5, strokeDasharray: "3 2" }
      : { fill: tone }),
  });
}

const nameOf = ({ title, id }: { title: string | null; id: string }): string => title ?? id;

/** Channels whose value is not known, in words: of the query once, then of each neighbour. */
export function unknownLines({ neighbours }: NeighbourExample): string[] {
  const channelsOf = ({ contributions }: ExampleNeighbour, whose: "query" | "item") =>
    contributions.filter(({ unknown }) => unknown === whose || unknown === "both").map(({ channel }) => channel);
  const ofQuery = [...new Set(neighbours.flatMap((neighbour) => channelsOf(neighbour, "query")))];
  return [
    ...(ofQuery.length > 0 ? [`of the query: ${listed(ofQuery)}`] : []),
    ...neighbours.flatMap((neighbour) => {
      const own = channelsOf(neighbour, "item");
      return own.length > 0 ? [`of ${nameOf(neighbour)}: ${listed(own)}`] : [];
    }),
  ];
}

/** "plot (of the query)", "year (of both)". */
function unknownOf({ contributions }: ExampleNeighbour): string {
  const whose = { query: "of the query", item: "of this item", both: "of both" } as const;
  return listed(contributions.flatMap(({ channel, unknown }) => (unknown ? [`${channel} (${whose[unknown]})`] : [])));
}
