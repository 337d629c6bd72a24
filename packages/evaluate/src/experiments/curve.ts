// How test items are ranked in the course of a training: the lines of the paper's Figs. 1 and 2.
import { existsSync } from "node:fs";
import { type Engine, NearkinError } from "@nearkin/core";
import { engineName, type StageName, type TrainConfig, type TrainEvent, train } from "@nearkin/train";
import { metricRecommender } from "../baselines/metric.ts";
import { type Measured, measure, PLACES, paperMetrics } from "../protocol/measure.ts";
import type { TruthTable } from "../protocol/truths.ts";
import type { Split } from "../split.ts";
import { Lines, type ResultCache } from "./cache.ts";

/** A figure that the paper draws. */
export type Drawn = (typeof paperMetrics)[number];

/** Metrics of every test item at one step. */
export interface CurvePoint {
  readonly stage: StageName;
  readonly step: number;
  readonly values: Readonly<Record<Drawn, readonly number[]>>;
}

export interface Curve {
  /** By stage and step; step 0 of a stage is what the one before left. */
  readonly points: readonly CurvePoint[];
  /** The step that each stage ended with. */
  readonly kept: Readonly<Partial<Record<StageName, number>>>;
}

export interface CurveOptions {
  cache: ResultCache;
  config: TrainConfig;
  truth: TruthTable;
  signal?: AbortSignal;
  onEvent?: (event: TrainEvent) => void;
}

/**
 * Trains, and measures the test items whenever training looks at its validation items; the training does not see them. Stopped, it goes on from its
 * last checkpoint, and what was measured after that is measured again. Where a crash lost what was measured before, it begins anew.
 */
export async function trainingCurve(engine: Engine, split: Split, options: CurveOptions): Promise<Curve> {
  const { cache, config, truth } = options;
  const key = {
    what: "training curve",
    dataset: split.dataset.manifest.id,
    config,
    truth: truth.name,
    engine: engineName(engine),
  };
  const name = `${config.preset}-${config.seed}`;
  return await cache.result<Curve>(`curve-${name}`, key, {
    check: (stored) => isCurve(stored, truth.queries.length),
    compute: async () => {
      const out = cache.path(`model-${name}`, key, "");
      const resume = existsSync(`${out}.partial`);
      const curve = await measuredTraining(engine, split, { ...options, out, resume });
      if (curve) return curve;
      const again = await measuredTraining(engine, split, { ...options, out, resume: false });
      if (again) return again;
      throw new NearkinError("BAD_FILE", `${out}.points: what was measured cannot be read back; is the disk full?`);
    },
  });
}

/** undefined where a run that was resumed has lost its checkpoint, or some of what was measured before. */
async function measuredTraining(
  engine: Engine,
  split: Split,
  { config, truth, signal, onEvent, out, resume }: CurveOptions & { out: string; resume: boolean },
): Promise<Curve | undefined> {
  const lines = new Lines<CurvePoint>(`${out}.points`);
  if (!resume) lines.clear();
  const model = await train(split.dataset, config, {
    out,
    engine,
    resume,
    force: true,
    ...(signal ? { signal } : {}),
    ...(onEvent ? { onEvent } : {}),
    onLook: ({ stage, step, rank }) => {
      const lists = rank((rows, query) =>
        metricRecommender(rows, { name: config.preset, ...query }).rank(truth.queries, PLACES),
      );
      lines.append({ stage, step, values: pick(measure(lists, truth)) });
    },
  }).catch((error: unknown) => {
    if (resume && error instanceof NearkinError && error.code === "BAD_FILE") return undefined;
    throw error;
  });
  if (!model) return undefined;
  const points = new Map(lines.read().map((point) => [`${point.stage} ${point.step}`, point]));
  const isWhole = model.stages.every(({ name, steps }) => {
    const every = config[name as StageName].validateEvery;
    const looks = Array.from({ length: Math.floor(steps / every) + 1 }, (_, k) => k * every);
    return [...looks, steps].every((step) => points.has(`${name} ${step}`));
  });
  if (!isWhole) return undefined;
  return {
    points: [...points.values()].sort((a, b) => a.stage.localeCompare(b.stage) || a.step - b.step),
    kept: Object.fromEntries(model.stages.map(({ name, best }) => [name, best])),
  };
}

function isCurve(stored: unknown, queries: number): stored is Curve {
  const { points, kept } = (stored ?? {}) as Partial<Curve>;
  return (
    typeof kept === "object" && Array.isArray(points) && points.every((point) => isRunValues(point?.values, queries))
  );
}

/** A number for each query, of each figure that is drawn. */
export function isRunValues(stored: unknown, queries: number): stored is Record<Drawn, readonly number[]> {
  const values = (stored ?? {}) as Partial<Record<Drawn, unknown>>;
  return paperMetrics.every((name) => {
    const list = values[name];
    return Array.isArray(list) && list.length === queries && list.every(Number.isFinite);
  });
}

export function pick(measured: Measured): Record<Drawn, readonly number[]> {
  const values = (name: Drawn): readonly number[] => Array.from(measured[name]);
  return { "paper HR": values("paper HR"), "paper MRR": values("paper MRR"), "paper NDCG": values("paper NDCG") };
}
