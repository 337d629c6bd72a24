// How test items are ranked in the course of a training: the lines of the paper's Figs. 1 and 2.
import { existsSync } from "node:fs";
import type { Engine } from "@nearkin/core";
import { type StageName, type TrainConfig, type TrainEvent, train } from "@nearkin/train";
import { metricRecommender } from "../baselines/metric.ts";
import { type Measured, type MetricName, measure, PLACES } from "../protocol/measure.ts";
import type { TruthTable } from "../protocol/truths.ts";
import type { Split } from "../split.ts";
import { Lines, type ResultCache } from "./cache.ts";

/** The figures that the paper draws. */
export const drawn = ["paper HR", "paper MRR", "paper NDCG"] as const satisfies readonly MetricName[];
export type Drawn = (typeof drawn)[number];

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
 * last checkpoint, and what was measured after that is measured again.
 */
export async function trainingCurve(engine: Engine, split: Split, options: CurveOptions): Promise<Curve> {
  const { cache, config, truth, signal, onEvent } = options;
  const key = {
    what: "training curve",
    dataset: split.dataset.manifest.id,
    config,
    truth: truth.name,
    engine: engine.info.kind,
  };
  const name = `${config.preset}-${config.seed}`;
  return await cache.result(`curve-${name}`, key, async () => {
    const out = cache.path(`model-${name}`, key, "");
    const lines = new Lines<CurvePoint>(`${out}.points`);
    const model = await train(split.dataset, config, {
      out,
      engine,
      resume: existsSync(`${out}.partial`),
      force: true,
      ...(signal ? { signal } : {}),
      ...(onEvent ? { onEvent } : {}),
      onLook: ({ stage, step, rank }) => {
        const lists = rank((rows, query) =>
          metricRecommender(rows, { name: config.preset, ...query }).rank(truth.queries, PLACES),
        );
        lines.append({ stage, step, values: pick(measure(lists, truth)) });
      },
    });
    const points = new Map(lines.read().map((point) => [`${point.stage} ${point.step}`, point]));
    return {
      points: [...points.values()].sort((a, b) => a.stage.localeCompare(b.stage) || a.step - b.step),
      kept: Object.fromEntries(model.stages.map(({ name, best }) => [name, best])),
    };
  });
}

export function pick(measured: Measured): Record<Drawn, readonly number[]> {
  const values = (name: Drawn): readonly number[] => Array.from(measured[name]);
  return { "paper HR": values("paper HR"), "paper MRR": values("paper MRR"), "paper NDCG": values("paper NDCG") };
}
