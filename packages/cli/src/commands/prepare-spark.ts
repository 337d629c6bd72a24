// What nearkin prepare --engine spark has beside the run itself: its options, and its parts for a team that runs Spark on its own platform.
import {
  type Config,
  isUrl,
  requireStorage,
  type SparkOptions,
  shellWord,
  sparkScriptOf,
  stageOnly,
} from "@nearkin/data";
import type { Command } from "commander";
import type { Output } from "../output.ts";
import { type PrepareFlags, prepareCommandLine } from "../prepare-command-line.ts";
import { withClusterFlags } from "../spark/flags.ts";

export const SPARK_FLAGS = ["master", "conf", "storage", "dryRun", "stageOnly", "sparkTables"] as const;

export function withSparkFlags(command: Command): Command {
  return withClusterFlags(command)
    .option(
      "--storage <place>",
      "with spark: a folder that all workers see, or a URL such as s3a://bucket/folder (default: beside the dataset)",
    )
    .option("--dry-run", "with spark: print the SQL and the commands, and start nothing")
    .option("--stage-only", "with spark: put the items, and files that are not Parquet, into --storage, and stop")
    .option(
      "--spark-tables <folder>",
      "with spark: go on from the tables of such a script, in --storage or a copy of it",
    );
}

export function sparkOptions({ master, conf, storage, sparkTables }: PrepareFlags): SparkOptions {
  return {
    ...(conf !== undefined && { conf }),
    ...(master !== undefined && { master }),
    ...(storage !== undefined && { storage }),
    ...(sparkTables !== undefined && { tables: sparkTables }),
  };
}

interface PrepareJob {
  config: Config;
  source: string;
  /** Where relative file names of the configuration start. */
  folder: string;
  out: string;
  flags: PrepareFlags;
}

/** The script on standard output, so that it can be saved as it is; how to use it above it, as comments. */
export async function printScript(job: PrepareJob, output: Output): Promise<void> {
  const { config, folder, flags } = job;
  const storage = requireStorage(flags.storage);
  const script = await sparkScriptOf(config, { folder, spark: { ...sparkOptions(flags), storage } });
  const steps = [
    `1. ${script.stages}, which Spark does not read as they are, go to ${script.staged}:`,
    `     ${prepareCommandLine(job.source, flags, ["--stage-only"])}`,
    "2. this script, saved as prepare.sql, makes the tables; on a platform of your own, with the same settings:",
    `     ${script.command.map(shellWord).join(" ")}`,
    "3. the dataset is made from them, with their folder copied to this machine where it is not seen from it:",
    `     ${lastCommand(job, storage)}`,
  ];
  output.write(`${steps.map((line) => `-- ${line}`).join("\n")}\n\n${script.sql}`);
}

/** Puts what Spark does not read into the storage. */
export async function stage(job: PrepareJob, output: Output): Promise<void> {
  const { config, folder, flags } = job;
  const storage = requireStorage(flags.storage);
  await stageOnly(config, { folder, spark: { ...sparkOptions(flags), storage } });
  output.log(
    `staged what Spark does not read by itself in ${storage}/staged\n` +
      `next         run the script that --dry-run prints, then: ${lastCommand(job, storage)}\n`,
  );
}

/** The dataset from Spark's tables, on this machine. */
function lastCommand({ source, flags, out }: PrepareJob, storage: string): string {
  const { master, conf, storage: _, ...rest } = flags;
  const copy = isUrl(storage) ? "<a copy of the storage>" : shellWord(storage);
  return `${prepareCommandLine(source, rest, [])} --spark-tables ${copy} --out ${shellWord(out)}`;
}
