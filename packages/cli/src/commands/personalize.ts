// nearkin personalize: a metric for each user, from what they met and rated. Over a dataset, as a filter that any batch engine can run, or by Spark.
import { type Model, NearkinError } from "@nearkin/core";
import { openDataset, shellWord } from "@nearkin/data";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { readLines, writeLine } from "../lines.ts";
import { openAskedModel, simulatedLine } from "../model-flags.ts";
import type { Output } from "../output.ts";
import { type BatchSummary, checkOut, personalizeAll } from "../personalize/batch.ts";
import { checkPersonal, filterLines } from "../personalize/filter.ts";
import { type Answerer, filterCommand, jobsFor, openFilters } from "../personalize/filters.ts";
import { answerUser } from "../personalize/user-line.ts";
import { duration, liveLine } from "../progress.ts";
import { refuseFlags } from "../spark/flags.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";
import { runOnSpark, SPARK_FLAGS, type SparkFlags, withSparkFlags } from "./personalize-spark.ts";

interface PersonalizeFlags extends EngineFlags {
  dataset?: string;
  users: string;
  in?: string;
  skipUnknown?: boolean;
  out: string;
  force?: boolean;
  resume?: boolean;
  jobs?: number;
}

interface AllFlags extends Omit<PersonalizeFlags, "engine">, SparkFlags {
  engine: EngineFlags["engine"] | "spark";
}

export function personalizeCommand(output: Output): Command {
  const command = new Command("personalize")
    .description(
      "a metric for each user, from what they met and rated: over a dataset, as a filter, or on a Spark cluster",
    )
    .argument("<model>", "the folder that nearkin train wrote")
    .option("--dataset <folder>", "fit the users of this dataset, from their training events")
    .option("--users <which>", "with --dataset, not with spark: all, or a file with a user's id on each line", "all")
    .option(
      "--in <file>",
      "a filter: read a user from each line of JSON; - is standard input. With spark also a table of interactions in Parquet",
    )
    .option("--skip-unknown", "with --in: leave out items that the model does not know, as --dataset does")
    .option(
      "--out <file>",
      "where metrics go: - is standard output; with --dataset a file, .parquet or .jsonl; with spark a folder",
      "-",
    )
    .option("--force", "with --dataset or spark: replace what is there, when all is done")
    .option("--resume", "with --dataset, not with spark: go on where a stopped run was")
    .option(
      "--jobs <n>",
      "with --dataset, not with spark: processes at work; changes no number (default: the cores there are, for many users)",
      wholeNumber(1),
    );
  return withSparkFlags(withEngineFlags(command, ["spark"]))
    .addHelpText(
      "after",
      `
A line in: {"user": "ada", "ratings": [{"item": "alien-1979", "rating": 5}, {"item": "stalker-1979"}]}
the oldest first; an item without a rating was met. A line out has the user's weights by channel, and popularity: pass both to
nearkin similar (--weights, --popularity), or to model.similar. A user who cannot be answered gets a line with the reason, and the
filter goes on; how many there were is said at the end. A batch fails if every user was refused. Columns and lines are described in docs/personalisation.md.

Examples:
  $ nearkin personalize models/films --dataset datasets/films --out users.parquet
  $ nearkin personalize models/films --dataset datasets/films --users some.txt --out users.jsonl --resume
  $ cat users.jsonl | nearkin personalize models/films --in - --out -

On a Spark cluster (4.0 or later) every executor runs the filter: it needs Node, and nothing of Nearkin. Of a table of interactions each user's history is
made as prepare makes it. The folder --out gets the tables users, with the columns of users.parquet, and rejects. The metrics are those of --engine wasm, to
the bit, however many partitions and workers there are.

  $ nearkin personalize models/films --engine spark --master spark://host:7077 --dataset /mnt/shared/films --out /mnt/shared/metrics
  $ nearkin personalize models/films --engine spark --master spark://host:7077 --in /mnt/shared/events.parquet --out /mnt/shared/metrics
  $ nearkin personalize models/films --engine spark --in s3a://bucket/users.jsonl --out s3a://bucket/metrics --partitions 400
  $ nearkin personalize models/films --engine spark --in s3a://bucket/events --format parquet --time-column at --out s3a://bucket/metrics --dry-run`,
    )
    .action((folder: string, flags: AllFlags) => runPersonalize(folder, flags, output));
}

async function runPersonalize(folder: string, flags: AllFlags, output: Output): Promise<void> {
  const { engine } = flags;
  if (engine === "spark") {
    refuseLocalFlags(flags);
    return runOnSpark(folder, flags, output);
  }
  refuseFlags(flags, SPARK_FLAGS);
  return runHere(folder, { ...flags, engine }, output);
}

/** What would be of no effect is a mistake. */
function refuseLocalFlags({ users, resume, jobs, workers, policy }: AllFlags): void {
  const given = [
    users !== "all" && "--users",
    resume && "--resume",
    jobs !== undefined && "--jobs",
    workers !== undefined && "--workers",
    policy !== "reproducible" && "--policy",
  ].find((name) => typeof name === "string");
  if (given !== undefined) throw new NearkinError("BAD_ARGUMENT", `${given} is not for --engine spark; leave it out`);
}

