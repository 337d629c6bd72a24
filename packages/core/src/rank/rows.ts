// Lifted rows where an engine can scan them: in one memory, or in several when one (4 GiB) does not hold them.
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkRowMajor, type Matrix } from "../linalg/matrix.ts";
import type { RowLayout } from "./layout.ts";
import { tieHashes } from "./ties.ts";

/** Some of the rows, with the engine whose memory they lie in. */
export interface RowShard {
  readonly engine: Engine;
  /** (rows of this shard, w), f32. */
  readonly rows: Matrix;
}

/** How far rounding can carry a score. Rows that are added, or written anew, may raise it; too low, and lists are certified that are not exact. */
export interface RowBounds {
  /** (p) Largest norm slot of each channel. */
  readonly largestSquares: Float64Array;
  /** Largest |log q|. */
  readonly largestLog: number;
}

/** A catalogue ready to be ranked. */
export interface LiftedRows extends RowBounds {
  readonly layout: RowLayout;
  /** n */
  readonly count: number;
  /** Rows 0 … n − 1, in order. */
  readonly shards: readonly RowShard[];
  /** (n, p) 1 where a channel is a stand-in. */
  readonly masked: Uint8Array;
  /** (p) ρ_c/s_c */
  readonly lengths: Float64Array;
  /** (n) Breaks ties. */
  readonly hashes: Uint32Array;
}

export interface LiftOptions {
  shards: readonly RowShard[];
  masked: Uint8Array;
  lengths: Float64Array;
  /** (n) Ids of the items, which decide ties. */
  ids: readonly string[];
}

/** Checks shards against each other and measures what bounds their rounding: one read of all rows. */
export function liftRows(layout: RowLayout, { shards, masked, lengths, ids }: LiftOptions): LiftedRows {
  const { width, channelCount: p } = layout;
  let bounds: RowBounds | undefined;
  let count = 0;
  for (const { rows } of shards) {
    checkRowMajor("liftRows: shard", rows);
    if (rows.cols !== width || rows.precision !== "f32") {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `liftRows: rows must be f32 with ${width} columns, got ${rows.precision} with ${rows.cols}`,
      );
    }
    bounds = measureBounds(layout, rows, bounds);
    count += rows.rows;
  }
  if (ids.length !== count || masked.length !== count * p || lengths.length !== p) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `liftRows: ${count} rows of ${p} channels go with ${count} ids, ${count * p} marks and ${p} lengths, got ${ids.length}, ${masked.length} and ${lengths.length}`,
    );
  }
  return { layout, count, shards, masked, lengths, hashes: tieHashes(ids), ...(bounds ?? noBounds(p)) };
}

const noBounds = (p: number): RowBounds => ({ largestSquares: new Float64Array(p), largestLog: 0 });

/** Bounds of these rows (any number, w), and of those that were measured before. */
export function measureBounds(layout: RowLayout, rows: Matrix, before?: RowBounds): RowBounds {
  const { channelCount: p, embeddingSize: e } = layout;
  const bounds = before ?? noBounds(p);
  const largestSquares = bounds.largestSquares.slice();
  let { largestLog } = bounds;
  const data = rows.data as Float32Array;
  for (let i = 0; i < rows.rows; i++) {
    const slots = rows.offset + i * rows.rowStride + e;
    for (let c = 0; c < p; c++) largestSquares[c] = Math.max(largestSquares[c], data[slots + c]);
    largestLog = Math.max(largestLog, Math.abs(data[slots + p]));
  }
  return { largestSquares, largestLog };
}

/** An item as one side of a comparison: a row of the catalogue, or a draft. */
export interface LiftedItem {
  /** (e) Columns of the lifted row. */
  readonly embedding: Float32Array;
  /** (p) */
  readonly masked: Uint8Array;
  /** Its row; −1 for a draft. */
  readonly index: number;
}

/** Item `index` of the catalogue; its arrays are copies. */
export function liftedItem(rows: LiftedRows, index: number): LiftedItem {
  if (!Number.isInteger(index) || index < 0 || index >= rows.count) {
    throw new NearkinError("INDEX_OUT_OF_RANGE", `item ${index} is outside [0, ${rows.count})`);
  }
  const { embeddingSize: e, channelCount: p } = rows.layout;
  const { shard, local } = locate(rows, index);
  const at = shard.offset + local * shard.rowStride;
  return {
    embedding: (shard.data as Float32Array).slice(at, at + e),
    masked: rows.masked.slice(index * p, (index + 1) * p),
    index,
  };
}

/** log q of an item, as its row has it. */
export function logPopularity(rows: LiftedRows, index: number): number {
  const { shard, local } = locate(rows, index);
  return shard.data[shard.offset + local * shard.rowStride + rows.layout.width - 1];
}

/** The shard of a row, and the row's place in it. */
export function locate(rows: LiftedRows, index: number): { shard: Matrix; local: number } {
  let first = 0;
  for (const { rows: shard } of rows.shards) {
    if (index >= 0 && index < first + shard.rows) return { shard, local: index - first };
    first += shard.rows;
  }
  throw new NearkinError("INDEX_OUT_OF_RANGE", `item ${index} is outside [0, ${rows.count})`);
}
