// The result of the evaluate suite as text: for the terminal and for docs/benchmarks.md; a test compares that page with the stored result.
import { type Machine, table } from "./harness.ts";

/** One recommender on one made-up catalogue. Times are the best of all rounds, in ms. */
export interface EvaluateCase {
  name: string;
  /** w */
  columns: number;
  /** n·w·4 */
  rowBytes: number;
  /** Share of the lists in which scores are equal. */
  ties: number;
  /** Reading as many bytes once, on as many threads. */
  read: number;
  /** By engine: ranking all queries, and measuring. */
  best: Record<string, number>;
}

export interface EvaluateResult {
  suite: "evaluate";
  date: string;
  machine: Machine;
  rounds: number;
  /** n */
  items: number;
  queries: number;
  cases: EvaluateCase[];
}

const ENGINES = ["wasm", "wasm-relaxed", "native"];
const TARGET = 0.5; // of the speed of reading all rows once for each query
const TEST_SHARE = 0.05; // of the items are test items (EV1, EV2)

/** Milliseconds a query, and the speed as a share of the bound: above 100 % where queries share a read of the rows. */
export function report(result: EvaluateResult): string {
  const { machine: m, items, queries, rounds, cases } = result;
  const present = ENGINES.filter((engine) => cases.some((c) => c.best[engine] !== undefined));
  const rows = cases.map((c) => [
    c.name,
    String(c.columns),
    `${Math.round(c.ties * 100)} %`,
    c.read.toFixed(2),
    ...present.map((engine) =>
      c.best[engine] === undefined
        ? "–"
        : `${(c.best[engine] / queries).toFixed(2)} (${percent(share(c, engine, queries))})`,
    ),
  ]);
  const [model] = cases;
  const all = Math.round(items * TEST_SHARE);
  const whole = present.map((engine) => `${(((model.best[engine] / queries) * all) / 1000).toFixed(0)} s on ${engine}`);
  return [
    `${m.cpu}, ${m.cores} cores, Node ${m.node}; ${queries.toLocaleString("en")} queries among ${items.toLocaleString("en")} items, ` +
      `10 places; milliseconds a query, best of ${rounds} interleaved rounds, ${m.cores} threads each; in brackets the speed as a share of the bound.`,
    "",
    table([["ranked by", "columns", "lists with ties", "bound", ...present], ...rows]),
    "",
    `The bound is reading all rows once for each query, at the ${gigabytes(model)} GB/s that memory gave in the same run. ` +
      `At this speed the ${all.toLocaleString("en")} test items of such a catalogue (5 %) take the model ${whole.join(", ")}.`,
  ].join("\n");
}

/** The speed of an engine in that of the bound. */
const share = ({ read, best }: EvaluateCase, engine: string, queries: number) => (read * queries) / best[engine];

const percent = (x: number) => `${Math.round(100 * x).toLocaleString("en")} %`;

const gigabytes = ({ rowBytes, read }: EvaluateCase) => (rowBytes / read / 1e6).toFixed(0);

export function verdictTable({ cases, queries }: EvaluateResult): string {
  const rows = cases.flatMap((c) =>
    Object.keys(c.best).map((engine) => {
      const reached = share(c, engine, queries);
      return [
        `${c.name}, ${engine}`,
        percent(reached),
        `≥ ${percent(TARGET)}`,
        reached >= TARGET ? "reached" : "not reached",
      ];
    }),
  );
  return table([["of the bound", "measured", "target", ""], ...rows]);
}
