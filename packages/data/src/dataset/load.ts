// A dataset as the typed arrays that training works on. No row becomes an object: DuckDB's columns are copied chunk by chunk, one file
// after the other (several at once were measured and are no faster: the copying is what takes the time).
import type { Database } from "../database.ts";
import { badDataset, type Dataset } from "./open.ts";
import { checkIndices, type LoadOptions, openReader, parquet, readColumns, readTensors } from "./read.ts";
import { roleCode } from "./roles.ts";

/** n items, u training users, e training events, p pairs, k factors. All indices are those of the vocabularies. */
export interface TrainingData {
  readonly itemCount: number;
  /** All users, with and without training events. */
  readonly userCount: number;
  readonly histories: Histories;
  readonly pairs: Pairs;
  readonly items: ItemStatistics;
  readonly users: UserStatistics;
  readonly factors: Factors;
  /** (n) Codes of `itemRoles`. */
  readonly roles: Uint8Array;
}

/** What each training user did, in time order: row r is events `starts[r]` to `starts[r + 1]`. */
export interface Histories {
  /** (u) Ascending. */
  readonly userIndex: Int32Array;
  /** (u + 1) */
  readonly starts: Int32Array;
  /** (e) */
  readonly items: Int32Array;
  /** (e) */
  readonly ratings: Float32Array;
  /** (e) Seconds since 1970, or row numbers where there are no times: `manifest.time.kind`. */
  readonly times: Float64Array;
}

/** Positive pairs of stage 1, by user and time. */
export interface Pairs {
  /** (p) */
  readonly user: Int32Array;
  /** (p) Item. */
  readonly anchor: Int32Array;
  /** (p) Item. */
  readonly positive: Int32Array;
}

/** By item; NaN, and a count of 0, for an item without training events. */
export interface ItemStatistics {
  /** (n) Training events. */
  readonly ratings: Int32Array;
  /** (n) */
  readonly mean: Float64Array;
  /** (n) Mean that counts the global mean as some ratings more: `config.statistics.shrinkage`. */
  readonly shrunkMean: Float64Array;
  /** (n) Times of the first and the last training event. */
  readonly firstSeen: Float64Array;
  readonly lastSeen: Float64Array;
}

/** By row of the histories. */
export interface UserStatistics {
  /** (u) */
  readonly events: Int32Array;
  /** (u) Mean rating. */
  readonly mean: Float64Array;
}

/** Surrogate targets of stage 2; k = 0 where none were asked for. */
export interface Factors {
  readonly k: number;
  /** (n, k), row-major; rows of zeros for items without training events. */
  readonly vectors: Float32Array;
  /** (k) Largest first. */
  readonly singularValues: Float64Array;
}

const HISTORIES = "train/interactions.parquet";
const PAIRS = "train/pairs.parquet";
const ITEMS = "train/items.parquet";
const USERS = "train/users.parquet";
const FACTORS = "train/factors.safetensors";
const CATALOGUE = "items.parquet";

/**
 * Loads what training reads, and nothing of truth/.
 *
 * @example
 * const { histories, items } = await loadTraining(await openDataset("films"));
 * const first = histories.items.subarray(histories.starts[0], histories.starts[1]);
 */
export async function loadTraining(dataset: Dataset, options: LoadOptions = {}): Promise<TrainingData> {
  const { items: itemCount, users: userCount, training } = dataset.manifest.counts;
  for (const rows of [training.interactions, training.pairs]) {
    if (rows >= 2 ** 31) throw badDataset(dataset.folder, `${rows} rows are more than an array of 32-bit starts holds`);
  }
  await using database = await openReader(options);
  const { userIndex, ...users } = await loadUserStatistics(dataset, database);
  return {
    itemCount,
    userCount,
    histories: await loadHistories(dataset, database, { userIndex, events: users.events }),
    pairs: await loadPairs(dataset, database),
    items: await loadItemStatistics(dataset, database),
    users,
    factors: await loadFactors(dataset),
    roles: await loadRoles(dataset, database),
  };
}

async function loadUserStatistics(
  dataset: Dataset,
  database: Database,
): Promise<UserStatistics & { userIndex: Int32Array }> {
  const { users, training } = dataset.manifest.counts;
  const userIndex = new Int32Array(training.users);
  const events = new Int32Array(training.users);
  const mean = new Float64Array(training.users);
  const sql = `SELECT CAST(user_index AS INTEGER), CAST(events AS INTEGER), mean_rating FROM ${parquet(dataset.path(USERS))}`;
  await readColumns(dataset, USERS, { database, sql }, [userIndex, events, mean]);
  checkIndices(dataset, USERS, userIndex, users);
  return { userIndex, events, mean };
}

