// Who did what with which item. Each event is counted once, however often it is sent:
//   with an id    by that id, which is the user's own: nobody can take the ids of another user's events
//   with a time   by its content: user, item, rating, type and time
//   with neither  by its content within the batch alone. A batch that is sent again counts again, since the same deed at another time is
//                 another deed; clients that try again give ids or times.
import { randomUUID } from "node:crypto";
import { type ArrivalClock, type ArrivalRow, type ArrivalTable, arrivalWriter, countArrivals } from "./arrivals.ts";
import { checkId, checkPage, checkWhole } from "./checks.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";
import { userQuota } from "./quota.ts";
import { keyOf, LIVE_EVENTS } from "./rows.ts";

export interface NewEvent {
  user: string;
  item: string;
  /** A finite number. @default null */
  rating?: number | null;
  /** Milliseconds since 1970. @default the time of arrival */
  time?: number;
  /** What was done: "rating", "view", …. */
  type: string;
  /** The client's name for this event, unique among the user's. */
  id?: string;
  /** The key under which another store had it; goes before `id`, so that a store that moves still knows what it has. */
  key?: string;
}

export interface StoredEvent {
  user: string;
  item: string;
  rating: number | null;
  time: number;
  type: string;
  key: string;
  /** Its place in the order of arrival, from 1, with gaps. */
  arrival: number;
}

export interface AddedEvents {
  accepted: number;
  /** Sent before, in this batch or an earlier one. */
  duplicates: number;
  /** Whose events were accepted, each once. */
  acceptedUsers: string[];
}

/** A user's events in numbers. */
interface EventSummary {
  events: number;
  /** Items that they are about, each once; and those of them that were rated. */
  items: number;
  ratings: number;
  /** Times of the first and the last; null without events. */
  first: number | null;
  last: number | null;
}

/** What a user met, as far as some of their events need it. */
export interface MetEvents {
  /** The arrival number of the first event with each item of those events; absent if it is gone. */
  readonly first: ReadonlyMap<string, number>;
  /** In the order of arrival: all up to the last of those events, from so many before the first of them. */
  readonly events: readonly { readonly item: string; readonly arrival: number }[];
}

interface UserEventsOptions {
  /** So many of the last. @default all */
  last?: number;
  /** Only those before this one, in the order of times and arrivals. */
  before?: { time: number; arrival: number };
}

export interface EventStore {
  /** Adds all of them or none. Throws `UserQuotaError` if a user would have more than `eventsPerUser`. */
  add(events: readonly NewEvent[]): Promise<AddedEvents>;
  /** A user's events, or the last so many of them, in the order of their times; where these are equal, of arrival. */
  ofUser(user: string, options?: UserEventsOptions): Promise<StoredEvent[]>;
  /** The arrival number of the event of a user that came last, whatever its time; 0 without events. */
  lastOf(user: string): Promise<number>;
  summaryOf(user: string): Promise<EventSummary>;
  /** All events in the order of arrival, behind the arrival number `after`. An empty page is the end. */
  page(options: { after?: number; limit: number }): Promise<StoredEvent[]>;
  /**
   * Events with a time behind `since` (ms since 1970), among the next `look` arrival numbers behind `after`, in their order. `last`: the number to go on
   * behind; `more`: whether there are later ones.
   */
  laterThan(
    since: number,
    options: { after: number; look: number },
  ): Promise<{ events: StoredEvent[]; last: number; more: boolean }>;
  /** What a user had met when these of their events came, in the order of arrival; of what came before the first of them, the last so many. */
  metUpTo(
    user: string,
    events: readonly { item: string; arrival: number }[],
    options: { before: number },
  ): Promise<MetEvents>;
  count(): Promise<number>;
}

/** Events that `laterThan` reads at once. */
const MOST_LATER = 500;

const NO_EVENTS: EventSummary = { events: 0, items: 0, ratings: 0, first: null, last: null };

const DAY = 86_400_000; // ms

export const EVENTS: ArrivalTable = {
  name: "events",
  columns: {
    event_key: "TEXT",
    user_id: "TEXT",
    item_id: "TEXT",
    rating: "DOUBLE PRECISION",
    time: "BIGINT",
    type: "TEXT",
  },
};
const COLUMNS = `arrival, ${Object.keys(EVENTS.columns).join(", ")}`;

