// Users across the tables: listing them, finding those to fit, and deleting one.
import { departure } from "./changes.ts";
import { checkId, checkPage, checkWhole } from "./checks.ts";
import type { SqlDatabase, SqlRow, SqlStatement } from "./database.ts";
import { removeMetric } from "./metrics.ts";
import { numberOf, takeNumbers } from "./rows.ts";

/** How much there was of a user. */
export interface DeletedUser {
  events: number;
  feedback: number;
  /** 0 or 1. */
  metrics: number;
}

/** Rows of a table that one transaction deletes: a user with more is erased in several. */
const ERASED_AT_ONCE = 10_000;

const erase = (table: "events" | "feedback") => `DELETE FROM nearkin.${table} WHERE arrival IN (
  SELECT arrival FROM nearkin.${table} WHERE user_id = $1
    AND arrival <= (SELECT ${table}_to FROM nearkin.erasures WHERE user_id = $1) LIMIT ${ERASED_AT_ONCE})`;

const isLeft = (table: "events" | "feedback") =>
  `EXISTS (SELECT 1 FROM nearkin.${table} AS t WHERE t.user_id = $1 AND t.arrival <= ${table}_to)`;

/** Statements that erase the next rows of a user, and end the erasure with the last of them. The last statement gives a row if some are left. */
function eraseSome(user: string): SqlStatement[] {
  return [
    erase("events"),
    erase("feedback"),
    `DELETE FROM nearkin.erasures WHERE user_id = $1 AND NOT ${isLeft("events")} AND NOT ${isLeft("feedback")}`,
    "SELECT user_id FROM nearkin.erasures WHERE user_id = $1",
  ].map((sql) => ({ sql, values: [user] }));
}

async function eraseAll(database: SqlDatabase, user: string, results: SqlRow[][]): Promise<void> {
  for (let last = results; last[last.length - 1].length > 0; ) last = await database.run(eraseSome(user));
}

/**
 * Deletes everything of a user. The first transaction hides it all from readers; what is more than one transaction deletes is erased by further ones, which
 * `finishErasures` continues if this process ends before them.
 */
export async function deleteUser(database: SqlDatabase, user: string): Promise<DeletedUser> {
  checkId("a user", user);
  const values = [user];
  const results = await database.run([
    // Takes the turns of all who write about users, always in this order: nobody writes between counting and deleting, and a fit is written
    // before this, and deleted, or behind it, and finds the events gone.
    takeNumbers("events", 0),
    takeNumbers("feedback", 0),
    takeNumbers("metrics", 1),
    {
      sql: `SELECT COALESCE((SELECT events FROM nearkin.users WHERE user_id = $1), 0) AS events,
        COALESCE((SELECT entries FROM nearkin.feedback_users WHERE user_id = $1), 0) AS feedback`,
      values,
    },
    removeMetric(user),
    {
      sql: `UPDATE nearkin.counters SET total = total - COALESCE((SELECT events FROM nearkin.users WHERE user_id = $1), 0)
        WHERE name = 'events'`,
      values,
    },
    { sql: "DELETE FROM nearkin.users WHERE user_id = $1", values },
    { sql: "DELETE FROM nearkin.feedback_users WHERE user_id = $1", values },
    ...departure(database, user),
    {
      sql: `INSERT INTO nearkin.erasures (user_id, events_to, feedback_to) SELECT $1, ${numberOf("events", "0")}, ${numberOf("feedback", "0")}
        WHERE true ON CONFLICT (user_id) DO UPDATE SET events_to = excluded.events_to, feedback_to = excluded.feedback_to`,
      values,
    },
    ...eraseSome(user),
  ]);
  database.changed();
  await eraseAll(database, user, results);
  await database.scrub();
  const [, , , [{ events, feedback }], metrics] = results;
  return { events: events as number, feedback: feedback as number, metrics: metrics.length };
}

