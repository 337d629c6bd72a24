// Which table becomes which Parquet file of the dataset.
import { quote } from "../database.ts";
import { fieldColumns } from "./read.ts";

export interface TableFile {
  path: string;
  sql: string;
}

/** Everything but truth. Training reads these. */
export function openTables(fields: readonly string[]): TableFile[] {
  return [
    {
      path: "items.parquet",
      sql: `SELECT item_index, item_id, role, described${fieldColumns(fields)} FROM catalogue ORDER BY item_index`,
    },
    {
      path: "users.parquet",
      sql: `SELECT users.user_index, users.user_id, user_role.role FROM users
            JOIN user_role ON user_role.user_index = users.user_index ORDER BY users.user_index`,
    },
    { path: "train/interactions.parquet", sql: "SELECT user_index, item_index, rating, time FROM training" },
    { path: "train/items.parquet", sql: "SELECT * FROM item_statistics ORDER BY item_index" },
    {
      path: "train/users.parquet",
      sql: "SELECT user_index, events, mean_rating FROM user_statistics ORDER BY user_index",
    },
    { path: "train/pairs.parquet", sql: "SELECT user_index, anchor, positive FROM pairs" },
  ];
}

/** What only evaluation may open. */
export const truthTables: readonly TableFile[] = [
  { path: "truth/queries.parquet", sql: "SELECT item_index, role FROM queries ORDER BY role, item_index" },
  {
    path: "truth/co-interaction.parquet",
    sql: "SELECT role, query, item, seconds FROM truth_co_interaction ORDER BY query, item",
  },
  { path: "truth/affinity.parquet", sql: "SELECT role, query, item, rank, affinity, common_users FROM truth_affinity" },
  { path: "truth/items.parquet", sql: "SELECT * FROM truth_item_statistics" },
];

/** For the split by users. */
export const truthUserTables: readonly TableFile[] = [
  { path: "truth/users.parquet", sql: "SELECT role, user_index, item_index, rating, time, part FROM truth_users" },
];

/** SQL that writes one file. The rows come in a fixed order and in groups of a fixed size, so the bytes are the same for any number of threads. */
export function writeTable(sql: string, path: string): string {
  return `COPY (${sql}) TO ${quote(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880)`;
}
