// The paper's experiments on Q1 (Figs. 1 and 2): SSL against its number of iterations, with SIAMESE and SPE as lines, over several runs.
import { type Engine, NearkinError } from "@nearkin/core";
import type { Dataset } from "@nearkin/data";
import { openTruth } from "@nearkin/data";
import { engineName, resolveTrainConfig, type TrainConfigInput, type TrainEvent } from "@nearkin/train";
import { resolveSpeSettings } from "../baselines/spe/settings.ts";
import { type SpeProgress, type SpeRecommender, type SpeRun, type SpeSettings, spe } from "../baselines/spe.ts";
import { measure, PLACES } from "../protocol/measure.ts";
import { loadTruths, MAIN_TRUTH, type TruthTable } from "../protocol/truths.ts";
import type { EvaluatedDataset } from "../result.ts";
import { describeSplit, openSplit, type Split } from "../split.ts";
import { bootstrapMean, differences, type Interval } from "../statistics/bootstrap.ts";
import { type SignTest, signTest } from "../statistics/sign-test.ts";
import type { ResultCache } from "./cache.ts";
import { type CurvePoint, type Drawn, isRunValues, pick, trainingCurve } from "./curve.ts";
import { checkFolds } from "./folds.ts";
import { byMetric, overRuns, type RunValues, spreadOf } from "./runs.ts";

export interface PaperOptions {
  cache: ResultCache;
  /** @default [1, 2, 3, 4, 5] */
  seeds?: readonly number[];
  /** Changes to the preset `paper`. */
  config?: TrainConfigInput;
  /** Changes to SPE's settings. */
  spe?: SpeSettings;
  signal?: AbortSignal;
  onEvent?: (event: PaperEvent) => void;
}

export type PaperEvent =
  | {
      readonly event: "run";
      readonly model: "SSL" | "SIAMESE" | "SPE";
      readonly dataset: string;
      /** Of the datasets, counted from 1: folds of one dataset have its name. */
      readonly fold: number;
      readonly seed: number;
    }
  | { readonly event: "train"; readonly detail: TrainEvent }
  | { readonly event: "spe"; readonly detail: SpeProgress };

export interface PaperResult {
  readonly format: "nearkin-paper";
  readonly version: 1;
  /** One, or the folds of one. */
  readonly datasets: readonly EvaluatedDataset[];
  readonly truth: string;
  readonly queries: number;
  readonly seeds: readonly number[];
  /** SSL by iteration: mean and standard deviation over runs. */
  readonly curve: readonly { readonly step: number; readonly metrics: Readonly<Record<Drawn, Band>> }[];
  readonly lines: readonly PaperLine[];
  /** SSL at the step that validation items chose, then the lines; intervals over test items, and SSL against each of the others. */
  readonly table: readonly PaperRow[];
  /** By run and dataset: what validation items chose. */
  readonly chosen: readonly PaperChoice[];
}

/** A model that does not depend on the number of SSL iterations. */
export interface PaperLine {
  readonly name: string;
  readonly metrics: Readonly<Record<Drawn, Band>>;
}

export interface PaperChoice {
  readonly seed: number;
  readonly dataset: string;
  /** Of the datasets, counted from 1. */
  readonly fold: number;
  /** SSL's iteration. */
  readonly ssl: number;
  readonly spe: Pick<SpeRecommender, "step" | "standOff">;
}

/** Over runs. */
export interface Band {
  readonly mean: number;
  /** Standard; 0 with one run. */
  readonly deviation: number;
}

export interface PaperRow {
  readonly name: string;
  readonly metrics: Readonly<Record<Drawn, Interval>>;
  /** SSL less this one. */
  readonly ssl?: Readonly<Record<Drawn, { readonly difference: Interval; readonly test: SignTest }>>;
}

