// Distances on the inputs of channels as towers get them, before any tower: what the surrogate's Gaussian process looks at.
//
//   d_c = ‖x_a − x_b‖²/s_c, s_c that of a typical random pair; a missing value is the mean input plus ρ_c along an axis of its own
//
// n items, p channels, d inputs of a channel.
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine, SparseRows } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { Random } from "../linalg/random.ts";
import type { ContentInput } from "./ensemble.ts";

export type { ContentInput };

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
export function forEachInput(input: ContentInput, item: number, visit: (column: number, x: number) => void): void {
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
type PlacedRows = DenseRows | EntryRows;

interface DenseRows {
  readonly kind: "dense";
  /** (n, d) (x − mean)/√s, 0 where there is no value. */
  readonly X: Matrix;
  /** (n) ρ/s where there is none. */
  readonly lengths: Matrix;
}

/** Categories, which may be thousands: their few entries, not centred. */
interface EntryRows {
  readonly kind: "sparse";
  readonly source: Source & { readonly input: { readonly kind: "sparse" } };
  readonly items: Int32Array;
  /** (n, d) 1 at each entry; none where there is no value. */
  readonly S: SparseRows;
}

function placeRows(scope: Scope, source: Source, items: Int32Array): PlacedRows {
  return isSparse(source) ? placeEntries(scope, source, items) : placeDense(scope, source, items);
}

const isSparse = (source: Source): source is EntryRows["source"] => source.input.kind === "sparse";

function placeDense(scope: Scope, { input, mean, scale, length }: Source, items: Int32Array): DenseRows {
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
    forEachInput(input, item, (j, x) => {
      to[at + j] = (x - mean[j]) * factor;
    });
  });
  return { kind: "dense", X, lengths };
}

function placeEntries(scope: Scope, source: EntryRows["source"], items: Int32Array): EntryRows {
  const { input, mean } = source;
  const entries: number[] = [];
  const starts = new Int32Array(items.length + 1);
  items.forEach((item, i) => {
    if (input.missing[item] === 0) forEachInput(input, item, (j) => entries.push(j));
    starts[i + 1] = entries.length;
  });
  const S: SparseRows = {
    rows: items.length,
    cols: mean.length,
    starts: scope.indices(starts.length).write(starts),
    columns: scope.indices(entries.length).write(entries),
  };
  return { kind: "sparse", source, items, S };
}

/** Items in all channels. */
export interface PlacedItems {
  readonly items: Int32Array;
  readonly channels: readonly PlacedRows[];
}

export function placeItems(scope: Scope, sources: readonly Source[], items: Int32Array): PlacedItems {
  return { items, channels: sources.map((source) => placeRows(scope, source, items)) };
}

/** One of them, as columns to measure distances to. */
export function placedItem({ items, channels }: PlacedItems, i: number): PlacedItems {
  return {
    items: items.subarray(i, i + 1),
    channels: channels.map((rows) =>
      rows.kind === "dense"
        ? { ...rows, X: rows.X.view(i, i + 1), lengths: rows.lengths.view(i, i + 1) }
        : { ...rows, items: rows.items.subarray(i, i + 1) },
    ),
  };
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
      const columns = b.channels[c];
      if (rows.kind === "dense" && columns.kind === "dense") {
        const lengths = { rowLengths: rows.lengths, columnLengths: columns.lengths };
        engine.distances(T, rows.X, columns.X, { same: marks, ...lengths });
      } else if (rows.kind === "sparse" && columns.kind === "sparse") {
        entryDistances(engine, T, { rows, columns, same });
      } else throw new NearkinError("BAD_ARGUMENT", "distanceTable: a channel is dense on one side only");
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

/** ‖a‖² + ‖b‖² − 2a·b over s, the products by the entries of a: O((entries + n)·m). Missing values are the mean, with its axis. */
function entryDistances(
  engine: Engine,
  T: Matrix,
  { rows, columns, same }: { rows: EntryRows; columns: EntryRows; same: Int32Array },
): void {
  const { mean, scale, length } = rows.source;
  const [n, m, d] = [T.rows, T.cols, mean.length];
  const meanSquare = mean.reduce((sum, x) => sum + x * x, 0);
  const scope = engine.scope();
  try {
    const W = scope.zeros(d, m);
    const norms = new Float64Array(m); // ‖b‖² and its own axis
    const withMean = new Float64Array(m); // mean·b
    const { input } = columns.source;
    columns.items.forEach((item, j) => {
      const to = W.data;
      if (input.missing[item] !== 0) {
        for (let i = 0; i < d; i++) to[W.offset + i * m + j] = mean[i];
        norms[j] = meanSquare + length;
        withMean[j] = meanSquare;
        return;
      }
      forEachInput(input, item, (i, x) => {
        to[W.offset + i * m + j] = x;
        norms[j] += x * x;
        withMean[j] += mean[i] * x;
      });
    });
    engine.sparseMultiply(T, rows.S, W); // the entries of a are 1: their value follows
    const { value, missing, starts } = rows.source.input;
    const { data, offset } = T;
    for (let i = 0; i < n; i++) {
      const item = rows.items[i];
      const known = missing[item] === 0;
      const norm = known ? (starts[item + 1] - starts[item]) * value * value : meanSquare + length;
      for (let j = 0; j < m; j++) {
        const at = offset + i * m + j;
        const product = known ? value * data[at] : withMean[j];
        data[at] = j === same[i] ? 0 : Math.max(0, norm + norms[j] - 2 * product) / scale;
      }
    }
  } finally {
    scope.close();
  }
}
