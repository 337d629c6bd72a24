// One piece of work of the train suite in a process of its own, so that its memory is its own:
//   train-peer.ts prepare '{"config": …, "out": …}'          a dataset folder
//   train-peer.ts train   '{"dataset": …, "out": …, "preset": …, "engine": …, "train": …}'
// Progress goes to standard error, the outcome as one line of JSON to standard output. `train` needs --expose-gc.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type ChannelSpec,
  createEngine,
  type Engine,
  type EngineKind,
  type EnsembleConfig,
  type ModelParts,
  Random,
} from "@nearkin/core";
import { type Dataset, loadChannels, openDataset, parseConfig, prepare } from "@nearkin/data";
import { openBlas } from "@nearkin/native";
import { type Preset, resolveTrainConfig, type TrainConfig, train } from "@nearkin/train";
import { best, median, time } from "./harness.ts";
import { add, type Flops, pairFlops, softmaxFlops, sparseFlops, towerFlops } from "./train-flops.ts";
import type { StageTimes, TrainingTimes } from "./train-report.ts";

export interface TrainWork {
  dataset: string;
  out: string;
  preset: Preset;
  engine: EngineKind;
  /** Parts of the preset to replace. */
  train: unknown;
  /** Steps of each stage that do not count: the first compiles, and selects inducing items. */
  warm: number;
}

/** The phase of stage 2 that fits a Gaussian process, of whose steps no event tells. */
const FITTING = "fitting";
const PROCESS = "process";

const [what, work] = process.argv.slice(2);
const outcome = what === "prepare" ? await prepared(JSON.parse(work)) : await trained(JSON.parse(work) as TrainWork);
process.stdout.write(`${JSON.stringify(outcome)}\n`);

async function prepared({ config, out }: { config: unknown; out: string }): Promise<{ seconds: number }> {
  const started = performance.now();
  await prepare(parseConfig(config), { out, force: true });
  return { seconds: (performance.now() - started) / 1000 };
}

interface StageClock {
  began: number;
  ended: number;
  /** ms of each step. */
  steps: number[];
  look: number;
  heap: { first: number; last: number };
  /** Names of the channels that were trained. */
  channels: readonly string[];
}

async function trained(work: TrainWork): Promise<TrainingTimes> {
  const { dataset: folder, out, preset, warm } = work;
  const config = resolveTrainConfig(work.train, { preset });
  const engine = await createEngine({ engine: work.engine, workers: 2, native: openBlas });
  let gemm = gemmSpeed(engine, { f32: 0, f64: 0 });
  let paused = 0; // ms for measuring
  const started = performance.now();
  const dataset = await openDataset(folder);
  const clocks = new Map<string, StageClock>();
  let last = performance.now();
  let opened = 0;
  let written = 0;
  let parameters = 0;
  const clockOf = (stage: string) => {
    let clock = clocks.get(stage);
    if (!clock) {
      clock = { began: last, ended: 0, steps: [], look: 0, heap: { first: 0, last: 0 }, channels: [] };
      clocks.set(stage, clock);
    }
    return clock;
  };
  const model = await train(dataset, config, {
    engine,
    out,
    force: true,
    onEvent(event) {
      const now = performance.now();
      const fit = clocks.get(PROCESS);
      if (fit?.ended === 0 && event.type !== "checkpoint") {
        fit.ended = now;
        fit.heap.last = heapAfterCollection();
      }
      if (event.type === "start") {
        opened = now;
        parameters = event.parameters;
      } else if (event.type === "step") {
        const clock = clockOf(event.stage);
        clock.steps.push(now - last); // since the step before, or what came between
        clock.channels = event.channels;
        if (event.step === 1) clock.heap.first = heapAfterCollection();
        if (event.step % 10 === 0) {
          process.stderr.write(`\r\u001b[K${event.stage} ${event.step} of ${event.steps}`);
        }
      } else if (event.type === "validation") {
        clockOf(event.stage).look += now - last;
      } else if (event.type === "stage") {
        const clock = clockOf(event.stage);
        clock.ended = now;
        clock.heap.last = heapAfterCollection();
        gemm = gemmSpeed(engine, gemm);
      } else if (event.type === "phase") {
        if (event.title.startsWith("writing")) written = now;
        if (event.title.startsWith(FITTING)) clockOf(PROCESS).heap.first = heapAfterCollection();
      }
      last = performance.now();
      paused += last - now;
    },
  });
  const ended = performance.now();
  process.stderr.write("\r\u001b[K");
  const { maxRSS } = process.resourceUsage(); // kB; before anything is loaded again
  const stages: StageTimes[] = [];
  for (const [stage, clock] of clocks) {
    if (stage === PROCESS) {
      stages.push(processTimes(clock, config.ssl.surrogateSteps));
      continue;
    }
    const flops = await flopsOf(stage, dataset, { config, model, channels: clock.channels });
    stages.push(stageTimes(stage, { ...clock, steps: clock.steps.slice(warm) }, flops, gemm));
  }
  const times: TrainingTimes = {
    engine: engine.info.kind,
    workers: engine.info.workers,
    preset,
    items: model.catalogue.ids.length,
    parameters,
    gemm,
    loadSeconds: seconds(opened - started),
    stages,
    endSeconds: seconds(ended - written),
    seconds: seconds(ended - started - paused),
    peakRss: maxRSS * 1024,
    modelBytes: readdirSync(out).reduce((sum, name) => sum + statSync(join(out, name)).size, 0),
  };
  await engine.close();
  return times;
}

