// nearkin personalize --engine spark: the users of a table or of many files, on every core of a cluster.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import { openDataset, type SparkProgress } from "@nearkin/data";
import { type Command, Option } from "commander";
import { openEngine, wholeNumber } from "../engine.ts";
import { openAskedModel, simulatedLine } from "../model-flags.ts";
import type { Output } from "../output.ts";
import { checkPersonal } from "../personalize/filter.ts";
import { duration, liveLine } from "../progress.ts";
import { type ClusterFlags, withClusterFlags } from "../spark/flags.ts";
import { checkPlaces, describeJob, personalizeOnSpark } from "../spark/personalize.ts";
import type { InteractionColumns, PersonalizeSummary, UserSource } from "../spark/sql.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";

export interface SparkFlags extends ClusterFlags {
  partitions?: number;
  format?: "lines" | "parquet";
  userColumn?: string;
  itemColumn?: string;
  ratingColumn?: string;
  timeColumn?: string;
  node?: string;
  executorCommand?: string;
  dryRun?: boolean;
}

export const SPARK_FLAGS = [
  "master",
  "conf",
  "partitions",
  "format",
  "userColumn",
  "itemColumn",
  "ratingColumn",
  "timeColumn",
  "node",
  "executorCommand",
  "dryRun",
] as const;

export function withSparkFlags(command: Command): Command {
  return withClusterFlags(command)
    .option(
      "--partitions <n>",
      "with spark: parts that the users are given out in (default: Spark's choice)",
      wholeNumber(1),
    )
    .addOption(
      new Option("--format <kind>", "with spark: what --in is (default: by its name)").choices(["lines", "parquet"]),
    )
    .option("--user-column <name>", "with spark: column of a table of interactions (default: user)")
    .option("--item-column <name>", "with spark: likewise (default: item)")
    .option("--rating-column <name>", "with spark: likewise; none where there are none (default: rating)")
    .option("--time-column <name>", "with spark: likewise (default: time)")
    .option("--node <path>", "with spark: Node 20.19 or later, as executors find it (default: node)")
    .option(
      "--executor-command <command>",
      "with spark: run what executors have installed, such as 'nearkin personalize', in place of what is sent along",
    )
    .option("--dry-run", "with spark: print the SQL and the command, and start nothing");
}

interface Asked extends SparkFlags {
  dataset?: string;
  in?: string;
  skipUnknown?: boolean;
  out: string;
  force?: boolean;
}

export async function runOnSpark(folder: string, flags: Asked, output: Output): Promise<void> {
  const { master, conf = [], partitions, executorCommand, node = "node" } = flags;
  const job = { out: flags.out, force: flags.force === true, skipUnknown: flags.skipUnknown === true };
  const input = flags.dataset ?? flags.in;
  if (input === undefined || (flags.dataset !== undefined && flags.in !== undefined)) {
    throw new NearkinError("BAD_ARGUMENT", "name either --dataset or --in; see nearkin personalize --help");
  }
  checkPlaces({ ...job, input, flag: flags.dataset === undefined ? "--in" : "--dataset" });
  const source = await sourceOf(input, flags);
  const { channels, simulated } = await lookAt(folder);
  const options = { ...job, source, model: folder, channels, master, conf, partitions, executorCommand, node };
  if (flags.dryRun) {
    output.write(await describeJob(options));
    return;
  }
  using stop = new StopSignals();
  const live = liveLine(output);
  const started = performance.now();
  live.show("Spark is at work …");
  let summary: PersonalizeSummary;
  try {
    const onProgress = ({ done, tasks }: SparkProgress) =>
      live.now(`Spark is at work … ${done} of ${tasks} tasks, ${duration((performance.now() - started) / 1000)}`);
    summary = await personalizeOnSpark(options, { signal: stop.signal, onProgress });
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw new InterruptedError(`stopped; nothing of it is in ${flags.out}`);
  }
  const { users, kept, refused, rows } = summary;
  const n = (count: number) => count.toLocaleString("en");
  live.end(
    `${n(users)} user${users === 1 ? "" : "s"} in ${duration((performance.now() - started) / 1000)}: ${n(users - kept - refused)} with a metric of their own, ${n(kept)} with the shared one, ${n(refused)} refused${refused > 0 ? `: see ${flags.out}/rejects` : ""}`,
  );
  if (rows > 0)
    output.log(
      `${n(rows)} row${rows === 1 ? "" : "s"} could not be read and ${rows === 1 ? "was" : "were"} left out: see ${flags.out}/rejects\n`,
    );
  output.write(`${flags.out}\n`);
  output.log(simulated);
  checkSummary(summary, flags.out);
}

/** A run whose result nobody can have meant fails, and leaves the tables to look at. */
function checkSummary({ users, refused, items }: PersonalizeSummary, out: string): void {
  if (users === 0) throw new NearkinError("BAD_ARGUMENT", `--in: there is no user in it; ${out}/rejects says more`);
  if (refused === users) {
    throw new NearkinError("BAD_ARGUMENT", `every user was refused; ${out}/rejects has the reasons`);
  }
  if (items === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "the model knows none of the items of these users; name its catalogue's column of ids with --item-column",
    );
  }
}

/** What the executors will find, found out before they are asked. */
async function lookAt(folder: string): Promise<{ channels: string[]; simulated: string }> {
  await using engine = await openEngine({ engine: "wasm", policy: "reproducible", workers: 1 });
  await using model = await openAskedModel(folder, engine);
  checkPersonal(model);
  return { channels: Object.keys(model.weights), simulated: simulatedLine(model) };
}

async function sourceOf(path: string, flags: Asked): Promise<UserSource> {
  const { userColumn, itemColumn, ratingColumn, timeColumn } = flags;
  const kind = flags.format ?? kindOf(path, flags);
  if (kind === "parquet") {
    const columns: InteractionColumns = {
      user: userColumn ?? "user",
      item: itemColumn ?? "item",
      rating: ratingColumn === "none" ? null : (ratingColumn ?? "rating"),
      time: timeColumn ?? "time",
    };
    return { kind: "interactions", path, columns };
  }
  if ([userColumn, itemColumn, ratingColumn, timeColumn].some((name) => name !== undefined)) {
    throw new NearkinError("BAD_ARGUMENT", `${path} has no columns to name; for a table add --format parquet`);
  }
  if (kind === "lines") return { kind, path };
  const { manifest } = await openDataset(path);
  return { kind, path, rated: manifest.ratings.kind === "explicit" };
}

function kindOf(path: string, { dataset }: Asked): "lines" | "parquet" | "dataset" {
  if (dataset !== undefined || existsSync(join(path, "dataset.json"))) return "dataset";
  if (/\.parquet\/?$/i.test(path)) return "parquet";
  if (/\.(jsonl|json|ndjson)(\.(gz|bz2|zst))?\/?$/i.test(path)) return "lines";
  throw new NearkinError(
    "BAD_ARGUMENT",
    `--format: ${path} does not say by its name what it is; add --format lines or --format parquet`,
  );
}
