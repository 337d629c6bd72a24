// The result of the suite serve as text: for the terminal and for docs/benchmarks.md; a test compares that page with the stored result.
import { type Machine, table } from "./harness.ts";
import { type GraphResult, graphReport } from "./serve-graph-report.ts";

/** Milliseconds: half of the answers came sooner, 99 % did. */
export interface Delay {
  median: number;
  late: number;
}

interface Measured {
  date: string;
  machine: Machine;
}

/** One search at a time in the process, in the thread that asks and through one that scans, beside usearch's exact search over the same matrix. */
export interface SingleCase {
  items: number;
  searches: number;
  /** Milliseconds, medians. */
  own: number;
  queued: number;
  usearch: number;
  /** Share of the lists that both found. */
  agreed: number;
}

/** Searches over HTTP, as many as the server takes, beside scans without a server. */
export interface LoadCase {
  items: number;
  /** Threads that scan. */
  threads: number;
  /** Connections that ask again as soon as they are answered: those that made for the most answers. */
  connections: number;
  /** Medians over rounds: a second, and their ratio. */
  scans: number;
  answers: number;
  ratio: number;
  /** Queries of a pass over the catalogue. */
  scanBatch: number;
  batch: number;
  /** Milliseconds of processor time a search: of scans alone, of the server, of its thread that answers (null: not known), of what asks. */
  cpu: { scan: number; server: number; main: number | null; load: number };
  /** Requests that were not answered 200. */
  failed: number;
  /** At half of that rate, latencies from when a request was due; medians over rounds. */
  half: Delay & { rate: number };
}

export interface MemoryCase {
  items: number;
  /** Of the rows that are scanned. */
  matrix: number;
  /** Of the server's process after the load. */
  resident: number;
}

export interface EventsCase {
  items: number;
  /** Events of a request. */
  batch: number;
  /** Stored a second. */
  rate: number;
  /** Of a request, in ms. */
  median: number;
  late: number;
}

/** Searches while items with texts are put and encoded, and without. */
export interface EncodeCase {
  items: number;
  /** Items that were put in a round, and s until their texts were encoded. */
  put: number;
  seconds: number;
  encoder: string;
  /** By which the server has grown since before its first text. */
  encoderBytes: number;
  /** Requests a second. */
  rate: number;
  quiet: Delay;
  busy: Delay;
}

/** null: never measured. */
export interface ServeResult {
  suite: "serve";
  scan: (Measured & { cases: SingleCase[] }) | null;
  http: (Measured & { rounds: number; users: number; cases: LoadCase[] }) | null;
  memory: (Measured & { cases: MemoryCase[] }) | null;
  events: (Measured & { cases: EventsCase[] }) | null;
  encode: (Measured & { cases: EncodeCase[] }) | null;
  graph: GraphResult | null;
}

/** What is asked for, by number of items. */
const SINGLE_MS: Readonly<Record<number, number>> = { 26744: 1.3, 160000: 8 };
const LATE_MS: Readonly<Record<number, number>> = { 26744: 15, 160000: 60 };
const RATIO = 0.7;
const EVENTS = 2000;
const memoryLimit = (matrix: number): number => 1.3 * matrix + 150e6;

export function report(result: ServeResult): string {
  const { scan, http, memory, events, encode, graph } = result;
  const parts = [scan, http, memory, events, encode].filter((part) => part !== null);
  const sizes = [...new Set(parts.flatMap(({ cases }) => cases.map(({ items }) => items)))].sort((a, b) => a - b);
  if (sizes.length === 0) return graph ? graphReport(graph) : "";
  const rows = [...singleRows(scan?.cases), ...loadRows(http?.cases, scan?.cases), ...otherRows(result)];
  const lines = rows.map(({ name, cells }) => [name, ...sizes.map((items) => cells.get(items) ?? "–")]);
  const [{ machine: m }] = parts;
  const loads = parts.map(({ machine }) => machine.load);
  return [
    `${m.cpu}, ${m.cores} cores, which the server shares with what asks it (load of the machine before: ${[...new Set(loads)].join(", ")}), Node ${m.node}; rows of 235 columns in eight channels${http ? `, ${http.users} users with weights of their own, medians of ${http.rounds} rounds` : ""}.`,
    "",
    table([["", ...sizes.map((items) => `${items.toLocaleString("en")} items`)], ...lines]),
    ...(graph ? ["", graphReport(graph)] : []),
  ].join("\n");
}