function stageTimes(
  stage: string,
  { began, ended, steps, look, heap }: StageClock,
  flops: Flops | undefined,
  gemm: { f32: number; f64: number },
): StageTimes {
  const spent = steps.reduce((sum, ms) => sum + ms, 0);
  const ms = median(steps);
  const ideal = flops && (flops.f32 / gemm.f32 + flops.f64 / gemm.f64) / 1e6; // ms
  return {
    stage,
    steps: steps.length,
    seconds: seconds(ended - began),
    lookSeconds: seconds(look),
    stepsPerSecond: Number(((1000 * steps.length) / spent).toFixed(2)),
    stepMs: Number(ms.toFixed(2)),
    gflops: flops ? Number(((flops.f32 + flops.f64) / ms / 1e6).toFixed(1)) : null,
    share: ideal ? Number((ideal / ms).toFixed(3)) : null,
    heap,
  };
}

/** The fit of the process: its steps, and what it expects of every item. */
function processTimes({ began, ended, heap }: StageClock, steps: number): StageTimes {
  const ms = ended - began;
  return {
    stage: PROCESS,
    steps,
    seconds: seconds(ms),
    lookSeconds: 0,
    stepsPerSecond: Number(((1000 * steps) / ms).toFixed(2)),
    stepMs: Number((ms / steps).toFixed(2)),
    gflops: null,
    share: null,
    heap,
  };
}

/** The arithmetic of a step of a stage; undefined where there is no formula for it here. */
async function flopsOf(
  stage: string,
  dataset: Dataset,
  { config, model, channels }: { config: TrainConfig; model: ModelParts; channels: readonly string[] },
): Promise<Flops | undefined> {
  const { siamese, ssl } = config;
  const width = Math.min(ssl.factors, dataset.manifest.counts.training.factors);
  const ensemble: EnsembleConfig = {
    ...model.ensemble,
    channels: channels.map((name): ChannelSpec => {
      const kept = model.ensemble.channels.find((channel) => channel.name === name);
      // The channel that stage 2 adds is not part of the model where it did not help.
      return kept ?? { name, input: "dense", inputWidth: width, embeddingSize: config.model.embedding };
    }),
  };
  const e = ensemble.channels.reduce((sum, { embeddingSize }) => sum + embeddingSize, 0);
  const entries: Record<string, number> = {};
  for (const [name, { tensors }] of await loadChannels(dataset)) {
    const indices = tensors.get("indices");
    if (indices) entries[name] = indices.data.length / model.catalogue.ids.length;
  }
  const pairs =
    siamese.loss === "softmax"
      ? add(towerFlops(2 * siamese.batch, ensemble, entries), softmaxFlops(siamese.batch, e))
      : add(towerFlops(3 * siamese.batch, ensemble, entries), pairFlops(2 * siamese.batch, e));
  if (stage === "siamese" || ssl.mode === "channel") return pairs;
  if (ssl.likelihood !== "dtc" && ssl.likelihood !== "vfe") return undefined;
  const eligible = model.items.ratings.filter((count) => count >= ssl.minRatings).length;
  const n = Math.min(ssl.batch, eligible - Math.floor(ssl.holdout * eligible));
  const { m, k } = model.posterior ?? { m: 0, k: 1 };
  return add(
    towerFlops(n, ensemble, entries),
    sparseFlops({ n, m, k, e }),
    ssl.anchor > 0 ? pairs : { f32: 0, f64: 0 },
  );
}

/** GFLOP/s of gemm 1,024³, or what was reached before where that is more. */
function gemmSpeed(engine: Engine, before: { f32: number; f64: number }): { f32: number; f64: number } {
  const side = 1024;
  const speed = (precision: "f32" | "f64") => {
    using scope = engine.scope();
    const [A, B, C] = [1, 2, 3].map((seed) => {
      const matrix = scope.matrix(side, side, precision);
      engine.fillUniform(matrix, new Random(seed));
      return matrix;
    });
    const ms = best(time(5, () => engine.gemm(C, A, B)));
    return Math.max(before[precision], Number(((2 * side ** 3) / ms / 1e6).toFixed(1)));
  };
  return { f32: speed("f32"), f64: speed("f64") };
}

function heapAfterCollection(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function seconds(ms: number): number {
  return Number((ms / 1000).toFixed(2));
}