async function loadHistories(
  dataset: Dataset,
  database: Database,
  { userIndex, events }: { userIndex: Int32Array; events: Int32Array },
): Promise<Histories> {
  const { items: itemCount, training } = dataset.manifest.counts;
  const starts = new Int32Array(events.length + 1);
  for (let row = 0; row < events.length; row++) starts[row + 1] = starts[row] + events[row];
  const total = starts[events.length];
  if (total !== training.interactions) {
    throw badDataset(
      dataset.folder,
      `${USERS} counts ${total} events, and ${HISTORIES} should hold ${training.interactions}`,
    );
  }
  const items = new Int32Array(total);
  const ratings = new Float32Array(total);
  const times = new Float64Array(total);
  const sql = `SELECT CAST(item_index AS INTEGER), CAST(rating AS FLOAT), CAST(time AS DOUBLE) FROM ${parquet(dataset.path(HISTORIES))}`;
  await readColumns(dataset, HISTORIES, { database, sql }, [items, ratings, times]); // written in the order of users and time
  checkIndices(dataset, HISTORIES, items, itemCount);
  return { userIndex, starts, items, ratings, times };
}

async function loadPairs(dataset: Dataset, database: Database): Promise<Pairs> {
  const { items: itemCount, users: userCount, training } = dataset.manifest.counts;
  const [user, anchor, positive] = [0, 1, 2].map(() => new Int32Array(training.pairs));
  const columns = "CAST(user_index AS INTEGER), CAST(anchor AS INTEGER), CAST(positive AS INTEGER)";
  const sql = `SELECT ${columns} FROM ${parquet(dataset.path(PAIRS))}`;
  await readColumns(dataset, PAIRS, { database, sql }, [user, anchor, positive]);
  checkIndices(dataset, PAIRS, user, userCount);
  checkIndices(dataset, PAIRS, anchor, itemCount);
  checkIndices(dataset, PAIRS, positive, itemCount);
  return { user, anchor, positive };
}

async function loadItemStatistics(dataset: Dataset, database: Database): Promise<ItemStatistics> {
  const { items: itemCount, training } = dataset.manifest.counts;
  const index = new Int32Array(training.items);
  const counts = new Int32Array(training.items);
  const found = [0, 1, 2, 3].map(() => new Float64Array(training.items));
  const sql = `SELECT CAST(item_index AS INTEGER), CAST(ratings AS INTEGER), mean_rating, shrunk_mean,
      CAST(first_seen AS DOUBLE), CAST(last_seen AS DOUBLE)
    FROM ${parquet(dataset.path(ITEMS))}`;
  await readColumns(dataset, ITEMS, { database, sql }, [index, counts, ...found]);
  checkIndices(dataset, ITEMS, index, itemCount);
  const ratings = new Int32Array(itemCount);
  index.forEach((item, k) => {
    ratings[item] = counts[k];
  });
  const [mean, shrunkMean, firstSeen, lastSeen] = found.map((values) => {
    const dense = new Float64Array(itemCount).fill(Number.NaN);
    index.forEach((item, k) => {
      dense[item] = values[k];
    });
    return dense;
  });
  return { ratings, mean, shrunkMean, firstSeen, lastSeen };
}

async function loadFactors(dataset: Dataset): Promise<Factors> {
  const { items, training } = dataset.manifest.counts;
  const k = training.factors;
  if (k === 0) return { k, vectors: new Float32Array(0), singularValues: new Float64Array(0) };
  const tensors = await readTensors(dataset, FACTORS);
  const vectors = tensors.get("vectors");
  const singularValues = tensors.get("singularValues");
  const fits =
    vectors?.type === "F32" &&
    String(vectors.shape) === String([items, k]) &&
    singularValues?.type === "F64" &&
    String(singularValues.shape) === String([k]);
  if (!fits) {
    throw badDataset(dataset.folder, `${FACTORS} must hold vectors F32 [${items}, ${k}] and singularValues F64 [${k}]`);
  }
  return { k, vectors: vectors.data, singularValues: singularValues.data };
}

/** (n) Codes of `itemRoles`. */
export async function loadRoles(dataset: Dataset, database: Database): Promise<Uint8Array> {
  const codes = new Int32Array(dataset.manifest.counts.items);
  const sql = `SELECT CAST(${roleCode} AS INTEGER) FROM ${parquet(dataset.path(CATALOGUE))}`;
  await readColumns(dataset, CATALOGUE, { database, sql }, [codes]);
  return Uint8Array.from(codes);
}
