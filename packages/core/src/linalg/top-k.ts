// The best rows of a scan, and how a scan reaches shards that lie in another engine's memory.
import { NearkinError } from "../errors.ts";
import type { Matrix } from "./matrix.ts";

/** The k best rows of a scan, best first. Reused from call to call. */
export class TopK {
  readonly k: number;
  readonly scores: Float64Array;
  /** Row numbers, counted through all shards. */
  readonly rows: Int32Array;
  /** How many were found: k, or fewer when there are fewer rows with a score that is a number. */
  count = 0;

  constructor(k: number) {
    if (!Number.isInteger(k) || k < 1) {
      throw new NearkinError("BAD_ARGUMENT", `scan: k must be a whole number of at least 1, got ${k}`);
    }
    this.k = k;
    this.scores = new Float64Array(k);
    this.rows = new Int32Array(k);
  }
}

/** Finds a shard's best in the memory it lies in. */
export type ShardScan = (result: TopK, shard: Matrix, query: Matrix, firstRow: number) => void;

/** The same among the rows whose bits are set; f32. */
export type AllowedScan = (result: TopK, shard: Matrix, query: AllowedQuery, firstRow: number) => void;

interface AllowedQuery {
  vector: Float32Array;
  /** Bit i mod 32 of word ⌊i/32⌋ is row i of the shard. */
  allowed: Uint32Array;
}

/** Engines by the arena a matrix lies in, so that one engine's scan can reach shards in another's memory. */
export const shardScans = new WeakMap<object, ShardScan>();

/** The same for rows with a bitmap; arenas without such a kernel are not in it. */
export const allowedScans = new WeakMap<object, AllowedScan>();

/** Adds (score, row) to the list, best first, equal scores by ascending row. */
export function offer(result: TopK, score: number, row: number): void {
  const { scores, rows, k } = result;
  if (Number.isNaN(score)) return;
  let at = result.count;
  if (at === k) {
    if (!(score > scores[k - 1] || (score === scores[k - 1] && row < rows[k - 1]))) return;
    at = k - 1;
  } else result.count++;
  while (at > 0 && (scores[at - 1] < score || (scores[at - 1] === score && rows[at - 1] > row))) {
    scores[at] = scores[at - 1];
    rows[at] = rows[at - 1];
    at--;
  }
  scores[at] = score;
  rows[at] = row;
}
