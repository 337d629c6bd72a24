// Whether tables that came from workers are all there. A part of a table that a worker wrote to a disk of its own, or that was not copied, makes no error
// by itself; what tables say of each other shows it.
import { NearkinError } from "@nearkin/core";
import type { Database } from "../database.ts";

/** Of each table the number of rows it must have. */
const ROWS: Readonly<Record<string, string>> = {
  users: "SELECT COALESCE(MAX(user_index) + 1, 0) FROM users",
  items: "SELECT COALESCE(MAX(item_index) + 1, 0) FROM items",
  catalogue: "SELECT COUNT(*) FROM items",
  training: "SELECT events FROM totals",
  matrix_rows: "SELECT COUNT(*) FROM user_statistics",
  matrix_columns: "SELECT COUNT(*) FROM item_statistics",
};

/** Of each sum over a table what it must be. */
const SUMS: Readonly<Record<string, { sum: string; expected: string }>> = {
  user_statistics: { sum: "events", expected: "SELECT events FROM totals" },
  item_statistics: { sum: "ratings", expected: "SELECT events FROM totals" },
};

export async function checkWhole(database: Database, folder: string): Promise<void> {
  const laws = [
    ...Object.entries(ROWS).map(([table, rows]) => law(table, "COUNT(*)", rows)),
    ...Object.entries(SUMS).map(([table, { sum, expected }]) => law(table, `COALESCE(SUM(${sum}), 0)`, expected)),
  ];
  const broken = await database.rows<{ name: string }>(
    `SELECT name FROM (${laws.join(" UNION ALL ")}) WHERE NOT holds`,
  );
  if (broken.length === 0) return;
  throw new NearkinError(
    "BAD_DATASET",
    `${folder}: rows are missing in ${broken.map(({ name }) => name).join(", ")}; all workers and this machine must see the same storage, and a copy must have every file`,
  );
}

const law = (table: string, figure: string, expected: string) =>
  `SELECT '${table}' AS name, (SELECT ${figure} FROM ${table}) = (${expected}) AS holds`;
