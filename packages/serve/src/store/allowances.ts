// What callers may still ask, counted for all servers that share a store (PostgreSQL): token buckets, of which a server leases some requests at a
// time, for many callers in one statement.
//
// The statement's time is read before it may have to wait for a row, so it can lie before the row's own: then nothing is added. So no more is ever
// granted than a bucket that fills at `perSecond` and holds `capacity` has.
import type { SqlDatabase } from "./database.ts";
import { insertRows } from "./rows.ts";

export interface LeaseRequest {
  /** The caller's. */
  readonly name: string;
  /** Requests wanted, at least 1. */
  readonly wanted: number;
  /** Requests a second that the bucket fills with. */
  readonly perSecond: number;
  /** Requests that it holds. */
  readonly capacity: number;
}

export interface Lease {
  /** Requests granted, at most those that were wanted. */
  readonly granted: number;
  /** What the bucket still holds. */
  readonly left: number;
}

export interface AllowanceStore {
  /** Leases for several callers, each named once; in their order. */
  lease(requests: readonly LeaseRequest[]): Promise<Lease[]>;
  /** Forgets buckets that are full again. */
  prune(): Promise<void>;
}

const CLOCK = "EXTRACT(EPOCH FROM clock_timestamp()) * 1000"; // ms
const whole = (level: string) => `FLOOR(${level} + 1e-9)`; // rounding must not cost a request

const FILLED = `LEAST(excluded.capacity, b.level + GREATEST(0, excluded.at - b.at) / 1000 * excluded.per_second)`;
const GRANTED = `LEAST(excluded.wanted, ${whole(FILLED)})`;
const MOST_AHEAD = 10_000; // ms that a row may be ahead of the clock: beyond, the clock was put back

/** Whoever is not known has a full bucket. */
const leaseStatement = (
  rows: string,
) => `INSERT INTO nearkin.allowances AS b (name, wanted, capacity, per_second, at, level, granted)
  SELECT name, wanted, capacity, per_second, ${CLOCK}, capacity - LEAST(wanted, ${whole("capacity")}), LEAST(wanted, ${whole("capacity")})
  FROM (SELECT column1 AS name, CAST(column2 AS BIGINT) AS wanted, CAST(column3 AS DOUBLE PRECISION) AS capacity,
    CAST(column4 AS DOUBLE PRECISION) AS per_second FROM (VALUES ${rows}) AS v) AS asked
  ON CONFLICT (name) DO UPDATE SET wanted = excluded.wanted, capacity = excluded.capacity, per_second = excluded.per_second,
    at = LEAST(GREATEST(b.at, excluded.at), excluded.at + ${MOST_AHEAD}),
    level = GREATEST(0, ${FILLED} - ${GRANTED}), granted = ${GRANTED}
  RETURNING name, level, granted`;

/** @param database a PostgreSQL */
export function allowanceStore(database: SqlDatabase): AllowanceStore {
  return {
    async lease(requests) {
      // in one order everywhere, so that two servers do not wait for each other both
      const sorted = [...requests].sort((a, b) => (a.name < b.name ? -1 : 1));
      const asked = sorted.map(({ name, wanted, perSecond, capacity }) => [name, wanted, capacity, perSecond]);
      const rows = (await database.run(insertRows(leaseStatement, asked))).flat();
      const found = new Map(rows.map(({ name, granted, level }) => [name, { granted, left: level } as Lease]));
      return requests.map(({ name }) => found.get(name) as Lease);
    },

    async prune() {
      await database.run([
        { sql: `DELETE FROM nearkin.allowances WHERE at + (capacity - level) / per_second * 1000 < ${CLOCK}` },
      ]);
    },
  };
}
