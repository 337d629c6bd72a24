// nearkin evaluate as a function: models and baselines on the test items of one dataset.
import { type Engine, type Model, NearkinError, type Scope } from "@nearkin/core";
import type { Dataset, QueryRole } from "@nearkin/data";
import { chance } from "./baselines/chance.ts";
import { loadContent } from "./baselines/content.ts";
import { cosines, logistic, uniform } from "./baselines/content-recommenders.ts";
import { frequentItems } from "./baselines/events.ts";
import { modelRecommender } from "./baselines/metric.ts";
import { personalRecommender } from "./baselines/personal.ts";
import { popularity } from "./baselines/popularity.ts";
import { slim } from "./baselines/slim.ts";
import { type SpeProgress, spe } from "./baselines/spe.ts";
import { checkModel } from "./check-model.ts";
import { type Measurement, summarize } from "./evaluate.ts";
import type { PersonalRecommender } from "./evaluate-users.ts";
import { modelLabel } from "./model-label.ts";
import { type Calibration, calibrate, forecastItems } from "./protocol/calibration.ts";
import { PLACES } from "./protocol/measure.ts";
import type { Recommender } from "./protocol/recommender.ts";
import { EVALUATION_FORMAT, EVALUATION_VERSION, type EvaluationResult, type TruthSummary } from "./result.ts";
import { describeSplit, openSplit, type Split } from "./split.ts";
import { mean } from "./statistics/bootstrap.ts";
import { tunedBaselines } from "./tune.ts";

export interface EvaluateOptions {
  /** Models to evaluate, opened one after the other. Those that differ in the seed alone are put together. */
  models: readonly (() => Promise<Model>)[];
  /** β of each model's rows: 0 is pure similarity. @default [0] */
  popularity?: readonly (number | "calibrated")[];
  /** Also chance, popularity and the content baselines. @default true */
  baselines?: boolean;
  /** Seeds of SPE, which is trained here: minutes each. @default [] */
  spe?: readonly number[];
  /** What all others are compared with: a name, or the first model, or popularity. */
  base?: string;
  /** @default "test" */
  role?: QueryRole;
  /** Of baselines that draw. @default 1 */
  seed?: number;
  /** A folder that keeps which settings of baselines were chosen, so that they are chosen once for a dataset. @default nothing is kept */
  cache?: string;
  onEvent?: (event: EvaluateEvent) => void;
}

export type EvaluateEvent =
  | { readonly event: "opened"; readonly truths: readonly TruthSummary[] }
  | { readonly event: "measuring"; readonly name: string; readonly seed: number }
  | { readonly event: "tuning"; readonly name: string; readonly settings: number }
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
  checkQueries(split);
  onEvent?.({ event: "opened", truths: split.truths });
  const rows = [...new Set(betas)];
  const rated = dataset.manifest.ratings.kind === "explicit";
  const measurements: Measurement[] = [];
  const calibrations = new Map<string, Calibration>(); // of the first model of a row, by the row's name
  const chosen = new Map<string, string>(); // settings of tuned baselines, by name
  const known = new Set<string>(); // labels and seeds
  const measureOne = (
    recommender: Recommender | PersonalRecommender,
    kind: Measurement["kind"],
    ownSeed: number,
  ): void => {
    onEvent?.({ event: "measuring", name: recommender.name, seed: ownSeed });
    const options = { seed: ownSeed, kind };
    if ("rank" in recommender) measurements.push(split.measure(recommender, options));
    else if (split.measurePersonal) measurements.push(split.measurePersonal(recommender, options));
  };
  for (const open of models) {
    await using model = await open();
    checkModel(model, dataset);
    const label = modelLabel(model);
    const ownSeed = model.parts.seeds.train ?? 1;
    if (known.has(`${label} ${ownSeed}`)) {
      // twice the same model would count its items twice, and narrow nothing but its intervals
      throw new NearkinError("BAD_ARGUMENT", `two of the models are "${label}" of seed ${ownSeed}; name each once`);
    }
    known.add(`${label} ${ownSeed}`);
    for (const beta of rows) {
      const value = beta === "calibrated" ? model.parts.popularity : beta;
      measureOne(modelRecommender(model, { name: rowName(label, beta), popularity: value }), "model", ownSeed);
    }
    for (const how of personalRows(model)) {
      const name = `${label}, ${how.text}`;
      if (split.measurePersonal) measureOne(personalRecommender(model, { name, rated, ...how }), "model", ownSeed);
    }
    const first = rowName(label, rows[0]);
    if (calibrations.has(first)) continue;
    const calibration = await calibrateModel(model, split);
    if (calibration) calibrations.set(first, calibration);
  }
  if (baselines) {
    for (let draw = 0; draw < DRAWS; draw++) measureOne(chance(split.ids, seed + draw), "baseline", seed + draw);
    using scope = engine.scope();
    for (const recommender of await baselinesOf(engine, scope, split, seed)) measureOne(recommender, "baseline", seed);
    const validation = role === "validation" ? split : await openSplit(dataset, "validation");
    const tuned = await tunedBaselines(engine, split, {
      validation: validation.truths.some(({ queries }) => queries > 0) ? validation : null,
      scope,
      seed,
      ...(options.cache === undefined ? {} : { cache: options.cache }),
      onFamily: (name, settings) => onEvent?.({ event: "tuning", name, settings }),
    });
    for (const { recommender, settings } of tuned) {
      measureOne(recommender, "baseline", seed);
      chosen.set(recommender.name, settings);
    }
  }
  const base = baseOf(options.base, [...measurements.map(({ name }) => name), ...(speSeeds.length > 0 ? [SPE] : [])]);
  for (const ownSeed of new Set(speSeeds)) {
    using scope = engine.scope();
    const onProgress = (progress: SpeProgress) => onEvent?.({ event: "training", name: SPE, seed: ownSeed, progress });
    const { ids, training: data } = split;
    measureOne(await spe(engine, dataset, { scope, ids, data, seed: ownSeed, onProgress }), "baseline", ownSeed);
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
      const settings = chosen.get(result.name);
      return { ...result, ...(settings ? { settings } : {}), ...(calibration ? { calibration } : {}) };
    }),
  };
}

