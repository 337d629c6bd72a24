// What a run holds: the model as it stands, the optimiser's memory, and what has to survive a crash. P parameters, p channels, e columns of an
// embedding. Random streams derive from (seed, stage, step), so none of them is state.
import {
  centreMissing,
  type Engine,
  type Ensemble,
  type EnsembleConfig,
  ensembleLayout,
  exp,
  initializeEnsemble,
  type Matrix,
  measureStatistics,
  type ParameterLayout,
  type Parameters,
  type Precision,
  parameterViews,
  type Random,
  rescaleWeights,
  type Scope,
  type Statistics,
} from "@nearkin/core";
import type { StageName, TrainConfig } from "../config/schema.ts";
import type { TrainWarning } from "../events.ts";
import type { TrainingSet } from "../input/training-set.ts";
import type { OptimiserState } from "../optimiser.ts";
import { History } from "./history.ts";

/** How a step did on what training has not seen. */
export interface Judgement {
  step: number;
  /** Mean of `scores`; −hold-out NLL where there are no validation items. Larger is better. */
  score: number;
  /** By validation item. */
  scores: Float64Array;
  holdoutNll: number | null;
}

/** The step of a stage that would be kept. */
export interface Best extends Judgement {
  flat: Float32Array;
  statistics: Statistics;
}

/** What is measured or chosen on the way; with `flat` and the optimiser's memory, all that a checkpoint holds. */
export interface Progress {
  stage: StageName;
  /** Steps done in this stage. */
  step: number;
  best: Best | null;
  /** The step that ranked best; `best` may be another, see `judge`. */
  top: Judgement | null;
  /** Looks at the validation items since the best one. */
  waited: number;
  /** Rows of the targets that are inducing items; empty before the first selection. */
  inducing: Int32Array;
  /** Added to the diagonal of K_mm where the link's kernel is indefinite. */
  shift: number;
  /** γ of the kernel v·exp(−½φ(γt)); 1 but where it was fitted to a metric that stays. */
  kernelScale: number;
  /** c in Σ_i = σ²(1 + c/n_i): as configured, but where the kernel was fitted to a metric that stays. */
  noisePerRating: number;
  warnings: TrainWarning[];
  /** Stages that are over. */
  finished: FinishedStage[];
}

interface FinishedStage {
  stage: StageName;
  /** Steps done, and the one that was kept. */
  steps: number;
  best: number;
  reason: "steps" | "patience";
  ranking: { hr: number; mrr: number; ndcg: number; queries: number } | null;
  holdoutNll: number | null;
}

export interface Run {
  readonly engine: Engine;
  readonly config: TrainConfig;
  readonly set: TrainingSet;
  readonly random: Random;
  readonly model: EnsembleConfig;
  readonly layout: ParameterLayout;
  /** (P, 1), as are the gradient and the optimiser's memory. */
  readonly flat: Matrix;
  readonly gradient: Matrix;
  readonly state: OptimiserState;
  /** Weights averaged over the last steps. */
  readonly averaged: Matrix;
  /** Windows on `flat` and `gradient`. */
  readonly parameters: Parameters;
  readonly gradients: Parameters;
  readonly history: History;
  statistics: Statistics;
  progress: Progress;
}

export interface RunInputs {
  config: TrainConfig;
  set: TrainingSet;
  random: Random;
  /** Of the parameters; f64 is for gradient checks. @default "f32" */
  precision?: Precision;
}

/** Opens a run at its beginning. Its matrices live in `scope`. */
export function openRun(engine: Engine, scope: Scope, inputs: RunInputs): Run {
  const { config, set, random } = inputs;
  const names = set.channels.map(({ spec }) => spec.name);
  const added = config.stages.includes("ssl") && config.ssl.mode === "channel" ? [surrogateName(names)] : [];
  const run: Run = {
    engine,
    config,
    set,
    random,
    ...freshModel(engine, scope, inputs),
    history: new History([...names, ...added]),
    statistics: { scales: new Float64Array(0), lengths: new Float64Array(0), standIns: [] },
    progress: {
      stage: config.stages[0],
      step: 0,
      best: null,
      top: null,
      waited: 0,
      inducing: new Int32Array(0),
      shift: 0,
      kernelScale: 1,
      noisePerRating: config.ssl.noisePerRating,
      warnings: [],
      finished: [],
    },
  };
  centreMissing(engine, ensembleOf(run), random.split("statistics", "missing"), set.trainItems);
  run.statistics = measure(run, "initial");
  return run;
}

/** What depends on which channels there are: parameters as they are drawn, and room for all that goes with them. */
export function freshModel(
  engine: Engine,
  scope: Scope,
  { config, set, random, precision = "f32" }: RunInputs,
): Pick<Run, "model" | "layout" | "flat" | "gradient" | "state" | "averaged" | "parameters" | "gradients"> {
  const { hidden, link, weights, scale } = config.model;
  const model: EnsembleConfig = { channels: set.channels.map(({ spec }) => spec), hidden, link, weights, scale };
  const layout = ensembleLayout(model);
  const vector = () => scope.zeros(layout.size, 1, precision);
  const flat = vector();
  const gradient = vector();
  initializeEnsemble(engine, model, flat, random.split("initial"));
  return {
    model,
    layout,
    flat,
    gradient,
    state: { mean: vector(), square: vector() },
    averaged: vector(),
    parameters: parameterViews(layout, flat),
    gradients: parameterViews(layout, gradient),
  };
}

/** What the further channel is called: `taste`, or `taste2` where the dataset has one of that name, and so on. */
export function surrogateName(names: readonly string[]): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? "taste" : `taste${i}`;
    if (!names.includes(name)) return name;
  }
}

/** The ensemble as it stands. */
export function ensembleOf({ model, parameters, set, statistics }: Run): Ensemble {
  return { config: model, parameters, inputs: set.inputs, statistics };
}

/** Measures scales, lengths and stand-ins anew, on pairs drawn by `label`. */
export function measure(run: Run, label: string): Statistics {
  followMeans(run, label);
  return measureStatistics(run.engine, ensembleOf(run), run.random.split("statistics", label), run.set.trainItems);
}

/** Where every training item has a value, nothing trains the stand-in for a missing one: it follows the mean. */
function followMeans(run: Run, label: string): void {
  const { model, parameters, set } = run;
  const trained = model.channels.flatMap(({ name }, c) => {
    const input = set.inputs.channels[c];
    const standIn = parameters.get(`${name}.missing`);
    const learned = input.kind !== "identity" && set.trainItems.some((item) => input.missing[item] !== 0);
    return standIn && learned ? [{ standIn, values: standIn.read() }] : [];
  });
  if (trained.length === model.channels.length) return;
  centreMissing(run.engine, ensembleOf(run), run.random.split("stand-ins", label), set.trainItems);
  for (const { standIn, values } of trained) standIn.write(values);
}

/** Measures scales anew, and with them the weights, so that the metric stays what it was. */
export function rescale(run: Run, label: string): void {
  const before = run.statistics;
  const after = measure(run, label);
  rescaleWeights(run.model, run.parameters, before, after);
  run.statistics = after;
}

/** One number among the parameters. */
export function scalar(parameters: Parameters, name: string): number {
  return (parameters.get(name) as Matrix).get(0, 0);
}

/** σ² with its floor. */
export function noiseVariance({ parameters, config }: Run): number {
  const sigma = exp(scalar(parameters, "logNoise"));
  return sigma * sigma + config.ssl.noiseFloor;
}

/** v */
export function signalVariance({ parameters, config }: Run): number {
  return config.ssl.variance ? exp(scalar(parameters, "logVariance")) : 1;
}