interface Row {
  name: string;
  /** By number of items. */
  cells: ReadonlyMap<number, string>;
}

function rowOf<C extends { items: number }>(name: string, cases: readonly C[], cell: (one: C) => string): Row {
  return { name, cells: new Map(cases.map((one) => [one.items, cell(one)])) };
}

const singleRows = (cases: readonly SingleCase[] | undefined): Row[] =>
  cases
    ? [
        rowOf("one search in the process, one thread, ms", cases, ({ items, own }) =>
          verdict(ms(own), own, SINGLE_MS[items]),
        ),
        rowOf("… through a scan thread, as the server does it, ms", cases, ({ queued }) => ms(queued)),
        rowOf("usearch's exact search, same matrix, one thread, ms", cases, ({ usearch }) => ms(usearch)),
      ]
    : [];

const loadRows = (cases: readonly LoadCase[] | undefined, single: readonly SingleCase[] = []): Row[] =>
  cases
    ? [
        rowOf("scans alone, many to a pass, a second", cases, (c) => `${count(c.scans)} on ${c.threads} threads`),
        rowOf("searches over HTTP, a second", cases, (c) => `${count(c.answers)} on ${c.connections} connections`),
        rowOf("… as a share of scans one by one, on all cores", cases, ({ items, threads, answers }) => {
          const own = single.find((one) => one.items === items)?.own;
          return own === undefined ? "–" : share((answers * own) / 1000 / threads);
        }),
        rowOf("… as a share of scans many to a pass", cases, ({ ratio }) => share(ratio)),
        rowOf("queries of a pass: scans alone, HTTP", cases, (c) => `${c.scanBatch.toFixed(1)}, ${c.batch.toFixed(1)}`),
        rowOf("processor time a search, ms: scans alone", cases, ({ cpu }) => ms(cpu.scan)),
        rowOf("… over HTTP: server (its main thread) + client", cases, ({ cpu }) => {
          const main = cpu.main === null ? "" : ` (${ms(cpu.main)})`;
          return `${ms(cpu.server)}${main} + ${ms(cpu.load)}`;
        }),
        rowOf("at half of that rate, ms: 50 %", cases, ({ half }) => `${ms(half.median)} at ${count(half.rate)}/s`),
        rowOf("… 99 %", cases, ({ items, half }) => verdict(ms(half.late), half.late, LATE_MS[items])),
      ]
    : [];

const otherRows = ({ memory, events, encode }: ServeResult): Row[] => [
  ...(memory
    ? [
        rowOf("resident memory after the load, MB", memory.cases, ({ resident, matrix }) => {
          const limit = memoryLimit(matrix);
          return verdict(megabytes(resident), resident, limit, megabytes(limit));
        }),
      ]
    : []),
  ...(events
    ? [
        rowOf(`events stored a second, ${events.cases[0]?.batch} a request`, events.cases, ({ rate }) =>
          verdict(count(rate), -rate, -EVENTS, count(EVENTS)),
        ),
      ]
    : []),
  ...(encode
    ? [
        rowOf(
          `searches, 99 %, ms: while ${count(encode.cases[0]?.put ?? 0)} items are put and encoded (without)`,
          encode.cases,
          ({ busy, quiet, rate }) => `${ms(busy.late)} (${ms(quiet.late)}) at ${count(rate)}/s`,
        ),
        rowOf(
          "… until all are encoded, s; the encoder's own memory, MB",
          encode.cases,
          (c) => `${c.seconds.toFixed(1)} (${c.encoder}, one thread); ${megabytes(c.encoderBytes)}`,
        ),
      ]
    : []),
];

/** With what is asked of it, where that is known: least is best. */
function verdict(text: string, value: number, asked: number | undefined, shown = String(asked)): string {
  if (asked === undefined) return text;
  return `${text} (asked: ${shown}, ${value <= asked ? "reached" : "missed"})`;
}

const share = (ratio: number): string => verdict(`${(100 * ratio).toFixed(0)} %`, -ratio, -RATIO, `${100 * RATIO} %`);

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
const count = (value: number): string => Math.round(value).toLocaleString("en");
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
