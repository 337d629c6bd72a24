// nearkin evaluate as a function: models and baselines on the test items of one dataset.
import { type Engine, type Model, NearkinError, type Scope } from "@nearkin/core";
import type { Dataset, QueryRole } from "@nearkin/data";
import { chance } from "./baselines/chance.ts";
import { loadContent } from "./baselines/content.ts";
import { cosines, logistic, uniform } from "./baselines/content-recommenders.ts";
import { ease } from "./baselines/ease.ts";
import { itemKnn } from "./baselines/item-knn.ts";
import { modelRecommender } from "./baselines/metric.ts";
import { popularity } from "./baselines/popularity.ts";
import { slim } from "./baselines/slim.ts";
import { type SpeProgress, spe } from "./baselines/spe.ts";
import { type Measurement, summarize } from "./evaluate.ts";
import { modelLabel } from "./model-label.ts";
import { type Calibration, calibrate, forecastItems } from "./protocol/calibration.ts";
import { PLACES } from "./protocol/measure.ts";
import type { Recommender } from "./protocol/recommender.ts";
import { EVALUATION_FORMAT, EVALUATION_VERSION, type EvaluationResult } from "./result.ts";
import { describeSplit, openSplit, type Split } from "./split.ts";
import { mean } from "./statistics/bootstrap.ts";

export interface EvaluateOptions {
  /** Models to evaluate, opened one after the other. Those that differ in the seed alone are put together. */
  models: readonly (() => Promise<Model>)[];
  /** β of each model's rows: 0 is pure similarity. @default [0] */
  popularity?: readonly (number | "calibrated")[];
  /** Also chance, popularity and the content baselines. @default true */
  baselines?: boolean;
  /** Seeds of SPE, which is trained here: minutes each. @default [] */
  spe?: readonly number[];
  /** What all others are compared with: a name, or the first model, or the first baseline. */
  base?: string;
  /** @default "test" */
  role?: QueryRole;
  /** Of baselines that draw. @default 1 */
  seed?: number;
  onEvent?: (event: EvaluateEvent) => void;
}

export type EvaluateEvent =
  | { readonly event: "measuring"; readonly name: string; readonly seed: number }
  | { readonly event: "training"; readonly name: string; readonly seed: number; readonly progress: SpeProgress };

export async function evaluate(engine: Engine, dataset: Dataset, options: EvaluateOptions): Promise<EvaluationResult> {
  const {
    models,
    popularity: betas = [0],
    baselines = true,
    spe: speSeeds = [],
    role = "test",
    seed = 1,
    onEvent,
  } = options;
  const split = await openSplit(dataset, role);
  const measurements: Measurement[] = [];
  const calibrations = new Map<string, Calibration>();
  const measureOne = (recommender: Recommender, kind: Measurement["kind"], ownSeed: number) => {
    onEvent?.({ event: "measuring", name: recommender.name, seed: ownSeed });
    measurements.push(split.measure(recommender, { seed: ownSeed, kind }));
  };
  for (const open of models) {
    await using model = await open();
    checkModel(model, dataset);
    const label = modelLabel(model);
    const ownSeed = model.parts.seeds.train ?? 1;
    checkNew(measurements, label, ownSeed);
    for (const beta of betas) {
      const value = beta === "calibrated" ? model.parts.popularity : beta;
      const name = beta === 0 ? label : `${label}, β = ${beta === "calibrated" ? "calibrated" : beta}`;
      measureOne(modelRecommender(model, { name, popularity: value }), "model", ownSeed);
    }
    if (!calibrations.has(label)) {
      const calibration = await calibrateModel(model, split);
      if (calibration) calibrations.set(label, calibration);
    }
  }
  if (baselines) {
    using scope = engine.scope();
    for (const recommender of await baselinesOf(engine, scope, split, seed)) measureOne(recommender, "baseline", seed);
  }
  for (const ownSeed of new Set(speSeeds)) {
    using scope = engine.scope();
    const onProgress = (progress: SpeProgress) =>
      onEvent?.({ event: "training", name: "SPE", seed: ownSeed, progress });
    const { ids, training: data } = split;
    measureOne(await spe(engine, dataset, { scope, ids, data, seed: ownSeed, onProgress }), "baseline", ownSeed);
  }
  if (measurements.length === 0)
    throw new NearkinError("BAD_ARGUMENT", "nothing to evaluate: no model and no baselines");
  const base = options.base ?? measurements[0].name;
  if (!measurements.some(({ name }) => name === base)) {
    const names = [...new Set(measurements.map(({ name }) => name))].join(", ");
    throw new NearkinError("BAD_ARGUMENT", `base: there is no "${base}" among ${names}`);
  }
  return {
    format: EVALUATION_FORMAT,
    version: EVALUATION_VERSION,
    dataset: describeSplit(split),
    k: PLACES,
    base,
    truths: split.truths,
    recommenders: summarize(measurements, base).map((result) => {
      const calibration = calibrations.get(result.name);
      return calibration ? { ...result, calibration } : result;
    }),
  };
}

/** Those that every table has; collaborative ones only where queries are items that they know. */
async function baselinesOf(engine: Engine, scope: Scope, split: Split, seed: number): Promise<Recommender[]> {
  const { ids, events, training, warm, dataset } = split;
  const content = await loadContent(engine, dataset, { ...split, scope });
  return [
    chance(ids, seed),
    popularity(ids, events),
    ...cosines(content),
    uniform(content, training, seed),
    logistic(content, training, seed),
    ...(warm ? [itemKnn(training, { ids }), slim(training, { ids }), ease(engine, training, { ids })] : []),
  ];
}

/** Twice the same model would count its items twice, and narrow nothing but its intervals. */
function checkNew(measurements: readonly Measurement[], label: string, seed: number): void {
  if (!measurements.some((known) => known.kind === "model" && known.name === label && known.seed === seed)) return;
  throw new NearkinError("BAD_ARGUMENT", `two of the models are "${label}" of seed ${seed}; name each model once`);
}

/** A model that saw other data may have seen the test items: its figures would mean nothing. */
function checkModel({ name, parts }: Model, { folder, manifest }: Dataset): void {
  if (parts.dataset.id === manifest.id) return;
  const why = parts.notes.selection
    ? "it is a refit on all data, test items included; evaluate the model of the split that it was chosen by"
    : "it may have been trained on the test items; prepare and train again, or name the dataset that it was trained on";
  throw new NearkinError("BAD_ARGUMENT", `the model ${name} was not trained on ${folder}: ${why}`);
}

async function calibrateModel(model: Model, { outcomes, ids, training }: Split): Promise<Calibration | undefined> {
  const { mean: means, ratings } = training.items;
  const known = Array.from(means).filter((_, item) => ratings[item] > 0);
  const centre = mean(known);
  const variance = mean(known.map((value) => (value - centre) ** 2));
  if (!model.predictsRatings || !outcomes || variance === 0) return undefined;
  const forecasts = await forecastItems(model, outcomes, ids);
  return forecasts.length > 0 ? calibrate(forecasts, { prior: { mean: centre, variance } }) : undefined;
}
