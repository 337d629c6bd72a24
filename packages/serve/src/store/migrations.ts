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

// What a user's events are about is counted as they arrive, so that a summary reads one row however many there are; and feedback of each user, for
// its quota. Events that are being erased are not counted, also where the user came back meanwhile.
const SUMMARY = "user_id, events, last_event, items, ratings, first_time, last_time";
const erasedTo = (table: "events" | "feedback", user: string) =>
  `COALESCE((SELECT x.${table}_to FROM nearkin.erasures AS x WHERE x.user_id = ${user}), 0)`;
/** Gives a row if the user had met the item before the arrival number. */
const metBefore = (row: string, arrival: string) => `SELECT 1 FROM nearkin.events AS e WHERE e.user_id = ${row}.user_id
  AND e.item_id = ${row}.item_id AND e.arrival < ${arrival} AND e.arrival > ${erasedTo("events", `${row}.user_id`)}`;
const addSummary = (least: string, greatest: string) => `${COUNT_MORE}, items = users.items + excluded.items,
  ratings = users.ratings + excluded.ratings, first_time = ${least}(users.first_time, excluded.first_time),
  last_time = ${greatest}(users.last_time, excluded.last_time)`;
const SUMMARIZE_USERS = [
  "CREATE INDEX events_by_item ON nearkin.events (user_id, item_id, rating)", // also keeps writers out until all is counted
  ...["items INT NOT NULL DEFAULT 0", "ratings INT NOT NULL DEFAULT 0", "first_time INT", "last_time INT"].map(
    (column) => `ALTER TABLE nearkin.users ADD COLUMN ${column}`,
  ),
  "DELETE FROM nearkin.users",
  `INSERT INTO nearkin.users (${SUMMARY}) SELECT user_id, COUNT(*), MAX(arrival), COUNT(DISTINCT item_id),
      COUNT(DISTINCT CASE WHEN rating IS NOT NULL THEN item_id END), MIN(time), MAX(time)
    FROM nearkin.events WHERE arrival > ${erasedTo("events", "events.user_id")} GROUP BY user_id`,
  "CREATE TABLE nearkin.feedback_users (user_id TEXT PRIMARY KEY, entries INT NOT NULL)",
];
const COUNT_FEEDBACK = `INSERT INTO nearkin.feedback_users (user_id, entries) SELECT user_id, COUNT(*) FROM nearkin.feedback
  WHERE user_id IS NOT NULL AND arrival > ${erasedTo("feedback", "feedback.user_id")} GROUP BY user_id`;
const COUNT_MORE_FEEDBACK = "ON CONFLICT (user_id) DO UPDATE SET entries = feedback_users.entries + excluded.entries";
const FOURTH = {
  postgres: [
    ...SUMMARIZE_USERS,
    // Scalar subqueries with a limit: an EXISTS could become a join that reads the events of everybody.
    `CREATE OR REPLACE FUNCTION nearkin.count_events() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE from_arrival CONSTANT INT := (SELECT MIN(arrival) FROM added);
      BEGIN
        INSERT INTO nearkin.users AS users (${SUMMARY})
          SELECT user_id, SUM(events), MAX(last_event), SUM(items), SUM(ratings), MIN(first_time), MAX(last_time) FROM (
            SELECT a.user_id, COUNT(*) AS events, MAX(a.arrival) AS last_event, MIN(a.time) AS first_time, MAX(a.time) AS last_time,
              CASE WHEN (${metBefore("a", "from_arrival")} LIMIT 1) IS NULL THEN 1 ELSE 0 END AS items,
              CASE WHEN COUNT(a.rating) > 0 AND (${metBefore("a", "from_arrival")} AND e.rating IS NOT NULL LIMIT 1) IS NULL
                THEN 1 ELSE 0 END AS ratings
            FROM added AS a GROUP BY a.user_id, a.item_id) AS met
          GROUP BY user_id ${addSummary("LEAST", "GREATEST")};
        RETURN NULL;
      END $$`,
    `CREATE FUNCTION nearkin.count_feedback() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO nearkin.feedback_users AS feedback_users (user_id, entries)
        SELECT user_id, COUNT(*) FROM added WHERE user_id IS NOT NULL GROUP BY user_id ${COUNT_MORE_FEEDBACK};
      RETURN NULL;
    END $$`,
    `CREATE FUNCTION nearkin.uncount_feedback() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      DELETE FROM nearkin.feedback_users AS u WHERE u.user_id IN (SELECT user_id FROM removed)
        AND NOT EXISTS (SELECT 1 FROM nearkin.feedback AS f WHERE f.user_id = u.user_id);
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER feedback_counted AFTER INSERT ON nearkin.feedback REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION nearkin.count_feedback()`,
    `CREATE TRIGGER feedback_uncounted AFTER DELETE ON nearkin.feedback REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION nearkin.uncount_feedback()`,
    COUNT_FEEDBACK,
  ],
  libsql: [
    ...SUMMARIZE_USERS,
    "DROP TRIGGER events_counted",
    `CREATE TRIGGER events_counted AFTER INSERT ON nearkin.events BEGIN
      INSERT INTO users (${SUMMARY}) VALUES (new.user_id, 1, new.arrival, NOT EXISTS (${metBefore("new", "new.arrival")}),
        new.rating IS NOT NULL AND NOT EXISTS (${metBefore("new", "new.arrival")} AND e.rating IS NOT NULL), new.time, new.time)
        ${addSummary("MIN", "MAX")};
    END`,
    `CREATE TRIGGER feedback_counted AFTER INSERT ON nearkin.feedback WHEN new.user_id IS NOT NULL BEGIN
      INSERT INTO feedback_users (user_id, entries) VALUES (new.user_id, 1) ${COUNT_MORE_FEEDBACK};
    END`,
    COUNT_FEEDBACK,
  ],
};

/** The same for both databases, or for each its own. */
type Step = readonly string[] | Readonly<Record<SqlDatabase["kind"], readonly string[]>>;

export const MIGRATIONS: readonly Step[] = [FIRST, SECOND, THIRD, FOURTH];

/** Building an index takes about two seconds for a million events. */
const STEP_TIMEOUT_MS = 3_600_000;

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
    ...(kind === "postgres" ? ["SET LOCAL statement_timeout = 0", ADVISORY_LOCK] : []),
    ...(schema !== null && number === 1 ? [makeSchema(schema)] : []),
    typed(table),
    `INSERT INTO nearkin.nearkin_migrations VALUES (${number}, ${Date.now()})`,
    ...("postgres" in ddl ? ddl[kind] : ddl).map(
      (sql) => typed(sql) + (kind === "libsql" && sql.startsWith("CREATE TABLE") ? " STRICT" : ""),
    ),
  ].map((sql) => ({ sql, timeout: STEP_TIMEOUT_MS }));
}
