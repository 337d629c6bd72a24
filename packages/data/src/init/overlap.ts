// The overlap of ids between files: how many values of a column another file's column holds. Names play no part here.
import type { Database } from "../database.ts";
import type { Table } from "./table.ts";

/** Distinct values of a column that are looked up in another file. */
const LOOKED_UP = 10_000;
/** Rows of a file that ids are read from, and the bytes those rows may have. */
const ID_ROWS = 1_000_000;
const ID_BYTES = 256 * 2 ** 20;
/** Columns of a file that are compared; a wide table has its ids in front. */
const ID_COLUMNS = 12;

export interface Overlap {
  /** Distinct values looked up. */
  values: number;
  /** Those that the other column holds, as they stand. */
  found: number;
  /** Those that it holds if case, blanks, zeros in front and ".0" behind are passed over. */
  alike: number;
  /** Share to be found if the values were any whole numbers of their range: near 1 for ids counted from 1. */
  chance: number;
  /** Share of the other column's values that this one holds. */
  covered: number;
}

export class Overlaps {
  readonly #found = new Map<string, Overlap>();

  /** The overlap of a column with a key of another table; undefined if the two were not compared. */
  get(from: Table, column: string, to: Table, key: string): Overlap | undefined {
    return this.#found.get(JSON.stringify([from.name, column, to.name, key]));
  }

  set(from: Table, column: string, to: Table, key: string, overlap: Overlap): void {
    this.#found.set(JSON.stringify([from.name, column, to.name, key]), overlap);
  }
}

/** Compares every id column of each table with every key of the others. */
export async function measureOverlaps(database: Database, tables: readonly Table[]): Promise<Overlaps> {
  const overlaps = new Overlaps();
  if (tables.length < 2) return overlaps;
  const columns = tables.map((table) => table.columns.filter((column) => table.facts(column).id).slice(0, ID_COLUMNS));
  for (const [t, table] of tables.entries()) {
    await readIds(database, table, columns[t], `ids_${t}`);
  }
  for (const [t, from] of tables.entries()) {
    for (const [o, to] of tables.entries()) {
      if (t === o) continue;
      for (const [k, column] of columns[t].entries()) {
        for (const [j, key] of columns[o].entries()) {
          if (!to.facts(key).key) continue;
          const overlap = await measure(database, `ids_${t}_${k}`, `ids_${o}_${j}`);
          overlaps.set(from, column, to, key, overlap);
        }
      }
    }
  }
  return overlaps;
}

/** `id` without the differences that people do not see. */
const PLAIN = String.raw`regexp_replace(regexp_replace(lower(trim(id)), '\.0+$', ''), '^0+([0-9a-z])', '\1')`;

/** Makes a table of the distinct ids of each column, with their plain form and their value as a number. The file is read once. */
async function readIds(database: Database, table: Table, columns: readonly string[], name: string): Promise<void> {
  if (columns.length === 0) return;
  const rows = Math.max(1000, Math.min(ID_ROWS, Math.floor(ID_BYTES / table.rowBytes)));
  const aliases = Object.fromEntries(columns.map((column, k) => [`id_${k}`, column]));
  await database
    .run(`CREATE TEMP TABLE ${name} AS SELECT * FROM (${table.select(aliases)}) LIMIT ${rows}`)
    .catch(table.explain);
  for (const k of columns.keys()) {
    await database.run(
      `CREATE TEMP TABLE ${name}_${k} AS SELECT id, ${PLAIN} AS plain, TRY_CAST(id AS BIGINT) AS number
       FROM (SELECT DISTINCT id_${k} AS id FROM ${name}) WHERE trim(id) <> ''`,
    );
  }
  await database.run(`DROP TABLE ${name}`);
}

async function measure(database: Database, from: string, to: string): Promise<Overlap> {
  const row = await database.row<{
    values: number;
    found: number;
    alike: number;
    numbers: number;
    span: number | null;
    within: number;
    held: number;
    keys: number;
  }>(
    `WITH probe AS (SELECT * FROM ${from} ORDER BY hash(id), id LIMIT ${LOOKED_UP}),
          span AS (SELECT MIN(number) AS least, MAX(number) AS most FROM probe)
     SELECT COUNT(*) AS values,
       COUNT(*) FILTER (id IN (SELECT id FROM ${to})) AS found,
       COUNT(*) FILTER (plain IN (SELECT plain FROM ${to})) AS alike,
       COUNT(number) AS numbers,
       CAST((SELECT most - least + 1 FROM span) AS DOUBLE) AS span,
       (SELECT COUNT(*) FROM ${to}, span WHERE number BETWEEN least AND most) AS within,
       (SELECT COUNT(*) FROM ${to} WHERE id IN (SELECT id FROM ${from})) AS held,
       (SELECT COUNT(*) FROM ${to}) AS keys
     FROM probe`,
  );
  const { values, found, alike, numbers, span, within, held, keys } = row;
  const chance = numbers === values && span !== null && span > 0 ? Math.min(1, within / span) : 0;
  return { values, found, alike, chance, covered: keys === 0 ? 0 : held / keys };
}
