// nearkin report paper: the paper's experiments on a dataset, its folds, or the sample, as one page. Every training is cached: stopped, it goes on.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { NearkinError } from "@nearkin/core";
import { type Dataset, openDataset, SAMPLE, shellWord } from "@nearkin/data";
import {
  checkFolds,
  checkReportPath,
  gatherPaperReport,
  type PaperReport,
  paperOptions,
  ResultCache,
  reproducePaper,
  writePaperReport,
} from "@nearkin/evaluate";
import { Command } from "commander";
import { type EngineFlags, openEngine, withEngineFlags } from "../engine.ts";
import type { Output } from "../output.ts";
import { paperConfig, sampleChoices } from "../paper-config.ts";
import { paperProgress } from "../paper-progress.ts";
import { prepareLine } from "../prepare-line.ts";
import { duration, type LiveLine, liveLine } from "../progress.ts";
import { environmentOf } from "../report-environment.ts";
import { sampleFolds } from "../sample-folds.ts";
import { parseSeeds } from "../seeds.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";

interface PaperFlags extends EngineFlags {
  dataset: string[];
  seeds: number[];
  config?: string;
  cache?: string;
  out: string;
}

export function reportPaperCommand(output: Output): Command {
  const { train, spe } = sampleChoices;
  const command = new Command("paper")
    .description("write a page on the paper's experiments: SSL by iteration against SIAMESE and SPE, over several runs")
    .requiredOption(
      "--dataset <folders...>",
      "a dataset, or the folds of one: their test items are put together; marquee is the built-in sample, in five folds",
    )
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
again. Other seeds, settings or folds use what is there of them. Folds are made with nearkin prepare --fold 1/5, 2/5, …

On the sample steps are fewer than the preset paper has, unless --config says otherwise: ${train.siamese.steps} of SIAMESE (${train.siamese.batch} pairs), ${train.ssl.steps} of SSL, at most ${spe.steps} of SPE.

The page is one file: it fetches nothing, runs no script, follows light and dark, and can be printed. The same inputs give the same page, but for its
last section, which says where and when it was made.

Examples:
  $ nearkin report paper --dataset marquee                                        the sample, whose ratings are simulated
  $ nearkin report paper --dataset datasets/films --out films.html                one dataset, split by time or at random
  $ nearkin report paper --dataset datasets/fold-* --seeds 1,2,3 --cache runs     folds of one
  $ nearkin report paper --dataset datasets/films --config paper.yaml             with sections train: and spe: of your own`,
    )
    .action((flags: PaperFlags) => runPaper(flags, output));
}

async function runPaper(flags: PaperFlags, output: Output): Promise<void> {
  const started = performance.now();
  const live = liveLine(output);
  await checkReportPath(flags.out); // before hours of work, as all that can be wrong with the command line
  const sample = asksForSample(flags.dataset);
  const note = (text: string) => live.end(`note: ${text}`);
  const settings = paperConfig(flags.config, { note, ...(sample ? { base: sampleChoices } : {}) });
  const cache = openCache(flags.cache ?? cacheBeside(flags.out));
  using stop = new StopSignals();
  try {
    const { signal } = stop;
    const datasets = sample
      ? await preparedSample(cache.folder, { flags, live, signal })
      : await openAll(flags.dataset);
    checkFolds(datasets);
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
    const { workers: _, cache: __, ...portable } = flags; // of this machine, and without effect on the result
    const report = gatherPaperReport(datasets, {
      result,
      settings,
      commands: [
        ...(sample ? [] : prepareLines(datasets)),
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

const cacheBeside = (page: string): string => `${page.slice(0, -extname(page).length)}.cache`;

function openCache(folder: string): ResultCache {
  try {
    const cache = new ResultCache(folder);
    const probe = join(folder, `probe-${process.pid}.tmp`);
    writeFileSync(probe, "");
    rmSync(probe);
    return cache;
  } catch (cause) {
    throw new NearkinError("BAD_ARGUMENT", `--cache: ${folder} cannot be written to: ${(cause as Error).message}`, {
      cause,
    });
  }
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
  const { dataset, seeds, config, cache, engine, policy, workers, out } = flags;
  return [
    `nearkin report paper --dataset ${dataset.map(shellWord).join(" ")} --seeds ${seeds.join()}`,
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
