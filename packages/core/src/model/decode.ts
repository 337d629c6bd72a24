// From the bytes of a model folder to its parts. Nothing is believed: sizes, hashes, types and shapes are compared first, and what is
// wrong is a BAD_MODEL that says in which file, and what to do.
import { checkFoldIn, type FoldInSettings } from "../behavior/fold-in.ts";
import { decodeTransform } from "../channels/channel.ts";
import { NearkinError } from "../errors.ts";
import type { Likelihood } from "../gp/inputs.ts";
import type { EngineKind } from "../linalg/engine.ts";
import type { FloatArray } from "../linalg/matrix.ts";
import {
  type ChannelSpec,
  type EnsembleConfig,
  embeddingWidth,
  ensembleLayout,
  factorsOf,
} from "../metric/ensemble.ts";
import { type PersonalPrior, type ProcessScale, personalParameters, personalTargets } from "../personal/settings.ts";
import { CATALOGUE, FORMAT, HASHED, ITEMS, MANIFEST, TRANSFORMS, VERSION, WEIGHTS } from "./files.ts";
import type { ItemId } from "./ids.ts";
import { badModel, canonicalJson, JsonReader } from "./json.ts";
import type {
  ModelCatalogue,
  ModelChannel,
  ModelEngine,
  ModelHistory,
  ModelItems,
  ModelParts,
  ModelPosterior,
  ModelUpdates,
} from "./parts.ts";
import { decodeSafetensors, type Tensor, type TensorType } from "./safetensors.ts";
import { sha256 } from "./sha256.ts";
import { checkShapes, readShapes } from "./shapes.ts";

const KINDS: readonly EngineKind[] = ["plain", "wasm", "wasm-relaxed", "native"];
const LIKELIHOODS: readonly Likelihood[] = ["exact", "dtc", "fitc", "pitc", "vfe"];

/** Gives the bytes of a file of the model folder; rejects where there is none. */
export type ReadModelFile = (name: string) => Promise<Uint8Array>;

/** Reads and checks a whole model. Arrays may be views of the bytes that `read` gave: leave those unchanged. */
export async function decodeModel(read: ReadModelFile): Promise<ModelParts> {
  const manifest = await readManifest(read);
  const files = await readFiles(read, manifest);
  const file = (name: string) => files.get(name) as Uint8Array;
  const ensemble = readEnsemble(manifest);
  const precision = manifest.part("ensemble").oneOf("precision", ["f32", "f64"]);
  const n = manifest.part("counts").count("items");
  const p = ensemble.channels.length;
  const weights = new TensorReader(WEIGHTS, file(WEIGHTS));
  const items = new TensorReader(ITEMS, file(ITEMS));
  const e = embeddingWidth(ensemble);
  const metric = manifest.part("metric");
  const noise = metric.part("noise");
  const rating = metric.part("rating");
  const dataset = manifest.part("dataset");
  const channels = readChannels(manifest, file(TRANSFORMS));
  return {
    id: manifest.text("id"),
    name: manifest.text("name"),
    tools: manifest.record("tools", "string"),
    dataset: { id: dataset.text("id"), name: dataset.text("name"), simulated: dataset.flag("simulated") },
    config: manifest.object("config"),
    seeds: manifest.record("seeds", "number"),
    engine: readEngine(manifest.part("engine")),
    stages: manifest.parts("stages").map((stage) => ({
      name: stage.text("name"),
      steps: stage.count("steps"),
      best: stage.count("best"),
      metrics: stage.record("metrics", "number"),
    })),
    warnings: manifest.parts("warnings").map((warning) => ({
      code: warning.text("code"),
      text: warning.text("text"),
      stage: warning.isNull("stage") ? null : warning.text("stage"),
      step: warning.count("step"),
    })),
    notes: manifest.object("notes"),
    channels,
    ensemble,
    parameters: readParameters(weights, ensemble, precision),
    statistics: {
      scales: weights.f64("statistics.scales", p).slice(),
      lengths: weights.f64("statistics.lengths", p).slice(),
      standIns: ensemble.channels.map(({ name, input, embeddingSize }) =>
        input === "identity" ? weights.f64(`statistics.standIn.${name}`, embeddingSize).slice() : new Float64Array(0),
      ),
    },
    centres: weights.f64("statistics.centres", e).slice(),
    temperature: metric.number("temperature"),
    popularity: metric.number("popularity"),
    ...(metric.has("history") ? { history: readHistory(metric.part("history")) } : {}),
    ...(metric.has("updates")
      ? { updates: readUpdates(metric.part("updates"), items, { n, k: factorsOf(ensemble) }) }
      : {}),
    signalVariance: metric.number("signalVariance"),
    ...(metric.has("kernelScale") ? { kernelScale: metric.number("kernelScale") } : {}),
    noise: { variance: noise.number("variance"), perRating: noise.number("perRating") },
    rating: { centre: rating.number("centre"), scale: rating.number("scale") },
    items: readItems(items, n, e, p),
    posterior: manifest.isNull("posterior") ? null : readPosterior(manifest.part("posterior"), items, { n, e }),
    ...(manifest.has("personal") ? { personal: readPersonal(manifest.part("personal"), items, { ensemble, n }) } : {}),
    catalogue: withShapes(readCatalogue(file(CATALOGUE), n), manifest, channels),
  };
}

