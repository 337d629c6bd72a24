// The embedded database: libsql in a thread of its own, since it is synchronous and a flush to disk must not hold up requests.
import { once } from "node:events";
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { checkValues, type SqlDatabase, type SqlRow, type SqlStatement, type SqlValue } from "./database.ts";
import { isAway, StoreError } from "./errors.ts";
import { type Fault, toStoreError } from "./libsql-errors.ts";
import { LIBSQL_THREAD } from "./libsql-thread.ts";
import { together } from "./together.ts";

export interface LibsqlOptions {
  /** Take the file as its only server. Without, other processes may read and write it too, a transaction at a time. @default true */
  exclusive?: boolean;
  /** How long to wait for another process that writes, or that reads what a deletion is to overwrite, in milliseconds. @default 5000 */
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

/** ms before a thread that stopped is started again; doubled with each attempt that fails, up to the most. */
const RESTART_MS = 100;
const MAX_RESTART_MS = 10_000;

/** ms between attempts to empty the log while another process reads it: of a deletion that waits for it, and afterwards. */
const SCRUB_POLL_MS = 50;
const SCRUB_RETRY_MS = 1000;

/**
 * Opens the file, made where it is not there; its folder must be. Throws `STORE_UNAVAILABLE` where another server has it. `:memory:` is a
 * database that ends with the process.
 */
export async function openLibsql(path: string, options: LibsqlOptions = {}): Promise<SqlDatabase> {
  const { exclusive = true, busyTimeout = 5000 } = options;
  const inMemory = path === ":memory:";
  const place = inMemory ? path : realPath(path);
  const start = async (): Promise<Worker> => {
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
    const ended = once(worker, "exit").then(([code]) => {
      throw new StoreError("unreachable", `the thread of ${place} ended before it opened the file (exit code ${code})`);
    });
    const [answer] = (await Promise.race([once(worker, "message"), ended])) as [Answer];
    if (answer.error) throw toStoreError(answer.error, place);
    return worker;
  };
  return new LibsqlDatabase(await start(), { place, start: inMemory ? null : start, exclusive, busyTimeout });
}

interface Opened extends Required<LibsqlOptions> {
  place: string;
  /** Opens the file in another thread; null: what a thread that stopped held is lost. */
  start: (() => Promise<Worker>) | null;
}

class LibsqlDatabase implements SqlDatabase {
  readonly kind = "libsql";
  readonly place: string;
  readonly schema = null;
  readonly listen = null; // a file has one server
  readonly #start: Opened["start"];
  readonly #exclusive: boolean;
  readonly #busyTimeout: number;
  /** Of the file that is open; undefined in memory. */
  readonly #inode: bigint | undefined;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closing = new AbortController();
  #worker: Worker | undefined; // undefined while it is started again
  #gone: Promise<unknown> = Promise.resolve();
  #restarting: Promise<void> | undefined;
  #scrubRetry: ReturnType<typeof setTimeout> | undefined;
  #sent = 0;
  #ended: StoreError | undefined;

  constructor(worker: Worker, { place, start, exclusive, busyTimeout }: Opened) {
    this.place = place;
    this.#start = start;
    this.#exclusive = exclusive;
    this.#busyTimeout = busyTimeout;
    this.#inode = start ? inodeOf(place) : undefined;
    this.#adopt(worker);
  }

  run(statements: readonly SqlStatement[]): Promise<SqlRow[][]> {
    const worker = this.#worker;
    if (this.#ended) return Promise.reject(this.#ended);
    if (!worker) return Promise.reject(new StoreError("unreachable", `the thread of ${this.place} is starting again`));
    if (this.#inode !== undefined && inodeOf(this.place) !== this.#inode) {
      const what = `${this.place} was moved, removed or replaced while it was open`;
      return Promise.reject(new StoreError("unreachable", `${what}; put it back, or stop the server first`));
    }
    return new Promise((resolve, reject) => {
      for (const { values } of statements) if (values) checkValues(values);
      worker.postMessage({ id: ++this.#sent, statements: statements.map(compact) });
      this.#waiting.set(this.#sent, { resolve, reject });
      worker.ref();
    });
  }

  changed(): void {}

  async scrub(): Promise<void> {
    const deadline = performance.now() + this.#busyTimeout;
    while (!(await this.#tryScrub())) {
      if (performance.now() > deadline) {
        throw new StoreError(
          "log-held",
          `another process reads ${this.place}, so that what was deleted is still in the files beside it; end it, or wait for it`,
        );
      }
      await delay(SCRUB_POLL_MS);
    }
  }

  /** Empties the log, unless another process reads it: then it is tried again later, until it is done. */
  async #tryScrub(): Promise<boolean> {
    clearTimeout(this.#scrubRetry);
    let again = false;
    try {
      again = !(await this.#truncateLog(null));
    } catch (error) {
      again = isAway(error);
      throw error;
    } finally {
      if (again) this.#scrubRetry = setTimeout(() => this.#tryScrub().catch(() => {}), SCRUB_RETRY_MS).unref();
    }
    return !again;
  }

  /** Deletions at the same time share one checkpoint. */
  readonly #truncateLog = together(
    async (all: readonly null[]) => {
      const [[{ busy }]] = await this.run([{ sql: "PRAGMA wal_checkpoint(TRUNCATE)" }]);
      return all.map(() => busy === 0);
    },
    { sizeOf: () => 1, most: Number.POSITIVE_INFINITY },
  );

  /** What was sent before is still done. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= new StoreError("closed", `${this.place} is closed`);
    this.#closing.abort();
    clearTimeout(this.#scrubRetry);
    await this.#restarting;
    this.#worker?.ref();
    this.#worker?.postMessage(null);
    await this.#gone;
  }

  #adopt(worker: Worker): void {
    this.#worker = worker;
    this.#gone = once(worker, "exit");
    worker.on("message", ({ id = 0, rows, error }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref(); // an idle store does not hold the process
      if (rows) waiting?.resolve(rows);
      else if (error) waiting?.reject(toStoreError(error, this.place));
    });
    let cause: Error | undefined;
    worker.on("error", (error: Error) => {
      cause = error;
    });
    worker.on("exit", (code) => this.#lose(cause?.message ?? `exit code ${code}`, cause));
    worker.unref();
    if (this.#exclusive) this.#tryScrub().catch(() => {}); // the last one may have ended between a deletion and this
  }

  /** Fails what was under way, of which nobody knows whether it was done, and starts another thread. */
  #lose(reason: string, cause: Error | undefined): void {
    this.#worker = undefined;
    const error = new StoreError(
      "unreachable",
      `the thread of ${this.place} stopped (${reason}); whether a write was done is not known: send it again`,
      { cause, uncertain: true },
    );
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    if (!this.#start) this.#ended ??= error;
    else if (!this.#ended) this.#restarting = this.#restart(this.#start);
  }

  async #restart(start: () => Promise<Worker>): Promise<void> {
    const { signal } = this.#closing;
    for (let wait = RESTART_MS; ; wait = Math.min(2 * wait, MAX_RESTART_MS)) {
      await delay(wait, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      const worker = await start().catch(() => undefined); // whoever asks meanwhile is told that it is away
      if (worker) return this.#adopt(worker);
    }
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

/** Tells a file from another one in its place; undefined if there is none to be seen. */
function inodeOf(path: string): bigint | undefined {
  try {
    return statSync(path, { bigint: true }).ino;
  } catch {
    return undefined;
  }
}
