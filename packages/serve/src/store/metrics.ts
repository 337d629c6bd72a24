// Metrics of users. A fit takes seconds, and much can happen meanwhile: the user moves a slider, another replica fits the same events, the
// user is deleted. So a fit is written only where nothing of that happened.
import { NearkinError } from "@nearkin/core";
import { departure } from "./changes.ts";
import { checkId, checkPage, checkWhole } from "./checks.ts";
import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from "./database.ts";
import { LIVE_EVENTS, numberOf, takeNumbers } from "./rows.ts";

/** Weights by channel. */
export type ChannelWeights = Readonly<Record<string, number>>;

/** How a metric was found. */
interface MetricFit {
  /** Items that counted. */
  used: number;
  iterations: number;
  /** What was made small, an item's share of it, at the start and at the end; null where nothing was fitted. */
  before: number | null;
  after: number | null;
}

export interface UserMetric {
  user: string;
  /** The model that the weights are for. */
  model: string;
  weights: ChannelWeights;
  /** The shared weights that they were fitted against. */
  base: ChannelWeights;
  popularity: number;
  offset: number;
  /** Learned from events, or set by hand. */
  source: "fitted" | "set";
  /** Why the shared metric was kept; null where it was not. */
  kept: string | null;
  /** How many items the fit has seen. */
  items: number;
  /** How the fit went; null where there was none. */
  fit: MetricFit | null;
  /** The arrival number of the last event that was counted; 0: none. */
  events: number;
}

export interface StoredMetric extends UserMetric {
  /** Milliseconds since 1970. */
  updated: number;
  /** Another one with every write; never used again, even where the user is deleted and comes back. */
  revision: number;
}

export interface MetricStore {
  get(user: string): Promise<StoredMetric | null>;
  /** Writes whatever was there before: the user's own word. The revision. */
  set(metric: UserMetric): Promise<number>;
  /**
   * Writes where the metric still has this revision; with `null`, where there is none, and, for one that was fitted, where the last event it
   * counts is still there: a user deleted meanwhile does not come back. The new revision, or null where nothing was written.
   */
  replace(metric: UserMetric, revision: number | null): Promise<number | null>;
  /** Whether there was one. A fit that is under way is not written, unless there was none. */
  remove(user: string): Promise<boolean>;
  /** Metrics in the order of their users' ids, behind the user `after`. An empty page is the end. */
  page(options: { after?: string; limit: number }): Promise<StoredMetric[]>;
  /** Users with a fitted metric of another model than this one, in the order of their ids, behind the user `after`. */
  staleUsers(model: string, options: { after?: string; limit: number }): Promise<string[]>;
}

const COLUMNS =
  "user_id, model_id, weights, base, popularity, rating_offset, source, kept, items, updated, events, fit";
const REVISION = numberOf("metrics", "0");
// Typed for PostgreSQL, which does not look from a SELECT to the columns that it fills.
const VALUES = `$1, $2, $3, $4, CAST($5 AS DOUBLE PRECISION), CAST($6 AS DOUBLE PRECISION), $7, $8, CAST($9 AS BIGINT),
  CAST($10 AS BIGINT), CAST($11 AS BIGINT), $12`;
const ASSIGNMENTS = `model_id = excluded.model_id, weights = excluded.weights, base = excluded.base, popularity = excluded.popularity,
  rating_offset = excluded.rating_offset, source = excluded.source, kept = excluded.kept, items = excluded.items,
  updated = excluded.updated, events = excluded.events, fit = excluded.fit, revision = excluded.revision`;

const INSERT = `INSERT INTO nearkin.metrics (${COLUMNS}, revision) SELECT ${VALUES}, ${REVISION}`;

