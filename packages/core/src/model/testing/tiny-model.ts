// A small but complete model for tests: real transforms, towers as they are drawn at the start, lifted rows and a posterior that was fitted.
// Nothing is trained, so neighbours mean little; everything else is as in a model of size.
import { Foresight } from "../../behavior/foresight.ts";
import { applyCategories, fitCategories } from "../../channels/categories.ts";
import { type ChannelTransform, inputWidth } from "../../channels/channel.ts";
import { fitDate, parseDate } from "../../channels/date.ts";
import { applyGeo, fitGeo } from "../../channels/geo.ts";
import { fitIdentity } from "../../channels/identity.ts";
import { fitNumber } from "../../channels/number.ts";
import { applyText, fitEncodedText, fitText } from "../../channels/text.ts";
import { fitVector } from "../../channels/vector.ts";
import { fitPosterior } from "../../gp/posterior.ts";
import type { Engine, Link } from "../../linalg/engine.ts";
import { hostMatrix, type Precision } from "../../linalg/matrix.ts";
import { portableLog, Random } from "../../linalg/random.ts";
import { embed } from "../../metric/embed.ts";
import {
  type ChannelInput,
  type EnsembleConfig,
  ensembleLayout,
  initializeEnsemble,
  isContent,
} from "../../metric/ensemble.ts";
import { exp, inverseSoftplus, logistic } from "../../metric/exponential.ts";
import { channelInput } from "../../metric/inputs.ts";
import { centreMissing, measureStatistics } from "../../metric/statistics.ts";
import { metricWeights } from "../../metric/weights.ts";
import { parameterViews } from "../../nn/parameters.ts";
import { drawPool } from "../../personal/choices.ts";
import type { PersonalPrior } from "../../personal/settings.ts";
import { buildRows, measureCentres } from "../../rank/layout.ts";
import type { ItemId, ItemIndex } from "../ids.ts";
import type { ModelChannel, ModelParts, ModelPosterior, ModelUpdates } from "../parts.ts";
import type { Tensor } from "../safetensors.ts";
import { ensembleRowLayout, ensembleScaling, scaleEmbeddings } from "../scaling.ts";
import { type TinyItem, tinyCatalogue } from "./tiny-catalogue.ts";

export interface TinyModelOptions {
  /** Items. @default 40 */
  n?: number;
  /** @default 7 */
  seed?: number;
  /** @default "linear" */
  link?: Link;
  /** @default "softplus" */
  weights?: EnsembleConfig["weights"];
  /** @default "identity" */
  scale?: EnsembleConfig["scale"];
  /** Of the parameters. @default "f32" */
  precision?: Precision;
  /** Leave the posterior out. @default false */
  withoutPosterior?: boolean;
  /** Leave out what is known of users. @default false */
  withoutPersonal?: boolean;
  /** Add the channel `behavior`: who met each item, made up. @default false */
  behavior?: boolean;
  /** Let events after training change rows; needs `behavior` for factors. @default false */
  updates?: boolean;
}

/** Users who differ by one e-fold in every weight; fitted as in the preset `default`, or with the paper's link as the paper does. */
function personalOf(
  { channels, link, weights }: EnsembleConfig,
  { h, b }: { h: Float64Array; b: number },
  ratings: Int32Array,
  random: Random,
): PersonalPrior {
  const choice = link !== "sigmoid";
  const own = Array.from(h, (weight) => (weights === "softplus" ? inverseSoftplus(weight) : weight));
  const mean = Float64Array.from([...own, choice ? 0 : b]);
  const P = channels.length + 1;
  return {
    settings: {
      target: choice ? "choice" : "rating",
      fit: choice ? "map" : "descent",
      items: 20,
      window: 3,
      evidence: 1,
      iterations: 20,
      rate: 0.05,
      unseen: 2,
      low: 0.5,
    },
    users: 9,
    mean,
    covariance: Float64Array.from({ length: P * P }, (_, k) => (k % (P + 1) === 0 ? 1 : 0)),
    pool: drawPool(ratings, { others: 15, popular: 0.5, random }),
    process: choice ? null : { rate: 2, variance: 0.3, noise: 0.8 },
    rating: { rate: 2, variance: 0.3, noise: 0.8 },
  };
}

