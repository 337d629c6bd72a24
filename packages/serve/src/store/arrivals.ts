// Tables whose rows have a key of their own, come in batches, and are numbered as they arrive: events and feedback. A row whose key is there
// already is passed over.
//
// A row that brings no time has that of its arrival: by the database's own clock where several servers write, since theirs differ, and of two ratings of an item
// the one with the later time counts.
import { CLOCK } from "./changes.ts";
import { checkValues, type SqlDatabase, type SqlRow, type SqlStatement, type SqlValue } from "./database.ts";
import { insertRows, numberOf, takeNumbers } from "./rows.ts";
import { together } from "./together.ts";

export interface ArrivalTable {
  readonly name: "events" | "feedback";
  /** Columns behind the arrival number, and the type of those that are no text. The first is the key. */
  readonly columns: Readonly<Record<string, "TEXT" | "BIGINT" | "DOUBLE PRECISION">>;
}

/** A key, and then the other columns. */
export type ArrivalRow = readonly [key: string, ...others: SqlValue[]];

/** The time of arrival in milliseconds since 1970; null: the database's clock tells. */
export type ArrivalClock = () => number | null;

/** ms that a clock may be put back without being believed. */
const MAX_STEP_BACK_MS = 3_600_000;

/** A clock that stands still while the other, put back by up to an hour, catches up: what arrives keeps its order. */
export function steadyClock(clock: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    if (now > last || last - now > MAX_STEP_BACK_MS) last = now;
    return last;
  };
}

/** Rows of those who write at the same time, in one transaction. */
const MOST_ROWS = 1000;

/** The list that writes rows. Its first statement takes the turn; `acceptedOf` reads what they give. */
export function arrivalStatements(
  { kind }: SqlDatabase,
  { name, columns }: ArrivalTable,
  rows: readonly ArrivalRow[],
): SqlStatement[] {
  const names = Object.keys(columns);
  const typed = Object.entries(columns).map(([column, type], i) => {
    if (type === "TEXT") return `v.column${i + 2}`;
    const value = `CAST(v.column${i + 2} AS ${type})`;
    return column === "time" && kind === "postgres" ? `COALESCE(${value}, ${CLOCK})` : value;
  });
  const numbered = rows.map((row, i) => [i - rows.length + 1, ...row]);
  return [
    takeNumbers(name, rows.length),
    ...insertRows(
      (values) =>
        `INSERT INTO nearkin.${name} (arrival, ${names.join(", ")})
          SELECT ${numberOf(name, "v.column1")}, ${typed.join(", ")} FROM (VALUES ${values}) AS v WHERE true
          ON CONFLICT (${names[0]}) DO NOTHING RETURNING ${names[0]} AS accepted`,
      numbered,
    ),
    {
      sql: `UPDATE nearkin.counters SET total = total + (${countLast(name, "value", "$1")}) WHERE name = '${name}'`,
      values: [rows.length],
    },
  ];
}

/**
 * How many rows have one of the last `count` numbers up to `value`, in SQL: what a list has written so far. The order and the limit are for
 * PostgreSQL, which else reads the whole table, since it cannot know that the numbers are the last ones.
 */
export function countLast(name: ArrivalTable["name"], value: string, count: string): string {
  return `SELECT COUNT(*) FROM (SELECT 1 FROM nearkin.${name} WHERE arrival > ${value} - CAST(${count} AS BIGINT)
    ORDER BY arrival DESC LIMIT CAST(${count} AS BIGINT)) AS written`;
}

/** The rows of each batch that were accepted. Of two rows with one key the first is. */
export function acceptedOf(batches: readonly (readonly ArrivalRow[])[], results: readonly SqlRow[][]): ArrivalRow[][] {
  const accepted = new Set(results.flatMap((rows) => rows.map((row) => row.accepted)));
  return batches.map((rows) => rows.filter(([key]) => accepted.delete(key)));
}

/** Why each of some batches cannot be written; null: it can. */
export type Refusals = (batches: readonly (readonly ArrivalRow[])[]) => Promise<(Error | null)[]>;

/** A function that writes rows, all or none, and gives those that were accepted. It throws what `refusals` says of them. */
export function arrivalWriter(
  database: SqlDatabase,
  table: ArrivalTable,
  refusals?: Refusals,
): (rows: readonly ArrivalRow[]) => Promise<ArrivalRow[]> {
  const write = together(
    async (batches: readonly (readonly ArrivalRow[])[]) => {
      const refused = (await refusals?.(batches)) ?? batches.map(() => null);
      const admitted = batches.filter((_, i) => refused[i] === null);
      if (admitted.length === 0) return refused as Error[];
      const results = await database.run(arrivalStatements(database, table, admitted.flat()));
      if (table.name === "events") database.changed(); // nobody remembers feedback
      const accepted = acceptedOf(admitted, results);
      return refused.map((error) => error ?? (accepted.shift() as ArrivalRow[]));
    },
    { sizeOf: (rows) => rows.length, most: MOST_ROWS },
  );
  return async (rows) => {
    if (rows.length === 0) return [];
    for (const row of rows) checkValues(row); // before they meet others', which must not fail with them
    const written = await write(rows);
    if (written instanceof Error) throw written;
    return written;
  };
}

export async function countArrivals(database: SqlDatabase, { name }: ArrivalTable): Promise<number> {
  const [[{ total }]] = await database.run([{ sql: `SELECT total FROM nearkin.counters WHERE name = '${name}'` }]);
  return total as number;
}