/** Every (dataset, model, seed) is cached: stopped, the report goes on. Several datasets are folds: their test items are put together. */
export async function reproducePaper(
  engine: Engine,
  datasets: readonly Dataset[],
  { cache, seeds = [1, 2, 3, 4, 5], config = {}, spe: settings = {}, signal, onEvent }: PaperOptions,
): Promise<PaperResult> {
  if (datasets.length === 0) throw new NearkinError("BAD_ARGUMENT", "report paper: at least one dataset is needed");
  if (seeds.length === 0 || new Set(seeds).size < seeds.length) {
    throw new NearkinError("BAD_ARGUMENT", `report paper: seeds must be some, each once, got ${seeds.join(", ")}`);
  }
  checkFolds(datasets);
  for (const { folder, manifest } of datasets) {
    if (manifest.ratings.kind === "implicit") {
      throw new NearkinError("BAD_DATASET", `${folder} has no ratings: SSL learns from them; train the preset default`);
    }
  }
  const folds: { split: Split; truth: TruthTable }[] = [];
  for (const dataset of datasets) folds.push({ split: await openSplit(dataset), truth: await mainTruth(dataset) });
  const runs: Run[] = [];
  const chosen: PaperChoice[] = [];
  for (const seed of seeds) {
    const parts: Part[] = [];
    for (const [f, { split, truth }] of folds.entries()) {
      const { name } = split.dataset.manifest;
      const fold = f + 1;
      const ask = (model: "SSL" | "SIAMESE" | "SPE") => {
        signal?.throwIfAborted();
        onEvent?.({ event: "run", model, dataset: name, fold, seed });
      };
      const curveOf = (own: TrainConfigInput) =>
        trainingCurve(engine, split, {
          cache,
          config: resolveTrainConfig({ ...config, ...own, preset: "paper", seed }),
          truth,
          ...(signal ? { signal } : {}),
          onEvent: (detail) => onEvent?.({ event: "train", detail }),
        });
      ask("SSL");
      const ssl = await curveOf({});
      ask("SIAMESE");
      const siamese = await curveOf({ stages: ["siamese"], model: { ...config.model, ratingChannel: true }, ssl: {} });
      ask("SPE");
      const spe = await speRun(engine, split, {
        cache,
        truth,
        settings: { ...settings, seed },
        ...(signal ? { signal } : {}),
        onProgress: (detail) => onEvent?.({ event: "spe", detail }),
      });
      const { step, standOff, values } = spe;
      chosen.push({ seed, dataset: name, fold, ssl: ssl.kept.ssl ?? 0, spe: { step, standOff } });
      parts.push({
        points: ssl.points.filter(({ stage }) => stage === "ssl"),
        ssl: ssl.kept.ssl ?? 0,
        siamese: pointAt(siamese.points, siamese.kept.siamese ?? 0).values,
        spe: values,
      });
    }
    runs.push(runOf(parts));
  }
  const steps = [...runs[0].curve.keys()].filter((step) => runs.every(({ curve }) => curve.has(step)));
  const ssl = runs.map((run) => run.ssl);
  const lines: [string, readonly RunValues[]][] = [
    ["SIAMESE", runs.map((run) => run.start)],
    ["SIAMESE, ratings as a channel", runs.map((run) => run.siamese)],
    ["SPE", runs.map((run) => run.spe)],
  ];
  return {
    format: "nearkin-paper",
    version: 1,
    datasets: folds.map(({ split }) => describeSplit(split)),
    truth: folds[0].truth.name,
    queries: folds.reduce((sum, { truth }) => sum + truth.queries.length, 0),
    seeds,
    curve: steps.map((step) => ({ step, metrics: bands(runs.map((run) => run.curve.get(step) ?? run.start)) })),
    lines: lines.map(([name, own]) => ({ name, metrics: bands(own) })),
    table: [row("SSL", ssl), ...lines.map(([name, own]) => row(name, own, ssl))],
    chosen,
  };
}

/** One seed on one fold. */
interface Part {
  readonly points: readonly CurvePoint[];
  readonly ssl: number;
  readonly siamese: RunValues;
  readonly spe: RunValues;
}