const HIDDEN = 6;
const SIZE = 4; // of an embedding
const FACTORS = 3;
const INDUCING = 8;
const TARGETS = 3;
const NOISE = 0.2;
const PER_RATING = 0.5;

/** Channels `title` (lsa), `plot` (external encoder "toy"), `poster` (vector), `genres`, `year`, `released`, `place`, `identity`. */
export function tinyModel(engine: Engine, options: TinyModelOptions = {}): ModelParts {
  const { n = 40, seed = 7, link = "linear", weights = "softplus", scale = "identity", precision = "f32" } = options;
  const random = new Random(seed);
  const catalogue = tinyCatalogue(n, random.split("catalogue"));
  const trained = Uint8Array.from(catalogue, (_, i) => (i % 10 === 9 ? 0 : 1)); // every tenth item is cold
  const raw = rawChannels(engine, catalogue, trained);
  const prepared = raw.map(({ name, transform, tensors }) => ({
    name,
    transform,
    ...channelInput(engine, transform, tensors, { numberMode: "bins", scaling: "norm", fitOn: trained }),
  }));
  const own = options.behavior ? [behaviorChannel(engine, prepared, trained, random.split("behavior"))] : [];
  const channels = [...prepared, ...own];
  const configOf = (list: typeof channels): EnsembleConfig => ({
    channels: list.map(({ name, transform, input }) => ({
      name,
      input: input.kind,
      inputWidth: inputWidth(transform),
      embeddingSize: input.kind === "factors" ? FACTORS : SIZE,
    })),
    hidden: HIDDEN,
    link,
    weights,
    scale,
  });
  const inputsOf = (list: typeof channels) => ({ itemCount: n, channels: list.map(({ input }) => input) });
  const ensemble = configOf(channels);
  const inputs = inputsOf(channels);
  const training = Int32Array.from(trained.keys()).filter((item) => trained[item] === 1);
  const scope = engine.scope();
  try {
    const layout = ensembleLayout(ensemble);
    const flat = scope.matrix(layout.size, 1, precision);
    initializeEnsemble(engine, ensemble, flat, random.split("parameters"));
    const parameters = parameterViews(layout, flat);
    const drawn = random.split("weights");
    for (const { name } of ensemble.channels) parameters.get(`${name}.scale`)?.fill(0.2 * drawn.normal());
    const h = parameters.get("weights");
    for (let c = 0; h && c < h.cols; c++) h.set(0, c, h.get(0, c) + 0.5 * drawn.normal());
    const learned = { config: configOf(prepared), parameters, inputs: inputsOf(prepared) };
    centreMissing(engine, learned, random.split("centre"), training);
    const { scales, lengths, standIns } = measureStatistics(engine, learned, random.split("pairs"), training);
    const statistics = {
      scales: Float64Array.of(...scales, ...own.map(() => 2)),
      lengths: Float64Array.of(...lengths, ...own.map(() => 0)),
      standIns: [...standIns, ...own.map(() => new Float64Array(0))],
    };
    const { Z, masked } = embed(
      engine,
      scope,
      { config: ensemble, parameters, inputs, statistics },
      Int32Array.from(catalogue.keys()),
    );
    const rowLayout = ensembleRowLayout(ensemble);
    const embeddings = Z.read();
    const centres = measureCentres(rowLayout, embeddings, masked);
    const scaling = ensembleScaling(ensemble, parameters, { statistics, centres });
    const ratings = Int32Array.from(trained, (mark, i) => (mark === 1 ? 3 + (i % 7) : 0));
    const logPopularity = Array.from(ratings, (count) => portableLog((1 + count) / (n * 7)));
    const signalVariance = 0.8;
    const metric = { ...metricWeights(ensemble, parameters), lengths: scaling.lengths, signalVariance };
    const scaled = scaleEmbeddings(scaling, embeddings);
    return {
      name: "tiny",
      tools: { nearkin: "0.0.0-test" },
      dataset: { id: "0".repeat(64), name: "tiny films", simulated: true },
      config: { preset: "test", model: { hidden: HIDDEN, link } },
      seeds: { training: seed },
      engine: { kind: engine.info.kind, reproducible: engine.info.reproducible },
      stages: [{ name: "siamese", steps: 0, best: 0, metrics: { hr: 0.1 } }],
      warnings: [{ code: "NOT_TRAINED", text: "the towers are as they were drawn", stage: "siamese", step: 0 }],
      notes: { from: null },
      channels: channels.map(
        ({ name, transform, scale }): ModelChannel => ({ name, transform, numberMode: "bins", scale }),
      ),
      ensemble,
      parameters: precision === "f32" ? Float32Array.from(flat.read()) : flat.read(),
      statistics,
      centres,
      temperature: 0.2,
      popularity: 0.4,
      signalVariance,
      ...(options.behavior ? { history: { weight: 3, decay: 0.9, items: 10 } } : {}),
      ...(options.updates ? { updates: updatesOf(options.behavior ? trained : undefined) } : {}),
      noise: { variance: NOISE, perRating: PER_RATING },
      rating: { centre: 3.5, scale: 0.6 },
      items: { rows: buildRows(rowLayout, scaling, { embeddings, masked, logPopularity }), masked, ratings },
      posterior: options.withoutPosterior
        ? null
        : posteriorOf(engine, { training, ratings, scaled, masked, metric, ensemble, random: random.split("targets") }),
      ...(options.withoutPersonal ? {} : { personal: personalOf(ensemble, metric, ratings, random.split("users")) }),
      catalogue: {
        ids: catalogue.map(({ id }) => id as ItemId),
        titles: catalogue.map(({ title }) => title),
        described: Uint8Array.from(catalogue, () => 1),
        fields: new Map([
          ["title", catalogue.map(({ title }) => title)],
          ["year", catalogue.map(({ year }) => (year === undefined ? null : String(year)))],
        ]),
      },
    };
  } finally {
    scope.close();
  }
}

