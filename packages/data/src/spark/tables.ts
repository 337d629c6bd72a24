// The tables of a dataset, made by Spark. Node puts beside them what Spark cannot read, hands over one script, and opens what Spark has
// written: from there on a run is the same as with DuckDB.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import { type Database, literalPath } from "../database.ts";
import { checkTraining } from "../prepare/check-training.ts";
import type { Sources } from "../prepare/read.ts";
import { checkRejects } from "../prepare/rejects.ts";
import type { Reporter } from "../prepare/reporter.ts";
import type { Outcome, RunContext } from "../prepare/steps.ts";
import { isUrl } from "../sources/files.ts";
import type { Spark } from "./find.ts";
import type { ShellUser } from "./hadoop-shell.ts";
import { placesInSpark } from "./in-place.ts";
import { checkMadeFor, inputsKey, type MadeFor } from "./made-for.ts";
import type { SparkProgress } from "./progress-bar.ts";
import { runSpark, type SparkJob } from "./run.ts";
import { DONE, type SparkStep, sparkScriptFor, sqlOf, TABLES, USER_TABLES } from "./script.ts";
import { DAMAGED, stagedFiles, stageSources } from "./stage.ts";
import { Storage } from "./storage.ts";
import { checkWhole } from "./whole.ts";

export interface SparkOptions {
  /** local[2], spark://host:7077, yarn, k8s://… @default what Spark is configured to use, else this machine */
  master?: string;
  /** key=value. */
  conf?: readonly string[];
  /** A folder that this machine and every worker see, or a URL of object storage. @default a folder beside the dataset */
  storage?: string;
  /** @default the environment of this process */
  env?: NodeJS.ProcessEnv;
  /** A copy of the storage, where the script has been run already: Spark is not started. */
  tables?: string;
}

/** Steps that are reported: one of staging, and those of the script. */
export const SPARK_STEPS = 16;

const STAGED = "staged";
const MADE = "tables";

/** Everything about a job that can be known without starting it. */
export interface SparkPlan {
  steps: SparkStep[];
  job: SparkJob;
  storage: Storage;
  tables: readonly string[];
  madeFor: MadeFor;
  /** Whether Spark reads the interactions where they are. */
  isInPlace: boolean;
}

interface Planned extends Pick<RunContext, "config" | "sources"> {
  /** As placesInSpark has them. */
  inPlace: readonly string[];
  /** The key of a work folder. @default none: the script is run elsewhere */
  run?: string;
}

export function planSpark(
  { config, sources, inPlace, run = "" }: Planned,
  options: SparkOptions,
  folder: string,
): SparkPlan {
  const { master, conf = [] } = options;
  checkOneMachine(options);
  const storage = new Storage({ at: options.tables ?? options.storage ?? folder, local: folder, conf });
  const { steps, madeFor } = sparkScriptFor({
    config,
    sources,
    inPlace,
    run,
    staged: `${storage.at}/${STAGED}`,
    tables: `${storage.at}/${MADE}`,
  });
  const job: SparkJob = {
    name: "prepare",
    folder,
    sql: sqlOf(steps),
    conf,
    ...(master === undefined ? {} : { master }),
  };
  const tables = [
    ...TABLES,
    ...(inPlace.length > 0 ? ["interaction_files"] : []),
    ...(config.split.by === "users" ? USER_TABLES : []),
  ];
  return { steps, job, storage, tables, madeFor, isInPlace: inPlace.length > 0 };
}

/** Workers elsewhere would write to disks of their own, and what they wrote would be missed by nobody. */
export function checkOneMachine({ storage, tables, master = "local" }: SparkOptions): void {
  if (storage !== undefined || tables !== undefined) return;
  if (/^(local|spark:\/\/(127\.|localhost|\[::1\]))/.test(master)) return;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `--storage: the workers of ${master} may be other machines: name a folder that all of them and this one see, or a URL`,
  );
}

