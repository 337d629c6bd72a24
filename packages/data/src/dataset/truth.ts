// The only code that reads truth/. Evaluation (and `inspect`) opens it by name; training has no way in by accident.
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import { type ColumnArray, type Database, quote } from "../database.ts";
import { badDataset, checkFiles, type Dataset, isTruth } from "./open.ts";
import { checkIndices, type LoadOptions, openReader, parquet, readColumns, reading } from "./read.ts";
import type { QueryRole } from "./roles.ts";

/** Loaders of the truths, each for the query items, or the users, of one role. */
export interface Truth {
  /** The path of a file of truth/, such as "truth/queries.parquet", for SQL over it. */
  path(name: string): string;
  /** (q) Query items, ascending. */
  queries(role: QueryRole): Promise<Int32Array>;
  coInteraction(role: QueryRole): Promise<CoInteraction>;
  affinity(role: QueryRole): Promise<Affinity>;
  items(role: QueryRole): Promise<TruthItems>;
  /** Of the split by users; another split has none, which is a `BAD_ARGUMENT`. */
  users(role: QueryRole): Promise<TruthUsers>;
}

/** Truths of query `queries[r]`: entries `starts[r]` to `starts[r + 1]`. A query without any is there, with an empty range (EV8). */
export interface QueryRows {
  /** (q) Query items, ascending. */
  readonly queries: Int32Array;
  /** (q + 1) */
  readonly starts: Int32Array;
  /** Items, the query itself not among them. */
  readonly items: Int32Array;
}

/** EV4: every item that some user interacted with besides the query; items ascending. */
export interface CoInteraction extends QueryRows {
  /** The least time between the two interactions of one user: a horizon is a bound on it. Row numbers where there are no times. */
  readonly seconds: Float64Array;
}

/** EV5: the nearest items, best first. */
export interface Affinity extends QueryRows {
  /** c_ij/√(n_i·n_j) */
  readonly affinity: Float64Array;
  /** c_ij */
  readonly commonUsers: Int32Array;
}

/** Figures of the query items over all events of their world, those after the cut included. */
export interface TruthItems {
  /** (q) */
  readonly queries: Int32Array;
  /** (q) Events. */
  readonly ratings: Int32Array;
  /** (q) Mean rating; NaN without events. */
  readonly mean: Float64Array;
  /** (q) NaN without events. */
  readonly firstSeen: Float64Array;
}

/** EV10: what held-out users did, in time order; row r is events `starts[r]` to `starts[r + 1]`, of which those before `queryStarts[r]` are support. */
export interface TruthUsers {
  /** (u) Ascending. */
  readonly userIndex: Int32Array;
  /** (u + 1) */
  readonly starts: Int32Array;
  /** (u) */
  readonly queryStarts: Int32Array;
  readonly items: Int32Array;
  readonly ratings: Float32Array;
  readonly times: Float64Array;
}

const QUERIES = "truth/queries.parquet";
const CO_INTERACTION = "truth/co-interaction.parquet";
const AFFINITY = "truth/affinity.parquet";
const ITEMS = "truth/items.parquet";
const USERS = "truth/users.parquet";

/** Checks that the files of truth/ are there, whole in size, and gives the way to them. */
export async function openTruth(dataset: Dataset, options: LoadOptions = {}): Promise<Truth> {
  const { folder, manifest } = dataset;
  const files = manifest.files.filter((file) => isTruth(file.name));
  checkFiles(folder, files);
  const names = new Set(files.map((file) => file.name));
  const path = (name: string) => {
    if (!names.has(name)) throw badDataset(folder, `it has no file ${name}`);
    return join(folder, name);
  };
  const source: Source = { dataset, path, options };
  return {
    path,
    queries: (role) => withRows(source, QUERIES, role, (rows) => loadQueries(rows)),
    coInteraction: (role) => loadCoInteraction(source, role),
    affinity: (role) => loadAffinity(source, role),
    items: (role) => loadTruthItems(source, role),
    users: (role) => {
      if (names.has(USERS)) return withRows(source, USERS, role, loadTruthUsers);
      throw new NearkinError("BAD_ARGUMENT", `${folder} has no held-out users; prepare it with split.by: users`);
    },
  };
}

interface Source {
  dataset: Dataset;
  path(name: string): string;
  options: LoadOptions;
}

/** The rows of one role in one file, how many they are, and a way to read their columns. */
interface RoleRows {
  dataset: Dataset;
  name: string;
  count: number;
  read(columns: string, targets: readonly ColumnArray[]): Promise<void>;
}

async function withRows<T>(
  { dataset, path, options }: Source,
  name: string,
  role: QueryRole,
  use: (rows: RoleRows) => Promise<T>,
): Promise<T> {
  await using database: Database = await openReader(options);
  const from = `FROM ${parquet(path(name))} WHERE role = ${quote(role)}`; // the order is that of the file
  const { count } = await reading(dataset, name, () =>
    database.row<{ count: number }>(`SELECT COUNT(*) AS count ${from}`),
  );
  if (count >= 2 ** 31) throw badDataset(dataset.folder, `${name}: ${count} rows are more than 32-bit starts hold`);
  const read = (columns: string, targets: readonly ColumnArray[]) =>
    readColumns(dataset, name, { database, sql: `SELECT ${columns} ${from}` }, targets);
  return await use({ dataset, name, count, read }); // awaited here: the database closes on the way out
}

