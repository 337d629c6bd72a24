// Models to serve, made up by seed: items in clusters, seen through eight channels, made rows by towers that nobody trained. One channel is a text,
// so that items can be put while the server runs. Folders are kept in .cache/bench.
// n items, p channels, e embedding columns, w = e + p + 1
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  buildRows,
  type ChannelTransform,
  centreMissing,
  channelInput,
  createEngine,
  drawPool,
  type Engine,
  type EnsembleConfig,
  embed,
  encodeModel,
  ensembleLayout,
  ensembleRowLayout,
  ensembleScaling,
  fitEncodedText,
  fitVector,
  type ItemId,
  type ItemInputs,
  initializeEnsemble,
  inputWidth,
  inverseSoftplus,
  type ModelParts,
  measureCentres,
  measureStatistics,
  metricWeights,
  parameterViews,
  Random,
  type Tensor,
} from "@nearkin/core";

/** By channel: columns of its rows, and its weight in the base metric. */
const CHANNELS = [
  { name: "plot", size: 50, weight: 1.2 },
  { name: "cast", size: 50, weight: 0.9 },
  { name: "poster", size: 36, weight: 0.6 },
  { name: "genres", size: 30, weight: 0.45 },
  { name: "themes", size: 20, weight: 0.3 },
  { name: "place", size: 16, weight: 0.2 },
  { name: "sound", size: 16, weight: 0.15 },
  { name: "year", size: 8, weight: 0.1 },
] as const;

/** w */
export const COLUMNS = CHANNELS.reduce((sum, { size }) => sum + size + 1, 1);

/** The channel that is a text, and what encodes it. */
export const TEXT_CHANNEL = "plot";
export const ENCODER = "minilm";
const TEXT_WIDTH = 384; // of the encoder's vectors
const VECTOR_WIDTH = 24; // of the inputs of all other channels
const PLACE = 16; // dimensions of an item's place
const SEEN = PLACE + 4; // of what a channel sees of it
const CLUSTERS = 2_000;
const HIDDEN = 64;
const BLOCK = 8_192; // items made at once; scales are measured on the first
const VERSION = 1; // of what is drawn: another number, another folder

/** The id of item i. */
export const idOf = (i: number): string => `item-${i}`;

/** The folder of a model with so many items, made where there is none. */
export async function servedFolder(items: number): Promise<string> {
  const folder = join(import.meta.dirname, "..", ".cache", "bench", `serve-${items}-${VERSION}`);
  if (existsSync(folder)) return folder;
  process.stderr.write(`making a model of ${items.toLocaleString("en")} items …\n`);
  await using engine = await createEngine();
  const files = await encodeModel(makeModel(engine, items));
  rmSync(`${folder}.tmp`, { recursive: true, force: true });
  mkdirSync(`${folder}.tmp`, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(`${folder}.tmp`, name), bytes);
  renameSync(`${folder}.tmp`, folder);
  return folder;
}