/** Whether `folder` can be a storage where a script was run, or a copy of one. */
export function checkTablesFolder(folder: string): void {
  if (isUrl(folder)) {
    throw new NearkinError("BAD_ARGUMENT", `--spark-tables: copy ${folder} to this machine, and name that folder`);
  }
  if (!existsSync(join(folder, MADE)) || !existsSync(join(folder, STAGED))) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--spark-tables: expected a folder that holds the folders ${STAGED} and ${MADE}, which ${folder} does not`,
    );
  }
}

/** Stages what Spark cannot read, where it finds it. Without Spark, the storage must be a folder. */
export async function stageForSpark(
  by: ShellUser | undefined,
  { storage, isInPlace }: SparkPlan,
  database: Database,
  sources: Sources,
): Promise<void> {
  const staged = await stageSources(database, { ...sources, isInPlace }, (name) => storage.path(`${STAGED}/${name}`));
  if (by) await storage.put(by, STAGED, staged);
}

export async function sparkTables(
  context: RunContext,
  reporter: Reporter,
  { spark, options }: { spark: Spark | undefined; options: SparkOptions },
): Promise<Outcome["rows"]> {
  const { config, work, sources } = context;
  const { signal } = context.options;
  const { database } = work;
  const inPlace = await placesInSpark(database, context);
  const run = spark ? work.key : "";
  const plan = planSpark({ config, sources, inPlace, run }, options, work.scratch("spark"));
  const { storage, tables } = plan;
  await using _held = spark && (await storage.hold());
  let kept = false;
  if (spark) {
    await reporter.report("stage", "stage items and text files for Spark", async () => {
      const staging = () => stageForSpark({ spark, signal }, plan, database, sources).then(() => storage.at);
      const staged = await work.stage("spark-stage", staging);
      checkSamePlace(staged.result, storage.at);
      return { kept: staged.kept, detail: "" };
    });
    ({ kept } = await runScript(context, reporter, spark, plan));
    await storage.get({ spark, signal }, MADE, tables);
  }
  const missing = storage.missing(MADE, tables);
  if (missing.length > 0) {
    throw new NearkinError(
      "BAD_DATASET",
      `${storage.path(MADE)} does not hold all tables: there is no finished ${missing.join(", ")}; ${adviceOnMissing(spark, kept)}`,
    );
  }
  for (const table of tables) await openTable(database, table, storage.path(`${MADE}/${table}`));
  const inputs = await inputsKey(stagedFiles({ ...sources, isInPlace: plan.isInPlace }));
  await checkMadeFor(database, { ...plan.madeFor, inputs }, storage.path(MADE));
  await checkWhole(database, storage.path(MADE));
  await openTable(database, "damaged", storage.path(STAGED), DAMAGED);
  await nameRemoteFiles(database, sources);
  const rows = await checkRejects(database, sources, config.rejectLimit);
  await checkTraining(database, config);
  return rows;
}

/** What is finished is where it was put. */
function checkSamePlace(before: string, now: string): void {
  if (before === now) return;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `--storage: the run to be resumed has put its files in ${before}, not in ${now}; name that, or start again without --resume`,
  );
}

function adviceOnMissing(spark: Spark | undefined, kept: boolean): string {
  if (!spark) return "run the script to its end, and copy all that it has written";
  if (kept) return "they were there before: start again without --resume";
  return "the workers must write to a folder that this machine reads: name a shared one, or a URL, with --storage";
}

/** Runs the script, unless an earlier run has; a step is told of when Spark has said that it is done. */
async function runScript(
  { work, options: { signal } }: RunContext,
  reporter: Reporter,
  spark: Spark,
  { steps, job }: SparkPlan,
): Promise<{ kept: boolean }> {
  const done = new Set<string>();
  let wake = () => {};
  const onLine = (line: string) => {
    if (line.startsWith(DONE)) done.add(line.slice(DONE.length + 1));
    wake();
  };
  const onProgress = ({ done, tasks }: SparkProgress) => reporter.tasks(done, tasks);
  const run = work.stage("spark", () =>
    runSpark(spark, job, { onLine, onProgress, ...(signal && { signal }) }).then(() => null),
  );
  for (const { name, title } of steps) {
    await reporter.report(name, title, async () => {
      for (;;) {
        if (done.has(name)) return { kept: false, detail: "" };
        const spoken = new Promise<undefined>((resolve) => {
          wake = () => resolve(undefined);
        });
        const ended = await Promise.race([run, spoken]);
        if (ended) return { kept: ended.kept, detail: "" };
      }
    });
  }
  return await run;
}

/** A view of Parquet files, in the order of their names, which is that of the rows. */
async function openTable(database: Database, name: string, folder: string, files = "*.parquet"): Promise<void> {
  const pattern = `${literalPath(folder).slice(0, -1)}/${files}'`;
  await database.run(`CREATE OR REPLACE VIEW ${name} AS SELECT * FROM read_parquet(${pattern})`);
}

/** Files at a URL are known once Spark has listed them. */
async function nameRemoteFiles(database: Database, { interactions: { relation } }: Sources): Promise<void> {
  if (relation.files.length > 0) return;
  const rows = await database.rows<{ path: string }>("SELECT path FROM interaction_files ORDER BY file");
  relation.files = rows.map(({ path }) => ({ path, name: path, format: "parquet", gzip: false, bytes: 0 }));
}
