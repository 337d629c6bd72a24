// PostgreSQL, for several servers over one store. Nothing here needs a session of its own (no prepared names, no search path), so a pooler
// may stand between; listening alone does, and is done without where it cannot be.
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { NearkinError } from "@nearkin/core";
import pg from "pg";
import { checkValues, type ListenOptions, type SqlDatabase, type SqlRow, type SqlStatement } from "./database.ts";
import { StoreError } from "./errors.ts";
import { isConnectionLost, isCrowded, isRolledBack, isTimedOut, toStoreError } from "./postgres-errors.ts";
import { PostgresListener } from "./postgres-listener.ts";

export interface PostgresOptions {
  /** Where the tables are; made where it is not there. @default "nearkin" */
  schema?: string;
  /** Connections at most. @default 10 */
  connections?: number;
  /** How long to wait for a connection, in milliseconds. @default 5000 */
  connectTimeout?: number;
  /** How long to wait for an answer, in milliseconds. @default 60000 */
  queryTimeout?: number;
}

/** How often a list is tried that the database rolled back for the sake of another. */
const MOST_ATTEMPTS = 6;

/** ms between two announcements: many writes are one. */
const ANNOUNCE_EVERY = 100;

/** ms that we make do with the connections we have, where the database has none to spare. */
const CROWDED = 5000;

/**
 * How a list begins. The level is ours to name: whoever waited for a turn must see what was written in it, which above this level is an error. The
 * locks of a server whose machine is lost go with its transaction; a server that lives never idles in one. And what nobody waits for any more
 * is ended there too: behind somebody's lock it would keep its connection, of which there are few. A commit is on disk when it is acknowledged, also if role or
 * database say `synchronous_commit = off`; whoever waits for standbys goes on to.
 */
const begin = (timeout: number) => `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL idle_in_transaction_session_timeout = 10000; SET LOCAL statement_timeout = ${timeout};
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`;

const INT8 = 20;
const BYTEA = 17;
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return Number; // all of ours are safe integers
    if (oid === BYTEA) return (hex: string) => new Uint8Array(Buffer.from(hex.slice(2), "hex"));
    return pg.types.getTypeParser(oid, format as "text");
  }) as typeof pg.types.getTypeParser,
};

