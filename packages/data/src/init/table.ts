// A file as init sees it: its columns, and the cells of its first rows.
import { basename, relative } from "node:path";
import type { SourceConfig } from "../config/schema.ts";
import { type Database, identifier } from "../database.ts";
import { type Format, listFiles } from "../sources/files.ts";
import { openRelation } from "../sources/relation.ts";
import { probeFile, type Reading } from "./probe.ts";

/** Rows looked at: enough to tell a genre from a title, few enough for any file. */
const SAMPLE = 4000;

export interface Table {
  /** As nearkin.yaml will name it. */
  name: string;
  format: Format;
  reading: Reading;
  /** Whether the file itself names its columns. */
  named: boolean;
  ascii: boolean;
  columns: readonly string[];
  /** Rows looked at. */
  rows: number;
  /** Whether these are all there are. */
  whole: boolean;
  /** The cells of a column, row by row; null where empty. */
  cells(column: string): readonly (string | null)[];
}

/** Opens a file and reads its first rows. `folder` is where nearkin.yaml will be. */
export async function openTable(database: Database, path: string, folder: string): Promise<Table> {
  const { reading, named, ascii } = probeFile(path);
  const source: SourceConfig = { files: path, encoding: "utf-8", ...reading };
  const what = basename(path);
  const relation = await openRelation(database, source, await listFiles(database, source, folder, what), what);
  const { columns } = relation;
  const aliases = Object.fromEntries(columns.map((column, k) => [`cell_${k}`, column]));
  const list = columns.map((_, k) => identifier(`cell_${k}`)).join(", ");
  const rows = await database.rows<Record<string, string | null>>(
    `SELECT ${list} FROM (${relation.read(aliases)}) WHERE damage IS NULL LIMIT ${SAMPLE + 1}`,
  );
  const sample = rows.slice(0, SAMPLE);
  const cells: (string | null)[][] = [];
  return {
    name: relative(folder, path).replaceAll("\\", "/"),
    format: relation.format,
    reading,
    named,
    ascii,
    columns,
    rows: sample.length,
    whole: rows.length <= SAMPLE,
    cells(column) {
      const k = columns.indexOf(column);
      cells[k] ??= sample.map((row) => (row[`cell_${k}`]?.trim() ? row[`cell_${k}`] : null));
      return cells[k];
    },
  };
}

/** The table under other column names, for a file that names none itself. */
export function renameColumns(table: Table, names: readonly string[]): Table {
  const original = (column: string) => table.columns[names.indexOf(column)];
  return {
    ...table,
    columns: names,
    reading: { ...table.reading, names: [...names] },
    cells: (column) => table.cells(original(column)),
  };
}
