// Servers that share a store (PostgreSQL): each says every second that it is alive, and is told in the same statement how far the store is. One that
// has said nothing for a while is taken for dead. Nothing is locked in anybody's name: what the dead held is free as soon as they are taken for dead.
import { CLOCK, type Positions } from "./changes.ts";
import type { SqlDatabase } from "./database.ts";

export interface Replica {
  readonly id: string;
  /** The model that it serves; null where it is just starting. */
  readonly model: string | null;
}

export interface Look {
  /** The database's clock, in milliseconds since 1970. */
  readonly time: number;
  readonly positions: Positions;
  /** The last activation; null where there was none. */
  readonly activation: { readonly sequence: number; readonly model: string } | null;
  /** All that are alive, with who looks. */
  readonly alive: readonly Replica[];
  /** Whether somebody is to be buried. */
  readonly dead: boolean;
}

export interface ReplicaStore {
  /** Says that this one is alive and which model it serves, and looks how far the store is. */
  look(id: string, model: string | null): Promise<Look>;
  /** Strikes the dead off the list; how many: each is struck off by one of those that live, who sees to what they left. */
  bury(): Promise<number>;
  /** Ends in good order. Where users are left to fit, the next to look buries it, and fits them. */
  leave(id: string, options: { unfinished: boolean }): Promise<void>;
  /** Takes the turn of that name, where nobody who lives has it; whether it is now ours. */
  takeTurn(name: string, id: string): Promise<boolean>;
  giveTurn(name: string, id: string): Promise<void>;
}

/** ms without a sign of life until a server is taken for dead: a busy machine may miss some. */
export const DEAD_AFTER = 10_000;

const ALIVE = `seen >= ${CLOCK} - ${DEAD_AFTER}`;
const position = (name: string) => `(SELECT value FROM nearkin.counters WHERE name = '${name}') AS ${name}`;

const LOOK = `WITH me AS (INSERT INTO nearkin.replicas (id, seen, model_id) VALUES ($1, ${CLOCK}, $2)
    ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, model_id = excluded.model_id)
  SELECT ${CLOCK} AS time, ${["items", "events", "metrics", "keys"].map(position).join(", ")},
    (SELECT CAST(COALESCE(SUM(accepted), 0) AS BIGINT) FROM nearkin.imports) AS imported,
    last.sequence, last.model_id AS model,
    (SELECT CAST(json_agg(json_build_object('id', id, 'model', model_id)) AS TEXT) FROM nearkin.replicas WHERE id <> $1 AND ${ALIVE}) AS others,
    (SELECT COUNT(*) FROM nearkin.replicas WHERE id <> $1 AND NOT ${ALIVE}) AS dead
  FROM (SELECT 1) AS one
    LEFT JOIN (SELECT sequence, model_id FROM nearkin.activations ORDER BY sequence DESC LIMIT 1) AS last ON true`;

const TAKE = `INSERT INTO nearkin.turns AS t (name, holder) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder
  WHERE t.holder = excluded.holder OR NOT EXISTS (SELECT 1 FROM nearkin.replicas WHERE id = t.holder AND ${ALIVE})
  RETURNING holder`;

/** @param database a PostgreSQL */
export function replicaStore(database: SqlDatabase): ReplicaStore {
  return {
    async look(id, model) {
      const [[row]] = await database.run([{ sql: LOOK, values: [id, model] }]);
      const { time, items, events, metrics, keys, imported, sequence, others, dead } = row;
      return {
        time: time as number,
        positions: { items, events, metrics, keys, imported } as unknown as Positions,
        activation: sequence === null ? null : { sequence: sequence as number, model: row.model as string },
        alive: [{ id, model }, ...(JSON.parse((others as string | null) ?? "[]") as Replica[])],
        dead: (dead as number) > 0,
      };
    },

    async bury() {
      const [rows] = await database.run([{ sql: `DELETE FROM nearkin.replicas WHERE NOT ${ALIVE} RETURNING id` }]);
      return rows.length;
    },

    async leave(id, { unfinished }) {
      const sql = unfinished
        ? "UPDATE nearkin.replicas SET seen = 0 WHERE id = $1"
        : "DELETE FROM nearkin.replicas WHERE id = $1";
      await database.run([{ sql, values: [id] }]);
      database.changed();
    },

    async takeTurn(name, id) {
      return (await database.run([{ sql: TAKE, values: [name, id] }]))[0].length > 0;
    },

    async giveTurn(name, id) {
      await database.run([{ sql: "DELETE FROM nearkin.turns WHERE name = $1 AND holder = $2", values: [name, id] }]);
      database.changed();
    },
  };
}