/** Events fade by half in ten days; training ended at the start of 2020. */
function updatesOf(trained: Uint8Array | undefined): ModelUpdates {
  const foldIn = trained && {
    userLengthExponent: 0.25,
    session: 10,
    sessionWeight: 0.5,
    shrinkage: 2,
    normExponent: 0.4,
    prior: 3,
    squares: Float64Array.from({ length: FACTORS }, (_, j) => 3 / (1 + j)),
    evidence: Float32Array.from(trained),
  };
  return { time: Date.UTC(2020, 0, 1) / 1000, halfLife: 10, perEvent: 0.5, ...(foldIn ? { foldIn } : {}) };
}

interface PreparedChannel {
  readonly name: string;
  readonly transform: ChannelTransform;
  readonly input: ChannelInput;
  readonly scale: number;
}

/** Factors drawn at random for training items, and what content foresees of them for the others. */
function behaviorChannel(
  engine: Engine,
  prepared: readonly PreparedChannel[],
  trained: Uint8Array,
  random: Random,
): PreparedChannel {
  const vectors = Float32Array.from({ length: trained.length * FACTORS }, () => 0.5 + random.normal());
  const sources = prepared.flatMap(({ name, input }) => (isContent(input) ? [{ name, input }] : []));
  using scope = engine.scope();
  const contents = sources.map(({ input }) => input);
  const foresight = new Foresight(engine, scope, contents, {
    met: trained,
    cosines: 4,
    random: random.split("cosines"),
  });
  const means = foresight.means(vectors);
  trained.forEach((mark, item) => {
    if (mark === 0) vectors.set(means.subarray(item * FACTORS, (item + 1) * FACTORS), item * FACTORS);
  });
  return {
    name: "behavior",
    transform: foresight.transform(
      vectors,
      sources.map(({ name }) => name),
    ),
    input: {
      kind: "factors",
      values: hostMatrix(vectors, trained.length, FACTORS),
      missing: trained.map((mark) => 1 - mark),
    },
    scale: 1,
  };
}

