// The catalogue as it was prepared, without any tower: 1 − cosine in each channel, for the baselines that learn nothing or only weights.
//
// Unit vectors over √2 make a lifted row's squared distance 1 − cos. A missing value is the zero vector with ρ = ½, which puts it at 1, cosine
// 0, from everything, other missing values included.
// n items, p channels
import {
  buildRows,
  type ContentInput,
  channelInput,
  type Engine,
  type LiftedRows,
  liftedItem,
  liftRows,
  NearkinError,
  rowLayout,
  type Scope,
} from "@nearkin/core";
import { type Dataset, loadChannels } from "@nearkin/data";

export interface Content {
  /** (p) */
  readonly channels: readonly string[];
  readonly rows: LiftedRows;
}

export interface ContentOptions {
  /** Holds the rows: as long as it is open, they can be ranked. */
  scope: Scope;
  ids: readonly string[];
  /** Items that transforms were fitted on. */
  trainItems: Int32Array;
  /** (n) */
  logPopularity: ArrayLike<number>;
}

/** All channels of a dataset but identities, which say nothing of content. */
export async function loadContent(engine: Engine, dataset: Dataset, options: ContentOptions): Promise<Content> {
  const { scope, ids, trainItems, logPopularity } = options;
  const n = ids.length;
  const names: string[] = [];
  const inputs: ContentInput[] = [];
  for (const [name, { transform, tensors }] of await loadChannels(dataset)) {
    const { input } = channelInput(engine, transform, tensors, {
      numberMode: "bins",
      scaling: "none",
      fitOn: trainItems,
      itemCount: n,
    });
    if (input.kind === "identity") continue;
    names.push(name);
    inputs.push(input);
  }
  if (inputs.length === 0) throw new NearkinError("BAD_DATASET", `${dataset.folder} has no channel with content`);
  const layout = rowLayout(inputs.map((input) => (input.kind === "dense" ? input.values.cols : input.width)));
  const { embeddingSize: e, channelCount: p, starts } = layout;
  const embeddings = new Float32Array(n * e);
  const masked = new Uint8Array(n * p);
  inputs.forEach((input, c) => {
    for (let i = 0; i < n; i++) {
      const out = embeddings.subarray(i * e + starts[c], i * e + starts[c] + layout.sizes[c]);
      if (input.missing[i] === 0) writeInput(input, i, out);
      if (!normalize(out)) masked[i * p + c] = 1;
    }
  });
  const scaling = {
    centres: new Float64Array(e),
    factors: new Float64Array(e).fill(Math.SQRT1_2),
    lengths: new Float64Array(p).fill(0.5),
  };
  const values = buildRows(layout, scaling, { embeddings, masked, logPopularity });
  const rows = scope.matrix(n, layout.width, "f32");
  rows.data.set(values, rows.offset);
  return {
    channels: names,
    rows: liftRows(layout, { shards: [{ engine, rows }], masked, lengths: scaling.lengths, ids }),
  };
}

function writeInput(input: ContentInput, i: number, out: Float32Array): void {
  if (input.kind === "dense") {
    const { data, offset, rowStride } = input.values;
    for (let j = 0; j < out.length; j++) out[j] = data[offset + i * rowStride + j];
  } else for (let entry = input.starts[i]; entry < input.starts[i + 1]; entry++) out[input.columns[entry]] = 1;
}

/** To length 1; false where there is no direction. */
function normalize(vector: Float32Array): boolean {
  let square = 0;
  for (const value of vector) square += value * value;
  if (square === 0) return false;
  const length = Math.sqrt(square);
  for (let j = 0; j < vector.length; j++) vector[j] /= length;
  return true;
}

/** Writes d_c(a, b) = 1 − cos of all channels into `out` (p). */
export function channelDistances({ rows }: Content, a: number, b: number, out: Float64Array): void {
  const x = liftedItem(rows, a);
  const y = liftedItem(rows, b);
  const { starts, sizes } = rows.layout;
  for (let c = 0; c < out.length; c++) {
    let product = 0;
    for (let j = starts[c]; j < starts[c] + sizes[c]; j++) product += x.embedding[j] * y.embedding[j];
    out[c] = 1 - 2 * product;
  }
}
