// From a CSV of 20 million ratings to a dataset folder, against DuckDB alone importing and sorting that CSV, and the way back into arrays.
import { execFile } from "node:child_process";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { machine, writePage, writeResult } from "./harness.ts";
import { gigabytes, type PrepareResult, report } from "./prepare-report.ts";
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

export async function run({ rounds, write, rows }: BenchOptions): Promise<void> {
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
  const result: PrepareResult = {
    machine: machine(),
    rows,
    users: USERS,
    items: ITEMS,
    csvBytes: statSync(csv).size,
    rounds: outcomes.duckdb.map((_, k) => ({
      duckdb: brief(outcomes.duckdb[k]),
      prepare: brief(outcomes.prepare[k]),
      load: brief(outcomes.load[k]),
    })),
    steps: outcomes.prepare.at(-1)?.steps ?? {},
    trainingInteractions: outcomes.prepare.at(-1)?.rows ?? 0,
  };
  process.stdout.write(`${report(result)}\n`);
  process.stderr.write(`written to ${writeResult("prepare", result)}\n`);
  if (write) writePage("prepare", report(result));
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

const brief = ({ seconds, peakRss }: Outcome) => ({ seconds: Number(seconds.toFixed(2)), peakRss });
