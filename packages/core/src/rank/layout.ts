// One matrix serves every user's metric. The lifted row of an item is
//
//   [ z^1 … z^p,  ‖z^1‖² + ρ_1 … ‖z^p‖² + ρ_p,  log q ]           z^c = (F_c(x) − centre)/√s_c
//
// and its inner product with the query [ 2h_c z^c_q/T, −h_c/T, β ] is −t/T + β·log q up to a constant of the query, whatever h is.
// Dividing by √s_c makes a typical random pair have d_c = 1, and centring keeps the digits of distances.
//
// In a product channel items are compared by inner products: d_c(a, b) = 1 − z_a·z_b, and 0 for an item and itself. That orders pairs as the expected
// squared distance of two distributions with means z and the same second moment L does, ‖z_a − z_b‖² + (L − ‖z_a‖²) + (L − ‖z_b‖²) = 2L − 2·z_a·z_b,
// and an item that many people met is not far from all others because its mean is long. Its columns are not centred; the query has 0 for its norm slot.
// n items, p channels, e embedding columns, w = e + p + 1
import { NearkinError } from "../errors.ts";
import { checkRowMajor, checkShape, type FloatArray, type Matrix } from "../linalg/matrix.ts";

/** Where things stand in a lifted row. */
export interface RowLayout {
  /** (p) e_c, the embedding columns of each channel. */
  readonly sizes: readonly number[];
  /** (p) First column of each channel. */
  readonly starts: readonly number[];
  /** p */
  readonly channelCount: number;
  /** (p) Channels with d_c = 1 − z_a·z_b. */
  readonly products: readonly boolean[];
  /** e = Σ e_c */
  readonly embeddingSize: number;
  /** e + p + 1 */
  readonly width: number;
}

/**
 * The layout of rows whose channels have these widths.
 *
 * @example
 * rowLayout([50, 30]).starts // => [0, 50]
 * rowLayout([50, 30]).width // => 83
 */
export function rowLayout(sizes: readonly number[], products: readonly boolean[] = sizes.map(() => false)): RowLayout {
  const starts: number[] = [];
  let embeddingSize = 0;
  for (const size of sizes) {
    if (!Number.isSafeInteger(size) || size < 1) {
      throw new NearkinError("BAD_ARGUMENT", `rowLayout: a channel has at least 1 column, got ${size}`);
    }
    starts.push(embeddingSize);
    embeddingSize += size;
  }
  if (sizes.length === 0) throw new NearkinError("BAD_ARGUMENT", "rowLayout: there must be at least one channel");
  return {
    sizes: [...sizes],
    starts,
    channelCount: sizes.length,
    products: [...products],
    embeddingSize,
    width: embeddingSize + sizes.length + 1,
  };
}

/** How an embedding becomes the columns of a row. Measured once per model, and stored with it. */
export interface RowScaling {
  /** (e) Subtracted from each embedding column. Distances do not depend on it; their rounding does. */
  readonly centres: Float64Array;
  /** (e) Multiplied afterwards: 1/√s_c of its channel, times λ_j where the scale is learned. */
  readonly factors: Float64Array;
  /** (p) ρ_c/s_c: squared length of the coordinate that a stand-in has all to itself. */
  readonly lengths: Float64Array;
}

export interface RowInputs {
  /** (n, e) Tower outputs, row-major. */
  readonly embeddings: FloatArray;
  /** (n, p) 1 where a channel of an item is a stand-in: missing, or the identity of a cold item. */
  readonly masked: Uint8Array;
  /** (n) log q. */
  readonly logPopularity: ArrayLike<number>;
}

/**
 * Lifted rows (n, w) of items. Norms are those of the columns as stored, so that a row and its columns agree to the last bit.
 *
 * @example
 * const layout = rowLayout([2, 1]);
 * const scaling = { centres: Float64Array.of(1, 1, 0), factors: Float64Array.of(2, 2, 1), lengths: Float64Array.of(0, 5) };
 * const inputs = { embeddings: Float32Array.of(2, 1.5, 3), masked: Uint8Array.of(0, 1), logPopularity: [-4] };
 * Array.from(buildRows(layout, scaling, inputs)) // => [2, 1, 3, 5, 14, -4]
 */
export function buildRows(layout: RowLayout, scaling: RowScaling, inputs: RowInputs): Float32Array<ArrayBuffer> {
  const { embeddingSize: e, channelCount: p, width } = layout;
  const { embeddings, masked, logPopularity } = inputs;
  const n = logPopularity.length;
  checkLength("buildRows: centres", scaling.centres.length, e);
  checkLength("buildRows: factors", scaling.factors.length, e);
  checkLength("buildRows: lengths", scaling.lengths.length, p);
  checkLength("buildRows: embeddings", embeddings.length, n * e);
  checkLength("buildRows: masked", masked.length, n * p);
  const out = new Float32Array(n * width);
  const source = { embeddings, masked, logPopularity };
  for (let i = 0; i < n; i++) writeRow(layout, scaling, source, i, out);
  return out;
}

