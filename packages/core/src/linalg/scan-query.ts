// What can be asked of scan threads, and what they demand.
import { NearkinError } from "../errors.ts";
import { checkAlive, checkRowMajor, type Matrix } from "./matrix.ts";
import type { TopK } from "./top-k.ts";

export interface ScanQuery {
  /** (w) What rows are multiplied with. */
  vector: Float32Array;
  /** How many of the best rows to return, at most. */
  k: number;
  /** Bit i mod 32 of word ⌊i/32⌋ is 1 where row i may be returned. In the engine's own shared memory it is not copied. @default all rows */
  allowed?: Uint32Array | undefined;
  /** Rows with a score below it are left out. @default none */
  least?: number | undefined;
}

export interface ScanThreads extends AsyncDisposable {
  /** Threads that scan; 0 where the caller's own does. */
  readonly threads: number;
  /**
   * The best of the first `count` rows by their inner product with each query: scores descending, equal scores by ascending row, NaN never. A
   * score is within the rounding of a sum in any order; it does not depend on the other queries of the call, nor on the number of threads.
   * Until the promise has settled neither rows nor bitmaps in shared memory may change. Calls are answered one after the other.
   *
   * @param rows f32, row-major, in this engine's memory
   */
  scan(rows: Matrix, count: number, queries: readonly ScanQuery[]): Promise<TopK[]>;
  /** Ends the threads and gives their memory back; scans under way are rejected. Scopes opened later must have been closed. */
  close(): Promise<void>;
}

/** Throws unless all queries can be asked of the first `count` rows. */
export function checkScanBatch(rows: Matrix, count: number, queries: readonly ScanQuery[]): void {
  checkAlive("scan: rows", rows);
  checkRowMajor("scan: rows", rows);
  if (rows.precision !== "f32") throw new NearkinError("BAD_ARGUMENT", `scan: rows must be f32, got ${rows.precision}`);
  if (!Number.isInteger(count) || count < 0 || count > rows.rows) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `scan: count must be from 0 to the ${rows.rows} rows there are, got ${count}`,
    );
  }
  for (const { vector, k, allowed } of queries) {
    if (vector.length !== rows.cols) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `scan: a query must have ${rows.cols} numbers, as rows have columns, got ${vector.length}`,
      );
    }
    if (!Number.isInteger(k) || k < 1) {
      throw new NearkinError("BAD_ARGUMENT", `scan: k must be a whole number of at least 1, got ${k}`);
    }
    if (allowed && allowed.length * 32 < count) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `scan: allowed must have ${Math.ceil(count / 32)} words for ${count} rows, got ${allowed.length}`,
      );
    }
  }
}
