// The paper's experiment on Q2 (Figs. 3 to 5), on all held-out users and on twenty of them: does a user's own metric rank better than the one that all
// share, and does it help to have learned where to start from?
import { type Model, NearkinError, Random } from "@nearkin/core";
import type { Dataset } from "@nearkin/data";
import { checkModel } from "../check-model.ts";
import { modelLabel } from "../model-label.ts";
import type { EvaluatedDataset } from "../result.ts";
import { describeSplit, openSplit } from "../split.ts";
import { bootstrapMean, differences, type Interval } from "../statistics/bootstrap.ts";
import { type SignTest, signTest } from "../statistics/sign-test.ts";
import type { ResultCache } from "./cache.ts";
import { type Drawn, isRunValues } from "./curve.ts";
import { measureRefits, type RefitOptions, type RefitPoint, type RefitRun, refitPoints } from "./refits.ts";
import { byMetric, overRuns, spreadOf } from "./runs.ts";

export interface PersonalisationOptions {
  /** Of one label: they differ in their seeds. Opened one after the other. */
  models: readonly (() => Promise<Model>)[];
  cache: ResultCache;
  /** Gradient steps at most. @default 2000 */
  steps?: number;
  signal?: AbortSignal;
  onEvent?: (event: PersonalisationEvent) => void;
}

export type PersonalisationEvent =
  | { readonly event: "opened"; readonly users: number; readonly models: number }
  | { readonly event: "model"; readonly label: string; readonly seed: number }
  | { readonly event: "user"; readonly done: number };

export interface PersonalisationResult {
  readonly format: "nearkin-personalisation";
  readonly version: 1;
  readonly dataset: EvaluatedDataset;
  readonly model: PersonalisedModel;
  readonly seeds: readonly number[];
  readonly users: number;
  readonly base: Readonly<Record<Drawn, RefitFigure>>;
  readonly refits: readonly (RefitPoint & { readonly metrics: Readonly<Record<Drawn, ComparedRefit>> })[];
  /** Twenty users, or all there are, drawn by chance, by the HR of the shared metric. */
  readonly shown: readonly ShownUser[];
  /** Of those. */
  readonly shownTests: Readonly<Record<Drawn, SignTest>>;
}

export interface PersonalisedModel {
  readonly label: string;
  /** What a user's metric is fitted to, and how. */
  readonly target: string;
  readonly fit: string;
  readonly mean: string;
  readonly items: number;
  readonly rate: number;
  readonly iterations: number;
  /** Users that it knows how people differ from; the least over the models. */
  readonly learnedFrom: number;
}

/** The interval is over users, the deviation over runs. */
export interface RefitFigure extends Interval {
  readonly overRuns: number;
}

/** Against the shared metric, user by user. */
export interface ComparedRefit extends RefitFigure {
  readonly difference: Interval;
  readonly test: SignTest;
}

export interface ShownUser {
  /** Ratings given before. */
  readonly ratings: number;
  readonly base: Readonly<Record<Drawn, number>>;
  readonly personal: Readonly<Record<Drawn, number>>;
}

const MOST_STEPS = 2000;
const STEPS = [0, 1, 2, 5, 20, 100, 500]; // and the last
const FEW = { ratings: [5, 10, 20, 50], steps: [1, 2, 5, 20] };
const SHOWN = 20;

/** Each model is cached: stopped, the experiment goes on with the one that was under way. */
export async function measurePersonalisation(
  dataset: Dataset,
  { models, cache, steps: most = MOST_STEPS, signal, onEvent }: PersonalisationOptions,
): Promise<PersonalisationResult> {
  const split = await openSplit(dataset);
  const { tasks } = split;
  if (!tasks || tasks.length === 0) {
    throw new NearkinError(
      "BAD_DATASET",
      `${dataset.folder} has no held-out users with later items; prepare it with --split users`,
    );
  }
  const upTo = (some: readonly number[]) => [...some.filter((step) => step < most), most];
  const points = { steps: upTo(STEPS), few: { ratings: FEW.ratings, steps: upTo(FEW.steps) } };
  onEvent?.({ event: "opened", users: tasks.length, models: models.length });
  const runs: { run: RefitRun; seed: number; model: PersonalisedModel }[] = [];
  for (const open of models) {
    await using model = await open();
    const described = describeModel(model, dataset);
    const seed = model.parts.seeds.train ?? 1;
    checkTogether(runs, described, seed);
    onEvent?.({ event: "model", label: described.label, seed });
    const run = await cache.result<RefitRun>(
      `refits-${seed}`,
      { what: "refits", dataset: dataset.manifest.id, model: model.parts.id, ...points },
      {
        check: (stored) => isRun(stored, tasks.length, points),
        compute: () =>
          measureRefits(model, {
            tasks,
            rated: dataset.manifest.ratings.kind === "explicit",
            ...points,
            onUser: async (done) => {
              onEvent?.({ event: "user", done });
              await new Promise(setImmediate); // signals are heard between two users
              signal?.throwIfAborted();
            },
          }),
      },
    );
    runs.push({ run, seed, model: described });
  }
  if (runs.length === 0) throw new NearkinError("BAD_ARGUMENT", "at least one model is needed");
  return {
    format: "nearkin-personalisation",
    version: 1,
    dataset: describeSplit(split),
    model: { ...runs[0].model, learnedFrom: Math.min(...runs.map(({ model }) => model.learnedFrom)) },
    seeds: runs.map(({ seed }) => seed),
    users: tasks.length,
    ...summarizeRuns(
      runs.map(({ run }) => run),
      tasks.map(({ support }) => new Set(support).size),
    ),
  };
}