async function loadQueries({ dataset, name, count, read }: RoleRows): Promise<Int32Array> {
  const queries = new Int32Array(count);
  await read("CAST(item_index AS INTEGER)", [queries]);
  checkIndices(dataset, name, queries, dataset.manifest.counts.items);
  return queries;
}

async function loadCoInteraction(source: Source, role: QueryRole): Promise<CoInteraction> {
  const queries = await withRows(source, QUERIES, role, loadQueries);
  return withRows(source, CO_INTERACTION, role, async (rows) => {
    const query = new Int32Array(rows.count);
    const items = new Int32Array(rows.count);
    const seconds = new Float64Array(rows.count);
    await rows.read("CAST(query AS INTEGER), CAST(item AS INTEGER), CAST(seconds AS DOUBLE)", [query, items, seconds]);
    return { ...queryRows(rows, queries, query, items), seconds };
  });
}

async function loadAffinity(source: Source, role: QueryRole): Promise<Affinity> {
  const queries = await withRows(source, QUERIES, role, loadQueries);
  return withRows(source, AFFINITY, role, async (rows) => {
    const [query, items, commonUsers] = [0, 1, 2].map(() => new Int32Array(rows.count));
    const affinity = new Float64Array(rows.count);
    const columns = "CAST(query AS INTEGER), CAST(item AS INTEGER), CAST(common_users AS INTEGER), affinity";
    await rows.read(columns, [query, items, commonUsers, affinity]);
    return { ...queryRows(rows, queries, query, items), affinity, commonUsers };
  });
}

async function loadTruthItems(source: Source, role: QueryRole): Promise<TruthItems> {
  const queries = await withRows(source, QUERIES, role, loadQueries);
  return withRows(source, ITEMS, role, async ({ dataset, name, count, read }) => {
    const index = new Int32Array(count);
    const counts = new Int32Array(count);
    const found = [new Float64Array(count), new Float64Array(count)];
    const columns = "CAST(item_index AS INTEGER), CAST(ratings AS INTEGER), mean_rating, CAST(first_seen AS DOUBLE)";
    await read(columns, [index, counts, ...found]);
    const position = new Map(Array.from(queries, (item, row) => [item, row]));
    const ratings = new Int32Array(queries.length);
    const [mean, firstSeen] = [0, 1].map(() => new Float64Array(queries.length).fill(Number.NaN));
    index.forEach((item, k) => {
      const row = position.get(item);
      if (row === undefined) throw badDataset(dataset.folder, `${name}: item ${item} is no query`);
      ratings[row] = counts[k];
      mean[row] = found[0][k];
      firstSeen[row] = found[1][k];
    });
    return { queries, ratings, mean, firstSeen };
  });
}

async function loadTruthUsers({ dataset, name, count, read }: RoleRows): Promise<TruthUsers> {
  const [user, items, isQuery] = [0, 1, 2].map(() => new Int32Array(count));
  const ratings = new Float32Array(count);
  const times = new Float64Array(count);
  const columns = "CAST(user_index AS INTEGER), CAST(item_index AS INTEGER), CAST(part = 'query' AS INTEGER)";
  await read(`${columns}, CAST(rating AS FLOAT), CAST(time AS DOUBLE)`, [user, items, isQuery, ratings, times]);
  checkIndices(dataset, name, items, dataset.manifest.counts.items);
  checkIndices(dataset, name, user, dataset.manifest.counts.users);
  const userIndex = Int32Array.from(new Set(user)); // in the order they come
  const starts = rowStarts(dataset, name, userIndex, user);
  const queryStarts = userIndex.map((_, row) => {
    const first = isQuery.indexOf(1, starts[row]);
    return first < 0 || first > starts[row + 1] ? starts[row + 1] : first;
  });
  return { userIndex, starts, queryStarts, items, ratings, times };
}

function queryRows({ dataset, name }: RoleRows, queries: Int32Array, query: Int32Array, items: Int32Array): QueryRows {
  checkIndices(dataset, name, items, dataset.manifest.counts.items);
  return { queries, starts: rowStarts(dataset, name, queries, query), items };
}

/** Where the entries of each of `rows` begin among `keys`, both ascending. */
function rowStarts(dataset: Dataset, name: string, rows: Int32Array, keys: Int32Array): Int32Array {
  const starts = new Int32Array(rows.length + 1);
  let at = 0;
  for (let row = 0; row < rows.length; row++) {
    starts[row] = at;
    while (at < keys.length && keys[at] === rows[row]) at++;
  }
  starts[rows.length] = at;
  if (at !== keys.length)
    throw badDataset(dataset.folder, `${name}: row ${at} belongs to no query, or is out of order`);
  return starts;
}