function writeRow(
  layout: RowLayout,
  { centres, factors, lengths }: RowScaling,
  { embeddings, masked, logPopularity }: RowInputs,
  i: number,
  out: Float32Array,
): void {
  const { embeddingSize: e, channelCount: p, width } = layout;
  for (let j = 0; j < e; j++) out[i * width + j] = (embeddings[i * e + j] - centres[j]) * factors[j];
  const row = { out, at: i * width, masked, marks: i * p, logPopularity: logPopularity[i] };
  const wrong = finishRow(layout, lengths, row);
  if (wrong >= 0) throw notFinite("buildRows", i, wrong < p ? wrong : row);
}

/** A row whose columns are written, at `at` of `out`; its marks begin at `marks` of `masked`. */
interface UnfinishedRow {
  out: Float32Array;
  at: number;
  masked: Uint8Array;
  marks: number;
  logPopularity: number;
}

/** Norms and log q, behind the columns as they are stored. Returns the channel whose norm is not finite, p where log q is not, else −1. */
function finishRow(
  { starts, sizes, products, embeddingSize: e, channelCount: p, width }: RowLayout,
  lengths: Float64Array,
  { out, at, masked, marks, logPopularity }: UnfinishedRow,
): number {
  let wrong = -1;
  for (let c = p - 1; c >= 0; c--) {
    let square = 0;
    for (let j = starts[c]; j < starts[c] + sizes[c]; j++) square += out[at + j] * out[at + j];
    out[at + e + c] = square + (masked[marks + c] === 1 && !products[c] ? lengths[c] : 0);
    if (!Number.isFinite(out[at + e + c])) wrong = c;
  }
  out[at + width - 1] = logPopularity;
  return wrong < 0 && !Number.isFinite(out[at + width - 1]) ? p : wrong;
}

/** `what`: the channel, or the row whose log q it is. */
function notFinite(name: string, item: number, what: number | { logPopularity: number }): NearkinError {
  return new NearkinError(
    "NOT_FINITE",
    typeof what === "number"
      ? `${name}: the embedding of item ${item} in channel ${what} is not finite; did training diverge?`
      : `${name}: log q of item ${item} is ${what.logPopularity}; smooth the frequencies so that none is 0`,
  );
}

/** A row's numbers, in the coordinates of lifted rows. */
export interface LiftedRowValues {
  /** (e) Centred and scaled: that of an embedded draft. */
  readonly embedding: Float32Array;
  /** (p) */
  readonly masked: Uint8Array;
  /** (p) ρ_c/s_c: that of the other rows. */
  readonly lengths: Float64Array;
  /** log q */
  readonly logPopularity: number;
}

/** Writes one row of `into` (rows, w): to the bit what `buildRows` would have written there. */
export function writeLiftedRow(layout: RowLayout, into: Matrix, row: number, values: LiftedRowValues): void {
  const { embeddingSize: e, channelCount: p, width } = layout;
  const { embedding, masked, lengths } = values;
  if (!Number.isInteger(row) || row < 0 || row >= into.rows) {
    throw new NearkinError("INDEX_OUT_OF_RANGE", `writeLiftedRow: row ${row} is outside [0, ${into.rows})`);
  }
  checkShape("writeLiftedRow: into", into, into.rows, width, "f32");
  checkRowMajor("writeLiftedRow: into", into);
  checkLength("writeLiftedRow: embedding", embedding.length, e);
  checkLength("writeLiftedRow: masked", masked.length, p);
  checkLength("writeLiftedRow: lengths", lengths.length, p);
  const at = into.offset + row * into.rowStride;
  const own = { out: into.data as Float32Array, at, masked, marks: 0, logPopularity: values.logPopularity };
  own.out.set(embedding, at);
  const wrong = finishRow(layout, lengths, own);
  if (wrong >= 0) throw notFinite("writeLiftedRow", row, wrong < p ? wrong : values);
}

/** (e) Mean of each embedding column over the items whose channel is known; 0 if no item's is, and in product channels. */
export function measureCentres(layout: RowLayout, embeddings: FloatArray, masked: Uint8Array): Float64Array {
  const { embeddingSize: e, channelCount: p, starts, sizes, products } = layout;
  const n = masked.length / p;
  checkLength("measureCentres: embeddings", embeddings.length, n * e);
  const centres = new Float64Array(e);
  const counts = new Float64Array(p);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < p; c++) {
      if (products[c] || masked[i * p + c] === 1) continue;
      counts[c]++;
      for (let j = starts[c]; j < starts[c] + sizes[c]; j++) centres[j] += embeddings[i * e + j];
    }
  }
  for (let c = 0; c < p; c++) {
    for (let j = starts[c]; j < starts[c] + sizes[c]; j++) centres[j] /= Math.max(counts[c], 1);
  }
  return centres;
}

function checkLength(name: string, length: number, expected: number): void {
  if (length !== expected) {
    throw new NearkinError("SHAPE_MISMATCH", `${name}: expected ${expected} numbers, got ${length}`);
  }
}
