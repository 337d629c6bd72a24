// Surrogate: what a Gaussian process on the inputs of other channels expects an item's collaborative factors to be, whether anyone has met the
// item or not. Here is what a new item needs for it: the inducing items as they are in those channels, the kernel between the two, and β.
// m inducing items, p source channels, d inputs of one of them, k factors.
import { prefixed, type Stored, type StoredReader, vectorTensor } from "./stored.ts";

/** The inputs of the inducing items in a channel, as its tower gets them. */
export type SourceRows =
  | {
      readonly kind: "dense";
      /** (m, d) */
      readonly values: Float32Array;
    }
  | {
      readonly kind: "sparse";
      /** (m + 1) */
      readonly starts: Int32Array;
      readonly columns: Int32Array;
      /** Of every entry. */
      readonly value: number;
    };

/** A channel that the process looks at. */
export interface SurrogateSource {
  readonly name: string;
  /** d */
  readonly width: number;
  readonly rows: SourceRows;
  /** (m) 1 where an inducing item has no value. */
  readonly missing: Uint8Array;
  /** (d) Mean input of the training items: the stand-in for a missing value. */
  readonly mean: Float64Array;
  /** s_c: the squared distance of a typical random pair. */
  readonly scale: number;
  /** ρ_c = mean‖x − mean‖²: how far an item without a value lies along an axis of its own. */
  readonly length: number;
}

export interface SurrogateTransform {
  readonly type: "surrogate";
  /** k */
  readonly width: number;
  /** m */
  readonly inducing: number;
  readonly sources: readonly SurrogateSource[];
  /** (2p) w of the term of all channels together, then of each by itself. */
  readonly logWeights: Float64Array;
  /** (p + 1) log v of those terms. */
  readonly logVariances: Float64Array;
  /** β (m, k): the mean is k_*mᵀβ. */
  readonly beta: Float64Array;
}

export function encodeSurrogate(transform: SurrogateTransform): Stored {
  const { type, width, inducing, sources, logWeights, logVariances, beta } = transform;
  const parts = sources.map((source, c) => {
    const { name, width: d, scale, length, rows, missing, mean } = source;
    const json = { name, width: d, scale, length, kind: rows.kind };
    const shared = { missing: vectorTensor.u8(missing), mean: vectorTensor.f64(mean) };
    const at = `source${c}`; // names of channels may hold anything
    if (rows.kind === "dense") {
      return { at, json, tensors: prefixed(`${at}.`, { ...shared, values: vectorTensor.f32(rows.values) }) };
    }
    const { starts, columns, value } = rows;
    const tensors = { ...shared, starts: vectorTensor.i32(starts), columns: vectorTensor.i32(columns) };
    return { at, json: { ...json, value }, tensors: prefixed(`${at}.`, tensors) };
  });
  return {
    json: {
      type,
      width,
      inducing,
      sources: sources.length,
      ...Object.fromEntries(parts.map(({ at, json }) => [at, json])),
    },
    tensors: {
      logWeights: vectorTensor.f64(logWeights),
      logVariances: vectorTensor.f64(logVariances),
      beta: vectorTensor.f64(beta),
      ...Object.assign({}, ...parts.map(({ tensors }) => tensors)),
    },
  };
}

export function decodeSurrogate(stored: StoredReader): SurrogateTransform {
  const width = stored.count("width", 1);
  const inducing = stored.count("inducing", 1);
  const p = stored.count("sources", 1);
  return {
    type: "surrogate",
    width,
    inducing,
    sources: Array.from({ length: p }, (_, c) => decodeSource(stored.part(`source${c}`), inducing)),
    logWeights: stored.f64("logWeights", 2 * p),
    logVariances: stored.f64("logVariances", p + 1),
    beta: stored.f64("beta", inducing * width),
  };
}

function decodeSource(stored: StoredReader, m: number): SurrogateSource {
  const width = stored.count("width", 1);
  return {
    name: stored.text("name"),
    width,
    rows: decodeRows(stored, m, width),
    missing: stored.u8("missing", m),
    mean: stored.f64("mean", width),
    scale: stored.number("scale"),
    length: stored.number("length"),
  };
}

function decodeRows(stored: StoredReader, m: number, width: number): SourceRows {
  const kind = stored.text("kind");
  if (kind === "dense") return { kind, values: stored.f32("values", m * width) };
  if (kind !== "sparse") throw stored.problem(`the kind is "${kind}"; known are dense, sparse`);
  const starts = stored.i32("starts", m + 1);
  const columns = stored.i32("columns");
  const ordered = starts.every((start, i) => start >= (i === 0 ? 0 : starts[i - 1]));
  if (!ordered || starts[m] !== columns.length) throw stored.problem(`"starts" does not fit "columns"`);
  if (!columns.every((column) => column >= 0 && column < width)) throw stored.problem(`"columns" is out of range`);
  return { kind, starts, columns, value: stored.number("value") };
}
