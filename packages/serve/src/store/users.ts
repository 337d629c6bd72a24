// Users across the tables: who they are, who is to be fitted, and all of one gone at once.
import { departure } from "./changes.ts";
import { checkId, checkPage, checkWhole } from "./checks.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";
import { removeMetric } from "./metrics.ts";
import { takeNumbers } from "./rows.ts";

/** How much there was of a user. */
export interface DeletedUser {
  events: number;
  feedback: number;
  /** 0 or 1. */
  metrics: number;
}

/** Deletes everything of a user in one transaction. */
export async function deleteUser(database: SqlDatabase, user: string): Promise<DeletedUser> {
  checkId("a user", user);
  const values = [user];
  const [, , , [{ events }], [{ feedback }], metrics] = await database.run([
    // Takes the turns of all who write about users, always in this order: nobody writes between counting and deleting, and a fit is written
    // before this, and deleted, or behind it, and finds the events gone.
    takeNumbers("events", 0),
    takeNumbers("feedback", 0),
    takeNumbers("metrics", 1),
    { sql: "SELECT COUNT(*) AS events FROM nearkin.events WHERE user_id = $1", values },
    { sql: "SELECT COUNT(*) AS feedback FROM nearkin.feedback WHERE user_id = $1", values },
    removeMetric(user),
    {
      sql: `UPDATE nearkin.counters SET total = total - (SELECT COUNT(*) FROM nearkin.events WHERE user_id = $1) WHERE name = 'events'`,
      values,
    },
    { sql: "DELETE FROM nearkin.events WHERE user_id = $1", values },
    { sql: "DELETE FROM nearkin.feedback WHERE user_id = $1", values },
    ...departure(database, user),
  ]);
  database.changed();
  return { events: events as number, feedback: feedback as number, metrics: metrics.length };
}

/** Users with events that no metric was fitted to yet, and none set by hand, in the order of their ids, behind the user `after`. */
export async function usersToFit(
  database: SqlDatabase,
  { after = "", limit }: { after?: string; limit: number },
): Promise<string[]> {
  checkPage({ limit });
  const sql = `SELECT DISTINCT e.user_id FROM nearkin.events AS e
    WHERE e.user_id > $1 AND NOT EXISTS (SELECT 1 FROM nearkin.metrics AS m
      WHERE m.user_id = e.user_id AND (m.source = 'set' OR m.events >= e.arrival))
    ORDER BY e.user_id LIMIT $2`;
  return (await database.run([{ sql, values: [after, limit] }]))[0].map(({ user_id }) => user_id as string);
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

const EVENTS_OF = "(SELECT COUNT(*) FROM nearkin.events AS e WHERE e.user_id = u.user_id) AS events";

/**
 * Users with a metric of their own, those fitted to the most items first, then all others with events by their ids. Counting the events of
 * everybody would take seconds in a large store, and everyone would wait: so those of a page are counted, and the order goes by what a fit noted.
 */
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
  const sql = `SELECT u.user_id, u.source, u.items, ${EVENTS_OF} FROM (
      SELECT user_id, source, items FROM nearkin.metrics
      WHERE kept IS NULL AND (items < $1 OR (items = $1 AND user_id > $2))
      ORDER BY items DESC, user_id LIMIT $3) AS u ORDER BY u.items DESC, u.user_id`;
  return (await database.run([{ sql, values: [items, user, limit] }]))[0].map(readUser);
}

async function others(
  database: SqlDatabase,
  { after, limit }: { after: string; limit: number },
): Promise<ListedUser[]> {
  const sql = `SELECT u.user_id, NULL AS source, 0 AS items, ${EVENTS_OF} FROM (
      SELECT DISTINCT e.user_id FROM nearkin.events AS e
      WHERE e.user_id > $1 AND NOT EXISTS (SELECT 1 FROM nearkin.metrics AS m WHERE m.user_id = e.user_id AND m.kept IS NULL)
      ORDER BY e.user_id LIMIT $2) AS u ORDER BY u.user_id`;
  return (await database.run([{ sql, values: [after, limit] }]))[0].map(readUser);
}

const readUser = (row: SqlRow): ListedUser => ({
  user: row.user_id as string,
  events: row.events as number,
  source: row.source as ListedUser["source"],
  items: row.items as number,
});
