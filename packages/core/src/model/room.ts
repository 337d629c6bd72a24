// Where a model's rows lie, with room for more: what serves a growing catalogue writes the rows of new items behind the model's own.
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { RowShard } from "../rank/rows.ts";

/** The last stretch of rows, and the room behind it. */
export interface RowRoom {
  /** Whose memory it is. */
  readonly engine: Engine;
  /** (capacity, w), f32; rows from `used` on hold whatever was there before. Memory that was never written is not resident. */
  readonly matrix: Matrix;
  /** Rows that are the model's. */
  readonly used: number;
  /** The row of the catalogue that its first one is. */
  readonly first: number;
  /** Its place among `LiftedRows.shards`: the last one's, or the one behind it where the room has a memory of its own. */
  readonly shard: number;
}

/** How rows are spread over memories. */
export interface RowPlan {
  /** Memories that hold rows of the model. */
  readonly shards: number;
  readonly rowsPerShard: number;
  readonly spareRows: number;
  /** Whether there is a further memory for the room alone: the last one would not hold it. */
  readonly apart: boolean;
}

/** Shards for n rows of w columns, with room for `spareRows` more. */
export function planRows(
  { count, width }: { count: number; width: number },
  { shardBytes, spareRows }: { shardBytes: number; spareRows: number },
): RowPlan {
  const rowsPerShard = Math.max(1, Math.floor(shardBytes / (4 * width)));
  if (!Number.isSafeInteger(spareRows) || spareRows < 0 || spareRows > rowsPerShard) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `spareRows takes a whole number from 0 to ${rowsPerShard}, which is what one memory holds of this model, got ${spareRows}`,
    );
  }
  const shards = Math.max(1, Math.ceil(count / rowsPerShard));
  const apart = count - (shards - 1) * rowsPerShard + spareRows > rowsPerShard;
  return { shards, rowsPerShard, spareRows, apart };
}

/** Copies rows (n, w) into the memories behind `scopes`: one for each shard, one more where the room has its own. */
export function placeRows(
  rows: Float32Array,
  { width, engines, scopes }: { width: number; engines: readonly Engine[]; scopes: readonly Scope[] },
  { shards: count, rowsPerShard, spareRows, apart }: RowPlan,
): { shards: RowShard[]; room: RowRoom } {
  const shards: RowShard[] = [];
  let room: RowRoom | undefined;
  for (let s = 0; s < count + (apart ? 1 : 0); s++) {
    const first = s * rowsPerShard;
    const part = s < count ? rows.subarray(first * width, (first + rowsPerShard) * width) : rows.subarray(0, 0);
    const used = part.length / width;
    const isLast = s === count - (apart ? 0 : 1);
    const matrix = scopes[s].matrix(used + (isLast ? spareRows : 0), width, "f32");
    matrix.data.set(part, matrix.offset);
    if (s < count) shards.push({ engine: engines[s], rows: matrix.rows === used ? matrix : matrix.view(0, used) });
    if (isLast) room = { engine: engines[s], matrix, used, first: s < count ? first : rows.length / width, shard: s };
  }
  return { shards, room: room as RowRoom };
}
