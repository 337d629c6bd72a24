// A file as init sees it: its columns, and the cells of its first rows.
import { basename, relative } from "node:path";
import type { SourceConfig } from "../config/schema.ts";
import { type Database, identifier } from "../database.ts";
import { type Format, listFiles } from "../sources/files.ts";
import { explainReadError, openRelation } from "../sources/relation.ts";
import { type Facts, factsOf } from "./facts.ts";
import { probeFile, type Reading } from "./probe.ts";

/** Rows looked at: enough to tell a genre from a title, few enough for any file. */
const SAMPLE = 10_000;

/** The settings of a file, as nearkin.yaml states them. */
interface TableFile {
  /** As nearkin.yaml will name it. */
  name: string;
  reading: Reading;
  ascii: boolean;
}

export interface Table extends TableFile {
  /** The files that are read as one table; the first gives the table its name. */
  files: readonly TableFile[];
  format: Format;
  /** The file itself names its columns. */
  named: boolean;
  columns: readonly string[];
  /** Rows looked at. */
  rows: number;
  /** Letters of a row, on average. */
  rowBytes: number;
  /** The cells of a column, row by row; null where empty. */
  cells(column: string): readonly (string | null)[];
  facts(column: string): Facts;
  /** SQL that reads columns (alias → column) of all rows. */
  select(aliases: Readonly<Record<string, string>>): string;
  /** Turns an error of reading these rows into one that names the file. */
  explain(cause: Error): never;
}

/** Opens a file and reads its first rows. `folder` is where nearkin.yaml will be. */
export async function openTable(database: Database, path: string, folder: string): Promise<Table> {
  const { reading, named, ascii } = probeFile(path);
  const source: SourceConfig = { files: path, encoding: "utf-8", ...reading };
  const what = basename(path);
  const relation = await openRelation(database, source, await listFiles(database, source, folder, what), what);
  const { columns } = relation;
  const select: Table["select"] = (aliases) => {
    const list = Object.keys(aliases).map(identifier).join(", ");
    return `SELECT ${list} FROM (${relation.read(aliases)}) WHERE damage IS NULL`;
  };
  const aliases = Object.fromEntries(columns.map((column, k) => [`cell_${k}`, column]));
  const explain = explainReadError("init", relation);
  const sample = await database
    .rows<Record<string, string | null>>(`${select(aliases)} LIMIT ${SAMPLE}`)
    .catch(explain);
  const letters = sample.reduce(
    (sum, row) => sum + Object.values(row).reduce((own, cell) => own + 1 + (cell?.length ?? 0), 0),
    0,
  );
  const cells: (string | null)[][] = [];
  const file: TableFile = { name: relative(folder, path).replaceAll("\\", "/"), reading, ascii };
  return withFacts({
    ...file,
    files: [file],
    format: relation.format,
    named,
    columns,
    rows: sample.length,
    rowBytes: letters / Math.max(1, sample.length),
    cells(column) {
      const k = columns.indexOf(column);
      cells[k] ??= sample.map((row) => (row[`cell_${k}`]?.trim() ? row[`cell_${k}`] : null));
      return cells[k];
    },
    select,
    explain,
  });
}

/** Facts are worked out once per column. */
function withFacts(table: Omit<Table, "facts">): Table {
  const known = new Map<string, Facts>();
  return {
    ...table,
    facts(column) {
      const facts = known.get(column) ?? factsOf(table.cells(column));
      known.set(column, facts);
      return facts;
    },
  };
}

/** Tables of one shape as one table, in their order. */
export function mergeTables(tables: readonly Table[]): Table[] {
  const groups = new Map<string, Table[]>();
  for (const table of tables) groups.set(shapeOf(table), [...(groups.get(shapeOf(table)) ?? []), table]);
  return [...groups.values()].map((group) => (group.length === 1 ? group[0] : merged(group)));
}

function merged(group: readonly Table[]): Table {
  const [first] = group;
  const rows = group.reduce((sum, table) => sum + table.rows, 0);
  const cells = new Map<string, (string | null)[]>();
  const has = (table: Table, column: string) => table.columns.includes(column);
  return withFacts({
    ...first,
    files: group.flatMap(({ files }) => files),
    rows,
    rowBytes: group.reduce((sum, table) => sum + table.rowBytes * table.rows, 0) / rows,
    cells(column) {
      const own =
        cells.get(column) ??
        group.flatMap((table) => (has(table, column) ? table.cells(column) : Array<null>(table.rows).fill(null)));
      cells.set(column, own);
      return own;
    },
    select: (aliases) =>
      group
        .filter((table) => Object.values(aliases).every((column) => has(table, column)))
        .map((table) => table.select(aliases))
        .join(" UNION ALL "),
  });
}

/** Files of one shape can be read as one table. Objects leave out keys at will: those that nearly all have must agree. */
function shapeOf({ format, named, reading, columns, cells, rows, facts }: Table): string {
  const steady = (column: string) => cells(column).filter((cell) => cell !== null).length >= 0.9 * rows;
  const names = format === "jsonl" ? columns.filter(steady).sort() : columns;
  // Columns without names are told by what they hold.
  const kinds = named ? [] : columns.map((column) => [facts(column).numeric, facts(column).moment]);
  return JSON.stringify([format, reading.delimiter, reading.quote, names, kinds]);
}

/** The table under other column names, for a file that names none itself. */
export function renameColumns(table: Table, names: readonly string[]): Table {
  const original = (column: string) => table.columns[names.indexOf(column)];
  const reading = { ...table.reading, names: [...names] };
  return {
    ...table,
    columns: names,
    reading,
    files: table.files.map((file) => ({ ...file, reading: { ...file.reading, names: [...names] } })),
    cells: (column) => table.cells(original(column)),
    facts: (column) => table.facts(original(column)),
    select: (aliases) =>
      table.select(Object.fromEntries(Object.entries(aliases).map(([alias, column]) => [alias, original(column)]))),
  };
}
