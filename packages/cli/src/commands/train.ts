// nearkin train: dataset folder in, model folder out, with a line that says how it goes.
import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { decodeModel, type Engine, type ModelParts, NearkinError } from "@nearkin/core";
import { type Dataset, openDataset, parseYaml, shellWord } from "@nearkin/data";
import { type Preset, resolveTrainConfig, type Selection, selectionOf, type TrainConfig, train } from "@nearkin/train";
import { Command, Option } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { readFolder } from "../open-model.ts";
import type { Output } from "../output.ts";
import { duration } from "../progress.ts";
import { datasetOfAll } from "../refit.ts";
import { showTraining } from "../training-progress.ts";
import { trainingSummary } from "../training-summary.ts";

interface TrainFlags extends EngineFlags {
  out?: string;
  preset?: Preset;
  config?: string;
  seed?: number;
  stages?: TrainConfig["stages"];
  final?: boolean;
  from?: string;
  resume?: boolean;
  force?: boolean;
  checkpoint?: number;
  json?: boolean;
}

export function trainCommand(output: Output): Command {
  return withEngineFlags(new Command("train"))
    .description("learn what similar means: dataset folder in, model folder out")
    .argument("<dataset>", "the folder that nearkin prepare wrote")
    .option("--out <folder>", "the model folder to make (default: models/<dataset>)")
    .addOption(
      new Option(
        "--preset <name>",
        "default: what measures best; fast: cut down for a first look; paper: as the authors describe (default: default)",
      ).choices(["default", "fast", "paper"]),
    )
    .option("--config <file>", "a nearkin.yaml whose section train: changes the preset")
    .option("--seed <n>", "of everything drawn by chance (default: as configured, else 1)", wholeNumber(0))
    .option("--stages <names>", "stages to run: siamese, ssl, or siamese,ssl (default: as configured)", stageList)
    .option(
      "--final",
      "then refit on all data, with the step counts that the validation items chose: the model to serve",
    )
    .option("--from <model>", "start from the parameters of this model")
    .option("--resume", "go on where a run with the same options was stopped")
    .option("--force", "replace the model folder if it is there")
    .option("--checkpoint <seconds>", "time between two checkpoints; changes no bit of the result", wholeNumber(0), 30)
    .option("--json", "print one JSON object a line: steps, validations, warnings, and at the end the model")
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin train datasets/marquee --preset fast           the built-in sample, in a minute
  $ nearkin train datasets/films --final                   choose step counts on held-out items, then refit on everything
  $ nearkin train datasets/films --config nearkin.yaml     with a section train: of your own
  $ nearkin train datasets/films --resume                  after Ctrl-C, a crash or a reboot
  $ nearkin train datasets/today --from models/yesterday   start warm

What is learned, the presets and every key of train: are in docs/training.md.`,
    )
    .action((folder: string, flags: TrainFlags) => runTrain(folder, flags, output));
}

async function runTrain(folder: string, flags: TrainFlags, output: Output): Promise<void> {
  const config = configOf(flags);
  const out = flags.out ?? `models/${basename(resolve(folder))}`;
  const dataset = await openDataset(folder);
  const from = flags.from === undefined ? undefined : await decodeModel(readFolder(flags.from));
  const engine = await openEngine(flags);
  const stop = new AbortController();
  const interrupt = () => stop.abort(new InterruptedError(out, resumeCommand(folder, out, flags)));
  process.once("SIGINT", interrupt);
  const started = performance.now();
  try {
    const run: RunContext = { engine, config, flags, output, signal: stop.signal, ...(from ? { from } : {}) };
    const model = flags.final ? await trainFinal(run, dataset, out) : await trainOne(run, dataset, out);
    const seconds = (performance.now() - started) / 1000;
    if (flags.json) output.write(`${JSON.stringify({ type: "model", out, id: model.id })}\n`);
    else output.write(`${trainingSummary(model, out)}trained in ${duration(seconds)} on ${engine.info.kind}\n`);
  } finally {
    process.removeListener("SIGINT", interrupt);
    await engine.close();
  }
}

interface RunContext {
  engine: Engine;
  config: TrainConfig;
  flags: TrainFlags;
  output: Output;
  signal: AbortSignal;
  from?: ModelParts;
}

function trainOne(
  { engine, config, flags, output, signal, from }: RunContext,
  dataset: Dataset,
  out: string,
  selection?: Selection,
): Promise<ModelParts> {
  if (!flags.json) output.log(`training ${config.preset} on ${dataset.folder} into ${out}\n`);
  return train(dataset, config, {
    engine,
    out,
    resume: flags.resume === true,
    force: flags.force === true,
    checkpointEvery: flags.checkpoint ?? 30,
    signal,
    ...(from ? { from } : {}),
    ...(selection ? { selection } : {}),
    onEvent: showTraining(output, { json: flags.json === true, resume: flags.resume === true }),
  });
}

/** Chooses step counts on the split dataset, then refits on all of its data. */
async function trainFinal(run: RunContext, dataset: Dataset, out: string): Promise<ModelParts> {
  const splitOut = `${out}-split`;
  const all = await datasetOfAll(dataset, run.output, run.signal); // before hours of training: it may be missing
  let split = await finishedModel(splitOut, dataset, run);
  if (split) run.output.log(`${splitOut} is finished: its step counts are used\n`);
  else split = await trainOne(run, dataset, splitOut);
  return trainOne(run, all, out, selectionOf(split));
}

/** The model of an earlier try, where a resumed run finds it finished. */
async function finishedModel(
  folder: string,
  dataset: Dataset,
  { flags, config }: RunContext,
): Promise<ModelParts | undefined> {
  if (!flags.resume || !existsSync(`${folder}/model.json`)) return undefined;
  const model = await decodeModel(readFolder(folder));
  const same = model.dataset.id === dataset.manifest.id && JSON.stringify(model.config) === JSON.stringify(config);
  return same ? model : undefined;
}

function configOf(flags: TrainFlags): TrainConfig {
  let given: unknown = {};
  let where = "the command line";
  if (flags.config !== undefined) {
    if (!existsSync(flags.config)) throw new NearkinError("BAD_CONFIG", `${flags.config}: there is no such file`);
    where = flags.config;
    const file = parseYaml(readFileSync(flags.config, "utf8"), where);
    given = (file as { train?: unknown } | null)?.train ?? {};
    where = `${where}: train`;
  }
  const changed = typeof given === "object" && given !== null ? { ...given } : given;
  if (typeof changed === "object" && changed !== null) {
    if (flags.seed !== undefined) Object.assign(changed, { seed: flags.seed });
    if (flags.stages !== undefined) Object.assign(changed, { stages: flags.stages });
  }
  return resolveTrainConfig(changed, { where, ...(flags.preset ? { preset: flags.preset } : {}) });
}

function stageList(text: string): TrainConfig["stages"] {
  return text.split(",").map((name) => name.trim()) as TrainConfig["stages"]; // checked with the rest of the configuration
}

function resumeCommand(folder: string, out: string, flags: TrainFlags): string {
  const { final, preset, config, from, seed, stages, engine, policy } = flags;
  const word = shellWord;
  return [
    `nearkin train ${word(folder)} --out ${word(out)}`,
    preset ? `--preset ${preset}` : "",
    config ? `--config ${word(config)}` : "",
    seed === undefined ? "" : `--seed ${seed}`,
    from ? `--from ${word(from)}` : "",
    stages ? `--stages ${stages.join(",")}` : "",
    engine === "auto" ? "" : `--engine ${engine}`,
    policy === "reproducible" ? "" : `--policy ${policy}`,
    final ? "--final" : "",
    "--resume",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** Ctrl-C: the last step is kept. */
class InterruptedError extends Error {
  readonly code = "INTERRUPTED";
  constructor(out: string, again: string) {
    super(`stopped; the run is saved in ${out}.partial; go on with: ${again}`);
  }
}
