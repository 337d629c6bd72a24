// Items put at run time. An item that is deleted keeps its row, so that replicas hear of it, and so that an item of the model's own catalogue
// can be deleted too.
import type { JsonObject } from "@nearkin/core";
import { checkId, checkPage } from "./checks.ts";
import type { SqlDatabase, SqlRow, SqlValue } from "./database.ts";
import { insertRows, numberOf, takeNumbers } from "./rows.ts";

export interface NewItem {
  id: string;
  title: string | null;
  /** What the model's channels read, by channel. */
  channels: JsonObject;
  /** What filters read and answers show. */
  fields: JsonObject;
}

export interface StoredItem extends NewItem {
  /** A deleted item has no title, channels or fields. */
  deleted: boolean;
  /** When it was put or deleted, in milliseconds since 1970. */
  updated: number;
  /** Grows with every change of any item, from 1, with gaps. */
  version: number;
}

export interface ItemStore {
  /** Puts all or none, new or in the place of what was there; of two with one id the later counts. The version of the last. */
  put(items: readonly NewItem[]): Promise<{ version: number }>;
  /** Deletes all or none, also those that are only in the model's catalogue. The version of the last. */
  remove(ids: readonly string[]): Promise<{ version: number }>;
  get(id: string): Promise<StoredItem | null>;
  /** Items that changed after a version (0: all), deleted ones included, in the order of their versions. An empty page is the end. */
  changedSince(version: number, options: { limit: number }): Promise<StoredItem[]>;
  /** Items that are not deleted. */
  count(): Promise<number>;
  /** The version of the last change; 0 where nothing ever was put. */
  version(): Promise<number>;
}

const COLUMNS = "version, id, deleted, title, channels, fields, updated";

export function itemStore(database: SqlDatabase, now: () => number): ItemStore {
  const current = "SELECT value FROM nearkin.counters WHERE name = 'items'";

  async function write(rows: ReadonlyMap<string, readonly SqlValue[]>): Promise<{ version: number }> {
    const time = now();
    const numbered = [...rows].map(([id, row], i) => [i - rows.size + 1, id, ...row, time]);
    const results = await database.run([
      takeNumbers("items", rows.size),
      ...insertRows(
        (values) =>
          `INSERT INTO nearkin.items (${COLUMNS})
            SELECT ${numberOf("items", "v.column1")}, v.column2, CAST(v.column3 AS BIGINT), v.column4, v.column5, v.column6,
              CAST(v.column7 AS BIGINT)
            FROM (VALUES ${values}) AS v WHERE true
            ON CONFLICT (id) DO UPDATE SET version = excluded.version, deleted = excluded.deleted, title = excluded.title,
              channels = excluded.channels, fields = excluded.fields, updated = excluded.updated`,
        numbered,
      ),
      { sql: current },
    ]);
    database.changed();
    return { version: results[results.length - 1][0].value as number };
  }

  return {
    async put(items) {
      // Deleting first puts the later of two behind the others, as if they had come one by one.
      const rows = new Map<string, readonly SqlValue[]>();
      for (const { id, title, channels, fields } of items) {
        checkId("an item", id);
        rows.delete(id);
        rows.set(id, [0, title, JSON.stringify(channels), JSON.stringify(fields)]);
      }
      return write(rows);
    },

    async remove(ids) {
      for (const id of ids) checkId("an item", id);
      return write(new Map(ids.map((id) => [id, [1, null, "{}", "{}"]])));
    },

    async get(id) {
      checkId("an item", id);
      const [[row]] = await database.run([{ sql: `SELECT ${COLUMNS} FROM nearkin.items WHERE id = $1`, values: [id] }]);
      return row ? readItem(row) : null;
    },

    async changedSince(version, { limit }) {
      checkPage({ after: version, limit });
      const sql = `SELECT ${COLUMNS} FROM nearkin.items WHERE version > $1 ORDER BY version LIMIT $2`;
      return (await database.run([{ sql, values: [version, limit] }]))[0].map(readItem);
    },

    async count() {
      const sql = "SELECT CAST(COUNT(*) AS BIGINT) AS items FROM nearkin.items WHERE deleted = 0";
      return (await database.run([{ sql }]))[0][0].items as number;
    },

    async version() {
      return (await database.run([{ sql: current }]))[0][0].value as number;
    },
  };
}

function readItem(row: SqlRow): StoredItem {
  return {
    id: row.id as string,
    deleted: row.deleted === 1,
    title: row.title as string | null,
    channels: JSON.parse(row.channels as string) as JsonObject,
    fields: JSON.parse(row.fields as string) as JsonObject,
    updated: row.updated as number,
    version: row.version as number,
  };
}
