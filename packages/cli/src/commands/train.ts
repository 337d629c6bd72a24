// nearkin train: dataset folder in, model folder out, with a line that says how it goes.
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { decodeModel, type Engine, type ModelParts } from "@nearkin/core";
import { type Dataset, openDataset } from "@nearkin/data";
import { readFolder } from "@nearkin/serve/folder";
import { type Preset, type Selection, selectionOf, type TrainConfig, type TrainEvent, train } from "@nearkin/train";
import { Command, InvalidArgumentError, Option } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import type { Output } from "../output.ts";
import { duration } from "../progress.ts";
import { checkFree, datasetOfAll, finishedSplit } from "../refit.ts";
import { trainingConfig } from "../training-config.ts";
import { showTraining } from "../training-progress.ts";
import { CHECKPOINT_SECONDS, interruption, type Standing, StopSignals, trainCommandLine } from "../training-stop.ts";
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
    .option("--out <folder>", "the model folder to make (default: models/<dataset>)", named)
    .addOption(
      new Option(
        "--preset <name>",
        "default: what measures best; fast: cut down for a first look; paper: as the authors describe (default: default)",
      ).choices(["default", "fast", "paper"]),
    )
    .option("--config <file>", "a nearkin.yaml whose section train: changes the preset", named)
    .option("--seed <n>", "of everything drawn by chance (default: as configured, else 1)", wholeNumber(0))
    .option("--stages <names>", "stages to run: siamese, ssl, or siamese,ssl (default: as configured)", stageList)
    .option(
      "--final",
      "then refit on all data, with the step counts that the validation items chose: the model to serve",
    )
    .option("--from <model>", "start from the parameters of this model", named)
    .option("--resume", "go on where a run with the same options was stopped")
    .option("--force", "replace the model folder if it is there")
    .option(
      "--checkpoint <seconds>",
      "time between two checkpoints; changes no bit of the result",
      wholeNumber(0),
      CHECKPOINT_SECONDS,
    )
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
  const show = showTraining(output, { json: flags.json === true, resume: flags.resume === true });
  const config = trainingConfig(flags, (text) => show({ type: "note", text }));
  const out = flags.out ?? `models/${basename(resolve(folder))}`;
  checkFree(out, flags.force === true);
  const standing: Standing = { out, saved: false };
  const started = performance.now();
  using stop = new StopSignals();
  try {
    const { signal } = stop;
    const dataset = await openDataset(folder);
    const from = flags.from === undefined ? undefined : await decodeModel(readFolder(flags.from));
    await using engine = await openEngine(flags);
    signal.throwIfAborted();
    const run: RunContext = { engine, config, flags, output, show, signal, standing, ...(from ? { from } : {}) };
    const model = flags.final ? await trainFinal(run, dataset, out) : await trainOne(run, dataset, out);
    const seconds = (performance.now() - started) / 1000;
    if (flags.json) output.write(`${JSON.stringify({ type: "model", out, id: model.id })}\n`);
    else {
      const summary = trainingSummary(model, out, flags.final ? splitOf(out) : undefined);
      output.write(`${summary}trained in ${duration(seconds)} on ${engine.info.kind}\n`);
    }
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw interruption(standing, (resume) =>
      trainCommandLine(folder, out, { ...flags, resume: resume || flags.resume === true }),
    );
  }
}

interface RunContext {
  engine: Engine;
  config: TrainConfig;
  flags: TrainFlags;
  output: Output;
  show: (event: TrainEvent) => void;
  signal: AbortSignal;
  standing: Standing;
  from?: ModelParts;
}

function trainOne(
  { engine, config, flags, output, show, signal, standing, from }: RunContext,
  dataset: Dataset,
  out: string,
  selection?: Selection,
): Promise<ModelParts> {
  if (!flags.json) output.log(`training ${config.preset} on ${dataset.folder} into ${out}\n`);
  standing.out = out;
  standing.saved = flags.resume === true && existsSync(join(`${resolve(out)}.partial`, "checkpoint.safetensors"));
  return train(dataset, config, {
    engine,
    out,
    resume: flags.resume === true,
    force: flags.force === true,
    checkpointEvery: flags.checkpoint ?? CHECKPOINT_SECONDS,
    signal,
    ...(from ? { from } : {}),
    ...(selection ? { selection } : {}),
    onEvent: (event) => {
      if (event.type === "checkpoint") standing.saved = true;
      show(event);
    },
  });
}

/** Chooses step counts on the split dataset, then refits on all of its data. What can fail is tried before hours of training. */
async function trainFinal(run: RunContext, dataset: Dataset, out: string): Promise<ModelParts> {
  const { flags, output, signal, standing } = run;
  const splitOut = splitOf(out);
  const finished = flags.resume ? await finishedSplit(splitOut, dataset, run) : undefined;
  if (!finished) checkFree(splitOut, flags.force === true);
  const all = await datasetOfAll(dataset, output, signal);
  if (finished) output.log(`${splitOut} is finished: its step counts are used\n`);
  const split = finished ?? (await trainOne(run, dataset, splitOut));
  standing.finished = splitOut;
  return trainOne(run, all, out, selectionOf(split));
}

/** Where the run that chooses the steps goes; a slash at the end of a folder's name is not part of it. */
function splitOf(out: string): string {
  return `${out.replace(/(?<![/\\])[/\\]+$/, "")}-split`;
}

const STAGES = ["siamese", "ssl", "siamese,ssl"];

function stageList(text: string): TrainConfig["stages"] {
  const names = text.split(",").map((name) => name.trim());
  if (!STAGES.includes(names.join())) throw new InvalidArgumentError(`Allowed choices are ${STAGES.join(" | ")}.`);
  return names as TrainConfig["stages"];
}

function named(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("Expected a name, got nothing.");
  return text;
}