/** model.json, once it is known to be one of ours, of this version, and as it was written. */
async function readManifest(read: ReadModelFile): Promise<JsonReader> {
  const bytes = await readFile(read, MANIFEST);
  const manifest = new JsonReader(parseJson(MANIFEST, bytes), MANIFEST);
  const format = manifest.has("format") ? manifest.text("format") : "none";
  if (format !== FORMAT)
    throw badModel(`${MANIFEST}: its format is "${format}", not "${FORMAT}"; this is no model folder`);
  const version = manifest.count("version", 1);
  if (version > VERSION) {
    throw badModel(
      `${MANIFEST}: the model has version ${version}, this program reads up to ${VERSION}; upgrade with: npm install nearkin@latest`,
    );
  }
  const { id, ...rest } = parseJson(MANIFEST, bytes) as Record<string, unknown>;
  const actual = await sha256(new TextEncoder().encode(canonicalJson(rest)));
  if (actual !== id) {
    throw badModel(
      `${MANIFEST} was changed after it was written (its id does not fit); copy the folder again, or train the model again`,
    );
  }
  return manifest;
}

/** A plain file name: a path could lead out of the folder. */
const FILE_NAME = /^\w[\w.-]*$/;

async function readFiles(read: ReadModelFile, manifest: JsonReader): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const entry of manifest.parts("files")) {
    const name = entry.text("name");
    if (!FILE_NAME.test(name)) throw entry.problem("name", "is not the name of a file in the folder");
    const size = entry.count("bytes");
    const bytes = await readFile(read, name);
    if (bytes.byteLength !== size) {
      throw badModel(
        `${name} has ${bytes.byteLength} bytes instead of ${size}; copy the folder again, or train the model again`,
      );
    }
    if ((await sha256(bytes)) !== entry.text("sha256")) {
      throw badModel(
        `${name} was changed or damaged after it was written (its sha256 does not fit); copy the folder again, or train the model again`,
      );
    }
    files.set(name, bytes);
  }
  for (const name of HASHED) if (!files.has(name)) throw manifest.problem("files", `does not list ${name}`);
  return files;
}

async function readFile(read: ReadModelFile, name: string): Promise<Uint8Array> {
  try {
    return await read(name);
  } catch (cause) {
    if (cause instanceof NearkinError && cause.code === "BAD_MODEL") throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw badModel(`${name} cannot be read (${why}); is this a model folder, and complete?`, { cause });
  }
}

function parseJson(name: string, bytes: Uint8Array): unknown {
  try {
    const plain = bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice(); // TextDecoder refuses shared memory
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain));
  } catch (cause) {
    throw badModel(`${name} is not JSON, or cut short; copy the folder again, or train the model again`, { cause });
  }
}

/** Names go into SQL, CSV headers and logs: one line each. */
function channelName(channel: JsonReader): string {
  const name = channel.text("name");
  if (name === "" || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw channel.problem("name", "is empty, or has a line break or another control character");
  }
  return name;
}

function readEnsemble(manifest: JsonReader): EnsembleConfig {
  const settings = manifest.part("ensemble");
  return {
    channels: manifest.parts("channels").map(
      (channel): ChannelSpec => ({
        name: channelName(channel),
        input: channel.oneOf("input", ["dense", "sparse", "identity", "factors"]),
        inputWidth: channel.count("inputWidth", 1),
        embeddingSize: channel.count("embeddingSize", 1),
      }),
    ),
    hidden: settings.count("hidden", 1),
    link: settings.oneOf("link", ["linear", "saturating", "sigmoid"]),
    weights: settings.oneOf("weights", ["signed", "softplus"]),
    scale: settings.oneOf("scale", ["identity", "diagonal"]),
  };
}

