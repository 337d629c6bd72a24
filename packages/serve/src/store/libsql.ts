// The embedded database: libsql in a thread of its own, since it is synchronous and a flush to disk must not hold up requests.
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { checkValues, type SqlDatabase, type SqlRow, type SqlStatement, type SqlValue } from "./database.ts";
import { StoreError } from "./errors.ts";
import { type Fault, toStoreError } from "./libsql-errors.ts";
import { LIBSQL_THREAD } from "./libsql-thread.ts";

export interface LibsqlOptions {
  /** Take the file as its only server. Without, other processes may read and write it too, a transaction at a time. @default true */
  exclusive?: boolean;
  /** How long to wait for another process that writes, in milliseconds. @default 5000 */
  busyTimeout?: number;
}

interface Answer {
  id?: number;
  rows?: SqlRow[][];
  error?: Fault;
}

interface Waiting {
  resolve: (rows: SqlRow[][]) => void;
  reject: (error: unknown) => void;
}

/**
 * Opens the file, made where it is not there; its folder must be. Throws `STORE_UNAVAILABLE` where another server has it. `:memory:` is a
 * database that ends with the process.
 */
export async function openLibsql(path: string, options: LibsqlOptions = {}): Promise<SqlDatabase> {
  const { exclusive = true, busyTimeout = 5000 } = options;
  const inMemory = path === ":memory:";
  const place = inMemory ? path : realPath(path);
  const worker = new Worker(LIBSQL_THREAD, {
    eval: true,
    name: "nearkin-store",
    workerData: {
      library: import.meta.resolve("libsql"),
      path: place,
      lockPath: exclusive && !inMemory ? `${place}.lock` : null,
      busyTimeout,
    },
  });
  const [answer] = (await once(worker, "message")) as [Answer];
  if (answer.error) throw toStoreError(answer.error, place);
  return new LibsqlDatabase(worker, place);
}

class LibsqlDatabase implements SqlDatabase {
  readonly kind = "libsql";
  readonly place: string;
  readonly schema = null;
  readonly listen = null; // a file has one server
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #gone: Promise<unknown>;
  #sent = 0;
  #ended: StoreError | undefined;

  constructor(worker: Worker, place: string) {
    this.#worker = worker;
    this.place = place;
    this.#gone = once(worker, "exit");
    worker.on("message", ({ id = 0, rows, error }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref(); // an idle store does not hold the process
      if (rows) waiting?.resolve(rows);
      else if (error) waiting?.reject(toStoreError(error, place));
    });
    worker.on("error", (cause: Error) => this.#lose(cause.message, cause));
    worker.on("exit", (code) => this.#lose(`exit code ${code}`));
    worker.unref();
  }

  run(statements: readonly SqlStatement[]): Promise<SqlRow[][]> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      for (const { values } of statements) if (values) checkValues(values);
      this.#worker.postMessage({ id: ++this.#sent, statements: statements.map(compact) });
      this.#waiting.set(this.#sent, { resolve, reject });
      this.#worker.ref();
    });
  }

  changed(): void {}

  /** What was sent before is still done. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#ended) {
      this.#ended = new StoreError("closed", `${this.place} is closed`);
      this.#worker.ref();
      this.#worker.postMessage(null);
    }
    await this.#gone;
  }

  #lose(reason: string, cause?: unknown): void {
    this.#ended ??= new StoreError("unreachable", `the thread of ${this.place} stopped (${reason}); start anew`, {
      cause,
      uncertain: true,
    });
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

/** One file has one lock, whichever way it is reached. */
function realPath(path: string): string {
  const full = resolve(path);
  if (existsSync(full)) return realpathSync(full);
  const folder = dirname(full);
  if (!existsSync(folder))
    throw new StoreError("refused", `there is no folder ${folder}; make it, or name another file`);
  return join(realpathSync(folder), basename(full));
}

/** A view travels with all of its buffer: one vector of a matrix would take the matrix along. */
function compact(statement: SqlStatement): SqlStatement {
  const { sql, values } = statement;
  return values?.some(isView)
    ? { sql, values: values.map((value) => (isView(value) ? new Uint8Array(value) : value)) }
    : statement;
}

function isView(value: SqlValue): value is Uint8Array {
  return value instanceof Uint8Array && value.byteLength < value.buffer.byteLength;
}
