// Gathers a report: the model, its dataset, its history and its evaluation become one plain object. Nothing is measured here but the
// neighbours of a few items.
import { type Model, NearkinError } from "@nearkin/core";
import type { Dataset } from "@nearkin/data";
import { type HistoryRow, stageCurves } from "@nearkin/train";
import { modelLabel } from "../model-label.ts";
import type { EvaluationResult } from "../result.ts";
import { type ExampleOptions, neighbourExamples } from "./examples.ts";
import {
  type ChannelWeight,
  MODEL_REPORT_FORMAT,
  MODEL_REPORT_VERSION,
  type ModelReport,
  type ReportEnvironment,
  type ReportedData,
  type ReportedModel,
  type ReportedTraining,
  type Reproduction,
} from "./model-report.ts";

const CURVE_POINTS = 60; // of a stage

export interface ModelReportInputs extends ExampleOptions {
  readonly evaluation: EvaluationResult;
  /** Rows of history.parquet; without them there are no curves. */
  readonly history?: readonly HistoryRow[] | undefined;
  /** Command lines that make it all again. */
  readonly commands: Reproduction["commands"];
  readonly environment: ReportEnvironment;
}

/** The report of a model, on the dataset that it was trained on. */
export async function gatherModelReport(
  model: Model,
  dataset: Dataset,
  { evaluation, history, commands, environment, ...options }: ModelReportInputs,
): Promise<ModelReport> {
  checkDataset(model, dataset);
  checkEvaluation(evaluation, model, dataset);
  const report: ModelReport = {
    format: MODEL_REPORT_FORMAT,
    version: MODEL_REPORT_VERSION,
    simulated: model.parts.dataset.simulated || dataset.manifest.simulated,
    model: describeModel(model),
    data: describeData(model, dataset),
    training: describeTraining(model, history),
    weights: describeWeights(model),
    evaluation,
    examples: await neighbourExamples(model, dataset, options),
    reproduce: { commands, config: { train: model.parts.config } },
    environment,
  };
  return JSON.parse(JSON.stringify(report)) as ModelReport; // as it will be read again: NaN is null, arrays are lists
}

function checkDataset({ name, parts }: Model, { folder, manifest }: Dataset): void {
  if (parts.dataset.id === manifest.id) return;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `the model ${name} was not trained on ${folder}: it comes from ${parts.dataset.name} (${parts.dataset.id.slice(0, 8)}), this is ${manifest.name} (${manifest.id.slice(0, 8)}); name the dataset that it was trained on`,
  );
}

/** Figures of other data or of another model under this one's name would be the worst a report can do. */
function checkEvaluation(evaluation: EvaluationResult, model: Model, { manifest }: Dataset): void {
  if (evaluation.dataset.hash !== manifest.id) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `the evaluation is of another dataset, ${evaluation.dataset.name} (${evaluation.dataset.hash.slice(0, 8)}), and not of ${manifest.name} (${manifest.id.slice(0, 8)}); evaluate again, or leave --evaluation out`,
    );
  }
  if (evaluation.dataset.role === "validation") {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "the figures of the evaluation are of validation items, which chose the step that was kept; evaluate with --role test, or leave --evaluation out",
    );
  }
  const label = modelLabel(model);
  const own = evaluation.recommenders.find(({ name, kind }) => kind === "model" && name === label);
  const seed = model.parts.seeds.train ?? 1;
  if (own?.seeds.includes(seed)) return;
  const models = evaluation.recommenders
    .filter(({ kind }) => kind === "model")
    .map(({ name, seeds }) => `"${name}" (seed ${seeds.join(", ")})`);
  throw new NearkinError(
    "BAD_ARGUMENT",
    `the evaluation has no "${label}" of seed ${seed} at popularity 0, but ${models.join(", ") || "no model at all"}; evaluate this model, or leave --evaluation out`,
  );
}

function describeModel(model: Model): ReportedModel {
  const { config, seeds, engine, temperature, popularity, notes } = model.parts;
  return {
    name: model.name,
    id: model.id,
    label: modelLabel(model),
    preset: typeof config.preset === "string" ? config.preset : null,
    seed: seeds.train ?? null,
    engine: [engine.kind, ...(engine.library ? [engine.library] : [])].join(", "),
    items: model.items.size,
    temperature,
    popularity,
    predictsRatings: model.predictsRatings,
    from: typeof notes.from === "string" ? notes.from : null,
  };
}

function describeData({ parts }: Model, { manifest }: Dataset): ReportedData {
  const { counts, time, ratings, config } = manifest;
  const { by = "none" } = (config.split ?? {}) as { by?: string };
  return {
    name: manifest.name,
    id: manifest.id,
    items: counts.items,
    users: counts.users,
    events: counts.interactions,
    training: { items: counts.training.items, users: counts.training.users, events: counts.training.interactions },
    roles: counts.roles,
    userRoles: counts.userRoles,
    split: by,
    time:
      time.kind === "seconds" && time.trainingFrom !== null && time.trainingTo !== null
        ? { from: time.trainingFrom, to: time.trainingTo, cut: time.cut }
        : null,
    ratings,
    channels: parts.channels.map(({ name, transform }) => {
      const own = Object.hasOwn(manifest.channels, name) ? manifest.channels[name] : undefined;
      return {
        name,
        type: transform.type,
        present: own?.present ?? null,
        trainingPresent: own?.trainingPresent ?? null,
      };
    }),
  };
}

function describeTraining({ parts }: Model, history: readonly HistoryRow[] | undefined): ReportedTraining {
  return {
    stages: parts.stages.map(({ name, steps, best, metrics }) => {
      const curves = history && stageCurves(history, name, CURVE_POINTS);
      return { name, steps, best, metrics, ...(curves ? { curves } : {}) };
    }),
    warnings: parts.warnings,
  };
}

/** A random pair is about 1 apart in every channel, so that h is what it adds to their distance. */
function describeWeights({ weights, parts }: Model): ChannelWeight[] {
  const total = Object.values(weights).reduce((sum, weight) => sum + Math.abs(weight), 0);
  return parts.channels.map(({ name, transform }) => ({
    channel: name,
    type: transform.type,
    weight: weights[name],
    share: total > 0 ? weights[name] / total : 0,
  }));
}