interface RawChannel {
  name: string;
  transform: ChannelTransform;
  tensors: ReadonlyMap<string, Tensor>;
}

/** Transforms fitted on the training items, and tensors of all, as `prepare` would write them. */
function rawChannels(engine: Engine, catalogue: readonly TinyItem[], trained: Uint8Array): RawChannel[] {
  const training = <T>(values: readonly T[]) => values.filter((_, i) => trained[i] === 1);
  const column = <K extends keyof TinyItem>(key: K) => catalogue.map((item) => item[key]);
  const channel = (name: string, transform: ChannelTransform, tensors: Record<string, Tensor>): RawChannel => ({
    name,
    transform,
    tensors: new Map(Object.entries(tensors)),
  });
  const title = fitText(engine, training(column("title")), { dimensions: 5, minDocuments: 2 });
  const titles = column("title").map((text) => {
    const vector = applyText(title, text);
    return typeof vector === "string" ? undefined : vector;
  });
  const plots = column("plot").map((text) => (text === undefined ? undefined : toyVector(text)));
  const posters = column("poster");
  const genres = fitCategories(training(column("genres")));
  const place = fitGeo(training(column("place")));
  const days = column("released").map((text) => (text === undefined ? undefined : parseDate(text)));
  return [
    channel("title", title, vectorTensors(titles, titles.find((row) => row)?.length ?? 0)),
    channel(
      "plot",
      fitEncodedText(engine, training(plots), { encoder: "toy", dimensions: TOY_WIDTH, pca: 4 }),
      vectorTensors(plots, TOY_WIDTH),
    ),
    channel("poster", fitVector(engine, training(posters)), vectorTensors(posters, 3)),
    channel(
      "genres",
      genres,
      categoryTensors(column("genres").map((terms) => applyCategories(genres, terms)?.indices)),
    ),
    channel("year", fitNumber(training(column("year"))), numberTensors(column("year"))),
    channel("released", fitDate(training(days)), numberTensors(days)),
    channel(
      "place",
      place,
      vectorTensors(
        column("place").map((one) => applyGeo(place, one)),
        3,
      ),
    ),
    channel("identity", fitIdentity(Array.from(trained.keys()).filter((i) => trained[i] === 1) as ItemIndex[]), {}),
  ];
}

const TOY_WIDTH = 6;

/** A stand-in for a language model: counts letters by class, to norm 1. */
export function toyVector(text: string): Float32Array {
  const vector = new Float32Array(TOY_WIDTH);
  for (const letter of text.toLowerCase()) vector[(letter.codePointAt(0) ?? 0) % TOY_WIDTH] += 1;
  const norm = Math.hypot(...vector);
  return norm === 0 ? vector : vector.map((x) => x / norm);
}

/** The encoder "toy", for `openModel`. */
export async function toyEncode(texts: readonly string[], encoder: string): Promise<Float32Array[]> {
  if (encoder !== "toy") throw new Error(`asked for the encoder ${encoder}`);
  return texts.map(toyVector);
}

const marks = (values: readonly unknown[]): Tensor => ({
  type: "U8",
  shape: [values.length],
  data: Uint8Array.from(values, (value) => (value === undefined ? 1 : 0)),
});

function numberTensors(values: readonly (number | undefined)[]): Record<string, Tensor> {
  const data = Float64Array.from(values, (value) => value ?? Number.NaN);
  return { values: { type: "F64", shape: [data.length], data }, missing: marks(values) };
}

function vectorTensors(rows: readonly (ArrayLike<number> | undefined)[], width: number): Record<string, Tensor> {
  const data = new Float32Array(rows.length * width);
  rows.forEach((row, i) => {
    if (row) data.set(row, i * width);
  });
  return { vectors: { type: "F32", shape: [rows.length, width], data }, missing: marks(rows) };
}