/** Runs of several models put together: a user's value is their mean over them. */
function summarizeRuns(
  runs: readonly RefitRun[],
  supports: readonly number[],
): Pick<PersonalisationResult, "base" | "refits" | "shown" | "shownTests"> {
  const base = byMetric((name) =>
    overRuns(
      runs.map((run) => run.base),
      name,
    ),
  );
  const valuesAt = (i: number, name: Drawn) =>
    overRuns(
      runs.map(({ refits }) => refits[i].values),
      name,
    );
  const refits = runs[0].refits.map(({ start, ratings, step }, i) => ({
    start,
    ratings,
    step,
    metrics: byMetric((name): ComparedRefit => {
      const values = valuesAt(i, name);
      return {
        ...figureOf(
          values,
          runs.map((run) => run.refits[i].values[name]),
        ),
        difference: bootstrapMean(differences(values, base[name])),
        test: signTest(values, base[name]),
      };
    }),
  }));
  const own = refits.findIndex(({ start, ratings }) => start === "fit" && ratings === null);
  const personal = byMetric((name) => valuesAt(own, name));
  const drawn = new Random(1)
    .split("shown users")
    .shuffle(supports.map((_, u) => u))
    .slice(0, SHOWN)
    .sort((a, b) => base["paper HR"][a] - base["paper HR"][b] || a - b);
  return {
    base: byMetric((name) =>
      figureOf(
        base[name],
        runs.map((run) => run.base[name]),
      ),
    ),
    refits,
    shown: drawn.map((u) => ({
      ratings: supports[u],
      base: byMetric((name) => base[name][u]),
      personal: byMetric((name) => personal[name][u]),
    })),
    shownTests: byMetric((name) =>
      signTest(
        drawn.map((u) => personal[name][u]),
        drawn.map((u) => base[name][u]),
      ),
    ),
  };
}

function figureOf(values: readonly number[], runs: readonly (readonly number[])[]): RefitFigure {
  return { ...bootstrapMean(values), overRuns: spreadOf(runs).deviation };
}

function describeModel(model: Model, dataset: Dataset): PersonalisedModel {
  const { name, parts } = model;
  checkModel(model, dataset);
  const { personal } = parts;
  if (!personal) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `the model ${name} knows nothing of how users differ; train it again, on data with users (train.personal)`,
    );
  }
  const { target, fit, items, rate, iterations } = personal.settings;
  const { mean: learned = "population" } = (parts.config.personal ?? {}) as { mean?: string };
  return { label: modelLabel(model), target, fit, mean: learned, items, rate, iterations, learnedFrom: personal.users };
}

/** Figures of different models have no common mean. */
function checkTogether(
  before: readonly { seed: number; model: PersonalisedModel }[],
  { label }: PersonalisedModel,
  seed: number,
): void {
  const other = before.find(({ model }) => model.label !== label);
  if (other) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `models of a report differ in their seeds alone, but there are "${other.model.label}" and "${label}"; report on them one after the other`,
    );
  }
  if (before.some((one) => one.seed === seed)) {
    throw new NearkinError("BAD_ARGUMENT", `two of the models are "${label}" of seed ${seed}; name each once`);
  }
}

function isRun(stored: unknown, users: number, options: Pick<RefitOptions, "steps" | "few">): stored is RefitRun {
  const { base, refits } = (stored ?? {}) as Partial<RefitRun>;
  return (
    isRunValues(base, users) &&
    Array.isArray(refits) &&
    refits.length === refitPoints(options).length &&
    refits.every((refit) => isRunValues(refit?.values, users))
  );
}