function makeModel(engine: Engine, n: number): ModelParts {
  const random = new Random(51);
  const draw = itemMaker(engine, random.split("items"));
  const first = draw(0, Math.min(BLOCK, n));
  const transforms = first.map((vectors, c): ChannelTransform => {
    const list = Array.from({ length: vectors.length / widthOf(c) }, (_, i) =>
      vectors.subarray(i * widthOf(c), (i + 1) * widthOf(c)),
    );
    return CHANNELS[c].name === TEXT_CHANNEL
      ? fitEncodedText(engine, list, { encoder: ENCODER, dimensions: TEXT_WIDTH })
      : fitVector(engine, list);
  });
  const ensemble: EnsembleConfig = {
    channels: CHANNELS.map(({ name, size }, c) => ({
      name,
      input: "dense",
      inputWidth: inputWidth(transforms[c]),
      embeddingSize: size,
    })),
    hidden: HIDDEN,
    link: "linear",
    weights: "softplus",
    scale: "identity",
  };
  using scope = engine.scope();
  const flat = scope.matrix(ensembleLayout(ensemble).size, 1, "f32");
  initializeEnsemble(engine, ensemble, flat, random.split("parameters"));
  const parameters = parameterViews(ensembleLayout(ensemble), flat);
  const weights = parameters.get("weights");
  for (const [c, { weight }] of CHANNELS.entries()) weights?.set(0, c, inverseSoftplus(weight));

  const scales: number[] = [];
  const inputsOf = (vectors: readonly Float32Array[]): ItemInputs => {
    const itemCount = vectors[0].length / widthOf(0);
    const channels = transforms.map((transform, c) => {
      const measured = scales[c] === undefined ? {} : { scale: scales[c] };
      const fitOn = new Uint8Array(itemCount).fill(1);
      const tensors = vectorTensors(vectors[c], widthOf(c));
      const { input, scale } = channelInput(engine, transform, tensors, {
        numberMode: "bins",
        scaling: "norm",
        fitOn,
        ...measured,
      });
      scales[c] = scale;
      return input;
    });
    return { itemCount, channels };
  };
  const measured = { config: ensemble, parameters, inputs: inputsOf(first) };
  const training = Int32Array.from({ length: measured.inputs.itemCount }, (_, i) => i);
  centreMissing(engine, measured, random.split("centre"), training);
  const statistics = measureStatistics(engine, measured, random.split("pairs"), training);

  const layout = ensembleRowLayout(ensemble);
  const { width, channelCount: p } = layout;
  const ratings = Int32Array.from({ length: n }, () => Math.floor(3 * random.uniform() ** -1.2)); // few items have most
  const total = ratings.reduce((sum, count) => sum + count, 0);
  const rows = new Float32Array(n * width);
  let centres: Float64Array | undefined;
  for (let from = 0; from < n; from += BLOCK) {
    const inputs = from === 0 ? measured.inputs : inputsOf(draw(from, Math.min(BLOCK, n - from)));
    using part = engine.scope();
    const items = Int32Array.from({ length: inputs.itemCount }, (_, i) => i);
    const { Z, masked } = embed(engine, part, { config: ensemble, parameters, inputs, statistics }, items);
    const embeddings = Z.read();
    centres ??= measureCentres(layout, embeddings, masked);
    const scaling = ensembleScaling(ensemble, parameters, { statistics, centres });
    const logPopularity = Array.from(items, (i) => Math.log(ratings[from + i] / total));
    rows.set(buildRows(layout, scaling, { embeddings, masked, logPopularity }), from * width);
  }
  const { h } = metricWeights(ensemble, parameters);
  return {
    name: `made up, ${n} items`,
    tools: { nearkin: "bench" },
    dataset: { id: "0".repeat(64), name: "made up", simulated: true },
    config: { preset: "bench" },
    seeds: { training: 51 },
    engine: { kind: engine.info.kind, reproducible: engine.info.reproducible },
    stages: [],
    warnings: [],
    notes: {},
    channels: CHANNELS.map(({ name }, c) => ({
      name,
      transform: transforms[c],
      numberMode: "bins",
      scale: scales[c],
    })),
    ensemble,
    parameters: Float32Array.from(flat.read()),
    statistics,
    centres: centres as Float64Array,
    temperature: 0.2,
    popularity: 0.4,
    signalVariance: 0.8,
    noise: { variance: 0.2, perRating: 0.5 },
    rating: { centre: 3.5, scale: 0.6 },
    items: { rows, masked: new Uint8Array(n * p), ratings },
    posterior: null,
    personal: {
      // as the preset `default` fits users
      settings: {
        target: "choice",
        fit: "map",
        items: 10,
        window: 3,
        evidence: 0.5,
        iterations: 20,
        rate: 0.05,
        unseen: 2,
        low: 0.5,
      },
      users: 200,
      mean: Float64Array.from([...Array.from(h, inverseSoftplus), 0]),
      covariance: Float64Array.from({ length: (p + 1) ** 2 }, (_, k) => (k % (p + 2) === 0 ? 0.2 : 0)),
      pool: drawPool(ratings, { others: 300, random: random.split("pool") }),
      process: null,
      rating: null,
    },
    catalogue: {
      ids: Array.from({ length: n }, (_, i) => idOf(i) as ItemId),
      titles: Array.from({ length: n }, (_, i) => `Title of item ${i}`),
      described: new Uint8Array(n).fill(1),
      fields: new Map([["country", Array.from({ length: n }, (_, i) => COUNTRIES[i % COUNTRIES.length])]]),
    },
  };
}

const COUNTRIES = ["Argentina", "Denmark", "India", "Japan", "Kenya"];

const widthOf = (c: number): number => (CHANNELS[c].name === TEXT_CHANNEL ? TEXT_WIDTH : VECTOR_WIDTH);

/** Makes the channels' vectors of items [from, from + count): each channel looks at an item's place along directions of its own, and adds what it alone knows. */
function itemMaker(engine: Engine, random: Random): (from: number, count: number) => Float32Array[] {
  const centres = normals(random.split("clusters"), CLUSTERS * PLACE);
  const views = CHANNELS.map(({ name }, c) => normals(random.split("view", name), SEEN * widthOf(c), 1 / SEEN));
  return (from, count) => {
    const stream = random.split("block", from);
    using scope = engine.scope();
    const X = scope.matrix(count, SEEN, "f32");
    const seen = X.data as Float32Array;
    for (let i = 0; i < count; i++) {
      const cluster = Math.floor(stream.uniform() ** 1.5 * CLUSTERS); // low numbers are large clusters
      for (let j = 0; j < PLACE; j++)
        seen[X.offset + i * SEEN + j] = centres[cluster * PLACE + j] + 0.3 * stream.normal();
    }
    return views.map((view, c) => {
      for (let i = 0; i < count; i++) {
        for (let j = PLACE; j < SEEN; j++) seen[X.offset + i * SEEN + j] = 0.3 * stream.normal();
      }
      const Y = scope.matrix(count, widthOf(c), "f32");
      engine.gemm(Y, X, scope.matrix(SEEN, widthOf(c), "f32").write(view));
      return Float32Array.from(Y.read());
    });
  };
}

function normals(random: Random, length: number, scale = 1): Float32Array {
  return Float32Array.from({ length }, () => scale * random.normal());
}

function vectorTensors(data: Float32Array, width: number): ReadonlyMap<string, Tensor> {
  const count = data.length / width;
  return new Map<string, Tensor>([
    ["vectors", { type: "F32", shape: [count, width], data }],
    ["missing", { type: "U8", shape: [count], data: new Uint8Array(count) }],
  ]);
}
