// The graph part of the suite serve as text.
import { type Machine, table } from "./harness.ts";

/** Lists of one kind of users. */
export interface GraphKind {
  name: string;
  lists: number;
  /** Lists by the graph, by number of candidates; the others are the exact scan's. */
  graph: { overfetch: number; lists: number }[];
  /** Of the lists by the graph: mean recall@10 against the exact scan, and what was forecast; null where there are none. */
  recall: number | null;
  forecast: number | null;
  /** Mean recall@10 if all were made of the graph's neighbours alone: the fewest, no popular rows, no forecast. */
  unguarded: number;
}

/** What a tenth, half and 95 % of the times stay below: on a machine that others use too, the tenth says most about the program. */
interface Spread {
  early: number;
  median: number;
  late: number;
}

export interface GraphCase {
  items: number;
  columns: number;
  build: {
    /** Wall clock, and processor time of all threads. */
    seconds: number;
    cpuSeconds: number;
    /** Growth of the process. */
    bytes: number;
    fileBytes: number;
    /** From its file, hashes of rows and file included. */
    loadSeconds: number;
  };
  calibrateSeconds: number;
  kinds: GraphKind[];
  /** Milliseconds of one list for users log-normal (sd 0.4), one after the other: the graph with its exact order, and the exact scan on one thread. */
  graph: Spread;
  exact: Spread;
  /** Milliseconds of a forecast, once for each metric. */
  forecast: number;
}

/** One way to store the graph. */
export interface GraphStorage {
  scalar: string;
  connectivity: number;
  expansion: number;
  cpuSeconds: number;
  fileBytes: number;
  /** Milliseconds of a search for 500 rows, the median. */
  search: number;
  /** Share of the 10, and of the 500 nearest under the base metric that are found. */
  first: number;
  all: number;
}

export interface GraphResult {
  date: string;
  machine: Machine;
  cases: GraphCase[];
  storage: { items: number; ways: GraphStorage[] } | null;
}

const share = (x: number | null): string => (x === null ? "–" : x.toFixed(3));
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20).toLocaleString("en")} MiB`;
const milliseconds = (ms: number): string => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));

const around = ({ early, late }: Spread): string =>
  `a tenth within ${milliseconds(early)}, 95 % within ${milliseconds(late)}`;

export function graphReport({ cases, storage }: GraphResult): string {
  return [...cases.map(caseReport), ...(storage ? [storageReport(storage)] : [])].join("\n\n");
}

function caseReport(c: GraphCase): string {
  const levels = c.kinds[0].graph.map(({ overfetch }) => overfetch);
  const rows = c.kinds.map(({ name, lists, graph, recall, forecast, unguarded }) => {
    const answered = graph.reduce((sum, level) => sum + level.lists, 0);
    return [
      name,
      ...graph.map((level) => String(level.lists)),
      String(lists - answered),
      share(recall),
      share(forecast),
      share(unguarded),
    ];
  });
  const head = [
    "metric",
    ...levels.map((n) => `graph, ${n}`),
    "exact scan",
    "recall@10",
    "forecast",
    `recall@10, neighbours alone, ${levels[0]}`,
  ];
  const { build } = c;
  return [
    `${c.items.toLocaleString("en")} items of ${c.columns} columns. A list takes ${milliseconds(c.graph.median)} ms by the graph (${around(c.graph)}), ${milliseconds(c.exact.median)} ms by the exact scan on one thread (${around(c.exact)}); a forecast ${milliseconds(c.forecast)} ms, once for each metric.`,
    `The graph is built in ${build.seconds.toFixed(0)} s (${build.cpuSeconds.toFixed(0)} s of processor time), measured in ${c.calibrateSeconds.toFixed(0)} s, takes ${mebibytes(build.bytes)} of memory and ${mebibytes(build.fileBytes)} of disk, and is read back in ${build.loadSeconds.toFixed(1)} s.`,
    "",
    table([head, ...rows]),
  ].join("\n");
}

function storageReport({ items, ways }: NonNullable<GraphResult["storage"]>): string {
  const rows = ways.map((way) => [
    `${way.scalar}, ${way.connectivity} links, expansion ${way.expansion}`,
    `${way.cpuSeconds.toFixed(0)} s`,
    mebibytes(way.fileBytes),
    `${way.search.toFixed(2)} ms`,
    share(way.first),
    share(way.all),
  ]);
  const head = ["stored as", "processor time", "size", "search, 500 rows", "of the first 10", "of the first 500"];
  return [`Ways to store ${items.toLocaleString("en")} items:`, "", table([head, ...rows])].join("\n");
}
