// A Parquet file from columns in memory, through DuckDB, which loads only when called. The file appears whole or not at all.
import { randomUUID } from "node:crypto";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import type { DuckDBAppender, DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { NearkinError } from "@nearkin/core";
import { identifier, quote } from "./database.ts";

/** What a column is called and holds: texts, or numbers of 32 (`integer`, `float`) or 64 bits (`long`, whole up to 2⁵³; `double`). */
export type ParquetField =
  | { readonly name: string; readonly type: "integer" | "long" | "float" | "double" | "text" }
  /** Texts given as positions in a list: few texts, many rows. */
  | { readonly name: string; readonly type: "term"; readonly terms: readonly string[] }
  /** Lists of floats, all of one length. */
  | { readonly name: string; readonly type: "vector"; readonly dimensions: number };

/** The values of a column, null for none. Typed arrays are copied as they are: Int32Array for integers and terms, and so on. */
export type ParquetValues = Int32Array | Float32Array | Float64Array | readonly ParquetCell[];

type ParquetCell = string | number | Float32Array | null;

export type ParquetColumn = ParquetField & { readonly values: ParquetValues };

export interface ParquetOptions {
  /** Threads of DuckDB; changes no value. @default the cores there are */
  threads?: number;
  /** What DuckDB may hold in memory, in bytes, before it spills beside the file. @default 1 GiB */
  memory?: number;
  /** Permissions of the file. @default 0o666, less the umask */
  mode?: number;
}

const CHUNK = 2048; // rows of a DuckDB vector

const SQL_TYPES = {
  integer: "INTEGER",
  term: "INTEGER",
  long: "BIGINT",
  float: "FLOAT",
  double: "DOUBLE",
  text: "VARCHAR",
} as const;

const sqlType = (field: ParquetField): string =>
  field.type === "vector" ? `FLOAT[${field.dimensions}]` : SQL_TYPES[field.type];
const ARRAYS = { integer: Int32Array, term: Int32Array, float: Float32Array, double: Float64Array } as const;

/**
 * Writes a table whose columns are all in memory.
 *
 * @example
 * await writeParquet("history.parquet", [
 *   { name: "step", type: "integer", values: Int32Array.of(100, 200) },
 *   { name: "loss", type: "double", values: [0.7, null] },
 * ]);
 */
export async function writeParquet(
  path: string,
  columns: readonly ParquetColumn[],
  options: ParquetOptions = {},
): Promise<void> {
  await using writer = await ParquetWriter.open(path, columns, options);
  writer.append(columns.map(({ values }) => values));
  await writer.finish();
}

/**
 * A table that comes block by block. `finish` makes the file; closing without it leaves none.
 *
 * @example
 * await using writer = await ParquetWriter.open("neighbours.parquet", [{ name: "rank", type: "integer" }]);
 * for (const ranks of blocks) writer.append([ranks]);
 * await writer.finish();
 */
export class ParquetWriter implements AsyncDisposable {
  readonly #path: string;
  readonly #scratch: string;
  readonly #fields: readonly ParquetField[];
  readonly #mode: number | undefined;
  readonly #duckdb: typeof import("@duckdb/node-api");
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #appender: DuckDBAppender;
  #rows = 0;
  #ended = false;
  #closed = false;

  private constructor(
    place: { path: string; scratch: string; mode: number | undefined },
    fields: readonly ParquetField[],
    opened: {
      duckdb: typeof import("@duckdb/node-api");
      instance: DuckDBInstance;
      connection: DuckDBConnection;
      appender: DuckDBAppender;
    },
  ) {
    this.#path = place.path;
    this.#scratch = place.scratch;
    this.#mode = place.mode;
    this.#fields = fields;
    this.#duckdb = opened.duckdb;
    this.#instance = opened.instance;
    this.#connection = opened.connection;
    this.#appender = opened.appender;
  }

  static async open(
    path: string,
    fields: readonly ParquetField[],
    { threads = availableParallelism(), memory = 2 ** 30, mode }: ParquetOptions = {},
  ): Promise<ParquetWriter> {
    if (fields.length === 0) throw new NearkinError("BAD_ARGUMENT", "writeParquet: a table has at least one column");
    const target = resolve(path);
    const scratch = `${target}.${process.pid}-${randomUUID()}.tmp`;
    const duckdb = await import("@duckdb/node-api");
    await mkdir(dirname(target), { recursive: true });
    await mkdir(scratch, { mode: 0o700 });
    try {
      const instance = await duckdb.DuckDBInstance.create(":memory:", {
        threads: String(threads),
        memory_limit: `${Math.max(64, Math.floor(memory / 2 ** 20))}MiB`,
        temp_directory: scratch,
        preserve_insertion_order: "true",
        autoinstall_known_extensions: "false", // nothing is ever fetched from the network
        autoload_known_extensions: "false",
      });
      const connection = await instance.connect();
      const columns = fields.map((field, c) => `c${c} ${sqlType(field)}`).join(", ");
      await connection.run(`CREATE TABLE rows (${columns})`);
      const appender = await connection.createAppender("rows");
      return new ParquetWriter({ path: target, scratch, mode }, fields, { duckdb, instance, connection, appender });
    } catch (error) {
      await rm(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  /** Rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds rows, one array of values for each column. */
  append(columns: readonly ParquetValues[]): void {
    if (this.#ended) throw new NearkinError("BAD_ARGUMENT", "writeParquet: the table is closed");
    if (columns.length !== this.#fields.length) {
      const expected = this.#fields.length;
      throw new NearkinError("SHAPE_MISMATCH", `writeParquet: expected ${expected} columns, got ${columns.length}`);
    }
    const rows = columns[0].length;
    this.#fields.forEach((field, c) => {
      if (columns[c].length === rows) return;
      const got = `"${field.name}" has ${columns[c].length} values, "${this.#fields[0].name}" ${rows}`;
      throw new NearkinError("SHAPE_MISMATCH", `writeParquet: columns must be equally long: ${got}`);
    });
    const { ARRAY, FLOAT } = this.#duckdb;
    const types = this.#fields.map((field) =>
      field.type === "vector" ? ARRAY(FLOAT, field.dimensions) : this.#duckdb[SQL_TYPES[field.type]],
    );
    for (let from = 0; from < rows; from += CHUNK) {
      const count = Math.min(CHUNK, rows - from);
      const chunk = this.#duckdb.DuckDBDataChunk.create(types, count);
      this.#fields.forEach((field, c) => {
        fillVector(chunk.getColumnVector(c) as unknown as WritableVector, field, columns[c], from);
      });
      this.#appender.appendDataChunk(chunk);
    }
    this.#rows += rows;
  }

  /** Writes the file: under another name first, then renamed. */
  async finish(): Promise<void> {
    this.#endRows();
    const columns: string[] = [];
    for (const [c, field] of this.#fields.entries()) {
      const name = identifier(field.name);
      if (field.type !== "term") columns.push(`c${c} AS ${name}`);
      else columns.push(`t${c}.terms[c${c} + 1] AS ${name}`);
      if (field.type === "term") await this.#storeTerms(c, field.terms);
    }
    const lists = this.#fields.flatMap(({ type }, c) => (type === "term" ? [`, terms${c} AS t${c}`] : []));
    const file = `${this.#scratch}/table.parquet`;
    await this.#connection.run(
      `COPY (SELECT ${columns.join(", ")} FROM rows${lists.join("")}) TO ${quote(file)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880)`,
    );
    if (this.#mode !== undefined) await chmod(file, this.#mode);
    await rename(file, this.#path);
    await this.close();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#endRows(); // an appender that outlives its connection takes the process with it
    this.#closed = true;
    this.#connection.closeSync();
    this.#instance.closeSync();
    await rm(this.#scratch, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #endRows(): void {
    if (!this.#ended) this.#appender.closeSync();
    this.#ended = true;
  }

  /** One row with the list of all texts: a lookup by position keeps the order of the rows, a join would not promise it. */
  async #storeTerms(c: number, terms: readonly string[]): Promise<void> {
    await this.#connection.run(`CREATE TABLE words${c} (word VARCHAR)`);
    const appender = await this.#connection.createAppender(`words${c}`);
    for (let from = 0; from < terms.length; from += CHUNK) {
      const words = terms.slice(from, from + CHUNK);
      const chunk = this.#duckdb.DuckDBDataChunk.create([this.#duckdb.VARCHAR], words.length);
      chunk.setColumnValues(0, words);
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    await this.#connection.run(`CREATE TABLE terms${c} AS SELECT list(word ORDER BY rowid) AS terms FROM words${c}`);
  }
}

interface WritableVector {
  readonly items?: Int32Array | Float32Array | Float64Array;
  setItem(row: number, value: string | number | bigint | { items: Float32Array } | null): void;
  flush(): void;
}

function fillVector(vector: WritableVector, field: ParquetField, values: ParquetValues, from: number): void {
  const { type, name } = field;
  const count = Math.min(CHUNK, values.length - from);
  if (!Array.isArray(values)) {
    const array = values as Int32Array | Float32Array | Float64Array;
    if (type === "text" || type === "long" || type === "vector" || !(array instanceof ARRAYS[type])) {
      const got = array?.constructor?.name ?? typeof array;
      throw new NearkinError("BAD_ARGUMENT", `writeParquet: column "${name}" is ${type}, got ${got}`);
    }
    (vector.items as Int32Array).set(array.subarray(from, from + count) as Int32Array);
  } else {
    for (let i = 0; i < count; i++) vector.setItem(i, checked(field, values[from + i]));
  }
  if (type === "term") checkTerms(field, values, from, count);
  vector.flush();
}

function checked(field: ParquetField, value: ParquetCell): string | number | bigint | { items: Float32Array } | null {
  const { type, name } = field;
  if (value instanceof Float32Array) {
    if (type === "vector" && value.length === field.dimensions) return { items: value };
    const wanted = type === "vector" ? `vectors of ${field.dimensions} numbers` : type;
    throw new NearkinError("BAD_ARGUMENT", `writeParquet: column "${name}" is ${wanted}, got ${value.length} numbers`);
  }
  if (type === "long" && Number.isSafeInteger(value)) return BigInt(value as number);
  const fits =
    value === null ||
    (type === "text" ? typeof value === "string" : typeof value === "number" && type !== "long" && type !== "vector");
  if (fits && (value === null || !(type === "integer" || type === "term") || (Number(value) | 0) === value))
    return value;
  throw new NearkinError("BAD_ARGUMENT", `writeParquet: column "${name}" is ${type}, got ${JSON.stringify(value)}`);
}

function checkTerms(field: ParquetField & { type: "term" }, values: ParquetValues, from: number, count: number): void {
  for (let i = from; i < from + count; i++) {
    const term = values[i] as number | null;
    if (term === null || (term >= 0 && term < field.terms.length)) continue;
    throw new NearkinError(
      "INDEX_OUT_OF_RANGE",
      `writeParquet: column "${field.name}" has term ${term} of ${field.terms.length}`,
    );
  }
}
