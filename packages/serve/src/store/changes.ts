// What changed since a server last looked, where several share a store (PostgreSQL). Nothing is written for it but who has departed: events,
// metrics and items are numbered in the order in which they become visible (see migrations.ts), so whoever has seen number n has seen all up to n.
import type { SqlDatabase, SqlStatement } from "./database.ts";
import { numberOf } from "./rows.ts";

/** How far the store is: each number grows with every change of its kind. */
export interface Positions {
  readonly items: number;
  readonly events: number;
  readonly metrics: number;
  /** Revocations, and replacements of the signing secret. */
  readonly keys: number;
  /** Events that came by imports. */
  readonly imported: number;
}

export interface ChangeStore {
  /**
   * Users of whom something changed between two looks, deleted ones included, and maybe some who changed since; null where they are too many to name. What
   * lies longer back than `KEPT` is no longer known in full.
   */
  usersBetween(from: Positions, to: Positions): Promise<string[] | null>;
  /** Whether a user, or a metric, was deleted since then. */
  hasDepartures(since: Positions): Promise<boolean>;
  /** Forgets departures that every server has heard of. */
  prune(): Promise<void>;
}

/** ms that a departure is kept. */
export const KEPT = 60_000;
/** Users that are named, and events that are looked through for them. */
const MOST_USERS = 20_000;
const MOST_EVENTS = 100_000;

/** The database's own clock, in milliseconds since 1970: the clocks of servers differ. */
export const CLOCK = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/** Notes that a user, or their metric, is gone, for other servers to hear of; behind a `takeNumbers("metrics", 1)`. */
export function departure({ kind }: SqlDatabase, user: string): SqlStatement[] {
  if (kind === "libsql") return [];
  return [
    {
      sql: `INSERT INTO nearkin.departures (number, user_id, time) SELECT ${numberOf("metrics", "0")}, $1, ${CLOCK}`,
      values: [user],
    },
  ];
}

export function changeStore(database: SqlDatabase): ChangeStore {
  return {
    async usersBetween(from, to) {
      if (to.events - from.events > MOST_EVENTS) return null;
      // Without an upper end: who changed before the look and again after it has only the later number.
      const sql = `SELECT user_id FROM nearkin.events WHERE arrival > $1
        UNION SELECT user_id FROM nearkin.metrics WHERE revision > $2
        UNION SELECT user_id FROM nearkin.departures WHERE number > $2
        LIMIT ${MOST_USERS + 1}`;
      const [rows] = await database.run([{ sql, values: [from.events, from.metrics] }]);
      return rows.length > MOST_USERS ? null : rows.map(({ user_id }) => user_id as string);
    },

    async hasDepartures({ metrics }) {
      const sql = "SELECT 1 FROM nearkin.departures WHERE number > $1 LIMIT 1";
      return (await database.run([{ sql, values: [metrics] }]))[0].length > 0;
    },

    async prune() {
      await database.run([{ sql: `DELETE FROM nearkin.departures WHERE time < ${CLOCK} - ${KEPT}` }]);
    },
  };
}
