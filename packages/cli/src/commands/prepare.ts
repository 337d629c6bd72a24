// nearkin prepare: files in, dataset folder out, with a line per step.

import { type Manifest, type PrepareEvent, parseConfig, prepare, resolveSource } from "@nearkin/data";
import { estimateAdvice } from "@nearkin/data/encoders";
import { Command, InvalidArgumentError, Option } from "commander";
import { wholeNumber } from "../engine.ts";
import type { Output } from "../output.ts";
import { type Fold, type PrepareFlags, prepareCommandLine } from "../prepare-command-line.ts";
import { duration, liveLine } from "../progress.ts";
import { writeSource } from "../source-record.ts";
import { refuseFlags } from "../spark/flags.ts";
import { InterruptedError } from "../training-stop.ts";
import { printScript, SPARK_FLAGS, sparkOptions, stage, withSparkFlags } from "./prepare-spark.ts";

function parseFold(text: string): Fold {
  const [, k, of] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (!(of >= 3 && k >= 1 && k <= of)) {
    throw new InvalidArgumentError("Expected k/n with n ≥ 3 and 1 ≤ k ≤ n, such as 2/5.");
  }
  return { k, of };
}

export function prepareCommand(output: Output): Command {
  const command = new Command("prepare")
    .description("turn files into a dataset folder: checked, split, and ready for training")
    .argument("[source]", "a nearkin.yaml, a folder, or marquee (the built-in sample)", "nearkin.yaml")
    .option("--out <folder>", "the dataset folder to make (default: datasets/<name>)")
    .option(
      "--layout <name>",
      "how the folder is laid out: movielens, yelp, amazon-reviews, recbole (default: detected)",
    )
    .addOption(
      new Option("--split <by>", "what is held out for evaluation (default: as configured, else time)").choices([
        "none",
        "time",
        "random",
        "users",
      ]),
    )
    .option("--fold <k/n>", "split random in n folds, the k-th for test, such as 2/5", parseFold)
    .option("--seed <n>", "of everything drawn by chance (default: as configured, else 1)", wholeNumber(0))
    .option("--encoder <name>", "for every text channel: minilm, lsa, hf:<model folder>")
    .option("--resume", "go on after the last finished step of a run that was stopped; Spark's steps count as one")
    .option("--force", "replace the dataset folder if it is there")
    .option(
      "--threads <n>",
      "threads to use; changes no bit of the result (default: the cores there are)",
      wholeNumber(1),
    )
    .option(
      "--memory <size>",
      "what DuckDB may hold before it spills to disk, such as 512MB or 4GB (default: 2GiB)",
      bytes,
    )
    .addOption(
      new Option(
        "--tables <where>",
        "where tables are kept meanwhile; disk can be resumed at every step (default: by size)",
      ).choices(["memory", "disk"]),
    )
    .option("--cache <folder>", "where encoded texts are kept (default: NEARKIN_CACHE, or the user's cache folder)")
    .option("--json", "print the dataset's manifest as JSON")
    .addOption(
      new Option("--engine <name>", "what runs the SQL: duckdb on this machine, or spark on a cluster")
        .choices(["duckdb", "spark"])
        .default("duckdb"),
    );
  return withSparkFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin prepare marquee                          the built-in sample (simulated ratings)
  $ nearkin prepare ./ml-25m --out datasets/ml-25m   a folder in a known layout
  $ nearkin prepare nearkin.yaml --split random      your own files, described in a nearkin.yaml
  $ nearkin prepare nearkin.yaml --fold 1/5 --out datasets/fold-1   the first of five folds, each of which tests other items
  $ nearkin prepare --resume                         after Ctrl-C, a crash or a reboot
  $ nearkin prepare nearkin.yaml --engine spark --master spark://host:7077 --storage /mnt/shared/films   on a cluster
  $ nearkin prepare nearkin.yaml --engine spark --storage s3a://bucket/films --dry-run > prepare.sql     the script, to run elsewhere;
                                                     what comes before and after it stands in its first lines

Make a nearkin.yaml with: nearkin init <files>. What a dataset folder holds: docs/data.md. On a cluster: docs/scaling.md.`,
    )
    .action((source: string, flags: PrepareFlags) => runPrepare(source, flags, output));
}

async function runPrepare(source: string, flags: PrepareFlags, output: Output): Promise<void> {
  using resolved = await resolveSource(source, flags.layout);
  const config = parseConfig(overridden(resolved.config, flags), resolved.description);
  const out = flags.out ?? `datasets/${resolved.name}`;
  if (flags.engine === "duckdb") refuseFlags(flags, SPARK_FLAGS);
  const job = { config, source, folder: resolved.folder, out, flags };
  if (flags.dryRun) return await printScript(job, output);
  if (flags.stageOnly) return await stage(job, output);
  output.log(`preparing ${resolved.description} into ${out}\n`);
  const stop = new AbortController();
  const again = `${prepareCommandLine(source, flags, ["--out", out])} --resume`;
  const kept =
    flags.engine === "spark"
      ? "what is staged, and Spark's tables once all are made, are kept"
      : "what is finished is kept";
  const interrupt = () => stop.abort(new InterruptedError(`stopped; ${kept} in ${out}.partial; go on with: ${again}`));
  process.once("SIGINT", interrupt);
  const started = performance.now();
  try {
    const manifest = await prepare(config, {
      out,
      folder: resolved.folder,
      resume: flags.resume === true,
      force: flags.force === true,
      ...(flags.threads === undefined ? {} : { threads: flags.threads }),
      ...(flags.memory === undefined ? {} : { memory: flags.memory }),
      ...(flags.tables === undefined ? {} : { tables: flags.tables }),
      ...(flags.cache === undefined ? {} : { cache: flags.cache }),
      ...(flags.engine === "spark" ? { spark: sparkOptions(flags) } : {}),
      signal: stop.signal,
      onEvent: showEvents(output, flags.resume === true),
    });
    writeSource(out, { source, layout: flags.layout ?? null, flags: { seed: flags.seed, encoder: flags.encoder } });
    if (flags.json) output.write(`${JSON.stringify(manifest, null, 2)}\n`);
    else output.write(summary(manifest, out, (performance.now() - started) / 1000));
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}

/** Command-line choices win over the configuration. */
export function overridden(
  config: unknown,
  { split, fold, seed, encoder }: Pick<PrepareFlags, "split" | "fold" | "seed" | "encoder">,
): unknown {
  if (!isObject(config)) return config; // what is wrong with it, the schema says
  const changed = { ...config };
  if (split !== undefined && (changed.split === undefined || isObject(changed.split))) {
    changed.split = { ...changed.split, by: split };
  }
  if (fold !== undefined && (changed.split === undefined || isObject(changed.split))) {
    changed.split = { ...changed.split, by: split ?? "random", fraction: 1 / fold.of, fold: fold.k };
  }
  if (seed !== undefined) changed.seed = seed;
  if (encoder !== undefined && isObject(changed.channels)) {
    changed.channels = Object.fromEntries(
      Object.entries(changed.channels).map(([name, channel]) => [
        name,
        isObject(channel) && channel.type === "text" ? { ...channel, encoder } : channel,
      ]),
    );
  }
  return changed;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A line per step; on a terminal, also what is under way. */
function showEvents(output: Output, resume: boolean): (event: PrepareEvent) => void {
  const live = liveLine(output);
  return (event) => {
    switch (event.type) {
      case "start":
        if (event.resumed) output.log("resuming: steps that need not be done again say kept\n");
        else if (resume) output.log("there is nothing to resume: starting from the beginning\n");
        return;
      case "step":
        live.show(`${place(event)} ${event.title} …`);
        return;
      case "done": {
        const time = event.kept ? "kept" : duration(event.seconds);
        live.end(`${place(event)} ${event.title.padEnd(48)} ${time.padStart(7)}  ${event.detail}`.trimEnd());
        return;
      }
      case "tasks":
        live.now(`${place(event)} ${event.title} … ${event.done} of ${event.tasks} tasks`);
        return;
      case "encode": {
        const { done, texts } = event.progress;
        live.now(
          `        ${event.channel}: encoded ${done.toLocaleString("en")} of ${texts.toLocaleString("en")} texts`,
        );
        return;
      }
      case "estimate": {
        const { texts, cached, secondsLeft, perSecond } = event.estimate;
        live.end(
          `        ${event.channel}: ${(texts - cached).toLocaleString("en")} texts to encode, ` +
            `about ${duration(secondsLeft)} at ${perSecond.toPrecision(2)} a second`,
        );
        const advice = estimateAdvice(event.estimate);
        if (advice !== undefined) live.end(advice.replaceAll(/^/gm, "        "));
        return;
      }
      case "note":
        live.end(`note: ${event.text}`);
    }
  };
}

const place = ({ number, steps }: { number: number; steps: number }) => `[${String(number).padStart(2)}/${steps}]`;

function summary({ counts, simulated, time, files, channels }: Manifest, out: string, seconds: number): string {
  const n = (value: number) => value.toLocaleString("en");
  const rejected = counts.rejectedInteractionRows + counts.rejectedItemRows;
  const unreadable = Object.values(channels).reduce((sum, channel) => sum + channel.unreadable, 0);
  const size = files.reduce((sum, file) => sum + file.bytes, 0) / 1e6;
  const day = (value: number | null) =>
    value === null || time.kind !== "seconds" ? "" : new Date(1000 * value).toISOString().slice(0, 10);
  const lines = [
    `${n(counts.interactions)} interactions of ${n(counts.users)} users with ${n(counts.items)} items${simulated ? ", SIMULATED" : ""}`,
    `training     ${n(counts.training.interactions)} interactions, ${n(counts.training.items)} items, ${n(counts.training.pairs)} pairs` +
      (time.kind === "seconds" ? `, ${day(time.trainingFrom)} to ${day(time.trainingTo)}` : ""),
    `held out     ${n(counts.roles.validation)} validation items, ${n(counts.roles.test)} test items` +
      (counts.userRoles.test > 0
        ? `, ${n(counts.userRoles.validation)} validation users, ${n(counts.userRoles.test)} test users`
        : ""),
    `duplicates   ${n(counts.duplicates)}`,
    `rejected     ${n(rejected)} rows${unreadable > 0 ? `, ${n(unreadable)} unreadable cells` : ""}` +
      (rejected + unreadable > 0 ? ` (see ${out}/rejects.parquet)` : ""),
    `wrote        ${out} (${files.length + 1} files, ${size.toFixed(1)} MB) in ${duration(seconds)}`,
    `next         nearkin inspect ${out}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** "512MB", "4GB" → bytes. */
function bytes(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(MB|GB|MiB|GiB)$/i.exec(text);
  const units: Record<string, number> = { mb: 1e6, gb: 1e9, mib: 2 ** 20, gib: 2 ** 30 };
  const value = match ? Number(match[1]) * units[match[2].toLowerCase()] : 0;
  if (value < 64e6) throw new InvalidArgumentError("Expected a size of at least 64MB, such as 512MB or 4GB.");
  return Math.floor(value);
}
