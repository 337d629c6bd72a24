// One batch of queries in an engine's memory: where their numbers, bitmaps and results lie, for one thread or several. All of it was
// allocated when the threads were opened, and is written anew for every batch.
import { NearkinError } from "../../errors.ts";
import type { Scope } from "../arena.ts";
import type { Matrix } from "../matrix.ts";
import type { ScanQuery } from "../scan-query.ts";
import { TopK } from "../top-k.ts";
import type { Pool } from "./pool.ts";
import * as layout from "./scan-layout.ts";

const { RECORD_WORDS, MOST_QUERIES } = layout;

export interface ScanBatchOptions {
  threads: number;
  /** Room for numbers, bitmaps and results. */
  bytes: number;
  /** Address of thread t's workspace. @default own ones */
  workspace?: (t: number) => number;
}

/** A batch, and the threads' jobs for it. */
export class ScanBatch {
  /** Address of the control words. */
  readonly control: number;
  readonly #pool: Pool;
  readonly #threads: number;
  readonly #jobs: number;
  readonly #records: number;
  readonly #workspace: (t: number) => number;
  readonly #room: number;
  readonly #end: number;
  /** (threads) Places in the lists that are being merged. */
  readonly #heads: Int32Array;

  constructor(pool: Pool, scope: Scope, { threads, bytes, workspace }: ScanBatchOptions) {
    const allocate = (size: number) => scope.matrix(Math.ceil(size / 8), 1).offset * 8;
    this.#pool = pool;
    this.#threads = threads;
    this.control = allocate(layout.CONTROL_BYTES);
    this.#jobs = allocate(threads * layout.JOB_BYTES);
    this.#records = allocate(threads * MOST_QUERIES * RECORD_WORDS * 4);
    const size = pool.workspaceBytes;
    const own = workspace ? 0 : allocate(threads * size);
    this.#workspace = workspace ?? ((t) => own + t * size);
    this.#room = allocate(bytes);
    this.#end = this.#room + bytes;
    this.#heads = new Int32Array(threads);
  }

  /** Address of thread t's job. */
  job(t: number): number {
    return this.#jobs + t * layout.JOB_BYTES;
  }

  /**
   * Writes the queries from `first` on, as many as there is room for, and jobs for all rows. Returns how many. Results are for the first
   * `count` rows.
   */
  write(rows: Matrix, count: number, queries: readonly ScanQuery[], first: number): number {
    const last = Math.min(queries.length, first + MOST_QUERIES);
    let room = this.#room;
    let q = first;
    for (; q < last; q++) {
      const after = this.#writeQuery(queries, { first, q, count, room });
      if (after < 0) break;
      room = after;
    }
    if (q === first) throw this.#tooLarge(queries[first], count);
    const { f64 } = this.#pool.arena;
    for (let t = 0; t < this.#threads; t++) {
      const at = this.job(t) / 8;
      f64[at] = 0;
      f64[at + 1] = count;
      f64[at + 2] = rows.cols;
      f64[at + 3] = this.#pool.address(rows);
      f64[at + 4] = rows.rowStride;
      f64[at + 5] = this.#record(t, 0) * 4;
      f64[at + 6] = q - first;
      f64[at + 7] = this.#workspace(t);
    }
    return q - first;
  }

  /** What the i-th query of the batch has found: the threads' lists as one. */
  read(i: number, { k }: ScanQuery, count: number): TopK {
    const { i32, f32 } = this.#pool.arena;
    const most = Math.min(k, count);
    const top = new TopK(Math.max(1, most));
    const heads = this.#heads.fill(0);
    while (top.count < most) {
      let best = -1;
      let score = Number.NEGATIVE_INFINITY;
      let row = 0;
      for (let t = 0; t < this.#threads; t++) {
        const record = this.#record(t, i);
        if (heads[t] === i32[record + layout.FOUND]) continue;
        const entry = (i32[record + layout.HEAP] >>> 2) + 2 * heads[t];
        if (best >= 0 && (f32[entry + 1] < score || (f32[entry + 1] === score && i32[entry] > row))) continue;
        best = t;
        row = i32[entry];
        score = f32[entry + 1];
      }
      if (best < 0) break;
      heads[best]++;
      top.rows[top.count] = row;
      top.scores[top.count] = score;
      top.count++;
    }
    return top;
  }

