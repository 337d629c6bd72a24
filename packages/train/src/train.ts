// `train`: a dataset folder in, a model folder out. Here the run is opened, resumed, led through its stages and written down.
import { type Engine, type LiftedRows, type ModelParts, type QueryOptions, Random } from "@nearkin/core";
import type { Dataset } from "@nearkin/data";
import packageJson from "../package.json" with { type: "json" };
import type { StageName, TrainConfig } from "./config/schema.ts";
import type { TrainEvent } from "./events.ts";
import { loadTrainingSet } from "./input/training-set.ts";
import { encodeCheckpoint, type RunIdentity, restoreCheckpoint } from "./run/checkpoint.ts";
import { addedChannel, measureAdded, withChannel, withoutLastChannel } from "./run/extend.ts";
import { type Selection, writeModel } from "./run/finish.ts";
import { RunFolder } from "./run/folder.ts";
import { runStage } from "./run/loop.ts";
import { withCatalogue } from "./run/ranking.ts";
import { Stopwatch } from "./run/record.ts";
import { openRun, type Run, rescale } from "./run/run.ts";
import { warmStart } from "./run/warm-start.ts";
import { channelStage } from "./stages/channel.ts";
import { siameseStage } from "./stages/siamese.ts";
import { sslStage } from "./stages/ssl.ts";
import type { Stage } from "./stages/stage.ts";
import { makeSurrogate } from "./stages/surrogate.ts";

export interface TrainOptions {
  /** The model folder to make. */
  out: string;
  /** What computes. The same engine, seed and dataset give the same model, for any number of workers. */
  engine: Engine;
  /** Go on with what a run of the same dataset and configuration left. @default false */
  resume?: boolean;
  /** Replace a model that is already there. @default false */
  force?: boolean;
  /** Start from the parameters of this model, as far as they fit. */
  from?: ModelParts;
  /** What a run on a split dataset chose: do as many steps, without looking at validation items, and keep its figures with the model. */
  selection?: Selection;
  /** Seconds between two checkpoints. Changes no bit of the result. @default 30 */
  checkpointEvery?: number;
  /** Stops the run after the step under way; a checkpoint is saved first. */
  signal?: AbortSignal;
  onEvent?: (event: TrainEvent) => void;
  /** Called whenever validation items are ranked: for curves on other items beside a training. Changes no bit of the result. */
  onLook?: (look: TrainLook) => void;
}

/** The metric as it stands in the middle of a training. */
export interface TrainLook {
  readonly stage: StageName;
  readonly step: number;
  /** Hands over the catalogue, ready to be ranked, and how to ask it; both are gone when `use` returns. */
  rank<T>(use: (rows: LiftedRows, options: QueryOptions) => T): T;
}

