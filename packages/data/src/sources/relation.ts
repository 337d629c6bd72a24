// How DuckDB reads a source: one relation over all of its files, every cell as text, in file order. Numbers are parsed by the cleaning
// step, which can say what is wrong with them; lists and objects (JSON, Parquet) arrive as JSON text.
import { NearkinError } from "@nearkin/core";
import type { SourceConfig } from "../config/schema.ts";
import { type Database, identifier, literalPath, quote } from "../database.ts";
import { type Format, gzipError, openBytes, type SourceFile } from "./files.ts";
import type { Layout } from "./lines.ts";

/** Longest record that is read; a longer one is rejected, not loaded. */
const MAX_RECORD_BYTES = 4_000_000;

export interface Relation {
  format: Format;
  /** Of a source at a URL, known when it has been read. */
  files: readonly SourceFile[];
  columns: readonly string[];
  /** How to find records in the text again; undefined for Parquet. */
  layout: Layout | undefined;
  /**
   * SQL that reads the columns of `aliases` (alias → column) as text, in file order, with `file` (its number in `files`) and `damage` (what is wrong
   * with a whole record, or NULL). Only these columns are parsed.
   */
  read(aliases: Readonly<Record<string, string>>): string;
}

/** Finds the columns of a source and how to read them. */
export async function openRelation(
  database: Database,
  source: SourceConfig,
  files: readonly SourceFile[],
  what: string,
): Promise<Relation> {
  const formats = new Set(files.map((file) => file.format));
  if (formats.size > 1) {
    throw new NearkinError("BAD_SOURCE", `${what}: all files must have one format, got ${[...formats].join(" and ")}`);
  }
  const { format } = files[0];
  if (format === "parquet") return parquetRelation(database, files, what);
  if (format === "jsonl") return jsonRelation(database, files, source.encoding, what);
  return textRelation(source, files, what);
}

/** Says in our words what DuckDB stumbled over in a file; a full disk and the like stay as they are. */
export function explainReadError(what: string, { files }: Relation): (cause: Error) => never {
  return (cause) => {
    if (/^(IO|Out of Memory) Error/i.test(cause.message)) throw cause;
    let [reason] = cause.message.split("\n");
    const path = /file = (.*)/.exec(cause.message)?.[1];
    const name = files.find((file) => file.path === path)?.name ?? files.map((file) => file.name).join(", ");
    if (reason.includes("state machine")) {
      reason = "its lines end in different ways (\\n, \\r\\n, \\r); make them alike";
    }
    for (const file of files) reason = reason.replaceAll(file.path, file.name);
    throw new NearkinError("BAD_SOURCE", `${what}: ${name} cannot be read: ${reason}`, { cause });
  };
}

async function textRelation(source: SourceConfig, files: readonly SourceFile[], what: string): Promise<Relation> {
  const delimiter = source.delimiter ?? (files[0].format === "tsv" ? "\t" : ",");
  const quoting = source.quote ?? '"';
  let columns = source.names;
  if (!columns) {
    const headers: string[][] = [];
    for (const file of files) headers.push(await readHeader(file, delimiter, quoting, source.encoding));
    columns = headers[0].map((name, k) => (name === "" ? `column_${k + 1}` : name)); // as where a table's row numbers were written out
    headers.forEach((header, k) => {
      if (header.join("\n") !== headers[0].join("\n")) {
        throw new NearkinError(
          "BAD_SOURCE",
          `${what}: ${files[k].name} has the columns ${header.join(", ")}, but ${files[0].name} has ${headers[0].join(", ")}`,
        );
      }
    });
  }
  checkNames(columns, files[0].name, what);
  const header = source.names ? 0 : 1;
  const text = readText(files, { delimiter, quote: quoting, encoding: source.encoding, header: header === 1, columns });
  return {
    format: files[0].format,
    files,
    columns,
    layout: { delimiter, quote: quoting, header },
    read: (aliases) =>
      `SELECT ${fileNumber(files)} AS file, CAST(NULL AS VARCHAR) AS damage${renamed(aliases, identifier)} FROM ${text}`,
  };
}

/** What DuckDB is told to call the column of paths: no name a file would use. */
const FILE = "nearkin:file";