  /** Writes query q from `room` on. Returns where the next may begin; −1 where there is no room for this one. */
  #writeQuery(
    queries: readonly ScanQuery[],
    { first, q, count, room }: { first: number; q: number; count: number; room: number },
  ): number {
    const { i32, f32, memory } = this.#pool.arena;
    const { vector, k, allowed, least } = queries[q];
    const most = Math.min(k, count);
    const words = Math.ceil(count / 32);
    let bitmap = allowed ? this.#sameBitmap(queries, first, q) : 0;
    const copied = allowed !== undefined && bitmap === 0 && allowed.buffer !== memory.buffer;
    if (allowed && bitmap === 0 && !copied) bitmap = allowed.byteOffset;
    const numbers = room;
    const heaps = aligned(numbers + vector.length * 4) + (copied ? aligned(words * 4) : 0);
    const after = heaps + this.#threads * aligned(most * 8);
    if (after > this.#end) return -1;
    f32.set(vector, numbers / 4);
    if (allowed && copied) {
      bitmap = aligned(numbers + vector.length * 4);
      i32.set(new Int32Array(allowed.buffer, allowed.byteOffset, words), bitmap / 4);
    }
    for (let t = 0; t < this.#threads; t++) {
      const record = this.#record(t, q - first);
      i32[record + layout.VECTOR] = numbers;
      i32[record + layout.ALLOWED] = bitmap;
      i32[record + layout.HEAP] = heaps + t * aligned(most * 8);
      i32[record + layout.K] = most;
      i32[record + layout.FOUND] = 0;
      f32[record + layout.WORST] = least === undefined ? Number.NEGATIVE_INFINITY : roundDown(least);
    }
    return after;
  }

  /** Address of the bitmap where an earlier query of the batch has the same; else 0. */
  #sameBitmap(queries: readonly ScanQuery[], first: number, q: number): number {
    for (let p = first; p < q; p++) {
      if (queries[p].allowed === queries[q].allowed) {
        return this.#pool.arena.i32[this.#record(0, p - first) + layout.ALLOWED] >>> 0;
      }
    }
    return 0;
  }

  /** Thread t's record of query i, in words. */
  #record(t: number, i: number): number {
    return this.#records / 4 + (t * MOST_QUERIES + i) * RECORD_WORDS;
  }

  #tooLarge(query: ScanQuery, count: number): NearkinError {
    return new NearkinError(
      "OUT_OF_MEMORY",
      `scan: the ${Math.min(query.k, count)} best of ${count} rows, on ${this.#threads} threads, take ${batchBytes(query, count, this.#threads)} bytes of the ${this.#end - this.#room} set aside; open the scan threads with more \`bytes\``,
    );
  }
}

/** Room that a batch of this query alone needs. */
export function batchBytes({ vector, k, allowed }: ScanQuery, count: number, threads: number): number {
  const bitmap = allowed ? aligned(Math.ceil(count / 32) * 4) : 0;
  return aligned(vector.length * 4) + bitmap + threads * aligned(Math.min(k, count) * 8);
}

/** Rows of a chunk: several for each thread, so that one that is held up leaves its share to the others; whole words of a bitmap. */
export function chunkRows(count: number, threads: number): number {
  const rows = Math.min(8192, Math.max(1024, count / (8 * threads)));
  return Math.ceil(rows / 32) * 32;
}

/** On a cache line, so that no two threads write to the same. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

const narrow = new Float32Array(1);
const bits = new Int32Array(narrow.buffer);

/** The largest f32 that is not above x. */
function roundDown(x: number): number {
  narrow[0] = x;
  if (narrow[0] > x) bits[0] += narrow[0] > 0 ? -1 : 1;
  return narrow[0];
}
