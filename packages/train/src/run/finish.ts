// The end of a run: what was learned becomes a model folder, complete in itself.
import {
  buildRows,
  encodeModel,
  ensembleRowLayout,
  type FieldShape,
  liftRows,
  type ModelEngine,
  type ModelParts,
  type ModelPosterior,
  metricWeights,
  type PersonalPrior,
  type RowScaling,
} from "@nearkin/core";
import { loadCatalogue, writeParquet } from "@nearkin/data";
import packageJson from "../../package.json" with { type: "json" };
import type { StageName } from "../config/schema.ts";
import type { TrainEvent } from "../events.ts";
import { type BehaviorChoice, withBehavior } from "./behavior.ts";
import type { RunFolder } from "./folder.ts";
import { chooseInducing, inducingCount } from "./inducing.ts";
import { learnPersonal } from "./personal.ts";
import { choosePopularity, eventWeights, logPopularityOf, type PopularityChoice } from "./popularity.ts";
import { type FittedPosterior, posteriorOf } from "./posterior.ts";
import { type EmbeddedItems, embedItems, rowScaling } from "./ranking.ts";
import { TIMING, TRAINING, trainingJson } from "./record.ts";
import { noiseVariance, type Run, rescale, signalVariance } from "./run.ts";

/** What a run on a split dataset chose, for a refit on everything; its figures are kept beside. */
export interface Selection {
  model: string | null;
  dataset: string;
  /** Best steps by stage. */
  steps: Partial<Record<StageName, number>>;
  metrics: Record<string, Record<string, number>>;
  /** β */
  popularity: number;
  /** Days after which an event counts half in q; null: all count alike. */
  popularityHalfLife: number | null;
  /** How the channel of who met an item was made; absent in models without one. */
  behavior?: BehaviorChoice;
}

/** The choice that a model of a split dataset stands for. */
export function selectionOf(model: ModelParts): Selection {
  return {
    model: model.id ?? null,
    dataset: model.dataset.id,
    steps: Object.fromEntries(model.stages.map(({ name, best }) => [name, best])),
    metrics: Object.fromEntries(model.stages.map(({ name, metrics }) => [name, { ...metrics }])),
    popularity: model.popularity,
    popularityHalfLife: (model.notes.popularityHalfLife as number | undefined) ?? null,
    ...(model.notes.behavior ? { behavior: model.notes.behavior as BehaviorChoice } : {}),
  };
}

const HISTORY = "history.parquet";

/** What a model was made from, besides its dataset. */
interface Origin {
  selection: Selection | null;
  /** The model it started from. */
  from: ModelParts | null;
}

interface Ending {
  /** Called between pieces of work. */
  readonly pause: () => Promise<void>;
  readonly emit: (event: TrainEvent) => void;
}

/** Ids of the datasets that a model, and those it came from, were trained on: an evaluation asks whether one of them had the test items. */
function datasetsOf({ dataset, notes }: ModelParts): string[] {
  const { fromDatasets = [] } = notes as { fromDatasets?: string[] };
  return [...new Set([dataset.id, ...fromDatasets])];
}

/** Writes the model folder and moves it into place. `pause` is called between pieces of work. */
export async function writeModel(
  run: Run,
  folder: RunFolder,
  origin: Origin & Ending & { timing: (model: string) => string },
): Promise<ModelParts> {
  const parts = await modelParts(run, origin);
  const files = await encodeModel(parts);
  const { id } = JSON.parse(new TextDecoder().decode(files.get("model.json"))) as { id: string };
  for (const [name, bytes] of files) folder.write(name, bytes);
  await writeParquet(folder.path(HISTORY), run.history.columns());
  folder.write(TRAINING, text(trainingJson(id, run.history, run.config.stages)));
  folder.write(TIMING, text(origin.timing(id)));
  folder.finish();
  return { ...parts, id };
}

const text = (written: string): Uint8Array => new TextEncoder().encode(written);

