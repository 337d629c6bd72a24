// The user × item matrix X of the training events, by users and by items: over every item that was met, or over the most met ones.
//
// Building it costs O(events + catalogue), and 16 bytes an event. A row of XᵀX costs O(events of the item's users), all rows together
// O(Σ_u n_u²), n_u the events of user u.
// u users, n columns: the items of the matrix, in ascending order
import { NearkinError } from "@nearkin/core";
import type { Histories, TrainingData } from "@nearkin/data";
import type { Recommender } from "../protocol/recommender.ts";

/** The part of the training data that collaborative baselines look at. */
export type EventData = Pick<TrainingData, "itemCount"> & {
  readonly histories: Pick<Histories, "starts" | "items" | "ratings">;
};

/** Entries of X in rows or in columns: line l holds entries `starts[l]` to `starts[l + 1]`. */
export interface EventLines {
  readonly starts: Int32Array;
  /** Where each entry stands in its line. */
  readonly indices: Int32Array;
  readonly values: Float32Array;
}

/** X (u, n). */
export interface EventMatrix {
  /** (n) The item of each column, ascending. */
  readonly items: Int32Array;
  /** (catalogue) The column of each item, −1 where it has none. */
  readonly columns: Int32Array;
  /** u lines; indices are columns. */
  readonly byUser: EventLines;
  /** n lines; indices are users. */
  readonly byItem: EventLines;
}

export interface EventMatrixOptions {
  /** Items of the columns, ascending. @default all with training events */
  items?: Int32Array;
  /** What an entry is: 1, or the rating. @default "binary" */
  values?: "binary" | "ratings";
}

const NO_COLUMN = -1;

/** Of a user's repeated events with an item the last one counts, as in prepare. A user without events in it is a row of zeros. */
export function eventMatrix(data: EventData, { items, values = "binary" }: EventMatrixOptions = {}): EventMatrix {
  const { histories, itemCount } = data;
  const own = items ?? metItems(data);
  const columns = new Int32Array(itemCount).fill(NO_COLUMN);
  own.forEach((item, column) => {
    columns[item] = column;
  });
  const userCount = histories.starts.length - 1;
  const starts = new Int32Array(userCount + 1);
  const indices = new Int32Array(histories.items.length);
  const entries = new Float32Array(histories.items.length).fill(1);
  const metBy = new Int32Array(own.length).fill(-1); // the last user seen to have met a column
  let size = 0;
  for (let user = 0; user < userCount; user++) {
    for (let event = histories.starts[user + 1] - 1; event >= histories.starts[user]; event--) {
      const column = columns[histories.items[event]];
      if (column === NO_COLUMN || metBy[column] === user) continue;
      metBy[column] = user;
      indices[size] = column;
      if (values === "ratings") entries[size] = histories.ratings[event];
      size++;
    }
    starts[user + 1] = size;
  }
  const byUser = { starts, indices: indices.slice(0, size), values: entries.slice(0, size) };
  return { items: own, columns, byUser, byItem: transposed(byUser, own.length) };
}

function metItems({ histories, itemCount }: EventData): Int32Array {
  const met = new Uint8Array(itemCount);
  for (const item of histories.items) met[item] = 1;
  return Int32Array.from(met.keys()).filter((item) => met[item] === 1);
}

/** The same entries by the other index, each line in the order of the old ones. */
export function transposed({ starts, indices, values }: EventLines, count: number): EventLines {
  const own = new Int32Array(count + 1);
  for (const index of indices) own[index + 1]++;
  for (let line = 0; line < count; line++) own[line + 1] += own[line];
  const next = own.slice();
  const back = { starts: own, indices: new Int32Array(indices.length), values: new Float32Array(indices.length) };
  for (let line = 0; line + 1 < starts.length; line++) {
    for (let entry = starts[line]; entry < starts[line + 1]; entry++) {
      const at = next[indices[entry]]++;
      back.indices[at] = line;
      back.values[at] = values[entry];
    }
  }
  return back;
}

/** Writes row i of XᵀX, the inner products of column i with every column, into `out` (n). */
export function gramRowInto(out: Float64Array, { byUser, byItem }: EventMatrix, i: number): void {
  out.fill(0);
  for (let entry = byItem.starts[i]; entry < byItem.starts[i + 1]; entry++) {
    const user = byItem.indices[entry];
    const value = byItem.values[entry];
    for (let other = byUser.starts[user]; other < byUser.starts[user + 1]; other++) {
      out[byUser.indices[other]] += value * byUser.values[other];
    }
  }
}

/** The column of a query. An item without one is an error that names the recommender. */
export function columnOf(
  { columns, items }: Pick<EventMatrix, "columns" | "items">,
  item: number,
  name: string,
): number {
  const column = columns[item] ?? NO_COLUMN;
  if (column !== NO_COLUMN) return column;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `${name}: item ${item} is not one of the ${items.length} items it learned; ask only about items that it knows()`,
  );
}

/** A recommender for the most met items alone, as queries and as candidates. */
export interface FrequentItemsRecommender extends Recommender {
  readonly answers: "warm";
  /** The items it knows, ascending: other recommenders can be asked about the same ones. */
  readonly items: Int32Array;
}

export interface FrequentItemsOptions {
  /** Users an item was met by, at least. @default 5 */
  minEvents?: number;
  /** Keeps this many items: the most met ones, of equally met ones those with smaller indices. @default 8000 */
  maxItems?: number;
}

/** Items that enough users have met, ascending. */
export function frequentItems(
  data: EventData,
  { minEvents = 5, maxItems = 8000 }: FrequentItemsOptions = {},
): Int32Array {
  const { items, byItem } = eventMatrix(data);
  const events = (column: number) => byItem.starts[column + 1] - byItem.starts[column];
  const kept = Array.from(items.keys())
    .filter((column) => events(column) >= minEvents)
    .sort((a, b) => events(b) - events(a) || a - b)
    .slice(0, maxItems)
    .sort((a, b) => a - b);
  return Int32Array.from(kept, (column) => items[column]);
}

/** X over them. */
export function frequentItemsMatrix(data: EventData, options: FrequentItemsOptions = {}): EventMatrix {
  const items = frequentItems(data, options);
  if (items.length > 0) return eventMatrix(data, { items });
  throw new NearkinError(
    "BAD_ARGUMENT",
    `no item was met by ${options.minEvents ?? 5} training users or more; lower minEvents, or leave this baseline out`,
  );
}