function categoryTensors(rows: readonly (Int32Array | undefined)[]): Record<string, Tensor> {
  const known = rows.map((row) => (row && row.length > 0 ? row : undefined));
  const starts = new Int32Array(rows.length + 1);
  known.forEach((row, i) => {
    starts[i + 1] = starts[i] + (row?.length ?? 0);
  });
  const indices = Int32Array.from(known.flatMap((row) => Array.from(row ?? [])));
  return {
    starts: { type: "I32", shape: [starts.length], data: starts },
    indices: { type: "I32", shape: [indices.length], data: indices },
    missing: marks(known),
  };
}

interface PosteriorWorld {
  training: Int32Array;
  ratings: Int32Array;
  /** (n, e) */
  scaled: Float64Array;
  /** (n, p) */
  masked: Uint8Array;
  metric: { h: Float64Array; b: number; lengths: Float64Array; signalVariance: number };
  ensemble: EnsembleConfig;
  random: Random;
}

/** A posterior conditioned on targets drawn at random: Eq. 3 with the first training items as inducing ones. */
function posteriorOf(engine: Engine, world: PosteriorWorld): ModelPosterior {
  const { training, ratings, scaled, masked, metric, ensemble, random } = world;
  const { b, lengths, signalVariance } = metric;
  const h = metric.h.map((weight, c) => (ensemble.channels[c].input === "factors" ? 0 : weight)); // ratings follow from content
  const columnWeights = ensemble.channels.flatMap(({ embeddingSize }, c) => Array<number>(embeddingSize).fill(h[c]));
  const e = columnWeights.length;
  const p = ensemble.channels.length;
  const inducing = training.slice(0, INDUCING);
  const scope = engine.scope();
  try {
    const rowsOf = (items: Int32Array) =>
      Array.from(items).flatMap((i) => Array.from(scaled.subarray(i * e, (i + 1) * e)));
    const lengthsOf = (items: Int32Array) =>
      Array.from(items, (i) => lengths.reduce((sum, length, c) => sum + masked[i * p + c] * h[c] * length, 0));
    const embeddings = Float64Array.from(rowsOf(inducing));
    const Zm = scope.matrix(inducing.length, e).write(embeddings);
    const Zn = scope.matrix(training.length, e).write(rowsOf(training));
    const columnLengths = scope.matrix(inducing.length, 1).write(lengthsOf(inducing));
    const options = {
      weights: scope.matrix(e, 1).write(columnWeights),
      link: ensemble.link,
      offset: b,
      variance: signalVariance,
      columnLengths,
    };
    const Kmm = scope.matrix(inducing.length, inducing.length);
    const own = scope.indices(inducing.length).write(Int32Array.from(inducing.keys()));
    engine.kernel(Kmm, Zm, Zm, { ...options, rowLengths: columnLengths, same: own });
    const Knm = scope.matrix(training.length, inducing.length);
    engine.kernel(Knm, Zn, Zm, {
      ...options,
      rowLengths: scope.matrix(training.length, 1).write(lengthsOf(training)),
      same: scope.indices(training.length).write(training.map((item) => inducing.indexOf(item))),
    });
    const R = scope
      .matrix(training.length, TARGETS)
      .write(Array.from({ length: training.length * TARGETS }, () => random.normal()));
    const noise = scope.matrix(training.length, 1).write(Array.from(training, (i) => NOISE + PER_RATING / ratings[i]));
    const self = ensemble.link === "sigmoid" ? signalVariance * exp(-0.5 * logistic(b)) : signalVariance;
    const diagonal = scope.matrix(training.length, 1).fill(self);
    const shift = ensemble.link === "sigmoid" ? 1 : 0; // the paper's kernel is indefinite
    const posterior = fitPosterior(engine, { likelihood: "dtc", Kmm, blocks: [{ Knm, diagonal, R, noise }], shift });
    return { ...posterior, inducing, embeddings };
  } finally {
    scope.close();
  }
}