export function eventStore(database: SqlDatabase, { now, quota }: { now: ArrivalClock; quota: number }): EventStore {
  const write = arrivalWriter(database, EVENTS, userQuota(database, EVENTS, quota));
  return {
    async add(events) {
      return addedEvents(events, await write(eventRows(events, now())));
    },

    async ofUser(user, { last, before } = {}) {
      checkId("a user", user);
      if (last !== undefined) checkPage({ limit: last });
      if (before) {
        checkWhole("a time", before.time);
        checkWhole("an arrival number", before.arrival);
      }
      const earlier = before ? "AND (time < $2 OR (time = $2 AND arrival < $3))" : "";
      const values = [user, ...(before ? [before.time, before.arrival] : []), ...(last === undefined ? [] : [last])];
      const limit = last === undefined ? "" : `LIMIT $${values.length}`;
      const sql = `SELECT ${COLUMNS} FROM nearkin.events WHERE user_id = $1 AND ${LIVE_EVENTS} ${earlier} ORDER BY time DESC, arrival DESC ${limit}`;
      return (await database.run([{ sql, values }]))[0].map(readEvent).reverse();
    },

    async lastOf(user) {
      checkId("a user", user);
      const sql = "SELECT last_event FROM nearkin.users WHERE user_id = $1";
      const [[row]] = await database.run([{ sql, values: [user] }]);
      return row ? (row.last_event as number) : 0;
    },

    async summaryOf(user) {
      checkId("a user", user);
      const sql = `SELECT events, items, ratings, first_time AS first, last_time AS last FROM nearkin.users WHERE user_id = $1`;
      const [[summary]] = await database.run([{ sql, values: [user] }]);
      return (summary as unknown as EventSummary | undefined) ?? NO_EVENTS;
    },

    async page({ after = 0, limit }) {
      checkPage({ after, limit });
      const sql = `SELECT ${COLUMNS} FROM nearkin.events WHERE arrival > $1 AND ${LIVE_EVENTS} ORDER BY arrival LIMIT $2`;
      return (await database.run([{ sql, values: [after, limit] }]))[0].map(readEvent);
    },

    async laterThan(since, { after, look }) {
      checkWhole("a time", since);
      checkPage({ after, limit: look });
      const [[{ value }], rows] = await database.run([
        { sql: "SELECT value FROM nearkin.counters WHERE name = 'events'" },
        {
          sql: `SELECT ${COLUMNS} FROM nearkin.events WHERE arrival > $1 AND arrival <= CAST($1 AS BIGINT) + CAST($2 AS BIGINT) AND time > $3
            AND ${LIVE_EVENTS} ORDER BY arrival LIMIT ${MOST_LATER}`,
          values: [after, look, since],
        },
      ]);
      const events = rows.map(readEvent);
      const end = Math.min(after + look, value as number);
      const last = events.length === MOST_LATER ? events[events.length - 1].arrival : Math.max(after, end);
      return { events, last, more: last < (value as number) };
    },

    async metUpTo(user, events, { before }) {
      checkId("a user", user);
      const items = [...new Set(events.map(({ item }) => item))];
      const places = items.map((_, i) => `$${i + 2}`).join(", ");
      const own = `user_id = $1 AND ${LIVE_EVENTS}`;
      // by a sum: an order by arrival alone could be answered by going through the events of everybody
      const [firsts, during, earlier] = await database.run([
        {
          sql: `SELECT item_id, MIN(arrival) AS first FROM nearkin.events WHERE ${own} AND item_id IN (${places}) GROUP BY item_id`,
          values: [user, ...items],
        },
        {
          sql: `SELECT item_id, arrival FROM nearkin.events WHERE ${own} AND arrival >= $2 AND arrival <= $3 ORDER BY arrival + 0`,
          values: [user, events[0].arrival, events[events.length - 1].arrival],
        },
        {
          sql: `SELECT item_id, arrival FROM nearkin.events WHERE ${own} AND arrival < $2 ORDER BY arrival + 0 DESC LIMIT $3`,
          values: [user, events[0].arrival, before],
        },
      ]);
      return {
        first: new Map(firsts.map((row) => [row.item_id as string, row.first as number])),
        events: [...earlier.reverse(), ...during].map((row) => ({
          item: row.item_id as string,
          arrival: row.arrival as number,
        })),
      };
    },

    count: () => countArrivals(database, EVENTS),
  };
}

export function eventRows(events: readonly NewEvent[], now: number | null): ArrivalRow[] {
  const batch = randomUUID();
  return events.map((event) => {
    const { user, item, rating = null, time, type } = event;
    checkId("a user", user);
    checkId("an item", item);
    checkId("an event's type", type);
    if (time !== undefined) checkWhole("an event's time", time);
    return [eventKey(event, batch), user, item, rating, time ?? now, type];
  });
}

export function addedEvents(events: readonly NewEvent[], accepted: readonly ArrivalRow[]): AddedEvents {
  const users = new Set(accepted.map(([, user]) => user as string));
  return { accepted: accepted.length, duplicates: events.length - accepted.length, acceptedUsers: [...users] };
}

function eventKey({ key, id, user, item, rating = null, type, time }: NewEvent, batch: string): string {
  if (key !== undefined) {
    checkId("an event's key", key);
    return key;
  }
  if (id !== undefined) {
    checkId("an event's id", id);
    return keyOf("id", user, id);
  }
  const content = keyOf("content", user, item, rating, type, time ?? batch);
  // Events of one day lie together in the index, and most that arrive are of today: few of its pages change with a batch.
  return time === undefined ? content : `${Math.floor(time / DAY)}.${content}`;
}

function readEvent(row: SqlRow): StoredEvent {
  return {
    user: row.user_id as string,
    item: row.item_id as string,
    rating: row.rating as number | null,
    time: row.time as number,
    type: row.type as string,
    key: row.event_key as string,
    arrival: row.arrival as number,
  };
}
