// From the parts of a model to the bytes of its files.
import { encodeTransform } from "../channels/channel.ts";
import { NearkinError } from "../errors.ts";
import { ensembleLayout, factorsOf } from "../metric/ensemble.ts";
import { metricWeights } from "../metric/weights.ts";
import { type PersonalPrior, personalParameters } from "../personal/settings.ts";
import { CATALOGUE, FORMAT, ITEMS, MANIFEST, TRANSFORMS, VERSION, WEIGHTS } from "./files.ts";
import { canonicalJson, checkJson } from "./json.ts";
import type { ModelCatalogue, ModelParts, ModelUpdates } from "./parts.ts";
import { encodeSafetensors, type Tensor } from "./safetensors.ts";
import { ensembleRowLayout, storedParameters } from "./scaling.ts";
import { sha256 } from "./sha256.ts";
import { checkShapes, describeShapes } from "./shapes.ts";

/**
 * The files of a model folder, by name, in the order to write them in. The same parts give the same bytes. Parts that do not fit
 * together are a `SHAPE_MISMATCH` or `BAD_ARGUMENT` here, not a broken model later.
 */
export async function encodeModel(parts: ModelParts): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  checkParts(parts);
  const transforms = parts.channels.map(({ name, transform }) => encodeTransform(transform, `${name}.`));
  const files = new Map<string, Uint8Array<ArrayBuffer>>([
    [WEIGHTS, encodeSafetensors(weightTensors(parts))],
    [ITEMS, encodeSafetensors(itemTensors(parts))],
    [TRANSFORMS, encodeSafetensors(Object.assign({}, ...transforms.map(({ tensors }) => tensors)))],
    [CATALOGUE, encodeCatalogue(parts.catalogue)],
  ]);
  const entries = [];
  for (const [name, bytes] of files) entries.push({ name, bytes: bytes.byteLength, sha256: await sha256(bytes) });
  const manifest = {
    ...describe(
      parts,
      transforms.map(({ json }) => json),
    ),
    files: entries,
  };
  checkJson(manifest, "the model");
  const id = await sha256(new TextEncoder().encode(canonicalJson(manifest)));
  const { format, version, ...rest } = manifest;
  files.set(MANIFEST, new TextEncoder().encode(`${JSON.stringify({ format, version, id, ...rest }, null, 2)}\n`));
  return files;
}

/** model.json but for the hashes: what is needed to open the model, and what people like to read. */
function describe(parts: ModelParts, transforms: readonly object[]) {
  const { ensemble, statistics, posterior } = parts;
  const { channels, ...settings } = ensemble;
  const { h, b } = metricWeights(ensemble, storedParameters(parts));
  return {
    format: FORMAT,
    version: channels.some(({ input }) => input === "factors") ? VERSION : 1,
    name: parts.name,
    dataset: { ...parts.dataset },
    tools: { ...parts.tools },
    counts: { items: parts.catalogue.ids.length },
    ...(parts.catalogue.shapes ? { fields: describeShapes(parts.catalogue.shapes) } : {}),
    metric: {
      weights: Object.fromEntries(channels.map(({ name }, c) => [name, h[c]])),
      offset: b,
      temperature: parts.temperature,
      popularity: parts.popularity,
      ...(parts.history ? { history: { ...parts.history } } : {}),
      ...(parts.updates ? { updates: describeUpdates(parts.updates) } : {}),
      signalVariance: parts.signalVariance,
      ...(parts.kernelScale === undefined ? {} : { kernelScale: parts.kernelScale }),
      noise: { ...parts.noise },
      rating: { ...parts.rating },
    },
    channels: channels.map((channel, c) => ({
      ...channel,
      distanceScale: statistics.scales[c],
      unknownLength: statistics.lengths[c],
      numberMode: parts.channels[c].numberMode,
      scale: parts.channels[c].scale,
      transform: transforms[c],
    })),
    ensemble: { ...settings, precision: parts.parameters instanceof Float32Array ? "f32" : "f64" },
    posterior: posterior && {
      likelihood: posterior.likelihood,
      inducing: posterior.m,
      targets: posterior.k,
      jitter: posterior.jitter,
      shift: posterior.shift,
    },
    ...(parts.personal ? { personal: describePersonal(parts.personal) } : {}),
    stages: parts.stages.map((stage) => ({ ...stage, metrics: { ...stage.metrics } })),
    warnings: parts.warnings.map((warning) => ({ ...warning })),
    notes: parts.notes,
    seeds: { ...parts.seeds },
    engine: {
      kind: parts.engine.kind,
      reproducible: parts.engine.reproducible,
      ...(parts.engine.library === undefined ? {} : { library: parts.engine.library }),
    },
    config: parts.config,
  };
}

function describeUpdates({ foldIn, ...rest }: ModelUpdates) {
  if (!foldIn) return rest;
  const { squares, evidence, ...settings } = foldIn;
  return { ...rest, foldIn: settings };
}

function describePersonal({ settings, users, mean, pool, process, rating }: PersonalPrior) {
  return {
    ...settings,
    users,
    parameters: mean.length,
    pool: pool.items.length,
    process: process && { ...process },
    rating: rating && { ...rating },
  };
}

function weightTensors({ ensemble, parameters, statistics, centres }: ModelParts): Record<string, Tensor> {
  const tensors: Record<string, Tensor> = {
    "statistics.scales": f64(statistics.scales, statistics.scales.length),
    "statistics.lengths": f64(statistics.lengths, statistics.lengths.length),
    "statistics.centres": f64(centres, centres.length),
  };
  ensemble.channels.forEach(({ name, input }, c) => {
    if (input === "identity")
      tensors[`statistics.standIn.${name}`] = f64(statistics.standIns[c], statistics.standIns[c].length);
  });
  for (const { name, rows, cols, offset } of ensembleLayout(ensemble).tensors) {
    const shape = [rows, cols];
    tensors[name] =
      parameters instanceof Float32Array
        ? { type: "F32", shape, data: parameters.subarray(offset, offset + rows * cols) }
        : { type: "F64", shape, data: parameters.subarray(offset, offset + rows * cols) };
  }
  return tensors;
}

