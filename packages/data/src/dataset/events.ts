// The training events of a dataset one batch after the other, for what reads them once: memory does not grow with them.
import { NearkinError } from "@nearkin/core";
import { badDataset, type Dataset } from "./open.ts";
import { checkIndices, type LoadOptions, openReader, parquet, reading } from "./read.ts";

const EVENTS = "train/interactions.parquet";

export interface ReadEventsOptions extends LoadOptions {
  /** The first event to read, counted from 0: what comes before it is passed over. @default 0 */
  from?: number;
  /** Events of a batch. @default 8192 */
  batch?: number;
}

/** Events `first` to `first + users.length − 1` of all. Indices are those of the vocabularies. The arrays are the reader's to keep. */
export interface EventBatch {
  readonly first: number;
  readonly users: Int32Array;
  readonly items: Int32Array;
  /** As they stood in the file, in full precision; 1 where there are none. */
  readonly ratings: Float64Array;
  /** Seconds since 1970, or row numbers where there are no times: `manifest.time.kind`. */
  readonly times: Float64Array;
}

/**
 * Training events by user, and each user's in the order of time.
 *
 * @example
 * for await (const { users, items } of readEvents(await openDataset("films"))) count(users, items);
 */
export async function* readEvents(
  dataset: Dataset,
  { from = 0, batch = 8192, ...options }: ReadEventsOptions = {},
): AsyncGenerator<EventBatch> {
  const { items: itemCount, users: userCount, training } = dataset.manifest.counts;
  const total = training.interactions;
  if (!Number.isSafeInteger(from) || from < 0 || from > total || !Number.isSafeInteger(batch) || batch < 1) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `readEvents: expected 0 ≤ from ≤ ${total} and batch ≥ 1, got from ${from}, batch ${batch}`,
    );
  }
  await using database = await openReader(options);
  const columns =
    "CAST(user_index AS INTEGER), CAST(item_index AS INTEGER), CAST(rating AS DOUBLE), CAST(time AS DOUBLE)";
  const chunks = database.columns(`SELECT ${columns} FROM ${parquet(dataset.path(EVENTS))} OFFSET ${from}`);
  const next = () => reading(dataset, EVENTS, () => chunks.next());
  let chunk = await next();
  let taken = 0; // of the chunk
  for (let first = from; first < total; ) {
    const rows = Math.min(batch, total - first);
    const filled = [new Int32Array(rows), new Int32Array(rows), new Float64Array(rows), new Float64Array(rows)];
    for (let at = 0; at < rows; ) {
      if (chunk.done) throw badDataset(dataset.folder, `${EVENTS} has ${first + at} rows instead of ${total}`);
      const { value } = chunk;
      const some = Math.min(rows - at, value[0].length - taken);
      filled.forEach((column, c) => {
        column.set(value[c].subarray(taken, taken + some), at);
      });
      at += some;
      taken += some;
      if (taken < value[0].length) continue;
      chunk = await next();
      taken = 0;
    }
    const [users, items, ratings, times] = filled as [Int32Array, Int32Array, Float64Array, Float64Array];
    checkIndices(dataset, EVENTS, users, userCount);
    checkIndices(dataset, EVENTS, items, itemCount);
    yield { first, users, items, ratings, times };
    first += rows;
  }
  if (!chunk.done) throw badDataset(dataset.folder, `${EVENTS} has more than ${total} rows`);
}