/** Continues deletions of users that a server has left unfinished. */
export async function finishErasures(database: SqlDatabase): Promise<void> {
  const [rows] = await database.run([{ sql: "SELECT user_id FROM nearkin.erasures" }]);
  for (const row of rows) await eraseAll(database, row.user_id as string, [[row]]);
  if (rows.length > 0) await database.scrub();
}

/** A page of `limit` users, of whom those are named that are to be fitted. */
export interface UsersToFit {
  users: string[];
  /** The `after` of the next page; null behind the last. */
  next: string | null;
}

export async function usersToFit(
  database: SqlDatabase,
  { after = "", limit }: { after?: string; limit: number },
): Promise<UsersToFit> {
  checkPage({ limit });
  const sql = `SELECT u.user_id, CASE WHEN EXISTS (SELECT 1 FROM nearkin.metrics AS m
      WHERE m.user_id = u.user_id AND (m.source = 'set' OR m.events >= u.last_event)) THEN 1 ELSE 0 END AS fitted
    FROM nearkin.users AS u WHERE u.user_id > $1 ORDER BY u.user_id LIMIT $2`;
  const [rows] = await database.run([{ sql, values: [after, limit] }]);
  return {
    users: rows.filter(({ fitted }) => fitted === 0).map(({ user_id }) => user_id as string),
    next: rows.length < limit ? null : (rows[rows.length - 1].user_id as string),
  };
}

/** A user in the list of all. */
export interface ListedUser {
  user: string;
  /** How many there are. */
  events: number;
  /** Where their own metric comes from; null where they have none. */
  source: "fitted" | "set" | null;
  /** Items that it was fitted to; 0 where it was not. */
  items: number;
}

/** The user that a page begins behind; `items` is null once those with a metric of their own are through. */
export interface UserPlace {
  user: string;
  items: number | null;
}

/** Users with a metric of their own, those fitted to the most items first, then all others with events by their ids. */
export async function listUsers(
  database: SqlDatabase,
  { after, limit }: { after?: UserPlace | undefined; limit: number },
): Promise<ListedUser[]> {
  checkPage({ limit });
  const own = after?.items === null ? [] : await ownMetrics(database, { after, limit });
  if (own.length === limit) return own;
  const behind = after?.items === null ? after.user : "";
  return [...own, ...(await others(database, { after: behind, limit: limit - own.length }))];
}

async function ownMetrics(
  database: SqlDatabase,
  { after, limit }: { after: UserPlace | undefined; limit: number },
): Promise<ListedUser[]> {
  const { items = Number.MAX_SAFE_INTEGER, user = "" } = after ?? {};
  checkWhole("items", items ?? 0);
  const sql = `SELECT m.user_id, m.source, m.items,
      COALESCE((SELECT u.events FROM nearkin.users AS u WHERE u.user_id = m.user_id), 0) AS events FROM nearkin.metrics AS m
    WHERE m.kept IS NULL AND (m.items < $1 OR (m.items = $1 AND m.user_id > $2)) ORDER BY m.items DESC, m.user_id LIMIT $3`;
  return (await database.run([{ sql, values: [items, user, limit] }]))[0].map(readUser);
}

async function others(
  database: SqlDatabase,
  { after, limit }: { after: string; limit: number },
): Promise<ListedUser[]> {
  const sql = `SELECT u.user_id, NULL AS source, 0 AS items, u.events FROM nearkin.users AS u
    WHERE u.user_id > $1 AND NOT EXISTS (SELECT 1 FROM nearkin.metrics AS m WHERE m.user_id = u.user_id AND m.kept IS NULL)
    ORDER BY u.user_id LIMIT $2`;
  return (await database.run([{ sql, values: [after, limit] }]))[0].map(readUser);
}

const readUser = (row: SqlRow): ListedUser => ({
  user: row.user_id as string,
  events: row.events as number,
  source: row.source as ListedUser["source"],
  items: row.items as number,
});