/** SQL for the number of a row's file: a number per row is stored in no time, a path per row is not. */
function fileNumber(files: readonly SourceFile[]): string {
  if (files.length === 1) return "0";
  const paths = files.map((file) => quote(file.path)).join(", ");
  return `CAST(list_position([${paths}], ${identifier(FILE)}) - 1 AS INTEGER)`;
}

function renamed(aliases: Readonly<Record<string, string>>, cell: (name: string) => string): string {
  return Object.entries(aliases)
    .map(([alias, name]) => `, ${cell(name)} AS ${identifier(alias)}`)
    .join("");
}

interface TextOptions {
  delimiter: string;
  quote: string;
  encoding: string;
  header: boolean;
  columns: readonly string[];
}

function readText(
  files: readonly SourceFile[],
  { delimiter, quote: quoting, encoding, header, columns }: TextOptions,
): string {
  const options = [
    "auto_detect = false",
    `delim = ${quote(delimiter)}`,
    `quote = ${quote(quoting)}`,
    `escape = ${quote(quoting)}`,
    `header = ${header}`,
    `encoding = ${quote(encoding)}`,
    `columns = {${columns.map((name) => `${quote(name)}: 'VARCHAR'`).join(", ")}}`,
    `max_line_size = ${MAX_RECORD_BYTES}`,
    ...(files.length === 1 ? [] : [`filename = ${quote(FILE)}`]),
    "store_rejects = true", // records that are no records: wrong number of cells, open quote, too long, bad encoding
    "rejects_limit = 0",
    "nullstr = ''",
  ];
  return `read_csv(${list(files)}, ${options.join(", ")})`;
}

/** The cells of the first line; a byte order mark is not part of the first. */
async function readHeader(file: SourceFile, delimiter: string, quoting: string, encoding: Encoding): Promise<string[]> {
  const bytes = await firstLineBytes(file, encoding);
  let line: string;
  try {
    line = new TextDecoder(decoders[encoding], { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new NearkinError("BAD_SOURCE", `${file.name}: its first line is not ${encoding} text; set its encoding`, {
      cause,
    });
  }
  if (line.trim() === "") throw new NearkinError("BAD_SOURCE", `${file.name} has no header line`);
  return splitRecord(line, delimiter, quoting);
}

type Encoding = SourceConfig["encoding"];

const decoders: Record<Encoding, string> = { "utf-8": "utf-8", "utf-16": "utf-16le", "latin-1": "latin1" };

/** What stands before the first line end. DuckDB would look at the first megabytes, and stumble over what is wrong in them. */
async function firstLineBytes(file: SourceFile, encoding: Encoding): Promise<Uint8Array> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of openBytes(file)) {
      bytes = Buffer.concat([bytes, chunk as Uint8Array]);
      const end = lineEnd(bytes, encoding === "utf-16" ? 2 : 1);
      if (end >= 0) return bytes.subarray(0, end);
      if (bytes.length > MAX_RECORD_BYTES) {
        throw new NearkinError("BAD_SOURCE", `${file.name}: its first line is longer than 4 MB; is it a text file?`);
      }
    }
  } catch (cause) {
    throw gzipError(file, cause) ?? cause;
  }
  return bytes;
}

function lineEnd(bytes: Uint8Array, width: number): number {
  for (let k = 0; k + width <= bytes.length; k += width) {
    if ((bytes[k] === 10 || bytes[k] === 13) && (width === 1 || bytes[k + 1] === 0)) return k;
  }
  return -1;
}

/** The cells of one line. */
function splitRecord(line: string, delimiter: string, quoting: string): string[] {
  const cells: string[] = [];
  let rest = line;
  for (;;) {
    if (quoting !== "" && rest.startsWith(quoting)) {
      let end = 1;
      let cell = "";
      for (;;) {
        const close = rest.indexOf(quoting, end);
        if (close < 0) return [...cells, rest];
        cell += rest.slice(end, close);
        end = close + 1;
        if (rest[end] !== quoting) break;
        cell += quoting;
        end++;
      }
      cells.push(cell);
      rest = rest.slice(end);
      if (!rest.startsWith(delimiter)) return cells;
      rest = rest.slice(delimiter.length);
    } else {
      const end = rest.indexOf(delimiter);
      if (end < 0) return [...cells, rest];
      cells.push(rest.slice(0, end));
      rest = rest.slice(end + delimiter.length);
    }
  }
}

