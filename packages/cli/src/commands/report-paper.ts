// nearkin report paper: the paper's experiments on a dataset, its folds, or the sample, as one page. Every training is cached: stopped, it goes on.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import { type Dataset, openDataset, SAMPLE, shellWord } from "@nearkin/data";
import {
  checkFolds,
  checkReportPath,
  checkUsers,
  gatherPaperReport,
  type PaperReport,
  paperOptions,
  reproducePaper,
  reproducePersonalisation,
  writePaperReport,
} from "@nearkin/evaluate";
import { Command } from "commander";
import { type EngineFlags, openEngine, withEngineFlags } from "../engine.ts";
import type { Output } from "../output.ts";
import { paperConfig, sampleChoices } from "../paper-config.ts";
import { paperProgress } from "../paper-progress.ts";
import { prepareLine } from "../prepare-line.ts";
import { duration, type LiveLine, liveLine } from "../progress.ts";
import { openReportCache } from "../report-cache.ts";
import { environmentOf } from "../report-environment.ts";
import { sampleFolds, sampleUsers } from "../sample-folds.ts";
import { parseSeeds } from "../seeds.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";
import { usersProgress } from "../users-progress.ts";

interface PaperFlags extends EngineFlags {
  dataset: string[];
  users?: string;
  seeds: number[];
  config?: string;
  cache?: string;
  out: string;
}

export function reportPaperCommand(output: Output): Command {
  const { train, spe } = sampleChoices;
  const command = new Command("paper")
    .description(
      "write a page on the paper's experiments: SSL by iteration against SIAMESE and SPE, and users' own metrics",
    )
    .requiredOption(
      "--dataset <folders...>",
      "a dataset, or the folds of one: their test items are put together; marquee is the built-in sample, in five folds",
    )
    .option("--users <folder>", "the same data split by users: adds users' own metrics, Figs. 3 to 5 (marquee has it)")
    .option("--seeds <list>", "a run for each, such as 1,2,3", parseSeeds, [1, 2, 3, 4, 5])
    .option("--config <file>", "a file whose sections train: and spe: change the preset paper and SPE's settings")
    .option("--cache <folder>", "where trainings are kept (default: beside the page, its name with .cache for .html)")
    .option("--out <file>", "the page, .html; its numbers go beside it, .json", "paper.html");
  return withEngineFlags(command)
    .addHelpText(
      "after",
      `
For each dataset and seed SSL, SIAMESE and SPE are trained: hours on real data, minutes on the sample. Each training is kept in the cache folder, and
one that is stopped (Ctrl-C, a crash, a reboot) goes on from its last checkpoint, or begins anew if it is SPE, which has none: run the same command
again. Other seeds, settings or folds use what is there of them. Folds are made with nearkin prepare --fold 1/5, 2/5, … With --users SSL is trained once
more for each seed, without the test users, and refitted to each of them.

On the sample steps are fewer than the preset paper has, unless --config says otherwise: ${train.siamese.steps} of SIAMESE (${train.siamese.batch} pairs), ${train.ssl.steps} of SSL, at most ${spe.steps} of SPE.

The page is one file: it fetches nothing, runs no script, follows light and dark, and can be printed. The same inputs give the same page, but for its
last section, which says where and when it was made.

Examples:
  $ nearkin report paper --dataset marquee                                        the sample, whose ratings are simulated
  $ nearkin report paper --dataset datasets/films --out films.html                one dataset, split by time or at random
  $ nearkin report paper --dataset datasets/fold-* --seeds 1,2,3 --cache runs     folds of one
  $ nearkin report paper --dataset datasets/films --users datasets/users          with users' own metrics
  $ nearkin report paper --dataset datasets/films --config paper.yaml             with sections train: and spe: of your own`,
    )
    .action((flags: PaperFlags) => runPaper(flags, output));
}

