// From the stored values of a catalogue (a dataset's tensors and the fitted transform) to the inputs of a channel, all n items in bulk.
// Dense inputs are float32 outside the arena: they may be larger than it.
import { type ChannelTransform, inputWidth } from "../channels/channel.ts";
import { applyDate } from "../channels/date.ts";
import { applyIdentity } from "../channels/identity.ts";
import { applyNumber, type NumberMode } from "../channels/number.ts";
import type { Pca } from "../channels/pca.ts";
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import type { ItemIndex } from "../model/ids.ts";
import type { Tensor, TensorType } from "../model/safetensors.ts";
import type { ChannelInput } from "./ensemble.ts";

const BLOCK = 1024; // rows in one product; fixed, so that results do not depend on n

/** `norm`: inputs are multiplied so that their mean square norm over the training items is 1. `none`: left as they are. */
export type InputScaling = "norm" | "none";

export interface ChannelInputOptions {
  /** What numbers and dates become. */
  readonly numberMode: NumberMode;
  readonly scaling: InputScaling;
  /** Training items: flags of all n (Uint8Array), or their indices (Int32Array). Only those with a value are measured. */
  readonly fitOn: Uint8Array | Int32Array;
  /** Measured before: use it, and do not measure. @default measured */
  readonly scale?: number;
  /** n: needed for identity, which has no tensors, where `fitOn` are indices. @default the length of the tensors, or of the flags */
  readonly itemCount?: number;
}

export interface ScaledInput {
  readonly input: Exclude<ChannelInput, { kind: "factors" }>;
  /** What the inputs were multiplied with: to be stored, for items to come. */
  readonly scale: number;
}

/** The inputs of a channel for all n items. `tensors` are a dataset's: values before the transform, and `missing` (n). */
export function channelInput(
  engine: Engine,
  transform: ChannelTransform,
  tensors: ReadonlyMap<string, Tensor>,
  options: ChannelInputOptions,
): ScaledInput {
  switch (transform.type) {
    case "identity":
      return { input: identityInput(transform, options), scale: 1 };
    case "categories":
      return categoriesInput(transform.terms.length, tensors, options);
    case "number":
    case "date": {
      const { numberMode: mode } = options;
      const values = data(tensors, "values", "F64");
      const out = new Float32Array(inputWidth(transform, mode));
      return denseInput(out.length, tensors, options, (rows, missing) => {
        for (let i = 0; i < missing.length; i++) {
          if (missing[i] !== 0) continue;
          if (transform.type === "number") applyNumber(transform, values[i], { mode, out });
          else applyDate(transform, values[i], { mode, out });
          rows.set(out, i * out.length);
        }
      });
    }
    case "behavior":
      throw new NearkinError("BAD_ARGUMENT", "channelInput: factors of who met an item are no input of a tower");
    case "geo":
    case "surrogate":
    case "vector":
    case "text": {
      const vectors = data(tensors, "vectors", "F32");
      const pca = "pca" in transform ? transform.pca : undefined;
      const width = inputWidth(transform);
      return denseInput(width, tensors, options, (rows, missing) => {
        checkLength("vectors", vectors, missing.length * (pca?.width ?? width));
        if (pca) return applyPcaToAll(engine, pca, vectors, rows);
        rows.set(vectors);
        return undefined;
      });
    }
  }
}

/** x·scale as a channel takes it, rounded once: the same for a catalogue and for a single item. */
export function scaleInPlace(values: Float32Array, scale: number): Float32Array {
  if (scale !== 1) for (let i = 0; i < values.length; i++) values[i] *= scale;
  return values;
}

/** Inputs of `width`: `fill` writes the rows of items that have a value, the others become 0. */
function denseInput(
  width: number,
  tensors: ReadonlyMap<string, Tensor>,
  options: ChannelInputOptions,
  fill: (rows: Float32Array, missing: Uint8Array) => void,
): ScaledInput {
  const missing = data(tensors, "missing", "U8");
  const rows = new Float32Array(missing.length * width);
  fill(rows, missing);
  for (let i = 0; i < missing.length; i++) if (missing[i] !== 0) rows.fill(0, i * width, (i + 1) * width);
  const scale = scaleOf(options, missing, (i) => {
    let square = 0;
    for (let j = i * width; j < (i + 1) * width; j++) square += rows[j] * rows[j];
    return square;
  });
  scaleInPlace(rows, scale);
  return { input: { kind: "dense", values: hostMatrix(rows, missing.length, width), missing }, scale };
}

