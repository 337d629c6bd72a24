// A bound on the events of one user. The server that writes holds it: servers that write events of one user at the same moment may exceed it by
// the batches under way. Imports are the operator's own, and are not bounded.
import type { ArrivalRow, Refusals } from "./arrivals.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";
import { insertRows } from "./rows.ts";

export const EVENTS_PER_USER = 100_000;

/** A user would have more events than the store takes of one. */
export class EventQuotaError extends Error {
  readonly user: string;
  constructor(user: string, { stored, more, quota }: { stored: number; more: number; quota: number }) {
    super(
      `${stored} events of this user are stored, and ${more} more would exceed ${quota} (the setting eventsPerUser)`,
    );
    this.name = "EventQuotaError";
    this.user = user;
  }
}

/** Refuses batches with which a user would have more than `quota` events. Events that are stored already do not count again. */
export function eventQuota(database: SqlDatabase, quota: number): Refusals {
  async function select(sql: string, values: Iterable<string>): Promise<SqlRow[]> {
    const rows = Array.from(values, (value) => [value]);
    const statements = insertRows((list) => `${sql} IN (SELECT column1 FROM (VALUES ${list}) AS v)`, rows);
    return (await database.run(statements)).flat();
  }

  async function refusal(rows: readonly ArrivalRow[], stored: Map<string, number>): Promise<Error | null> {
    const added = new Map<string, number>();
    for (const [user, keys] of keysOf(rows)) {
      const before = stored.get(user) ?? 0;
      let more = keys.size;
      if (before + more > quota) {
        more -= (await select("SELECT event_key FROM nearkin.events WHERE event_key", keys)).length;
        if (more > 0 && before + more > quota) return new EventQuotaError(user, { stored: before, more, quota });
      }
      added.set(user, before + more);
    }
    for (const [user, count] of added) stored.set(user, count);
    return null;
  }

  return async (batches) => {
    const users = new Set(batches.flatMap((rows) => rows.map(([, user]) => user as string)));
    const counts = await select("SELECT user_id, events FROM nearkin.users WHERE user_id", users);
    const stored = new Map(counts.map(({ user_id, events }) => [user_id as string, events as number]));
    const refused: (Error | null)[] = [];
    for (const rows of batches) refused.push(await refusal(rows, stored));
    return refused;
  };
}

/** Keys of events by user. */
function keysOf(rows: readonly ArrivalRow[]): Map<string, Set<string>> {
  const byUser = new Map<string, Set<string>>();
  for (const [key, user] of rows) {
    const keys = byUser.get(user as string);
    if (keys) keys.add(key);
    else byUser.set(user as string, new Set([key]));
  }
  return byUser;
}
