// Scores of all rows at once, in f32, for what a top-k cannot answer: filters, ranks, and lists that end in a tie.
import { type AllowedScan, allowedScans, offer, TopK } from "../linalg/top-k.ts";
import { bitmapOf } from "./bitmap.ts";
import type { Query } from "./query.ts";
import type { LiftedRows } from "./rows.ts";

type LookAtScores = (first: number, count: number, scores: Float32Array, at: number) => void;

/** Calls `look` with the rows' scores without the query's constant, shard by shard: row `first + i` has `scores[at + i]`. */
export function scanScores(rows: LiftedRows, query: Query, look: LookAtScores): void {
  const scan = scanScoresInSlices(rows, query, { look });
  while (!scan.next().done);
}

/** `scanScores`, yielding after every `sliceRows` rows. Rows that are added meanwhile are not read. */
export function* scanScoresInSlices(
  { shards }: LiftedRows,
  { vector }: Query,
  { look, sliceRows = Number.POSITIVE_INFINITY }: { look: LookAtScores; sliceRows?: number | undefined },
): Generator<undefined, void> {
  let first = 0;
  for (const { engine, rows } of shards) {
    for (let from = 0; from < rows.rows; from += sliceRows) {
      const slice = rows.view(from, Math.min(from + sliceRows, rows.rows));
      const scope = engine.scope();
      try {
        const x = scope.matrix(vector.length, 1, "f32").write(vector);
        const y = scope.matrix(slice.rows, 1, "f32");
        engine.gemv(y, slice, x);
        look(first + from, slice.rows, y.data as Float32Array, y.offset);
      } finally {
        scope.close();
      }
      yield;
    }
    first += rows.rows;
  }
}

/** The best rows among the allowed ones, as `Engine.scan` finds them among all. `allowed` (n): 1 where a row may be returned. */
export function scanAllowed(rows: LiftedRows, query: Query, options: { count: number; allowed: Uint8Array }): TopK {
  const { count, allowed } = options;
  const best = new TopK(count);
  let first = 0;
  for (const { rows: shard } of rows.shards) {
    const marks = allowed.subarray(first, first + shard.rows);
    const scan = allowedScans.get(shard.storage) ?? plainAllowedScan;
    scan(best, shard, { vector: query.vector, allowed: bitmapOf(marks) }, first);
    first += shard.rows;
  }
  return best;
}

const plainAllowedScan: AllowedScan = (best, shard, { vector, allowed }, first) => {
  for (let i = 0; i < shard.rows; i++) {
    if (((allowed[i >> 5] >>> (i & 31)) & 1) === 0) continue;
    const at = shard.offset + i * shard.rowStride;
    let score = 0;
    for (let j = 0; j < shard.cols; j++) score += shard.data[at + j] * vector[j];
    offer(best, score, first + i);
  }
};

/** Rows whose f32 score is at least `least`; `allowed` as above, absent for all. */
export function rowsAbove(
  rows: LiftedRows,
  query: Query,
  { least, allowed }: { least: number; allowed?: Uint8Array | undefined },
): number[] {
  const found: number[] = [];
  scanScores(rows, query, (first, length, scores, at) => {
    for (let i = 0; i < length; i++) {
      if (scores[at + i] >= least && (allowed === undefined || allowed[first + i] === 1)) found.push(first + i);
    }
  });
  return found;
}