function categoriesInput(
  width: number,
  tensors: ReadonlyMap<string, Tensor>,
  options: ChannelInputOptions,
): ScaledInput {
  const missing = data(tensors, "missing", "U8");
  const starts = data(tensors, "starts", "I32");
  const columns = data(tensors, "indices", "I32");
  checkLength("starts", starts, missing.length + 1);
  const scale = scaleOf(options, missing, (i) => starts[i + 1] - starts[i]);
  return { input: { kind: "sparse", width, starts, columns, value: Math.fround(scale), missing }, scale };
}

function identityInput(
  transform: ChannelTransform & { type: "identity" },
  { fitOn, itemCount }: ChannelInputOptions,
): ScaledInput["input"] {
  const n = itemCount ?? (fitOn instanceof Uint8Array ? fitOn.length : undefined);
  if (n === undefined) throw new NearkinError("BAD_ARGUMENT", "channelInput: identity needs itemCount");
  const cold = new Uint8Array(n);
  const rows = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const row = applyIdentity(transform, i as ItemIndex);
    if (row === undefined) cold[i] = 1;
    else rows[i] = row;
  }
  return { kind: "identity", cold, rows };
}

/** 1/√(mean square norm) over the training items with a value; 1 where all of them are 0. Sums are in float64, in order of index. */
function scaleOf(
  { scaling, scale, fitOn }: ChannelInputOptions,
  missing: Uint8Array,
  squareNorm: (item: number) => number,
): number {
  if (scaling === "none") return 1;
  if (scale !== undefined) return scale;
  let total = 0;
  let count = 0;
  const add = (item: number) => {
    if (missing[item] !== 0) return;
    total += squareNorm(item);
    count++;
  };
  if (fitOn instanceof Int32Array) Int32Array.from(fitOn).sort().forEach(add);
  else for (let i = 0; i < fitOn.length; i++) if (fitOn[i] !== 0) add(i);
  if (count === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "channelInput: none of the training items has a value; leave the channel out",
    );
  }
  return total === 0 ? 1 : Math.sqrt(count / total);
}

/** y_j = v_jᵀ(x − μ) for all rows x, as applyPca: centred and summed in float64, block by block. */
function applyPcaToAll(
  engine: Engine,
  { width, dimensions, mean, components }: Pca,
  vectors: Float32Array,
  out: Float32Array,
): void {
  const n = vectors.length / width;
  const scope = engine.scope();
  try {
    const V = scope.matrix(dimensions, width, "f64").write(components);
    const X = scope.matrix(BLOCK, width, "f64");
    const Y = scope.matrix(BLOCK, dimensions, "f64");
    for (let first = 0; first < n; first += BLOCK) {
      const rows = Math.min(BLOCK, n - first);
      const centred = X.data;
      for (let i = 0; i < rows; i++) {
        const from = (first + i) * width;
        const to = X.offset + i * width;
        for (let j = 0; j < width; j++) centred[to + j] = vectors[from + j] - mean[j];
      }
      engine.gemm(Y.view(0, rows), X.view(0, rows), V, { transposeB: true });
      const y = Y.data;
      for (let i = 0; i < rows * dimensions; i++) out[first * dimensions + i] = y[Y.offset + i];
    }
  } finally {
    scope.close();
  }
}

type TensorData = { [T in TensorType]: Extract<Tensor, { type: T }>["data"] };

/** The numbers of a tensor of this type. */
function data<T extends TensorType>(tensors: ReadonlyMap<string, Tensor>, name: string, type: T): TensorData[T] {
  const tensor = tensors.get(name);
  if (tensor?.type !== type) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `channelInput: the tensor "${name}" must be ${type}, got ${tensor ? tensor.type : "nothing"}`,
    );
  }
  return tensor.data as TensorData[T];
}

function checkLength(name: string, values: { readonly length: number }, length: number): void {
  if (values.length !== length) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `channelInput: "${name}" must hold ${length} numbers, got ${values.length}`,
    );
  }
}