function itemTensors({
  items,
  posterior,
  personal,
  updates,
  catalogue,
  ensemble,
  centres,
}: ModelParts): Record<string, Tensor> {
  const n = catalogue.ids.length;
  const p = ensemble.channels.length;
  const { foldIn } = updates ?? {};
  const tensors: Record<string, Tensor> = {
    rows: { type: "F32", shape: [n, centres.length + p + 1], data: items.rows },
    masked: { type: "U8", shape: [n, p], data: items.masked },
    ratings: { type: "I32", shape: [n], data: items.ratings },
    ...(personal ? personalTensors(personal) : {}),
    ...(foldIn
      ? {
          "foldIn.squares": f64(foldIn.squares, foldIn.squares.length),
          "foldIn.evidence": { type: "F32", shape: [n], data: foldIn.evidence },
        }
      : {}),
  };
  if (!posterior) return tensors;
  const { m, k, L, LB, beta, inducing, embeddings } = posterior;
  return {
    ...tensors,
    "posterior.inducing": { type: "I32", shape: [m], data: inducing },
    "posterior.embeddings": f64(embeddings, m, centres.length),
    "posterior.L": f64(L, m, m),
    ...(LB ? { "posterior.LB": f64(LB, m, m) } : {}),
    "posterior.beta": f64(beta, m, k),
  };
}

function personalTensors({ mean, covariance, pool }: PersonalPrior): Record<string, Tensor> {
  return {
    "personal.mean": f64(mean, mean.length),
    "personal.covariance": f64(covariance, mean.length, mean.length),
    "personal.pool.items": { type: "I32", shape: [pool.items.length], data: pool.items },
    "personal.pool.shares": f64(pool.shares, pool.shares.length),
  };
}

const f64 = (data: Float64Array, ...shape: number[]): Tensor => ({ type: "F64", shape, data });

function encodeCatalogue({ ids, titles, described, fields }: ModelCatalogue): Uint8Array<ArrayBuffer> {
  const columns = { ids, titles, described: Array.from(described), fields: Object.fromEntries(fields) };
  try {
    return new TextEncoder().encode(`${JSON.stringify(columns)}\n`);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause; // a JavaScript text has at most 2²⁹ characters
    throw new NearkinError("BAD_ARGUMENT", "encodeModel: the catalogue is too large for one file; keep fewer fields", {
      cause,
    });
  }
}

function checkParts(parts: ModelParts): void {
  const { ensemble, channels, catalogue, items, statistics, centres, parameters, posterior, personal } = parts;
  const n = catalogue.ids.length;
  const p = ensemble.channels.length;
  const layout = ensembleRowLayout(ensemble);
  const expected: [string, number, number][] = [
    ["channels", channels.length, p],
    ["parameters", parameters.length, ensembleLayout(ensemble).size],
    ["statistics.scales", statistics.scales.length, p],
    ["statistics.lengths", statistics.lengths.length, p],
    ["statistics.standIns", statistics.standIns.length, p],
    ["centres", centres.length, layout.embeddingSize],
    ["items.rows", items.rows.length, n * layout.width],
    ["items.masked", items.masked.length, n * p],
    ["items.ratings", items.ratings.length, n],
    ["catalogue.titles", catalogue.titles.length, n],
    ["catalogue.described", catalogue.described.length, n],
    ...Array.from(catalogue.fields, ([name, cells]): [string, number, number] => [
      `catalogue.fields.${name}`,
      cells.length,
      n,
    ]),
  ];
  if (posterior) {
    const { m, k } = posterior;
    expected.push(
      ["posterior.inducing", posterior.inducing.length, m],
      ["posterior.embeddings", posterior.embeddings.length, m * layout.embeddingSize],
      ["posterior.L", posterior.L.length, m * m],
      ["posterior.LB", posterior.LB?.length ?? m * m, m * m],
      ["posterior.beta", posterior.beta.length, m * k],
    );
  }
  const foldIn = parts.updates?.foldIn;
  if (foldIn) {
    expected.push(
      ["foldIn.squares", foldIn.squares.length, factorsOf(ensemble)],
      ["foldIn.evidence", foldIn.evidence.length, n],
    );
  }
  if (personal) {
    const { settings, mean, covariance, pool } = personal;
    const P = personalParameters(ensemble, settings.target);
    expected.push(
      ["personal.mean", mean.length, P],
      ["personal.covariance", covariance.length, P * P],
      ["personal.pool.shares", pool.shares.length, pool.items.length],
    );
  }
  for (const [name, length, wanted] of expected) {
    if (length !== wanted) {
      throw new NearkinError("SHAPE_MISMATCH", `encodeModel: ${name} must hold ${wanted} entries, got ${length}`);
    }
  }
  const unfit = checkShapes(parts);
  if (unfit) throw new NearkinError("BAD_ARGUMENT", `encodeModel: catalogue.shapes.${unfit.name} ${unfit.problem}`);
  ensemble.channels.forEach(({ name }, c) => {
    if (channels[c].name === name) return;
    throw new NearkinError(
      "BAD_ARGUMENT",
      `encodeModel: channel ${c} is ${name} in ensemble, ${channels[c].name} in channels`,
    );
  });
}