/** One seed, all folds. */
interface Run {
  /** By iteration of SSL. */
  readonly curve: ReadonlyMap<number, RunValues>;
  /** What SSL starts from: SIAMESE. */
  readonly start: RunValues;
  readonly ssl: RunValues;
  /** With the mean rating as a channel, which SSL must not have: it is what its process predicts. */
  readonly siamese: RunValues;
  readonly spe: RunValues;
}

function runOf(parts: readonly Part[]): Run {
  const steps = parts[0].points
    .map(({ step }) => step)
    .filter((step) => parts.every(({ points }) => points.some((p) => p.step === step)));
  const at = (step: (part: Part) => number): RunValues =>
    joined(parts.map((part) => pointAt(part.points, step(part)).values));
  return {
    curve: new Map(steps.map((step) => [step, at(() => step)])),
    start: at(() => 0),
    ssl: at((part) => part.ssl),
    siamese: joined(parts.map((part) => part.siamese)),
    spe: joined(parts.map((part) => part.spe)),
  };
}

async function mainTruth(dataset: Dataset): Promise<TruthTable> {
  const hasTimes = dataset.manifest.time.kind === "seconds";
  const truths = await loadTruths(await openTruth(dataset), "test", { hasTimes });
  const found = truths.find(({ name }) => name === MAIN_TRUTH) ?? truths[0];
  if (found.queries.length > 0) return found;
  throw new NearkinError(
    "BAD_DATASET",
    `${dataset.folder} has no test items with a truth; prepare it with split.by: time, or random`,
  );
}

interface SpeInputs extends SpeRun {
  cache: ResultCache;
  truth: TruthTable;
  settings: SpeSettings;
}

interface MeasuredSpe extends Pick<SpeRecommender, "step" | "standOff"> {
  readonly values: RunValues;
}

async function speRun(
  engine: Engine,
  split: Split,
  { cache, truth, settings, ...run }: SpeInputs,
): Promise<MeasuredSpe> {
  const { dataset, ids, training: data } = split;
  const key = {
    what: "SPE",
    dataset: dataset.manifest.id,
    truth: truth.name,
    settings: resolveSpeSettings(settings),
    standOff: settings.standOff ?? "validated",
    engine: engineName(engine),
  };
  const isMeasured = (stored: unknown): stored is MeasuredSpe => {
    const { step, standOff, values } = (stored ?? {}) as Partial<MeasuredSpe>;
    return typeof step === "number" && typeof standOff === "boolean" && isRunValues(values, truth.queries.length);
  };
  const compute = async (): Promise<MeasuredSpe> => {
    using scope = engine.scope();
    const recommender = await spe(engine, dataset, { scope, ids, data, ...settings, ...run });
    const { step, standOff } = recommender;
    return { step, standOff, values: pick(measure(recommender.rank(truth.queries, PLACES), truth)) };
  };
  return await cache.result(`spe-${settings.seed}`, key, { check: isMeasured, compute });
}

function pointAt(points: readonly CurvePoint[], step: number): CurvePoint {
  const found = points.find((point) => point.step === step);
  if (!found) throw new Error(`step ${step} was not measured`);
  return found;
}

const joined = (parts: readonly RunValues[]): RunValues => byMetric((name) => parts.flatMap((part) => part[name]));

const bands = (runs: readonly RunValues[]): Record<Drawn, Band> =>
  byMetric((name) => spreadOf(runs.map((run) => run[name])));

function row(name: string, runs: readonly RunValues[], ssl?: readonly RunValues[]): PaperRow {
  const metrics = byMetric((metric) => bootstrapMean(overRuns(runs, metric)));
  if (!ssl) return { name, metrics };
  const against = byMetric((metric) => {
    const [own, other] = [overRuns(ssl, metric), overRuns(runs, metric)];
    return { difference: bootstrapMean(differences(own, other)), test: signTest(own, other) };
  });
  return { name, metrics, ssl: against };
}
