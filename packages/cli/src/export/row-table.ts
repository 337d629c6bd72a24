// A table that comes row by row: Parquet, JSON lines or CSV, in bounded memory. Its file is its owner's alone: it may hold what users did.
//
// A cell of CSV is written as it is, also one that begins with = + - or @, which a spreadsheet takes for a formula: ids must come back unchanged.
import { ParquetWriter } from "@nearkin/data";
import { naming, openTextFile, PRIVATE } from "./out-file.ts";

export const TABLE_KINDS = [".parquet", ".jsonl", ".csv"] as const;
export type TableKind = (typeof TABLE_KINDS)[number];

export interface TableColumn {
  readonly name: string;
  readonly type: "text" | "double" | "long";
}

/** Cells in the order of the columns, null for none. */
export type TableRow = readonly (string | number | null)[];

export interface RowTable extends AsyncDisposable {
  append(rows: readonly TableRow[]): Promise<void>;
  /** Rows in all. */
  finish(): Promise<number>;
}

/** What DuckDB may hold before it spills beside the file. */
const PARQUET_MEMORY = 256 * 2 ** 20;

export async function openRowTable(path: string, kind: TableKind, columns: readonly TableColumn[]): Promise<RowTable> {
  const table = await naming(path, () =>
    kind === ".parquet" ? openParquet(path, columns) : openText(path, kind === ".csv" ? csv(columns) : jsonl(columns)),
  );
  let rows = 0;
  return {
    async append(some) {
      if (some.length > 0) await naming(path, () => table.append(some));
      rows += some.length;
    },
    async finish() {
      await naming(path, () => table.finish());
      return rows;
    },
    [Symbol.asyncDispose]: () => table[Symbol.asyncDispose](),
  };
}

interface Writer extends AsyncDisposable {
  append(rows: readonly TableRow[]): Promise<void>;
  finish(): Promise<void>;
}

async function openParquet(path: string, columns: readonly TableColumn[]): Promise<Writer> {
  const writer = await ParquetWriter.open(path, columns, { memory: PARQUET_MEMORY, mode: PRIVATE });
  return {
    append: async (rows) => writer.append(columns.map((_, c) => rows.map((row) => row[c]))),
    finish: () => writer.finish(),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}

interface TextFormat {
  head: string;
  line: (row: TableRow) => string;
}

async function openText(path: string, { head, line }: TextFormat): Promise<Writer> {
  const file = await openTextFile(path, PRIVATE);
  if (head !== "") await file.append(head);
  return {
    append: (rows) => file.append(rows.map(line).join("")),
    finish: () => file.finish(),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

/** Every line has every column: readers look for them in the first lines. */
function jsonl(columns: readonly TableColumn[]): TextFormat {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  return {
    head: "",
    line: (row) => `{${keys.map((key, c) => `${key}${JSON.stringify(row[c])}`).join(",")}}\n`,
  };
}

/** RFC 4180, with lines that end as in Unix. */
function csv(columns: readonly TableColumn[]): TextFormat {
  const cell = (value: string | number | null) => {
    if (value === null) return "";
    const text = String(value);
    return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const line = (row: TableRow) => `${row.map(cell).join(",")}\n`;
  return { head: line(columns.map(({ name }) => name)), line };
}
