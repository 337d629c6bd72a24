// The channels of a dataset: what was fitted on the training items, and the inputs of all items, checked against each other.
import { type ChannelTransform, decodeTransform, type Tensor } from "@nearkin/core";
import { badDataset, type Dataset } from "./open.ts";
import { checkIndices, reading, readTensors } from "./read.ts";

/** A channel as `prepare` wrote it; n items. */
export interface DatasetChannel {
  readonly transform: ChannelTransform;
  /**
   * Inputs before the transform, by item:
   * - `number`, `date`: `values` F64 (n), NaN where missing; dates are days since 1970
   * - `categories`: `starts` I32 (n + 1) and `indices` I32, terms of the transform
   * - `vector`, `text`, `geo`: `vectors` F32 (n, width), as the encoder made them, before any PCA
   * - each with `missing` U8 (n), 1 where the item has no value; `identity` has no tensors at all
   */
  readonly tensors: ReadonlyMap<string, Tensor>;
}

/** All channels, in the order of the configuration. */
export async function loadChannels(dataset: Dataset): Promise<Map<string, DatasetChannel>> {
  const channels = new Map<string, DatasetChannel>();
  for (const [name, transform] of await loadTransforms(dataset)) {
    channels.set(name, { transform, tensors: await loadInputs(dataset, name, transform) });
  }
  return channels;
}

/** What was fitted, without the inputs of the items. */
export async function loadTransforms(dataset: Dataset): Promise<Map<string, ChannelTransform>> {
  const tensors = await readTensors(dataset, "transforms.safetensors");
  const transforms = new Map<string, ChannelTransform>();
  for (const [name, { transform }] of Object.entries(dataset.manifest.channels)) {
    const decode = async () => decodeTransform(transform, tensors, `${name}.`);
    transforms.set(name, await reading(dataset, `the transform of channel ${name}`, decode));
  }
  return transforms;
}

/** The inputs of one channel: large catalogues have channels that do not all fit in memory at once. */
export async function loadInputs(
  dataset: Dataset,
  name: string,
  transform: ChannelTransform,
): Promise<ReadonlyMap<string, Tensor>> {
  if (transform.type === "identity") return new Map();
  const file = `channels/${name}.safetensors`;
  const tensors = await readTensors(dataset, file);
  const n = dataset.manifest.counts.items;
  const expected = expectedTensors(transform, n);
  for (const [key, [type, ...shape]] of Object.entries(expected)) {
    const tensor = tensors.get(key);
    const fits =
      tensor?.type === type &&
      tensor.shape.length === shape.length &&
      shape.every((size, axis) => size === ANY || size === tensor.shape[axis]);
    if (!fits) {
      const wanted = `${type} [${shape.map((size) => (size === ANY ? "any" : size)).join(", ")}]`;
      const got = tensor ? `${tensor.type} [${tensor.shape.join(", ")}]` : "nothing";
      throw badDataset(dataset.folder, `${file}: "${key}" must be ${wanted}, got ${got}`);
    }
  }
  if (transform.type === "categories") checkRows(dataset, file, tensors, transform.terms.length);
  return tensors;
}

const ANY = -1;

function expectedTensors(
  transform: Exclude<ChannelTransform, { type: "identity" }>,
  n: number,
): Record<string, [Tensor["type"], ...number[]]> {
  switch (transform.type) {
    case "number":
    case "date":
      return { values: ["F64", n], missing: ["U8", n] };
    case "categories":
      return { starts: ["I32", n + 1], indices: ["I32", ANY], missing: ["U8", n] };
    case "vector":
    case "surrogate": // these two are made in training; no dataset has one of its own
    case "behavior":
      return { vectors: ["F32", n, transform.width], missing: ["U8", n] };
    case "geo":
      return { vectors: ["F32", n, 3], missing: ["U8", n] };
    case "text": {
      const { encoder } = transform;
      const width = encoder.kind === "lsa" ? encoder.lsa.dimensions : encoder.dimensions;
      return { vectors: ["F32", n, width], missing: ["U8", n] };
    }
  }
}

function checkRows(dataset: Dataset, file: string, tensors: ReadonlyMap<string, Tensor>, terms: number): void {
  const starts = tensors.get("starts")?.data as Int32Array;
  const indices = tensors.get("indices")?.data as Int32Array;
  const ordered = starts[0] === 0 && starts.every((start, i) => i === 0 || start >= starts[i - 1]);
  if (!ordered || starts[starts.length - 1] !== indices.length) {
    throw badDataset(dataset.folder, `${file}: "starts" must rise from 0 to the ${indices.length} indices`);
  }
  checkIndices(dataset, `${file}: "indices"`, indices, terms);
}
