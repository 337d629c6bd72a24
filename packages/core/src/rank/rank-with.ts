// The exact ranking of similar.ts through a queue of scans: the caller's thread only certifies, the rows are read elsewhere.
import { NearkinError } from "../errors.ts";
import { bitmapWords, marksOf } from "./bitmap.ts";
import { bestOf, certify, droppedRows, LONG_LIST, leastScanScore, type Scored, SPARE } from "./certify.ts";
import { type Query, roundingOf } from "./query.ts";
import type { LiftedRows } from "./rows.ts";
import type { ScanQueue } from "./scan-queue.ts";
import { checkListLength, rankExactly } from "./similar.ts";

/** Rows within rounding of the last place that a second scan collects; where there are more, they are compared here. */
const CLOSE = 8192;

export interface RankOptions {
  /** @default 10 */
  k?: number;
  /** Rows never to return, besides the query's own. */
  exclude?: Iterable<number>;
  /** A bit for each row that may be returned (`bitmapOf`). @default all */
  allowed?: Uint32Array | undefined;
  /** Drops the search when its caller is gone. */
  signal?: AbortSignal | undefined;
  /** Tells callers apart: see `SearchOptions`. */
  caller?: string | undefined;
}

/**
 * The k best rows with their scores, as `rankExactly` gives them. The queue scans the one shard of `rows`, as many of its rows as their
 * `count` says; if they change meanwhile (`queue.exclusively`, with `largestSquares` and `largestLog` if need be), the list is that before a
 * change or after it, never of half of it.
 */
export async function rankWith(
  queue: ScanQueue,
  rows: LiftedRows,
  query: Query,
  { k = 10, exclude, allowed, signal, caller }: RankOptions = {},
): Promise<Scored[]> {
  checkListLength(k);
  if (rows.shards.length !== 1) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `rankWith: rows must lie in one memory, got ${rows.shards.length}; rank those with rankExactly`,
    );
  }
  const dropped = droppedRows(query, exclude);
  const isLong = dropped.size > LONG_LIST;
  const marked = isLong ? without(dropped, allowed, queue.capacity) : allowed;
  const { vector } = query;

  const candidates = k + SPARE + (isLong ? 0 : dropped.size);
  return queue.search<Scored[]>(
    { vector, k: candidates, allowed: marked },
    {
      signal,
      caller,
      look(found) {
        const now = { ...query, rounding: roundingOf(rows, vector) }; // larger rows may have come since the query was made
        const { list, isCertain } = certify(rows, now, found, { most: k, candidates, dropped });
        return isCertain ? list : amongClose(list, now);
      },
    },
  );

  /** Near-ties at the last place: all rows that may belong there, by a second scan. */
  function amongClose(list: readonly Scored[], before: Query): Promise<Scored[]> {
    const most = list.length;
    return queue.search<Scored[]>(
      { vector, k: CLOSE, allowed: marked, least: leastScanScore(before, list) },
      {
        signal,
        caller,
        look(found) {
          const now = { ...query, rounding: roundingOf(rows, vector) };
          if (found.count < CLOSE && now.rounding <= before.rounding) {
            const best = bestOf(rows, now, found.rows.subarray(0, found.count), { most, dropped });
            // Fewer reach the last place where rows have changed since the first scan.
            if (best.length === most && best[most - 1].score >= list[most - 1].score) return best;
          }
          const marks = allowed && marksOf(allowed, rows.count);
          return rankExactly(inUse(rows), now, { k, exclude: dropped, ...(marks && { allowed: marks }) });
        },
      },
    );
  }
}

/** The same without room for more. */
function inUse(rows: LiftedRows): LiftedRows {
  const [{ engine, rows: shard }] = rows.shards;
  return { ...rows, shards: [{ engine, rows: shard.view(0, rows.count) }] };
}

/** All allowed rows but the dropped ones. */
function without(dropped: ReadonlySet<number>, allowed: Uint32Array | undefined, rows: number): Uint32Array {
  const bitmap = allowed ? allowed.slice() : new Uint32Array(bitmapWords(rows)).fill(0xffffffff);
  for (const item of dropped) bitmap[item >> 5] &= ~(1 << (item & 31));
  return bitmap;
}