async function runHere(folder: string, flags: PersonalizeFlags, output: Output): Promise<void> {
  if ((flags.dataset === undefined) === (flags.in === undefined)) {
    throw new NearkinError("BAD_ARGUMENT", "name either --dataset or --in; see nearkin personalize --help");
  }
  const { dataset } = flags;
  if (dataset === undefined) {
    if (flags.out === "-") return runFilter(folder, flags, output);
    throw new NearkinError("BAD_ARGUMENT", "--out: a filter writes to standard output; redirect it: > users.jsonl");
  }
  if (flags.out === "-") {
    throw new NearkinError("BAD_ARGUMENT", "--out: name a file to write, users.parquet or users.jsonl");
  }
  await runBatch(folder, { ...flags, dataset }, output);
}

async function runFilter(folder: string, flags: PersonalizeFlags, output: Output): Promise<void> {
  await using engine = await openEngine(flags);
  await using model = await openAskedModel(folder, engine);
  checkPersonal(model);
  const seconds = stopwatch();
  const { users, refused } = await filterLines(model, readLines(flags.in as string), {
    write: (line) => writeLine(output, line),
    unknown: flags.skipUnknown ? "skip" : "refuse",
  });
  output.log(
    `${counted(users, "user")} in ${duration(seconds())}${refused > 0 ? `, ${refused} of them refused` : ""}\n`,
  );
}

async function runBatch(folder: string, flags: PersonalizeFlags & { dataset: string }, output: Output): Promise<void> {
  const { out, force = false, resume = false } = flags;
  await checkOut(out, { force, resume });
  await using engine = await openEngine(flags);
  await using model = await openAskedModel(folder, engine);
  checkPersonal(model);
  const dataset = await openDataset(flags.dataset);
  using stop = new StopSignals();
  const live = liveLine(output);
  const seconds = stopwatch();
  live.show("reading users …");
  let summary: BatchSummary;
  try {
    summary = await personalizeAll(model, dataset, {
      out,
      users: flags.users,
      resume,
      answererOf: (users) => answererOf(users, { folder, flags, model, signal: stop.signal }),
      signal: stop.signal,
      onUser: (done, all) =>
        live.now(`${done.toLocaleString("en")} of ${counted(all, "user")}, ${(done / seconds()).toFixed(0)} a second`),
    });
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw new InterruptedError(
      `stopped; what is done is saved in ${out}.partial; go on with: ${commandLine(folder, { ...flags, resume: true })}`,
    );
  }
  const { users, kept, refused, refusal, repeated, unknown } = summary;
  live.end(
    `${counted(users, "user")} in ${duration(seconds())}: ${users - kept - refused} with a metric of their own, ${kept} with the shared one, ${refused} refused`,
  );
  if (repeated > 0)
    output.log(`${flags.users}: ${counted(repeated, "line")} named a user once more; each counts once\n`);
  if (unknown.ratings > 0) {
    output.log(
      `${counted(unknown.ratings, "rating")} of ${counted(unknown.items, "item")} that the model does not know ${unknown.ratings === 1 ? "was" : "were"} left out\n`,
    );
  }
  output.write(`${out}\n`);
  output.log(simulatedLine(model));
  if (users > 0 && refused === users) {
    throw new NearkinError("BAD_ARGUMENT", `every user was refused, the first with ${refusal}; ${out} has all reasons`);
  }
}

interface Answering {
  folder: string;
  flags: PersonalizeFlags;
  model: Model;
  signal: AbortSignal;
}

/** Here, for a few users; else by processes, each with a model of its own. */
function answererOf(users: number, { folder, flags, model, signal }: Answering): Answerer {
  const jobs = jobsFor(users, flags.jobs);
  if (jobs > 1) {
    return openFilters(filterCommand(folder, ["--engine", flags.engine, "--policy", flags.policy]), jobs, signal);
  }
  return { ahead: 1, answer: async (request) => answerUser(model, request), [Symbol.asyncDispose]: async () => {} };
}

/** The command line of a batch, with everything that changes its result or where it goes. */
function commandLine(folder: string, flags: PersonalizeFlags & { dataset: string }): string {
  const { dataset, users, out, engine, policy, workers, jobs, force, resume } = flags;
  return [
    `nearkin personalize ${shellWord(folder)} --dataset ${shellWord(dataset)}`,
    users === "all" ? "" : `--users ${shellWord(users)}`,
    `--out ${shellWord(out)}`,
    engine === "auto" ? "" : `--engine ${engine}`,
    policy === "reproducible" ? "" : `--policy ${policy}`,
    workers === undefined ? "" : `--workers ${workers}`,
    jobs === undefined ? "" : `--jobs ${jobs}`,
    force ? "--force" : "",
    resume ? "--resume" : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** Seconds since now. */
function stopwatch(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}

const counted = (n: number, what: string): string => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
