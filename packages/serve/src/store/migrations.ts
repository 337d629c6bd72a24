// The tables, as numbered steps that are never changed once released: a change of the tables is a further step. A store may be opened by
// several programs at once, and servers of the last version may still run on it: a step adds, and leaves what is there.

import type { SqlDatabase, SqlStatement } from "./database.ts";
import { breaks, StoreError } from "./errors.ts";

// Types: TEXT in the order of its bytes, BYTES, INT of 64 bits, REAL of 64 bits.
const TYPES = {
  libsql: { TEXT: "TEXT", BYTES: "BLOB", INT: "INTEGER", REAL: "REAL" },
  postgres: { TEXT: 'TEXT COLLATE "C"', BYTES: "BYTEA", INT: "BIGINT", REAL: "DOUBLE PRECISION" },
} as const;

// Whoever writes events, feedback, items or metrics takes the next numbers of a row of `counters` first, and so holds that row until the
// transaction ends: numbers become visible in their order, without gaps to be filled later. A reader that has seen number n has seen all up to n.
const FIRST = [
  "CREATE TABLE nearkin.counters (name TEXT PRIMARY KEY, value INT NOT NULL, total INT NOT NULL)",
  "INSERT INTO nearkin.counters VALUES ('events', 0, 0), ('feedback', 0, 0), ('items', 0, 0), ('metrics', 0, 0)",

  `CREATE TABLE nearkin.items (id TEXT PRIMARY KEY, deleted INT NOT NULL, title TEXT, channels TEXT NOT NULL, fields TEXT NOT NULL,
    updated INT NOT NULL, version INT NOT NULL)`,
  "CREATE UNIQUE INDEX items_by_version ON nearkin.items (version)",

  `CREATE TABLE nearkin.text_vectors (encoder TEXT NOT NULL, text_hash TEXT NOT NULL, vector BYTES NOT NULL,
    PRIMARY KEY (encoder, text_hash))`,

  `CREATE TABLE nearkin.events (arrival INT PRIMARY KEY, event_key TEXT NOT NULL, user_id TEXT NOT NULL, item_id TEXT NOT NULL,
    rating REAL, time INT NOT NULL, type TEXT NOT NULL)`,
  "CREATE UNIQUE INDEX events_by_key ON nearkin.events (event_key)",
  "CREATE INDEX events_by_user ON nearkin.events (user_id, time, arrival)",

  `CREATE TABLE nearkin.metrics (user_id TEXT PRIMARY KEY, model_id TEXT NOT NULL, weights TEXT NOT NULL, base TEXT NOT NULL,
    popularity REAL NOT NULL, rating_offset REAL NOT NULL, source TEXT NOT NULL, kept TEXT, items INT NOT NULL, updated INT NOT NULL,
    events INT NOT NULL, fit TEXT, revision INT NOT NULL)`,
  "CREATE INDEX metrics_by_source ON nearkin.metrics (source, user_id, model_id)",

  `CREATE TABLE nearkin.feedback (arrival INT PRIMARY KEY, feedback_key TEXT NOT NULL, recommendation TEXT NOT NULL, user_id TEXT,
    item_id TEXT NOT NULL, action TEXT NOT NULL, position INT, time INT NOT NULL, model_id TEXT NOT NULL)`,
  "CREATE UNIQUE INDEX feedback_by_key ON nearkin.feedback (feedback_key)",
  "CREATE INDEX feedback_by_user ON nearkin.feedback (user_id) WHERE user_id IS NOT NULL",
  "CREATE INDEX feedback_by_model ON nearkin.feedback (model_id, action)",

  "CREATE TABLE nearkin.activations (sequence INT PRIMARY KEY, model_id TEXT NOT NULL, folder TEXT NOT NULL, time INT NOT NULL)",

  `CREATE TABLE nearkin.api_keys (id TEXT PRIMARY KEY, name TEXT NOT NULL, scopes TEXT NOT NULL, hash BYTES NOT NULL, created INT NOT NULL,
    expires INT, revoked INT, last_used INT)`,
  "CREATE UNIQUE INDEX api_keys_by_hash ON nearkin.api_keys (hash)",

  "CREATE TABLE nearkin.secrets (name TEXT PRIMARY KEY, value BYTES NOT NULL)",

  // `misplaced` is set to 1 by a batch that does not start where the last one ended: the constraint undoes the batch.
  `CREATE TABLE nearkin.imports (source TEXT PRIMARY KEY, import_cursor TEXT NOT NULL, accepted INT NOT NULL, duplicates INT NOT NULL,
    finished INT, counts TEXT, misplaced INT NOT NULL CHECK (misplaced = 0))`,
];

// What several servers over one PostgreSQL tell each other; a file has one server, and needs none of it. Tables that only matter while servers
// run are not logged: a heartbeat or a lease then waits for no disk, and a crash empties them.
const SECOND = {
  postgres: [
    "INSERT INTO nearkin.counters VALUES ('keys', 0, 0)",
    "CREATE INDEX metrics_by_revision ON nearkin.metrics (revision)",
    // users who were deleted, or their metric, by the number that this took of the counter of metrics; kept for a minute
    "CREATE TABLE nearkin.departures (number INT PRIMARY KEY, user_id TEXT NOT NULL, time INT NOT NULL)",
    "CREATE UNLOGGED TABLE nearkin.replicas (id TEXT PRIMARY KEY, seen INT NOT NULL, model_id TEXT)",
    "CREATE UNLOGGED TABLE nearkin.turns (name TEXT PRIMARY KEY, holder TEXT NOT NULL)",
    `CREATE UNLOGGED TABLE nearkin.allowances (name TEXT PRIMARY KEY, wanted INT NOT NULL, capacity REAL NOT NULL,
      per_second REAL NOT NULL, at REAL NOT NULL, level REAL NOT NULL, granted INT NOT NULL)`,
  ],
  libsql: [],
};