/** Trains a model, writes its folder, and returns what stands in it. */
export async function train(dataset: Dataset, config: TrainConfig, options: TrainOptions): Promise<ModelParts> {
  const { engine, out, from, selection, signal, onLook, onEvent: emit = () => {} } = options;
  const observe = (run: Run, { name }: Stage) =>
    onLook?.({ stage: name, step: run.progress.step, rank: (use) => withCatalogue(run, use) });
  using folder = RunFolder.open(out, options);
  const watch = new Stopwatch();
  emit({ type: "phase", title: "loading the dataset" });
  const random = new Random(config.seed).split("train");
  using scope = engine.scope();
  const set = await loadTrainingSet(engine, dataset, { config, random, scope });
  signal?.throwIfAborted();
  let run = openRun(engine, scope, { config, set, random });
  if (from) for (const text of warmStart(run, from)) emit({ type: "note", text });
  const identity: RunIdentity = {
    dataset: dataset.manifest.id,
    config,
    engine: engineName(engine),
    from: from?.id ?? null,
    steps: selection?.steps ?? null,
    version: packageJson.version,
  };
  const saved = options.resume ? folder.readCheckpoint() : undefined;
  if (saved) run = restoreCheckpoint(run, saved, { identity, where: folder.partial, scope });
  else folder.clear();
  emit({
    type: "start",
    out: folder.out,
    resumedAt: saved ? { stage: run.progress.stage, step: run.progress.step } : null,
    parameters: run.layout.size,
  });
  if (!set.validation && !selection) noValidation(run, emit);

  let last = performance.now();
  const save = () => {
    folder.writeCheckpoint(encodeCheckpoint(run, identity));
    last = performance.now();
    emit({ type: "checkpoint", stage: run.progress.stage, step: run.progress.step });
  };
  const every = 1000 * (options.checkpointEvery ?? 30);
  const afterStep = async () => {
    await new Promise((resolve) => setImmediate(resolve)); // signals and timers have their turn
    if (signal?.aborted) {
      save();
      throw signal.reason;
    }
    if (performance.now() - last >= every) save();
  };
  for (const name of config.stages.slice(config.stages.indexOf(run.progress.stage))) {
    if (run.progress.finished.some(({ stage }) => stage === name)) continue;
    const fixedSteps = selection?.steps[name];
    const adds = name === "ssl" && config.ssl.mode === "channel" && (fixedSteps ?? config.ssl.steps) > 0;
    await watch.time(name, async () => {
      if (adds && !addedChannel(run)) await addTaste();
      else if (run.progress.stage !== name) enterStage(run, name);
      await runStage(run, stageOf(run, name), {
        emit,
        afterStep,
        observe,
        ...(fixedSteps === undefined ? {} : { fixedSteps }),
      });
    });
    // No step with the channel ranks as well as the metric without it.
    if (adds && run.progress.finished.some(({ stage, best }) => stage === name && best === 0)) {
      run = withoutLastChannel(run, scope);
    }
    await afterStep();
  }
  emit({ type: "phase", title: "learning how users differ, and writing the model" });
  return await writeModel(run, folder, {
    selection: selection ?? null,
    from: from ?? null,
    pause: afterStep,
    emit,
    timing: (model) => watch.json(model, { resumed: saved !== undefined }),
  });

  /** The run goes on with one more channel. Until it is there a checkpoint holds what the stage before left. */
  async function addTaste(): Promise<void> {
    emit({ type: "phase", title: "fitting a Gaussian process to the channels" });
    const { channel, explained } = await makeSurrogate(run, afterStep);
    const share = `${(100 * explained).toFixed(1)} %`;
    emit({
      type: "note",
      text: `channel ${channel.spec.name}: what the other channels say of an item's factors, ${share} of their variance`,
    });
    run = withChannel(run, scope, channel);
    run.progress.stage = "ssl";
    run.progress.step = 0;
    measureAdded(run, "before ssl");
    await afterStep();
  }
}

function stageOf(run: Run, name: StageName): Stage {
  if (name === "siamese") return siameseStage(run);
  return run.config.ssl.mode === "channel" ? channelStage(run) : sslStage(run);
}

/** Scales are measured anew between stages, and the weights with them, so that the metric stays what it was. */
function enterStage(run: Run, name: StageName): void {
  run.progress.stage = name;
  run.progress.step = 0;
  rescale(run, `before ${name}`);
}

function noValidation(run: Run, emit: (event: TrainEvent) => void): void {
  const text =
    "the dataset holds out no validation items: nothing says how well new items are ranked, nor when to stop; prepare it with a split, and train with --final";
  if (run.progress.warnings.some(({ code }) => code === "NO_VALIDATION")) return;
  const warning = { code: "NO_VALIDATION", stage: null, step: 0, text } as const;
  run.progress.warnings.push(warning);
  emit({ type: "warning", ...warning });
}

/** Engines that compute the same bits have the same name, whatever the number of workers. */
export function engineName({ info }: Engine): string {
  if (info.kind !== "native") return info.kind;
  return `native ${info.library ?? ""} on ${info.workers} threads`; // OpenBLAS divides sums by its threads
}
