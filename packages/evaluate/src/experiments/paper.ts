// The paper's experiments on Q1 (Figs. 1 and 2): SSL against its number of iterations, with SIAMESE and SPE as lines, over several runs.
import { type Engine, NearkinError } from "@nearkin/core";
import type { Dataset } from "@nearkin/data";
import { openTruth } from "@nearkin/data";
import { resolveTrainConfig, type TrainConfigInput, type TrainEvent } from "@nearkin/train";
import { type SpeProgress, type SpeSettings, spe } from "../baselines/spe.ts";
import { measure, PLACES } from "../protocol/measure.ts";
import { loadTruths, MAIN_TRUTH, type TruthTable } from "../protocol/truths.ts";
import type { EvaluatedDataset } from "../result.ts";
import { describeSplit, openSplit, type Split } from "../split.ts";
import { bootstrapMean, differences, type Interval, mean } from "../statistics/bootstrap.ts";
import { type SignTest, signTest } from "../statistics/sign-test.ts";
import type { ResultCache } from "./cache.ts";
import { type CurvePoint, type Drawn, drawn, pick, trainingCurve } from "./curve.ts";

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
  | { readonly event: "run"; readonly model: "SSL" | "SPE"; readonly dataset: string; readonly seed: number }
  | { readonly event: "train"; readonly detail: TrainEvent }
  | { readonly event: "spe"; readonly detail: SpeProgress };

/** Values of all test items of all folds, one list a run. */
type RunValues = Readonly<Record<Drawn, readonly number[]>>;

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
  readonly lines: Readonly<Record<"SIAMESE" | "SPE", Readonly<Record<Drawn, Band>>>>;
  /** SSL at the step that validation items chose, SIAMESE and SPE; intervals over test items, and SSL against each of the others. */
  readonly table: readonly PaperRow[];
}

interface Band {
  readonly mean: number;
  /** Over runs; 0 with one. */
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
  const folds: { split: Split; truth: TruthTable }[] = [];
  for (const dataset of datasets) folds.push({ split: await openSplit(dataset), truth: await mainTruth(dataset) });
  const runs: { curve: Map<number, RunValues>; siamese: RunValues; ssl: RunValues; spe: RunValues }[] = [];
  for (const seed of seeds) {
    const parts: { points: readonly CurvePoint[]; ssl: number; spe: RunValues }[] = [];
    for (const { split, truth } of folds) {
      const { name } = split.dataset.manifest;
      onEvent?.({ event: "run", model: "SSL", dataset: name, seed });
      const curve = await trainingCurve(engine, split, {
        cache,
        config: resolveTrainConfig({ ...config, preset: "paper", seed }),
        truth,
        ...(signal ? { signal } : {}),
        onEvent: (detail) => onEvent?.({ event: "train", detail }),
      });
      signal?.throwIfAborted();
      onEvent?.({ event: "run", model: "SPE", dataset: name, seed });
      const values = await speValues(engine, split, {
        cache,
        truth,
        settings: { ...settings, seed },
        onProgress: (detail) => onEvent?.({ event: "spe", detail }),
      });
      signal?.throwIfAborted();
      parts.push({
        points: curve.points.filter(({ stage }) => stage === "ssl"),
        ssl: curve.kept.ssl ?? 0,
        spe: values,
      });
    }
    const steps = parts[0].points
      .map(({ step }) => step)
      .filter((step) => parts.every(({ points }) => points.some((p) => p.step === step)));
    const at = (step: (part: (typeof parts)[number]) => number): RunValues =>
      joined(parts.map((part) => pointAt(part.points, step(part)).values));
    runs.push({
      curve: new Map(steps.map((step) => [step, at(() => step)])),
      siamese: at(() => 0),
      ssl: at(({ ssl }) => ssl),
      spe: joined(parts.map((part) => part.spe)),
    });
  }
  const steps = [...runs[0].curve.keys()].filter((step) => runs.every(({ curve }) => curve.has(step)));
  const over = (of: (run: (typeof runs)[number]) => RunValues) => runs.map(of);
  const siamese = over((run) => run.siamese);
  const speRuns = over((run) => run.spe);
  const ssl = over((run) => run.ssl);
  return {
    format: "nearkin-paper",
    version: 1,
    datasets: folds.map(({ split }) => describeSplit(split)),
    truth: folds[0].truth.name,
    queries: folds.reduce((sum, { truth }) => sum + truth.queries.length, 0),
    seeds,
    curve: steps.map((step) => ({ step, metrics: bands(over((run) => run.curve.get(step) ?? run.siamese)) })),
    lines: { SIAMESE: bands(siamese), SPE: bands(speRuns) },
    table: [row("SSL", ssl), row("SIAMESE", siamese, ssl), row("SPE", speRuns, ssl)],
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

interface SpeRun {
  cache: ResultCache;
  truth: TruthTable;
  settings: SpeSettings;
  onProgress: (progress: SpeProgress) => void;
}

async function speValues(
  engine: Engine,
  split: Split,
  { cache, truth, settings, onProgress }: SpeRun,
): Promise<RunValues> {
  const { dataset, ids, training: data } = split;
  const key = { what: "SPE", dataset: dataset.manifest.id, truth: truth.name, settings, engine: engine.info.kind };
  return await cache.result(`spe-${settings.seed}`, key, async () => {
    using scope = engine.scope();
    const recommender = await spe(engine, dataset, { scope, ids, data, ...settings, onProgress });
    return pick(measure(recommender.rank(truth.queries, PLACES), truth));
  });
}

function pointAt(points: readonly CurvePoint[], step: number): CurvePoint {
  const found = points.find((point) => point.step === step);
  if (!found) throw new Error(`step ${step} was not measured`);
  return found;
}

const byMetric = <T>(of: (name: Drawn) => T): Record<Drawn, T> =>
  Object.fromEntries(drawn.map((name) => [name, of(name)])) as Record<Drawn, T>;

const joined = (parts: readonly RunValues[]): RunValues => byMetric((name) => parts.flatMap((part) => part[name]));

function bands(runs: readonly RunValues[]): Record<Drawn, Band> {
  return byMetric((name) => {
    const means = runs.map((run) => mean(run[name]));
    const centre = mean(means);
    const squares = means.reduce((sum, value) => sum + (value - centre) ** 2, 0);
    return { mean: centre, deviation: means.length > 1 ? Math.sqrt(squares / (means.length - 1)) : 0 };
  });
}

/** (q) A test item's mean over the runs. */
const overRuns = (runs: readonly RunValues[], name: Drawn): number[] =>
  runs[0][name].map((_, r) => mean(runs.map((run) => run[name][r])));

function row(name: string, runs: readonly RunValues[], ssl?: readonly RunValues[]): PaperRow {
  const metrics = byMetric((metric) => bootstrapMean(overRuns(runs, metric)));
  if (!ssl) return { name, metrics };
  const against = byMetric((metric) => {
    const [own, other] = [overRuns(ssl, metric), overRuns(runs, metric)];
    return { difference: bootstrapMean(differences(own, other)), test: signTest(own, other) };
  });
  return { name, metrics, ssl: against };
}