function readChannels(manifest: JsonReader, bytes: Uint8Array): ModelChannel[] {
  const { tensors } = decoding(TRANSFORMS, () => decodeSafetensors(bytes));
  return manifest.parts("channels").map((channel) => {
    const name = channelName(channel);
    return {
      name,
      transform: decoding(TRANSFORMS, () => decodeTransform(channel.object("transform"), tensors, `${name}.`)),
      numberMode: channel.oneOf("numberMode", ["bins", "standardised"]),
      scale: channel.number("scale"),
    };
  });
}

function readEngine(engine: JsonReader): ModelEngine {
  return {
    kind: engine.oneOf("kind", KINDS),
    reproducible: engine.flag("reproducible"),
    ...(engine.has("library") ? { library: engine.text("library") } : {}),
  };
}

function readHistory(history: JsonReader): ModelHistory {
  const decay = history.number("decay");
  if (!(decay > 0 && decay <= 1)) throw history.problem("decay", "is not in (0, 1]");
  return { weight: history.number("weight"), decay, items: history.count("items", 1) };
}

function readUpdates(updates: JsonReader, items: TensorReader, { n, k }: { n: number; k: number }): ModelUpdates {
  const perEvent = updates.number("perEvent");
  if (!(perEvent > 0)) throw updates.problem("perEvent", "is not above 0");
  const halfLife = updates.isNull("halfLife") ? null : updates.number("halfLife");
  if (halfLife !== null && !(halfLife > 0)) throw updates.problem("halfLife", "is not above 0");
  const time = updates.isNull("time") ? null : updates.number("time");
  if (!updates.has("foldIn")) return { time, halfLife, perEvent };
  const json = updates.part("foldIn");
  const foldIn: FoldInSettings = {
    userLengthExponent: json.number("userLengthExponent"),
    session: json.count("session", 1),
    sessionWeight: json.number("sessionWeight"),
    shrinkage: json.number("shrinkage"),
    normExponent: json.number("normExponent"),
    prior: json.number("prior"),
    squares: items.f64("foldIn.squares", k).slice(),
    evidence: items.f32("foldIn.evidence", n).slice(),
  };
  decoding(ITEMS, () => checkFoldIn(foldIn));
  return { time, halfLife, perEvent, foldIn };
}

function readParameters(weights: TensorReader, ensemble: EnsembleConfig, precision: "f32" | "f64"): FloatArray {
  const layout = decoding(MANIFEST, () => ensembleLayout(ensemble));
  const flat = precision === "f32" ? new Float32Array(layout.size) : new Float64Array(layout.size);
  for (const { name, rows, cols, offset } of layout.tensors) {
    flat.set(precision === "f32" ? weights.f32(name, rows, cols) : weights.f64(name, rows, cols), offset);
  }
  return flat;
}

function readItems(items: TensorReader, n: number, e: number, p: number): ModelItems {
  return {
    rows: items.f32("rows", n, e + p + 1),
    masked: items.u8("masked", n, p),
    ratings: items.i32("ratings", n),
  };
}

function readPosterior(json: JsonReader, items: TensorReader, { n, e }: { n: number; e: number }): ModelPosterior {
  const likelihood = json.oneOf("likelihood", LIKELIHOODS);
  const m = json.count("inducing", 1);
  const k = json.count("targets", 1);
  const inducing = items.i32("posterior.inducing", m);
  if (!inducing.every((item) => item >= 0 && item < n)) {
    throw badModel(
      `${ITEMS}: "posterior.inducing" names items outside [0, ${n}); train the model again with this version`,
    );
  }
  return {
    likelihood,
    m,
    k,
    inducing,
    embeddings: items.f64("posterior.embeddings", m, e),
    L: items.f64("posterior.L", m, m),
    ...(likelihood === "exact" ? {} : { LB: items.f64("posterior.LB", m, m) }),
    beta: items.f64("posterior.beta", m, k),
    jitter: json.number("jitter"),
    shift: json.number("shift"),
  };
}