// One row for every user with events: how many, and the arrival number of the last. Triggers keep it, so that it also counts what servers of
// the last version write. `erasures` are deletions of users too large for one transaction: all up to these arrival numbers is gone for readers.
const USERS = "CREATE TABLE nearkin.users (user_id TEXT PRIMARY KEY, events INT NOT NULL, last_event INT NOT NULL)";
const ERASURES =
  "CREATE TABLE nearkin.erasures (user_id TEXT PRIMARY KEY, events_to INT NOT NULL, feedback_to INT NOT NULL)";
const COUNT_USERS = `INSERT INTO nearkin.users (user_id, events, last_event)
  SELECT user_id, COUNT(*), MAX(arrival) FROM nearkin.events GROUP BY user_id`;
const COUNT_MORE =
  "ON CONFLICT (user_id) DO UPDATE SET events = users.events + excluded.events, last_event = excluded.last_event";
const THIRD = {
  postgres: [
    USERS,
    ERASURES,
    `CREATE FUNCTION nearkin.count_events() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO nearkin.users AS users (user_id, events, last_event)
        SELECT user_id, COUNT(*), MAX(arrival) FROM added GROUP BY user_id ${COUNT_MORE};
      RETURN NULL;
    END $$`,
    `CREATE FUNCTION nearkin.uncount_events() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      DELETE FROM nearkin.users AS u WHERE u.user_id IN (SELECT user_id FROM removed)
        AND NOT EXISTS (SELECT 1 FROM nearkin.events AS e WHERE e.user_id = u.user_id);
      RETURN NULL;
    END $$`,
    // The first trigger waits for those who write events, and keeps others out until all are counted.
    `CREATE TRIGGER events_counted AFTER INSERT ON nearkin.events REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION nearkin.count_events()`,
    `CREATE TRIGGER events_uncounted AFTER DELETE ON nearkin.events REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION nearkin.uncount_events()`,
    COUNT_USERS,
  ],
  libsql: [
    USERS,
    ERASURES,
    `CREATE TRIGGER events_counted AFTER INSERT ON nearkin.events BEGIN
      INSERT INTO users (user_id, events, last_event) VALUES (new.user_id, 1, new.arrival) ${COUNT_MORE};
    END`,
    COUNT_USERS,
  ],
};

/** The same for both databases, or for each its own. */
type Step = readonly string[] | Readonly<Record<SqlDatabase["kind"], readonly string[]>>;

export const MIGRATIONS: readonly Step[] = [FIRST, SECOND, THIRD];

/** Any number, the same for all who migrate. */
const ADVISORY_LOCK = "SELECT pg_advisory_xact_lock(6178022771)";

/** Only where there is none: whoever may not make schemas may use one that was made for them, and CREATE SCHEMA IF NOT EXISTS asks for the right first. */
const makeSchema = (schema: string) => `DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA "${schema}"; END IF;
END $$`;

/** How many steps the store has behind it; 0 where there is nothing yet. Throws `BAD_STORE` where somebody else's tables are. */
export async function schemaVersion(database: SqlDatabase): Promise<number> {
  const [tables] = await database.run([
    database.kind === "libsql"
      ? {
          sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'libsql%'",
        }
      : { sql: "SELECT tablename AS name FROM pg_tables WHERE schemaname = $1", values: [database.schema] },
  ]);
  if (tables.length === 0) return 0;
  if (!tables.some(({ name }) => name === "nearkin_migrations")) {
    const where = database.schema === null ? database.place : `the schema ${database.schema} of ${database.place}`;
    throw new StoreError("foreign", `${where} holds tables of another program (${tables[0].name}, …); name another`);
  }
  const [[{ version }]] = await database.run([
    { sql: "SELECT MAX(number) AS version FROM nearkin.nearkin_migrations" },
  ]);
  return Number(version);
}

/** Brings the tables to what this program knows. Throws `BAD_STORE` for a store that knows more. */
export async function migrate(database: SqlDatabase, migrations = MIGRATIONS): Promise<void> {
  for (;;) {
    const version = await schemaVersion(database);
    if (version > migrations.length) {
      throw new StoreError(
        "newer",
        `${database.place} was written by a later version (its tables are number ${version}, this program knows ${migrations.length}); upgrade`,
      );
    }
    if (version === migrations.length) return;
    try {
      await database.run(step(database, version + 1, migrations[version]));
    } catch (error) {
      if (!breaks(error, "unique")) throw error; // somebody else took this step meanwhile
    }
  }
}

function step({ kind, schema }: SqlDatabase, number: number, ddl: Step): SqlStatement[] {
  const typed = (sql: string) =>
    sql.replace(/\b(TEXT|BYTES|INT|REAL)\b/g, (type) => TYPES[kind][type as keyof typeof TYPES.libsql]);
  const table = "CREATE TABLE IF NOT EXISTS nearkin.nearkin_migrations (number INT PRIMARY KEY, time INT NOT NULL)";
  return [
    ...(kind === "postgres" ? [ADVISORY_LOCK] : []),
    ...(schema !== null && number === 1 ? [makeSchema(schema)] : []),
    typed(table),
    `INSERT INTO nearkin.nearkin_migrations VALUES (${number}, ${Date.now()})`,
    ...("postgres" in ddl ? ddl[kind] : ddl).map(
      (sql) => typed(sql) + (kind === "libsql" && sql.startsWith("CREATE TABLE") ? " STRICT" : ""),
    ),
  ].map((sql) => ({ sql }));
}
