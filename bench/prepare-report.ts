// The result of the prepare suite as text: for the terminal and for docs/benchmarks.md; a test compares that page with the stored result.
import { type Machine, median, table } from "./harness.ts";

interface Contest {
  seconds: number;
  /** Bytes. */
  peakRss: number;
}

export interface PrepareResult {
  machine: Machine;
  rows: number;
  users: number;
  items: number;
  csvBytes: number;
  rounds: Record<"duckdb" | "prepare" | "load", Contest>[];
  /** Seconds of each step in the last round. */
  steps: Record<string, number>;
  trainingInteractions: number;
}

const NAMES = {
  duckdb: "DuckDB alone: import and sort",
  prepare: "`nearkin prepare`: CSV to dataset folder",
  load: "load the folder into training arrays",
} as const;

export function report({ machine, rows, csvBytes, rounds }: PrepareResult): string {
  const lines = (["duckdb", "prepare", "load"] as const).map((what) => {
    const seconds = median(rounds.map((round) => round[what].seconds));
    const peak = Math.max(...rounds.map((round) => round[what].peakRss));
    return [NAMES[what], seconds.toFixed(1), `${(rows / seconds / 1e6).toFixed(2)} M`, gigabytes(peak)];
  });
  const ratios = rounds.map((round) => round.prepare.seconds / round.duckdb.seconds);
  return [
    `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}; ${rows.toLocaleString("en")} ratings, ${(csvBytes / 1e6).toFixed(0)} MB of CSV; ` +
      `medians of ${rounds.length} rounds.`,
    "",
    table([["", "seconds", "rows/s", "peak RSS"], ...lines]),
    "",
    `\`prepare\` takes ${median(ratios).toFixed(1)} times as long as DuckDB alone (round by round: ${ratios.map((ratio) => ratio.toFixed(1)).join(", ")}).`,
  ].join("\n");
}

export const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;