async function runPaper(flags: PaperFlags, output: Output): Promise<void> {
  const started = performance.now();
  const live = liveLine(output);
  await checkReportPath(flags.out); // before hours of work, as all that can be wrong with the command line
  const sample = asksForSample(flags.dataset);
  if (sample && flags.users !== undefined) {
    throw new NearkinError("BAD_ARGUMENT", `--users: ${SAMPLE} has users of its own; leave it out`);
  }
  const note = (text: string) => live.end(`note: ${text}`);
  const settings = paperConfig(flags.config, { note, ...(sample ? { base: sampleChoices } : {}) });
  const cache = openReportCache(flags.cache, flags.out);
  using stop = new StopSignals();
  try {
    const { signal } = stop;
    const datasets = sample
      ? await preparedSample(cache.folder, { flags, live, signal })
      : await openAll(flags.dataset);
    checkFolds(datasets);
    const users = sample ? await preparedUsers(cache.folder, { flags, live, signal }) : await openUsers(flags.users);
    await using engine = await openEngine(flags);
    signal.throwIfAborted();
    const progress = paperProgress(live, { folds: datasets.length, seeds: flags.seeds.length });
    const result = await reproducePaper(engine, datasets, {
      cache,
      seeds: flags.seeds,
      ...paperOptions(settings),
      signal,
      onEvent: progress.show,
    });
    progress.end();
    const personal = users
      ? await reproducePersonalisation(engine, users, {
          cache,
          seeds: flags.seeds,
          config: paperOptions(settings).config,
          signal,
          onEvent: usersProgress(live),
        })
      : undefined;
    const { workers: _, cache: __, ...portable } = flags; // of this machine, and without effect on the result
    const report = gatherPaperReport(datasets, {
      result,
      users: personal,
      settings,
      commands: [
        ...(sample ? [] : [...prepareLines(datasets), ...(users ? prepareLines([users]) : [])]),
        {
          does: `${sample ? "Prepare the folds, train, and write this report" : "Train, and write this report"}; paper.yaml are the settings below`,
          command: commandLine({ ...portable, config: "paper.yaml", engine: engine.info.kind, policy: "reproducible" }),
        },
      ],
      environment: environmentOf(engine),
    });
    const written = await writePaperReport(flags.out, report);
    live.end(`reported on ${report.data.name} in ${duration((performance.now() - started) / 1000)}`);
    output.write(`${written.join("\n")}\n`);
    if (report.simulated) output.log(`The ratings of ${report.data.name} are SIMULATED.\n`);
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw new InterruptedError(
      `stopped; trainings that are done are kept in ${cache.folder}, with the steps of the one under way, unless it is SPE, which begins anew; go on with: ${commandLine(flags)}`,
    );
  }
}

/** The word, unless a folder has that name. */
function asksForSample(folders: readonly string[]): boolean {
  if (!folders.includes(SAMPLE) || existsSync(SAMPLE)) return false;
  if (folders.length === 1) return true;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `--dataset: ${SAMPLE} is the whole sample, in folds of its own; name it alone, or only folders`,
  );
}

async function preparedSample(
  cache: string,
  { flags, live, signal }: { flags: PaperFlags; live: LiveLine; signal: AbortSignal },
): Promise<Dataset[]> {
  return sampleFolds(join(cache, "folds"), {
    threads: flags.workers,
    signal,
    onFold: (fold, folds) => live.end(`preparing fold ${fold} of ${folds} of the sample`),
  });
}

async function preparedUsers(
  cache: string,
  { flags, live, signal }: { flags: PaperFlags; live: LiveLine; signal: AbortSignal },
): Promise<Dataset> {
  return sampleUsers(join(cache, "folds"), {
    threads: flags.workers,
    signal,
    onFold: () => live.end("preparing the sample, split by users"),
  });
}

async function openUsers(folder: string | undefined): Promise<Dataset | undefined> {
  if (folder === undefined) return undefined;
  const dataset = await openDataset(folder);
  checkUsers(dataset);
  return dataset;
}

async function openAll(folders: readonly string[]): Promise<Dataset[]> {
  const datasets: Dataset[] = [];
  for (const folder of folders) datasets.push(await openDataset(folder));
  return datasets;
}

function prepareLines(datasets: readonly Dataset[]): PaperReport["reproduce"]["commands"][number][] {
  return datasets.flatMap((dataset, i) => {
    const command = prepareLine(dataset);
    const does = datasets.length === 1 ? "Prepare the data" : `Prepare fold ${i + 1}`;
    return command === undefined ? [] : [{ does, command }];
  });
}

/** With everything that changes the result, or where it goes. */
function commandLine(flags: PaperFlags): string {
  const { dataset, users, seeds, config, cache, engine, policy, workers, out } = flags;
  return [
    `nearkin report paper --dataset ${dataset.map(shellWord).join(" ")} --seeds ${seeds.join()}`,
    users === undefined ? "" : `--users ${shellWord(users)}`,
    config === undefined ? "" : `--config ${shellWord(config)}`,
    cache === undefined ? "" : `--cache ${shellWord(cache)}`,
    engine === "auto" ? "" : `--engine ${engine}`,
    policy === "reproducible" ? "" : `--policy ${policy}`,
    workers === undefined ? "" : `--workers ${workers}`,
    `--out ${shellWord(out)}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