async function modelParts(run: Run, { selection, from, pause, emit }: Origin & Ending): Promise<ModelParts> {
  const { set, config, progress } = run;
  const { manifest } = set.dataset;
  rescale(run, "final");
  const sigma2 = noiseVariance(run);
  const fitted = set.targets ? fittedPosterior(run) : null;
  using scope = run.engine.scope();
  const behavior = await withBehavior(run, scope, { chosen: selection?.behavior ?? undefined, pause, emit });
  const whole = behavior?.run ?? run;
  const items = embedItems(whole);
  const scaling = rowScaling(whole, items);
  const popularity = popularityOf(whole, selection);
  if (popularity.halfLife !== null) {
    emit({ type: "note", text: `popularity: an event counts half after ${popularity.halfLife} days` });
  }
  const rows = buildRows(ensembleRowLayout(whole.model), scaling, {
    ...items,
    logPopularity: logPopularityOf(set, popularity.halfLife),
  });
  const catalogue = await loadCatalogue(set.dataset);
  const masked = items.masked;
  const personal = await personalOf(whole, { rows, masked, ids: catalogue.ids, lengths: scaling.lengths }, pause);
  return {
    name: manifest.name,
    tools: { "@nearkin/train": packageJson.version },
    dataset: { id: manifest.id, name: manifest.name, simulated: manifest.simulated },
    config,
    seeds: { train: config.seed },
    engine: engineOf(run),
    stages: progress.finished.map(({ stage, steps, best, ranking, holdoutNll }) => ({
      name: stage,
      steps,
      best,
      metrics: {
        ...(ranking ? { hr: ranking.hr, mrr: ranking.mrr, ndcg: ranking.ndcg, queries: ranking.queries } : {}),
        ...(holdoutNll === null ? {} : { holdoutNll }),
      },
    })),
    warnings: progress.warnings.map(({ code, stage, step, text }) => ({ code, stage, step, text })),
    notes: {
      selection,
      from: from?.id ?? null,
      ...(from ? { fromDatasets: datasetsOf(from) } : {}),
      ...(behavior ? { behavior: behavior.choice } : {}),
      ...(popularity.halfLife === null ? {} : { popularityHalfLife: popularity.halfLife }),
    },
    channels: whole.set.channels.map(({ spec, transform, scale }) => ({
      name: spec.name,
      transform,
      numberMode: config.model.numbers,
      scale,
    })),
    ensemble: whole.model,
    parameters: (whole.flat.data as Float32Array).slice(whole.flat.offset, whole.flat.offset + whole.layout.size),
    statistics: whole.statistics,
    centres: scaling.centres,
    temperature: config.siamese.temperature,
    popularity: popularity.beta,
    ...(behavior ? { history: behavior.history } : {}),
    updates: { ...eventWeights(set, popularity.halfLife), ...(behavior ? { foldIn: behavior.foldIn } : {}) },
    signalVariance: signalVariance(run),
    kernelScale: progress.kernelScale,
    noise: { variance: sigma2, perRating: sigma2 * progress.noisePerRating },
    rating: { centre: set.targets?.centre ?? manifest.ratings.mean, scale: set.targets?.scale ?? 1 },
    items: { rows, masked, ratings: set.data.items.ratings },
    posterior: fitted && placedPosterior(whole, fitted, { items, scaling }),
    ...(personal ? { personal } : {}),
    catalogue: {
      ids: catalogue.ids,
      titles: catalogue.titles,
      described: catalogue.described,
      fields: catalogue.fields,
      shapes: shapesOf(run, catalogue.shapes),
    },
  };
}

/** As the run on the split dataset chose it, if this is a refit. */
function popularityOf(run: Run, selection: Selection | null): PopularityChoice {
  return selection ? { halfLife: selection.popularityHalfLife, beta: selection.popularity } : choosePopularity(run);
}

/** A dataset may have channels that this model does without; how their columns are read stays the same. */
function shapesOf({ set }: Run, shapes: ReadonlyMap<string, FieldShape>): Map<string, FieldShape> {
  const names = new Set(set.channels.map(({ spec }) => spec.name));
  return new Map(
    Array.from(shapes, ([name, { channel, ...shape }]) => [
      name,
      channel !== undefined && names.has(channel) ? { ...shape, channel } : shape,
    ]),
  );
}

/** What is known of users, under the metric as it is written. */
async function personalOf(
  run: Run,
  {
    rows,
    masked,
    ids,
    lengths,
  }: { rows: Float32Array; masked: Uint8Array; ids: readonly string[]; lengths: Float64Array },
  pause: () => Promise<void>,
): Promise<PersonalPrior | undefined> {
  const { engine, config, set, model, parameters } = run;
  if (config.personal.users === 0) return undefined;
  using scope = engine.scope();
  const layout = ensembleRowLayout(model);
  const placed = scope.matrix(ids.length, layout.width, "f32").write(rows);
  const { h, b } = metricWeights(model, parameters);
  return await learnPersonal({
    metric: {
      engine,
      rows: liftRows(layout, { shards: [{ engine, rows: placed }], masked, lengths, ids }),
      weights: h,
      offset: b,
      link: model.link,
      parameters: model.weights,
      temperature: config.siamese.temperature,
    },
    config: config.personal,
    histories: set.data.histories,
    events: set.data.items.ratings,
    rated: set.dataset.manifest.ratings.kind === "explicit",
    random: run.random.split("personal"),
    pause,
  });
}

function engineOf({ engine: { info } }: Run): ModelEngine {
  const { kind, reproducible, library, workers } = info;
  return { kind, reproducible, ...(library === undefined ? {} : { library: `${library}, ${workers} threads` }) };
}

/** The posterior on all items with enough ratings, held-out ones included. It looks at content alone. */
function fittedPosterior(run: Run): FittedPosterior {
  const targets = run.set.targets;
  if (!targets) throw new Error("there are no targets");
  const all = Int32Array.from(targets.items.keys());
  const inducing = chooseInducing(run, { among: all, count: inducingCount(run, all.length), label: "final" });
  return posteriorOf(run, all, inducing);
}

/** The posterior with its inducing items as they lie in the rows of the model. */
function placedPosterior(
  { set: { targets } }: Run,
  { posterior, inducing, shift }: FittedPosterior,
  { items, scaling: { centres, factors } }: { items: EmbeddedItems; scaling: RowScaling },
): ModelPosterior {
  if (!targets) throw new Error("there are no targets");
  const e = centres.length;
  const embeddings = new Float64Array(inducing.length * e);
  inducing.forEach((row, i) => {
    const at = targets.items[row] * e;
    for (let j = 0; j < e; j++) embeddings[i * e + j] = (items.embeddings[at + j] - centres[j]) * factors[j];
  });
  return { ...posterior, inducing: inducing.map((row) => targets.items[row]), embeddings, shift };
}
