// Many rows in few statements.
import { createHash } from "node:crypto";
import type { SqlStatement, SqlValue } from "./database.ts";

/**
 * Rows of one statement. Each of some ten parameters, that is far from the 32,766 that SQLite takes, and a prepared statement is used again
 * for as many rows.
 */
const ROWS_PER_STATEMENT = 250;

/**
 * One statement for every few rows, with the rows as `($1, $2), ($3, $4)` in the place of `rows` in the text.
 *
 * @example
 * insertRows((rows) => `INSERT INTO t VALUES ${rows}`, [[1, "a"], [2, "b"]])
 * // => [{ sql: "INSERT INTO t VALUES ($1, $2), ($3, $4)", values: [1, "a", 2, "b"] }]
 */
export function insertRows(sql: (rows: string) => string, rows: readonly (readonly SqlValue[])[]): SqlStatement[] {
  const statements: SqlStatement[] = [];
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    const some = rows.slice(from, from + ROWS_PER_STATEMENT);
    statements.push({ sql: sql(placeholders(some.length, some[0].length)), values: some.flat() });
  }
  return statements;
}

/** `($1, $2), ($3, $4), …` for the most rows, by the number of columns, and where each row ends in it: fewer rows are its beginning. */
const longest = new Map<number, { text: string; ends: number[] }>();

function placeholders(rows: number, columns: number): string {
  let known = longest.get(columns);
  if (!known) {
    known = { text: "", ends: [] };
    for (let row = 0; row < ROWS_PER_STATEMENT; row++) {
      const places = Array.from({ length: columns }, (_, i) => `$${row * columns + i + 1}`);
      known.text += `${row === 0 ? "" : ", "}(${places.join(", ")})`;
      known.ends.push(known.text.length);
    }
    longest.set(columns, known);
  }
  return known.text.slice(0, known.ends[rows - 1]);
}

/**
 * Takes the next `count` numbers of a counter, and the turn to write: the statements behind it in the list run alone. `numberOf` gives the
 * number of a row in SQL, from how far it is from the last one (0, -1, …).
 */
export function takeNumbers(counter: Counter, count: number): SqlStatement {
  return { sql: `UPDATE nearkin.counters SET value = value + $1 WHERE name = '${counter}'`, values: [count] };
}

export type Counter = "events" | "feedback" | "items" | "keys" | "metrics";

export function numberOf(counter: Counter, fromLast: string): string {
  return `(SELECT value FROM nearkin.counters WHERE name = '${counter}') + CAST(${fromLast} AS BIGINT)`;
}

/** Holds for rows whose user is not being erased (see users.ts); read from the table without another name for it. */
const live = (table: "events" | "feedback") =>
  `${table}.arrival > COALESCE((SELECT x.${table}_to FROM nearkin.erasures AS x WHERE x.user_id = ${table}.user_id), 0)`;
export const LIVE_EVENTS = live("events");
export const LIVE_FEEDBACK = live("feedback");

/** 22 characters that stand for these values, and for no others. */
export function keyOf(...values: readonly (string | number | null)[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest().subarray(0, 16).toString("base64url");
}