async function jsonRelation(
  database: Database,
  files: readonly SourceFile[],
  encoding: string,
  what: string,
): Promise<Relation> {
  const lines = readText(files, { delimiter: "\u0001", quote: "", encoding, header: false, columns: ["line"] }).replace(
    "store_rejects = true",
    "strict_mode = false, store_rejects = true",
  );
  // Keys of the first thousand objects: later ones add nothing new that a channel could rely on.
  const rows = await database.rows<{ key: string }>(
    `SELECT key FROM (
       SELECT unnest(keys) AS key, unnest(range(len(keys))) AS position, row FROM (
         SELECT json_keys(line) AS keys, row_number() OVER () AS row FROM ${lines} WHERE ${isObject("line")} LIMIT 1000
       )
     ) GROUP BY key ORDER BY MIN(row), MIN(position), key`,
  );
  const columns = rows.map((row) => row.key);
  if (columns.length === 0) {
    throw new NearkinError("BAD_SOURCE", `${what}: ${files[0].name} holds no JSON objects, one per line`);
  }
  return {
    format: "jsonl",
    files,
    columns,
    layout: { delimiter: "\u0001", quote: "", header: 0, spacesAreBlank: true },
    read(aliases) {
      const names = Object.values(aliases);
      const paths = names.map((name) => quote(pointer(name))).join(", ");
      return (
        `SELECT file, damage${renamed(aliases, (name) => `cells[${names.indexOf(name) + 1}]`)} FROM (` +
        `SELECT ${fileNumber(files)} AS file, CASE WHEN ${isObject("line")} THEN NULL ELSE 'not a JSON object' END AS damage, ` +
        // A line that is no object is shown in the place of its first cell.
        `CASE WHEN ${isObject("line")} THEN json_extract_string(line, [${paths}]) ELSE [SUBSTR(line, 1, 200)] END AS cells ` +
        `FROM ${lines} WHERE line IS NOT NULL AND trim(line, ' \r') <> '')`
      );
    },
  };
}

/** A JSON pointer (RFC 6901) to a key, whatever it holds. */
function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function isObject(column: string): string {
  return `CASE WHEN json_valid(${column}) THEN json_type(${column}) = 'OBJECT' ELSE false END`;
}

async function parquetRelation(database: Database, files: readonly SourceFile[], what: string): Promise<Relation> {
  const source = `read_parquet(${list(files)}, filename = ${quote(FILE)})`;
  let rows: { column_name: string; column_type: string }[];
  try {
    rows = await database.rows(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${source})`);
  } catch (cause) {
    throw new NearkinError("BAD_SOURCE", `${what}: cannot be read as Parquet: ${firstLine(cause)}`, { cause });
  }
  const types = new Map(rows.map((row) => [row.column_name, row.column_type]));
  types.delete(FILE);
  const cell = (column: string) => {
    const name = identifier(column);
    const nested = /\[|^(STRUCT|MAP|UNION)/.test(types.get(column) ?? "");
    return nested
      ? `CASE WHEN ${name} IS NOT NULL THEN CAST(to_json(${name}) AS VARCHAR) END`
      : `CAST(${name} AS VARCHAR)`;
  };
  return {
    format: "parquet",
    files,
    columns: [...types.keys()],
    layout: undefined,
    read: (aliases) =>
      `SELECT ${fileNumber(files)} AS file, CAST(NULL AS VARCHAR) AS damage${renamed(aliases, cell)} FROM ${source}`,
  };
}

function checkNames(columns: readonly string[], file: string, what: string): void {
  const seen = new Set<string>();
  for (const name of columns) {
    // DuckDB's names ignore case.
    if (seen.has(name.toLowerCase()))
      throw new NearkinError("BAD_SOURCE", `${what}: ${file} has two columns named ${name}`);
    seen.add(name.toLowerCase());
  }
}

/** The files as DuckDB's readers take them: brackets and stars in a name are letters, not a pattern. */
function list(files: readonly SourceFile[]): string {
  return `[${files.map((file) => literalPath(file.path)).join(", ")}]`;
}

function firstLine(error: unknown): string {
  return (error as Error).message.split("\n")[0];
}