/** How users may ask a model: by weights of their own, with what they met last, or both. */
function personalRows({ personalizes, parts }: Model) {
  const rows = [
    { text: "personal", weights: true, history: false },
    { text: "with history", weights: false, history: true },
    { text: "personal, with history", weights: true, history: true },
  ];
  return rows.filter(({ weights, history }) => (!weights || personalizes) && (!history || parts.history));
}

const RANDOM = "random";
const SPE = "SPE";
const DRAWS = 20; // of random lists: one is an anecdote

const rowName = (label: string, beta: number | "calibrated"): string => (beta === 0 ? label : `${label}, β = ${beta}`);

/** The asked one, or the first that is not left to chance; decided before anything is trained. */
function baseOf(asked: string | undefined, names: readonly string[]): string {
  if (names.length === 0) throw new NearkinError("BAD_ARGUMENT", "nothing to evaluate: no model and no baselines");
  if (asked === undefined) return names.find((name) => name !== RANDOM) ?? names[0];
  if (names.includes(asked)) return asked;
  throw new NearkinError("BAD_ARGUMENT", `base: there is no "${asked}" among ${[...new Set(names)].join(", ")}`);
}

/** A table of dashes helps nobody. */
function checkQueries({ dataset, role, truths }: Split): void {
  if (truths.some(({ queries }) => queries > 0)) return;
  const { by, fraction } = (dataset.manifest.config.split ?? {}) as { by?: string; fraction?: number };
  const why =
    by === undefined || by === "none"
      ? "prepare it with --split time, random or users"
      : `split ${by} found none that anybody met with others${by === "users" ? "" : `; raise split.fraction (${fraction})`}, or bring more data`;
  throw new NearkinError("BAD_DATASET", `${dataset.folder} has no ${role} queries with a truth: ${why}`);
}

/** Those without settings to choose; SLIM only if queries are items that it knows. */
async function baselinesOf(engine: Engine, scope: Scope, split: Split, seed: number): Promise<Recommender[]> {
  const { ids, events, training, warm, dataset } = split;
  const content = await loadContent(engine, dataset, { ...split, scope });
  return [
    popularity(ids, events),
    ...cosines(content),
    ...(training.pairs.anchor.length > 0 ? [uniform(content, training, seed), logistic(content, training, seed)] : []), // fitted to pairs
    ...(warm && frequentItems(training).length > 0 ? [slim(training, { ids })] : []),
  ];
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
