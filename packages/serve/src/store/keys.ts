// Keys to the API, and secrets of the server's own.
import { checkId, checkWhole } from "./checks.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";
import { keyOf, takeNumbers } from "./rows.ts";

interface NewApiKey {
  id: string;
  /** For people. */
  name: string;
  scopes: readonly string[];
  /** Of the secret part, which is not kept. */
  hash: Uint8Array;
  /** Milliseconds since 1970; null: never. */
  expires: number | null;
}

interface ApiKey extends NewApiKey {
  created: number;
  /** When it was revoked; null: it was not. */
  revoked: number | null;
  lastUsed: number | null;
}

export interface KeyStore {
  /** Throws an `SqlError` (unique) where id or hash are taken. */
  create(key: NewApiKey): Promise<ApiKey>;
  get(id: string): Promise<ApiKey | null>;
  /** The keys among these ids that exist, in any order. */
  getAll(ids: readonly string[]): Promise<ApiKey[]>;
  findByHash(hash: Uint8Array): Promise<ApiKey | null>;
  /** All of them, in the order of creation. */
  list(): Promise<ApiKey[]>;
  /** Revokes a key; whether there was one to revoke. */
  revoke(id: string): Promise<boolean>;
  /** Notes that keys were used at these times. Earlier than what is noted changes nothing. */
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
}

export interface AcceptedSecret {
  readonly value: Uint8Array;
  /** Milliseconds since 1970; null: in use. */
  readonly until: number | null;
}

export interface SecretStore {
  /** The secret of that name, which is `candidate` where there was none: all who ask, at once or later, get the same. */
  getOrCreate(name: string, candidate: Uint8Array): Promise<Uint8Array>;
  /** The secret of that name, then those it replaced; their time may have ended. */
  accepted(name: string): Promise<AcceptedSecret[]>;
  /** Replaces the secret. The one before stays accepted for `grace` ms; 0: all before are forgotten. */
  rotate(name: string, next: Uint8Array, grace: number): Promise<void>;
}

const COLUMNS = "id, name, scopes, hash, created, expires, revoked, last_used";

export function keyStore(database: SqlDatabase, now: () => number): KeyStore {
  return {
    async create({ id, name, scopes, hash, expires }) {
      checkId("a key's id", id);
      if (expires !== null) checkWhole("expires", expires);
      const sql = `INSERT INTO nearkin.api_keys (id, name, scopes, hash, created, expires) VALUES ($1, $2, $3, $4, $5, $6)
        RETURNING ${COLUMNS}`;
      const values = [id, name, JSON.stringify(scopes), hash, now(), expires];
      return readKey((await database.run([{ sql, values }]))[0][0]);
    },

    async get(id) {
      const [[row]] = await database.run([
        { sql: `SELECT ${COLUMNS} FROM nearkin.api_keys WHERE id = $1`, values: [id] },
      ]);
      return row ? readKey(row) : null;
    },

    async getAll(ids) {
      const places = ids.map((_, i) => `$${i + 1}`).join(", ");
      const sql = `SELECT ${COLUMNS} FROM nearkin.api_keys WHERE id IN (${places})`;
      return (await database.run([{ sql, values: ids }]))[0].map(readKey);
    },

    async findByHash(hash) {
      const [[row]] = await database.run([
        { sql: `SELECT ${COLUMNS} FROM nearkin.api_keys WHERE hash = $1`, values: [hash] },
      ]);
      return row ? readKey(row) : null;
    },

    async list() {
      return (await database.run([{ sql: `SELECT ${COLUMNS} FROM nearkin.api_keys ORDER BY created, id` }]))[0].map(
        readKey,
      );
    },

    async revoke(id) {
      const sql = "UPDATE nearkin.api_keys SET revoked = $2 WHERE id = $1 AND revoked IS NULL RETURNING id";
      const revoke = { sql, values: [id, now()] };
      // other servers hear of it by this number
      const lists = await database.run(database.kind === "postgres" ? [takeNumbers("keys", 1), revoke] : [revoke]);
      database.changed();
      return lists[lists.length - 1].length > 0;
    },

    async touch(uses) {
      if (uses.size === 0) return;
      const sql = "UPDATE nearkin.api_keys SET last_used = $2 WHERE id = $1 AND (last_used IS NULL OR last_used < $2)";
      // Sorted, so that two servers that note the same keys do not wait for each other both.
      const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
      await database.run(sorted.map((values) => ({ sql, values })));
    },
  };
}

/** The name under which a replaced secret is kept until then, less the hash that follows. Such names sort by their time. */
const replacedName = (name: string, until: number): string => `${name} until ${String(until).padStart(16, "0")}`;
const REPLACED = "name >= $1 AND name < $2";
const LAST = Number.MAX_SAFE_INTEGER;

export function secretStore(database: SqlDatabase, now: () => number): SecretStore {
  return {
    async getOrCreate(name, candidate) {
      checkId("a secret's name", name);
      const [, [{ value }]] = await database.run([
        { sql: "INSERT INTO nearkin.secrets VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", values: [name, candidate] },
        { sql: "SELECT value FROM nearkin.secrets WHERE name = $1", values: [name] },
      ]);
      return value as Uint8Array;
    },

    async accepted(name) {
      const sql = `SELECT name, value FROM nearkin.secrets WHERE name = $3 OR (${REPLACED}) ORDER BY name`;
      const values = [replacedName(name, 0), replacedName(name, LAST), name];
      const start = replacedName(name, 0).length - 16;
      return (await database.run([{ sql, values }]))[0].map((row) => ({
        value: row.value as Uint8Array,
        until: row.name === name ? null : Number((row.name as string).slice(start, start + 16)),
      }));
    },

    async rotate(name, next, grace) {
      const forgotten = replacedName(name, grace === 0 ? LAST : now() + 1);
      await database.run([
        ...(database.kind === "postgres" ? [takeNumbers("keys", 1)] : []), // other servers hear of it by this number
        { sql: `DELETE FROM nearkin.secrets WHERE ${REPLACED}`, values: [replacedName(name, 0), forgotten] },
        ...(grace === 0
          ? []
          : [
              {
                sql: "INSERT INTO nearkin.secrets SELECT CAST($1 AS TEXT), value FROM nearkin.secrets WHERE name = $2",
                values: [`${replacedName(name, now() + grace)} ${keyOf(...next)}`, name],
              },
            ]),
        {
          sql: "INSERT INTO nearkin.secrets VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
          values: [name, next],
        },
      ]);
      database.changed();
    },
  };
}

function readKey(row: SqlRow): ApiKey {
  return {
    id: row.id as string,
    name: row.name as string,
    scopes: JSON.parse(row.scopes as string) as string[],
    hash: row.hash as Uint8Array,
    created: row.created as number,
    expires: row.expires as number | null,
    revoked: row.revoked as number | null,
    lastUsed: row.last_used as number | null,
  };
}
