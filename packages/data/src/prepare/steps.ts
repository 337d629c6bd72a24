// The steps in order, top to bottom. Those that are SQL have a file each in ../../sql; factors and channels are stages, kept for a resumed
// run whatever became of the tables.
import { createEngine, type Engine } from "@nearkin/core";
import type { Config } from "../config/schema.ts";
import type { Spark } from "../spark/find.ts";
import { SPARK_STEPS, type SparkOptions, sparkTables } from "../spark/tables.ts";
import { Catalogue } from "./catalogue.ts";
import { DUCKDB_STEPS, duckdbTables } from "./duckdb-tables.ts";
import type { PrepareEvent } from "./events.ts";
import { writeFactors } from "./factors.ts";
import type { PrepareOptions } from "./prepare.ts";
import type { Sources } from "./read.ts";
import { locateCells, type RowCounts, rejectedRows, tooMany, writeRejects } from "./rejects.ts";
import { Reporter } from "./reporter.ts";
import { sqlStep } from "./sql.ts";
import { openTables, truthTables, truthUserTables, writeTable } from "./tables.ts";
import type { WorkFolder } from "./work.ts";
import { type StoredChannel, writeChannel } from "./write-channel.ts";

export interface RunContext {
  config: Config;
  /** Where relative file names of the configuration start. */
  folder: string;
  options: PrepareOptions;
  work: WorkFolder;
  sources: Sources;
  /** Where Spark makes the tables, or has made them. */
  spark?: { spark: Spark | undefined; options: SparkOptions };
  emit: (event: PrepareEvent) => void;
}

/** What the steps leave besides tables and files. */
export interface Outcome {
  rows: Record<"interactions" | "items", RowCounts>;
  /** Surrogate factors that were found. */
  factors: number;
  channels: Map<string, StoredChannel>;
}

export async function runSteps(context: RunContext): Promise<Outcome> {
  const { config, options, work, sources, spark } = context;
  const { database } = work;
  const fields = sources.items?.fields ?? [];
  const channelNames = Object.keys(config.channels);
  const tableSteps = !spark ? DUCKDB_STEPS : spark.spark ? SPARK_STEPS : 0;
  const reporter = new Reporter(context, tableSteps + 2 + channelNames.length + (config.factors.count > 0 ? 1 : 0));
  await database.run(sqlStep("duckdb"));
  const rows = await (spark ? sparkTables(context, reporter, spark) : duckdbTables(context, reporter));
  await reporter.step("tables", "write tables", async () => {
    const truth = [...truthTables, ...(config.split.by === "users" ? truthUserTables : [])];
    for (const { path, sql: query } of [...openTables(fields), ...truth]) {
      await database.run(writeTable(query, work.path(path)));
    }
  });

  const catalogue = await Catalogue.open(database, fields);
  // The strict engine, whatever else there is: its bits are the same everywhere, and a dataset's bytes must be.
  await using engine = await createEngine({
    engine: "wasm",
    ...(options.threads === undefined ? {} : { workers: options.threads }),
  });
  let factors = 0;
  if (config.factors.count > 0) {
    await reporter.report("factors", `${config.factors.count} surrogate factors`, async () => {
      const { result, kept } = await work.stage("factors", () => makeFactors(context, engine, catalogue.itemCount));
      factors = result;
      return { kept, detail: `${factors} factors` };
    });
  }
  const channels = new Map<string, StoredChannel>();
  for (const name of channelNames) {
    await reporter.report(`channel ${name}`, `channel ${name}`, async () => {
      const { result, kept } = await work.stage(`channel-${name}`, () =>
        writeChannel(name, context, catalogue, engine),
      );
      channels.set(name, result);
      return { kept, detail: coverage(result, catalogue.itemCount) };
    });
  }
  await checkCells(context, channels, catalogue.itemCount);
  await reporter.step("rejects", "rejects", () => listRejects(context, channels));
  return { rows, factors, channels };
}

function makeFactors({ config, work }: RunContext, engine: Engine, itemCount: number): Promise<number> {
  const { count, passes } = config.factors;
  const path = work.path("train/factors.safetensors");
  return writeFactors(work.database, engine, path, { count, passes, seed: config.seed, itemCount });
}

function coverage({ entry }: StoredChannel, items: number): string {
  const share = items === 0 ? 0 : Math.round((100 * entry.present) / items);
  const unreadable = entry.unreadable > 0 ? `, ${entry.unreadable.toLocaleString("en")} cells unreadable` : "";
  return `${share} % of items${unreadable}`;
}

/** Stops when a channel's cells are worse than the limit allows. */
async function checkCells(
  { config, work, sources }: RunContext,
  channels: Outcome["channels"],
  items: number,
): Promise<void> {
  for (const [name, { bad }] of channels) {
    if (bad.length <= config.rejectLimit * items) continue;
    const located = await locateCells(work.database, sources, bad);
    throw tooMany(`channels.${name}`, bad.length, items, config.rejectLimit, located);
  }
}

async function listRejects({ work, sources }: RunContext, channels: Outcome["channels"]): Promise<void> {
  const { database } = work;
  const bad = [...channels.values()].flatMap((channel) => channel.bad);
  const all = [
    ...(await rejectedRows(database, sources, "interactions")),
    ...(await rejectedRows(database, sources, "items")),
    ...(await locateCells(database, sources, bad)),
  ];
  await writeRejects(database, all, work.scratch("rejects.jsonl"), work.path("rejects.parquet"));
}