function readPersonal(
  json: JsonReader,
  items: TensorReader,
  { ensemble, n }: { ensemble: EnsembleConfig; n: number },
): PersonalPrior {
  const target = json.oneOf("target", personalTargets);
  const P = personalParameters(ensemble, target);
  const m = json.count("pool");
  const pool = { items: items.i32("personal.pool.items", m), shares: items.f64("personal.pool.shares", m).slice() };
  if (!pool.items.every((item) => item >= 0 && item < n)) {
    throw badModel(
      `${ITEMS}: "personal.pool.items" names items outside [0, ${n}); train the model again with this version`,
    );
  }
  const scale = (name: string): ProcessScale | null => {
    if (json.isNull(name)) return null;
    const part = json.part(name);
    return { rate: part.number("rate"), variance: part.number("variance"), noise: part.number("noise") };
  };
  return {
    settings: {
      target,
      fit: json.oneOf("fit", ["map", "descent"]),
      items: json.count("items", 2),
      window: json.count("window", 1),
      evidence: json.number("evidence"),
      iterations: json.count("iterations"),
      rate: json.number("rate"),
      unseen: json.number("unseen"),
      low: json.number("low"),
    },
    users: json.count("users"),
    mean: items.f64("personal.mean", P).slice(),
    covariance: items.f64("personal.covariance", P, P).slice(),
    pool,
    process: scale("process"),
    rating: scale("rating"),
  };
}

function readCatalogue(bytes: Uint8Array, n: number): ModelCatalogue {
  const json = new JsonReader(parseJson(CATALOGUE, bytes), CATALOGUE);
  const ids = json.texts("ids");
  if (ids.length !== n) throw json.problem("ids", `has ${ids.length} entries instead of ${n}`);
  const described = json.list("described");
  if (described.length !== n || !described.every((mark) => mark === 0 || mark === 1)) {
    throw json.problem("described", `is not a list of ${n} zeros and ones`);
  }
  const fields = json.part("fields");
  return {
    ids: ids as readonly string[] as readonly ItemId[],
    titles: json.cells("titles", n),
    described: Uint8Array.from(described as number[]),
    fields: new Map(Object.keys(json.object("fields")).map((name) => [name, fields.cells(name, n)])),
  };
}

function withShapes(
  catalogue: ModelCatalogue,
  manifest: JsonReader,
  channels: readonly ModelChannel[],
): ModelCatalogue {
  if (!manifest.has("fields")) return catalogue;
  const shapes = readShapes(manifest.part("fields"), Object.keys(manifest.object("fields")));
  const unfit = checkShapes({ catalogue: { ...catalogue, shapes }, channels });
  if (unfit) throw manifest.problem(`fields.${unfit.name}`, unfit.problem);
  return { ...catalogue, shapes };
}

/** Whatever a decoder has against a file is a BAD_MODEL that names it. */
function decoding<T>(name: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (!(cause instanceof NearkinError) || cause.code === "BAD_MODEL") throw cause;
    throw badModel(`${name}: ${cause.message}; train the model again with this version`, { cause });
  }
}

/** Tensors of a file, by name, with the type and shape they must have. */
class TensorReader {
  readonly #file: string;
  readonly #tensors: ReadonlyMap<string, Tensor>;

  constructor(file: string, bytes: Uint8Array) {
    this.#file = file;
    this.#tensors = decoding(file, () => decodeSafetensors(bytes)).tensors;
  }

  // Floats may be views of the file. The others are copies: they outlive it, and would keep all of it in memory.
  f32 = (name: string, ...shape: number[]) => this.#tensor(name, "F32", shape).data as Float32Array;
  f64 = (name: string, ...shape: number[]) => this.#tensor(name, "F64", shape).data as Float64Array;
  i32 = (name: string, ...shape: number[]) => (this.#tensor(name, "I32", shape).data as Int32Array).slice();
  u8 = (name: string, ...shape: number[]) => (this.#tensor(name, "U8", shape).data as Uint8Array).slice();

  #tensor(name: string, type: TensorType, shape: readonly number[]): Tensor {
    const tensor = this.#tensors.get(name);
    if (tensor?.type === type && String(tensor.shape) === String(shape)) return tensor;
    const got = tensor ? `${tensor.type} [${tensor.shape}]` : "nothing";
    throw badModel(
      `${this.#file}: "${name}" must be ${type} [${shape}], got ${got}; train the model again with this version`,
    );
  }
}
