// From a CSV of 20 million ratings to a dataset folder, against DuckDB alone importing and sorting that CSV, and the way back into arrays.
import { execFile } from "node:child_process";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { machine, median, table, writeReadme, writeResult } from "./harness.ts";
import { writeRatings } from "./ratings.ts";
import type { BenchOptions } from "./run.ts";

const USERS = 138_493;
const ITEMS = 26_744;
const SEED = 7;

interface Outcome {
  seconds: number;
  rows: number;
  peakRss: number;
  steps: Record<string, number>;
}

const repository = fileURLToPath(new URL("..", import.meta.url));
const folder = join(repository, ".cache", "bench");

export async function run({ rounds, readme, rows }: BenchOptions): Promise<void> {
  const csv = join(folder, `ratings-${rows}.csv`);
  if (!existsSync(csv)) {
    process.stderr.write(`making ${rows.toLocaleString("en")} ratings …\n`);
    await writeRatings(csv, { rows, users: Math.min(USERS, Math.ceil(rows / 20)), items: ITEMS, seed: SEED });
  }
  const outcomes: Record<"duckdb" | "prepare" | "load", Outcome[]> = { duckdb: [], prepare: [], load: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const what of ["duckdb", "prepare", "load"] as const) {
      const out = join(folder, what === "duckdb" ? "import.duckdb" : "dataset");
      const outcome = await contend(what, csv, out);
      outcomes[what].push(outcome);
      process.stderr.write(
        `round ${round} of ${rounds}: ${what} ${outcome.seconds.toFixed(1)} s, ${gigabytes(outcome.peakRss)}\n`,
      );
    }
  }
  const summary = Object.entries(outcomes).map(([what, all]) => ({
    what,
    seconds: median(all.map((outcome) => outcome.seconds)),
    peakRss: Math.max(...all.map((outcome) => outcome.peakRss)),
    runs: all.map((outcome) => Number(outcome.seconds.toFixed(2))),
  }));
  const [duckdb, prepared, load] = summary;
  const ratios = outcomes.prepare.map((outcome, k) => outcome.seconds / outcomes.duckdb[k].seconds);
  const text = [
    table([
      ["", "seconds", "rows/s", "peak RSS"],
      [
        "DuckDB alone: import and sort",
        duckdb.seconds.toFixed(1),
        rate(rows, duckdb.seconds),
        gigabytes(duckdb.peakRss),
      ],
      [
        "nearkin prepare: CSV to dataset folder",
        prepared.seconds.toFixed(1),
        rate(rows, prepared.seconds),
        gigabytes(prepared.peakRss),
      ],
      [
        "load the folder into training arrays",
        load.seconds.toFixed(1),
        rate(rows, load.seconds),
        gigabytes(load.peakRss),
      ],
    ]),
    "",
    `${rows.toLocaleString("en")} ratings (${(statSync(csv).size / 1e6).toFixed(0)} MB of CSV). prepare takes ${median(ratios).toFixed(2)} times as long as DuckDB alone ` +
      `(rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}). Medians of ${rounds} round${rounds === 1 ? "" : "s"}.`,
  ].join("\n");
  process.stdout.write(`${text}\n`);
  const path = writeResult("prepare", {
    machine: machine(),
    rows,
    users: USERS,
    items: ITEMS,
    csvBytes: statSync(csv).size,
    ratio: median(ratios),
    ratios,
    summary,
    steps: outcomes.prepare.at(-1)?.steps,
    trainingInteractions: outcomes.prepare.at(-1)?.rows,
  });
  process.stderr.write(`written to ${path}\n`);
  if (readme) writeReadme("prepare", text);
  rmSync(join(folder, "import.duckdb"), { force: true });
  rmSync(join(folder, "dataset"), { recursive: true, force: true });
}

async function contend(what: string, csv: string, out: string): Promise<Outcome> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--conditions=@nearkin/source", join(repository, "bench", "prepare-peer.ts"), what, csv, out],
    { cwd: repository, maxBuffer: 1 << 24 },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Outcome;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`;
const rate = (rows: number, seconds: number) => `${(rows / seconds / 1e6).toFixed(2)} M`;
