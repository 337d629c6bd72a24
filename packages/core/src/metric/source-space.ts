// Distances on the inputs of channels as towers get them, before any tower: what the surrogate's Gaussian process looks at.
//
//   d_c = ‖x_a − x_b‖²/s_c, s_c that of a typical random pair; a missing value is the mean input plus ρ_c along an axis of its own
//
// n items, p channels, d inputs of a channel.
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { Random } from "../linalg/random.ts";
import type { ChannelInput } from "./ensemble.ts";

/** Inputs that say what an item is, not which. */
export type ContentInput = Exclude<ChannelInput, { kind: "identity" }>;

/** What is measured of a channel's inputs. */
export interface SourceStatistics {
  /** (d) */
  readonly mean: Float64Array;
  /** s_c */
  readonly scale: number;
  /** ρ_c */
  readonly length: number;
}

/** d */
export function contentWidth(input: ContentInput): number {
  return input.kind === "dense" ? input.values.cols : input.width;
}

/** Calls `visit` with every input of an item that is not 0. */
function forEachInput(input: ContentInput, item: number, visit: (column: number, x: number) => void): void {
  if (input.kind === "sparse") {
    for (let e = input.starts[item]; e < input.starts[item + 1]; e++) visit(input.columns[e], input.value);
    return;
  }
  const { data, offset, rowStride, cols } = input.values;
  for (let j = 0; j < cols; j++) visit(j, data[offset + item * rowStride + j]);
}

const PAIRS = 10_000;

/** Mean, scale and length over the items that have a value; pairs are drawn by `random`. Median 0: the mean. */
export function measureSource(
  input: ContentInput,
  items: Int32Array,
  { name, random }: { name: string; random: Random },
): SourceStatistics {
  const known = items.filter((item) => input.missing[item] === 0);
  const mean = new Float64Array(contentWidth(input));
  let squares = 0; // Σ‖x‖²
  for (const item of known) {
    forEachInput(input, item, (j, x) => {
      mean[j] += x;
      squares += x * x;
    });
  }
  for (let j = 0; j < mean.length; j++) mean[j] /= Math.max(1, known.length);
  const length = squares / Math.max(1, known.length) - mean.reduce((sum, x) => sum + x * x, 0);
  const row = new Float64Array(mean.length);
  const distances = Float64Array.from({ length: known.length < 2 ? 0 : PAIRS }, () => {
    const a = random.below(known.length);
    const b = (a + 1 + random.below(known.length - 1)) % known.length;
    row.fill(0);
    forEachInput(input, known[a], (j, x) => {
      row[j] += x;
    });
    forEachInput(input, known[b], (j, x) => {
      row[j] -= x;
    });
    return row.reduce((sum, x) => sum + x * x, 0);
  }).sort();
  const middle = distances.length === 0 ? 0 : (distances[PAIRS / 2 - 1] + distances[PAIRS / 2]) / 2;
  const scale = middle || distances.reduce((sum, x) => sum + x, 0) / PAIRS;
  if (!(scale > 0 && scale < Infinity)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `channel ${name}: its inputs do not tell items apart (a typical distance is ${scale}); leave the channel out`,
    );
  }
  return { mean, scale, length: Math.max(0, length) };
}

/** A channel: all of its inputs, and what was measured of them. */
export interface Source extends SourceStatistics {
  readonly input: ContentInput;
}

/** Some items in one channel, in an engine's memory. */
export interface PlacedRows {
  /** (n, d) (x − mean)/√s, 0 where there is no value. */
  readonly X: Matrix;
  /** (n) ρ/s where there is none. */
  readonly lengths: Matrix;
}

export function placeRows(scope: Scope, { input, mean, scale, length }: Source, items: Int32Array): PlacedRows {
  const d = mean.length;
  const X = scope.matrix(items.length, d);
  const lengths = scope.zeros(items.length, 1);
  const factor = 1 / Math.sqrt(scale);
  const to = X.data;
  items.forEach((item, i) => {
    const at = X.offset + i * d;
    if (input.missing[item] !== 0) {
      to.fill(0, at, at + d);
      lengths.data[lengths.offset + i] = length / scale;
      return;
    }
    for (let j = 0; j < d; j++) to[at + j] = -mean[j] * factor;
    forEachInput(input, item, (j, x) => {
      to[at + j] += x * factor;
    });
  });
  return { X, lengths };
}

/** Items in all channels. */
export interface PlacedItems {
  readonly items: Int32Array;
  readonly channels: readonly PlacedRows[];
}

export function placeItems(scope: Scope, sources: readonly Source[], items: Int32Array): PlacedItems {
  return { items, channels: sources.map((source) => placeRows(scope, source, items)) };
}

/**
 * The table (n·m, p) of the distances of each item of `a` to each of `b`, as the additive kernel takes it. `same` (n): the column that is the
 * same item, or −1.
 */
export function distanceTable(
  engine: Engine,
  table: Matrix,
  { a, b, same }: { a: PlacedItems; b: PlacedItems; same: Int32Array },
): void {
  const p = a.channels.length;
  const m = b.items.length;
  const scope = engine.scope();
  try {
    const T = scope.matrix(a.items.length, m);
    const marks = scope.indices(same.length).write(same);
    a.channels.forEach((rows, c) => {
      engine.distances(T, rows.X, b.channels[c].X, {
        same: marks,
        rowLengths: rows.lengths,
        columnLengths: b.channels[c].lengths,
      });
      const column = table.view(0, table.rows, c, c + 1); // every p-th number
      column.rows = a.items.length;
      column.cols = m;
      column.rowStride = m * p;
      column.colStride = p;
      engine.convert(column, T);
    });
  } finally {
    scope.close();
  }
}
