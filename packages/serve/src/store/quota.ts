// A bound on the events of one user, and on their feedback. The server that writes enforces it: servers that write for one user at the same moment may
// exceed it by the batches under way. Imports are the operator's own, and are not bounded; nor is feedback without a user.
import type { ArrivalRow, ArrivalTable, Refusals } from "./arrivals.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";
import { insertRows } from "./rows.ts";

export const EVENTS_PER_USER = 100_000;

/** A user would have more events, or more feedback, than the store takes of one. */
export class UserQuotaError extends Error {
  readonly user: string;
  constructor(user: string, { stored, more, quota }: { stored: string; more: number; quota: number }) {
    super(
      `${stored} of this user are stored, and ${more} more would exceed ${quota}; send fewer, or raise the setting eventsPerUser`,
    );
    this.name = "UserQuotaError";
    this.user = user;
  }
}

/** Tables that count the rows of each user (see migrations.ts), and what a row is called. */
const COUNTS = {
  events: { select: "SELECT user_id, events AS stored FROM nearkin.users", rows: "events" },
  feedback: { select: "SELECT user_id, entries AS stored FROM nearkin.feedback_users", rows: "entries of feedback" },
} as const;

/** Refuses batches with which a user would have more than `quota` rows of the table. Rows that are stored already do not count again. */
export function userQuota(database: SqlDatabase, { name, columns }: ArrivalTable, quota: number): Refusals {
  const names = Object.keys(columns);
  const place = names.indexOf("user_id");
  const counts = COUNTS[name];

  async function select(sql: string, values: Iterable<string>): Promise<SqlRow[]> {
    const rows = Array.from(values, (value) => [value]);
    const statements = insertRows((list) => `${sql} IN (SELECT column1 FROM (VALUES ${list}) AS v)`, rows);
    return (await database.run(statements)).flat();
  }

  /** Keys of rows by user. */
  function keysOf(rows: readonly ArrivalRow[]): Map<string, Set<string>> {
    const byUser = new Map<string, Set<string>>();
    for (const row of rows) {
      const user = row[place] as string | null;
      if (user === null) continue;
      const keys = byUser.get(user);
      if (keys) keys.add(row[0]);
      else byUser.set(user, new Set([row[0]]));
    }
    return byUser;
  }

  async function refusal(rows: readonly ArrivalRow[], stored: Map<string, number>): Promise<Error | null> {
    const added = new Map<string, number>();
    for (const [user, keys] of keysOf(rows)) {
      const before = stored.get(user) ?? 0;
      let more = keys.size;
      if (before + more > quota) {
        more -= (await select(`SELECT 1 FROM nearkin.${name} WHERE ${names[0]}`, keys)).length;
        if (more > 0 && before + more > quota)
          return new UserQuotaError(user, { stored: `${before} ${counts.rows}`, more, quota });
      }
      added.set(user, before + more);
    }
    for (const [user, count] of added) stored.set(user, count);
    return null;
  }

  return async (batches) => {
    const users = new Set(batches.flatMap((rows) => [...keysOf(rows).keys()]));
    if (users.size === 0) return batches.map(() => null);
    const found = await select(`${counts.select} WHERE user_id`, users);
    const stored = new Map(found.map((row) => [row.user_id as string, row.stored as number]));
    const refused: (Error | null)[] = [];
    for (const rows of batches) refused.push(await refusal(rows, stored));
    return refused;
  };
}
