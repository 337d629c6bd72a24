import { checkId, checkPage } from "./checks.ts";
import type { SqlDatabase } from "./database.ts";
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
    takeNumbers("metrics", 0),
    { sql: "SELECT COUNT(*) AS events FROM nearkin.events WHERE user_id = $1", values },
    { sql: "SELECT COUNT(*) AS feedback FROM nearkin.feedback WHERE user_id = $1", values },
    removeMetric(user),
    {
      sql: `UPDATE nearkin.counters SET total = total - (SELECT COUNT(*) FROM nearkin.events WHERE user_id = $1) WHERE name = 'events'`,
      values,
    },
    { sql: "DELETE FROM nearkin.events WHERE user_id = $1", values },
    { sql: "DELETE FROM nearkin.feedback WHERE user_id = $1", values },
  ]);
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
