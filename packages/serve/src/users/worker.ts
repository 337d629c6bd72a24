// The users thread: fits of users' metrics, predictions of their ratings, and what to ask them next. All of it reads the catalogue's rows where the
// scans read them, in shared memory, and computes in a small memory of its own, so that no request waits for a fit.
//
// A row that is replaced while a fit reads it may be seen half old, half new. That moves one user's weights a little, until their next event; the
// lists, which scans make, never see such a row.
import {
  createEngine,
  hostMatrix,
  type ItemDirectory,
  type ItemId,
  type LiftedItem,
  type LiftedRows,
  metricOf,
  type PersonalPrediction,
  type PersonalPrior,
  predictionFor,
  questionsFor,
  type RowLayout,
  type SharedMetric,
  type SuggestedQuestion,
  type UserMetric,
  type UsersOf,
} from "@nearkin/core";
import { answerCalls } from "../threads/answer.ts";

/** The catalogue of a model as threads share it. */
export interface SharedCatalogue {
  /** Tells it apart from other models'. */
  readonly key: number;
  readonly name: string;
  readonly layout: RowLayout;
  /** (capacity, w), one for each memory. */
  readonly shards: readonly { readonly memory: SharedArrayBuffer; readonly at: number; readonly rows: number }[];
  /** (capacity, p) */
  readonly masked: Uint8Array<SharedArrayBuffer>;
  readonly lengths: Float64Array;
  readonly prior: PersonalPrior | undefined;
  readonly metric: Omit<SharedMetric, "engine" | "rows">;
}

/** A user's items, as rows: each once, the oldest first. */
export interface UserRows {
  readonly rows: Int32Array;
  /** NaN where an item was met but not rated. */
  readonly ratings: Float64Array;
}

const engine = await createEngine({ workers: 1 });
const opened = new Map<number, UsersOf>();

const usersOf = (key: number): UsersOf => {
  const found = opened.get(key);
  if (!found) throw new Error(`no catalogue ${key} is open in the users thread`);
  return found;
};

/** Rows stand in for ids here: the server has the names. */
const asRatings = ({ rows, ratings }: UserRows) =>
  Array.from(rows, (row, i) => ({ item: String(row), rating: Number.isNaN(ratings[i]) ? null : ratings[i] }));

const calls = {
  open({ key, name, layout, shards, masked, lengths, prior, metric }: SharedCatalogue): void {
    const rows: LiftedRows = {
      layout,
      count: shards.reduce((sum, shard) => sum + shard.rows, 0),
      shards: shards.map(({ memory, at, rows: count }) => ({
        engine,
        rows: hostMatrix(new Float32Array(memory, at, count * layout.width), count, layout.width),
      })),
      masked,
      lengths,
      hashes: new Uint32Array(0), // nothing is ranked here
      largestSquares: new Float64Array(layout.channelCount),
      largestLog: 0,
    };
    const items: ItemDirectory = {
      size: rows.count,
      idOf: (row) => String(row) as ItemId,
      titleOf: () => null,
      ratingsOf: () => 0, // whoever asks for questions names the candidates
      indexOf: Number,
    };
    opened.set(key, { name, items, shared: { ...metric, engine, rows }, prior });
  },

  close({ key }: { key: number }): void {
    opened.delete(key);
  },

  metric({ key, user }: { key: number; user: UserRows }): UserMetric {
    return metricOf(usersOf(key), asRatings(user));
  },

  predict({
    key,
    user,
    item,
    metric,
  }: {
    key: number;
    user: UserRows;
    item: LiftedItem;
    metric: { weights: Float64Array; offset: number };
  }): Omit<PersonalPrediction, "missing"> {
    return predictionFor(usersOf(key), asRatings(user), item, metric);
  },

  questions({
    key,
    user,
    candidates,
    k,
  }: {
    key: number;
    user: UserRows;
    candidates: Int32Array;
    k: number;
  }): SuggestedQuestion[] {
    return questionsFor(usersOf(key), asRatings(user), { k, candidates: Array.from(candidates, String) });
  },
};

export type UsersCalls = typeof calls;

answerCalls(calls);