const STATEMENTS = {
  set: `${INSERT} WHERE true ON CONFLICT (user_id) DO UPDATE SET ${ASSIGNMENTS} RETURNING revision`,
  setFirst: `${INSERT} WHERE true ON CONFLICT (user_id) DO NOTHING RETURNING revision`,
  fitFirst: `${INSERT} WHERE EXISTS (SELECT 1 FROM nearkin.events WHERE arrival = CAST($11 AS BIGINT) AND user_id = $1
    AND ${LIVE_EVENTS}) ON CONFLICT (user_id) DO NOTHING RETURNING revision`,
  replace: `UPDATE nearkin.metrics SET model_id = $2, weights = $3, base = $4, popularity = $5, rating_offset = $6, source = $7, kept = $8,
    items = $9, updated = $10, events = $11, fit = $12, revision = ${REVISION} WHERE user_id = $1 AND revision = $13 RETURNING revision`,
};

export function metricStore(database: SqlDatabase, now: () => number): MetricStore {
  async function write(sql: string, values: readonly SqlValue[]): Promise<number | null> {
    const [, [row]] = await database.run([takeNumbers("metrics", 1), { sql, values }]);
    if (row) database.changed();
    return row ? (row.revision as number) : null;
  }

  return {
    async get(user) {
      checkId("a user", user);
      const sql = `SELECT ${COLUMNS}, revision FROM nearkin.metrics WHERE user_id = $1`;
      const [[row]] = await database.run([{ sql, values: [user] }]);
      return row ? readMetric(row) : null;
    },

    async set(metric) {
      return (await write(STATEMENTS.set, writeMetric(metric, now()))) as number;
    },

    async replace(metric, revision) {
      const values = writeMetric(metric, now());
      if (revision !== null) return write(STATEMENTS.replace, [...values, revision]);
      if (metric.source === "set") return write(STATEMENTS.setFirst, values);
      if (metric.events < 1) {
        throw new NearkinError("BAD_ARGUMENT", `store: a first fit must count an event, got events = ${metric.events}`);
      }
      return write(STATEMENTS.fitFirst, values);
    },

    async remove(user) {
      checkId("a user", user);
      const [, rows] = await database.run([
        takeNumbers("metrics", 1),
        removeMetric(user),
        ...departure(database, user),
      ]);
      database.changed();
      return rows.length > 0;
    },

    async page({ after = "", limit }) {
      checkPage({ limit });
      const sql = `SELECT ${COLUMNS}, revision FROM nearkin.metrics WHERE user_id > $1 ORDER BY user_id LIMIT $2`;
      return (await database.run([{ sql, values: [after, limit] }]))[0].map(readMetric);
    },

    async staleUsers(model, { after = "", limit }) {
      checkPage({ limit });
      const sql = `SELECT user_id FROM nearkin.metrics WHERE source = 'fitted' AND user_id > $1 AND model_id <> $2
        ORDER BY user_id LIMIT $3`;
      return (await database.run([{ sql, values: [after, model, limit] }]))[0].map(({ user_id }) => user_id as string);
    },
  };
}

/** Gives a row where there was one. */
export function removeMetric(user: string): SqlStatement {
  return { sql: "DELETE FROM nearkin.metrics WHERE user_id = $1 RETURNING user_id", values: [user] };
}

function writeMetric(metric: UserMetric, updated: number): SqlValue[] {
  checkId("a user", metric.user);
  checkId("a model", metric.model);
  checkWhole("a metric's items", metric.items);
  checkWhole("a metric's events", metric.events);
  const { user, model, weights, base, popularity, offset, source, kept, items, events, fit } = metric;
  const texts = [JSON.stringify(weights), JSON.stringify(base)];
  return [user, model, ...texts, popularity, offset, source, kept, items, updated, events, fit && JSON.stringify(fit)];
}

function readMetric(row: SqlRow): StoredMetric {
  return {
    user: row.user_id as string,
    model: row.model_id as string,
    weights: JSON.parse(row.weights as string) as ChannelWeights,
    base: JSON.parse(row.base as string) as ChannelWeights,
    popularity: row.popularity as number,
    offset: row.rating_offset as number,
    source: row.source as UserMetric["source"],
    kept: row.kept as string | null,
    items: row.items as number,
    fit: row.fit === null ? null : (JSON.parse(row.fit as string) as MetricFit),
    events: row.events as number,
    updated: row.updated as number,
    revision: row.revision as number,
  };
}
