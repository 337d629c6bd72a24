// The one place that talks to DuckDB: opens it out of core, runs SQL, and reads columns into typed arrays.
import { availableParallelism } from "node:os";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBResult } from "@duckdb/node-api";
import { NearkinError } from "@nearkin/core";

export interface DatabaseOptions {
  /** Threads DuckDB may use; changes speed, never a result. @default the cores there are */
  threads?: number;
  /** What DuckDB may hold in memory, in bytes, before it spills to `scratch`. @default 2 GiB */
  memory?: number;
  /** Folder for what does not fit. */
  scratch: string;
}

/** A row as a plain object; integers of 64 bits come as numbers (every count here is below 2⁵³). */
export type Row = Record<string, string | number | boolean | null>;

/** A typed array that a column is read into. */
export type ColumnArray = Int32Array | Float32Array | Float64Array;

/** A DuckDB database file. Close it, or hold it with `await using`. */
export class Database implements AsyncDisposable {
  readonly #instance: DuckDBInstance;
  readonly #opened: DuckDBConnection;
  #closed = false;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#opened = connection;
  }

  /** A closed connection takes the whole process with it: found out here instead. */
  get #connection(): DuckDBConnection {
    if (this.#closed) throw new NearkinError("BAD_ARGUMENT", "the database is closed");
    return this.#opened;
  }

  /** Opens or creates `path` (":memory:" for none). A file that another process works on is a `BUSY` error. */
  static async open(path: string, options: DatabaseOptions): Promise<Database> {
    const { threads = availableParallelism(), memory = 2 * 2 ** 30, scratch } = options;
    try {
      const { DuckDBInstance } = await loadDuckdb();
      const instance = await DuckDBInstance.create(path, {
        threads: String(threads),
        memory_limit: `${Math.floor(memory / 2 ** 20)}MiB`,
        temp_directory: scratch,
        preserve_insertion_order: "true", // file order is data here
        autoinstall_known_extensions: "false", // nothing is ever fetched from the network
        autoload_known_extensions: "false",
      });
      const connection = await instance.connect();
      await connection.run("SET TimeZone = 'UTC'"); // an ISO time without a zone means the same everywhere
      await connection.run("PRAGMA force_compression = 'uncompressed'"); // tables live for minutes: packing them takes longer than it saves
      return new Database(instance, connection);
    } catch (cause) {
      if (/lock/i.test((cause as Error).message)) {
        throw new NearkinError("BUSY", `another process is working on ${path}; wait for it, or end it`, { cause });
      }
      throw cause;
    }
  }

  /** Runs one or more statements. */
  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  /** All rows of a small result. */
  async rows<T extends Row = Row>(sql: string): Promise<T[]> {
    const result = await this.#connection.run(sql);
    return (await result.convertRowObjects<string | number | boolean>(plainValue)) as unknown as T[];
  }

  /** The first row of a result that has one. */
  async row<T extends Row = Row>(sql: string): Promise<T> {
    const [first] = await this.rows<T>(sql);
    if (!first) throw new NearkinError("BAD_DATASET", `expected a row from: ${sql}`);
    return first;
  }

  /** Rows in the order of the query, some thousands at a time: for results that need not fit in memory. */
  async *stream<T extends Row = Row>(sql: string): AsyncGenerator<T[]> {
    const result = await this.#connection.stream(sql);
    yield* result.yieldConvertedRowObjects<string | number | boolean>(
      plainValue,
    ) as AsyncGenerator<unknown> as AsyncGenerator<T[]>;
  }

  /**
   * Fills typed arrays from the columns of a query, in its order, chunk by chunk: no row is ever a JavaScript object.
   * INTEGER goes to Int32Array, FLOAT to Float32Array, DOUBLE to Float64Array; no column may hold NULL.
   */
  async readInto(sql: string, targets: readonly ColumnArray[]): Promise<number> {
    const result = await this.#connection.stream(sql);
    return copyColumns(result, targets);
  }

  /** The columns of a query, some thousands of rows at a time, in its order, as fast as they are asked for. The arrays are DuckDB's own: not to be kept. */
  async *columns(sql: string): AsyncGenerator<readonly ColumnArray[]> {
    const result = await this.#connection.stream(sql);
    for await (const chunk of result) if (chunk.rowCount > 0) yield columnsOf(chunk);
  }

  /** Shows the columns of a query to `look`, chunk by chunk, in its order. The arrays are DuckDB's own: not to be kept. */
  async scan(sql: string, look: (rows: number, columns: readonly ColumnArray[]) => void): Promise<void> {
    const result = await this.#connection.stream(sql);
    for await (const chunk of result) look(chunk.rowCount, columnsOf(chunk));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#opened.closeSync();
    this.#instance.closeSync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

async function copyColumns(result: DuckDBResult, targets: readonly ColumnArray[]): Promise<number> {
  let filled = 0;
  for await (const chunk of result) {
    const columns = columnsOf(chunk);
    for (let c = 0; c < targets.length; c++) targets[c].set(columns[c], filled);
    filled += chunk.rowCount;
  }
  return filled;
}

/** The typed arrays behind a chunk's columns. */
function columnsOf(chunk: DuckDBDataChunk): ColumnArray[] {
  return Array.from({ length: chunk.columnCount }, (_, c) => {
    const { items } = chunk.getColumnVector(c) as unknown as { items: ColumnArray };
    return items.length === chunk.rowCount ? items : (items.subarray(0, chunk.rowCount) as ColumnArray);
  });
}

/** BIGINT and HUGEINT arrive as bigint, DECIMAL and the like as objects. */
function plainValue(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return String(value);
}

/** 'text' as SQL writes it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A pattern of DuckDB's, which takes [ * ? for more than letters, that stands for this path alone. */
export const literal = (path: string): string => path.replaceAll(/[[*?]/g, "[$&]");

/** A path for DuckDB's readers, which take patterns. */
export const literalPath = (path: string): string => quote(literal(path));

/** "name" as SQL writes it. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Loaded when first needed: it takes a fifth of a second, and most commands do without. */
const loadDuckdb = () => import("@duckdb/node-api");

/** The version of DuckDB: part of what decides the bytes of a Parquet file. */
export async function duckdbVersion(): Promise<string> {
  return (await loadDuckdb()).version();
}