/** Connects, and looks whether the server will do. The schema itself is made by the migrations. */
export async function openPostgres(
  url: string,
  { schema = "nearkin", connections = 10, connectTimeout = 5000, queryTimeout = 60_000 }: PostgresOptions = {},
): Promise<SqlDatabase> {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema)) {
    throw new NearkinError("BAD_ARGUMENT", `store: a schema is named with letters, digits and _, got ${schema}`);
  }
  const database = new PostgresDatabase(url, { schema, connections, connectTimeout, queryTimeout });
  try {
    await database.check();
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/** An error, and whether the list may have been committed nevertheless. */
class Failed extends Error {
  readonly uncertain: boolean;
  constructor(cause: unknown, uncertain: boolean) {
    super("failed", { cause });
    this.uncertain = uncertain;
  }
}

class PostgresDatabase implements SqlDatabase {
  readonly kind = "postgres";
  readonly place: string;
  readonly schema: string;
  readonly #pool: pg.Pool;
  readonly #url: string;
  readonly #connections: number;
  #open = 0; // connections
  readonly #begin: string;
  readonly #name = randomBytes(8).toString("hex"); // tells our own announcements from others'
  readonly #running = new Set<Promise<unknown>>();
  #announced: ReturnType<typeof setTimeout> | undefined;
  #unannounced = false;
  #ended: Promise<void> | undefined;

  constructor(url: string, { schema, connections, connectTimeout, queryTimeout }: Required<PostgresOptions>) {
    this.schema = schema;
    this.place = describe(url);
    this.#url = url;
    this.#connections = connections;
    this.#begin = begin(queryTimeout);
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: "nearkin",
      keepAlive: true,
      allowExitOnIdle: true,
      pipeline: true,
      types,
      max: connections,
      connectionTimeoutMillis: connectTimeout,
      query_timeout: queryTimeout,
    });
    // A connection that is lost fails what runs on it, and the pool drops it and opens another when asked. Node would also end the process
    // over an error event that nobody hears: the pool's, where the connection idled, and the connection's own, where it did not.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => {
      this.#open++;
      client.on("error", () => {});
    });
    this.#pool.on("remove", () => this.#open--);
  }

  async check(): Promise<void> {
    const sql = `SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num') AS version,
      current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes`;
    const [[{ encoding, version, ...settings }]] = await this.run([{ sql }]);
    if (encoding !== "UTF8") {
      throw new StoreError(
        "foreign",
        `${this.place} is encoded in ${encoding}, and must be in UTF8; name another database`,
      );
    }
    if (Number(version) < 130_000) {
      throw new StoreError("foreign", `${this.place} is PostgreSQL ${version}, and must be 13 or later`);
    }
    for (const name of ["fsync", "full_page_writes"]) {
      if (settings[name] !== "off") continue;
      throw new StoreError(
        "unsafe",
        `${this.place} has ${name} = off, and would lose what it acknowledged in a crash; set ${name} = on`,
      );
    }
  }

  async run(statements: readonly SqlStatement[]): Promise<SqlRow[][]> {
    if (this.#ended) throw new StoreError("closed", `${this.place} is closed`);
    const running = this.#run(statements);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /**
   * Told behind the write and not within it: a NOTIFY holds a lock of the whole database until its transaction is on disk, so that those who write
   * events would wait for those who write metrics. Whoever dies between the two is found out by the next look of the others.
   */
  changed(): void {
    if (this.#announced) this.#unannounced = true;
    else this.#announce();
  }

  async scrub(): Promise<void> {}

  readonly listen = ({ onNotice, onListening }: ListenOptions): AsyncDisposable =>
    new PostgresListener(this.#url, {
      channel: this.schema,
      onNotice: (from) => {
        if (from !== this.#name) onNotice();
      },
      onListening,
    });

  /** What was sent before is still done. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#announced);
    if (this.#unannounced && !this.#ended) this.#tell();
    this.#ended ??= Promise.allSettled(this.#running).then(() => this.#pool.end());
    await this.#ended;
  }

  #announce(): void {
    if (this.#ended) return;
    this.#unannounced = false;
    this.#tell();
    this.#announced = setTimeout(() => {
      this.#announced = undefined;
      if (this.#unannounced) this.#announce();
    }, ANNOUNCE_EVERY);
    this.#announced.unref();
  }

  #tell(): void {
    const sql = "SELECT pg_notify($1, $2)";
    this.run([{ sql, values: [this.schema, this.#name] }]).catch(() => {}); // others look by themselves too
  }

  async #run(statements: readonly SqlStatement[]): Promise<SqlRow[][]> {
    const queries = statements.map(({ sql, values = [], timeout }) => {
      checkValues(values);
      return { text: sql.replaceAll("nearkin.", `"${this.schema}".`), values: [...values], query_timeout: timeout };
    });
    for (let attempt = 1; ; attempt++) {
      try {
        const alone = queries.length === 1 && /^\s*SELECT\b/i.test(queries[0].text);
        return alone ? [await this.#read(queries[0])] : await this.#together(queries);
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        const { cause, uncertain } = error;
        const undone = isRolledBack(cause);
        const lost = isConnectionLost(cause);
        // A connection that died while it idled is found out by the first to use it: once more, on a new one.
        const again = undone ? attempt < MOST_ATTEMPTS : lost && !uncertain && !isTimedOut(cause) && attempt === 1;
        if (!again) throw toStoreError(cause, this.place, uncertain && lost);
        if (undone) await delay(2 ** attempt * 5 * (0.5 + Math.random()));
      }
    }
  }

  async #read(query: pg.QueryConfig): Promise<SqlRow[]> {
    const client = await this.#connect();
    let lost: Error | undefined;
    try {
      return (await client.query<SqlRow>(query)).rows;
    } catch (cause) {
      if (isConnectionLost(cause)) lost = cause as Error;
      throw new Failed(cause, false);
    } finally {
      client.release(lost);
    }
  }

  /**
   * The list goes out in one piece behind BEGIN, COMMIT included, so that locks are not held over round trips. Where a statement fails, those
   * behind it are refused, and COMMIT rolls back.
   */
  async #together(queries: readonly pg.QueryConfig[]): Promise<SqlRow[][]> {
    const client = await this.#connect();
    let lost: Error | undefined;
    try {
      await client.query(this.#begin).catch((cause) => {
        throw new Failed(cause, false);
      });
      const settled = await Promise.allSettled(
        [...queries, { text: "COMMIT" }].map((query) => client.query<SqlRow>(query)),
      );
      return settled.slice(0, queries.length).map((result) => {
        const failed = settled.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
        if (failed) throw new Failed(failed.reason, true);
        return (result as PromiseFulfilledResult<pg.QueryResult<SqlRow>>).value.rows;
      });
    } catch (error) {
      if (!(error instanceof Failed) || isConnectionLost(error.cause)) lost = error as Error;
      throw error;
    } finally {
      client.release(lost);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (cause) {
        if (!isCrowded(cause) || this.#open === 0) throw toStoreError(cause, this.place, false);
        this.#makeDo();
      }
    }
  }

  /** The database has no connection to spare: for a while, whoever wants one waits for one of those that we have. */
  #makeDo(): void {
    const { options } = this.#pool;
    if (options.max === this.#connections) {
      setTimeout(() => {
        options.max = this.#connections;
      }, CROWDED).unref();
    }
    options.max = this.#open;
  }
}

/** The address without the password. */
function describe(url: string): string {
  try {
    const { username, host, pathname } = new URL(url);
    if (!/^postgres(ql)?:\/\//.test(url) || pathname.includes("@")) return "PostgreSQL"; // mistyped: the password may be in the path
    return `postgres://${username ? `${username}@` : ""}${host}${pathname}`;
  } catch {
    return "PostgreSQL"; // what it is that cannot be read may hold the password
  }
}
