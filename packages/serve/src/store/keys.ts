// Keys to the API, and secrets of the server's own.
import { checkId, checkWhole } from "./checks.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";
import { takeNumbers } from "./rows.ts";

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
  findByHash(hash: Uint8Array): Promise<ApiKey | null>;
  /** All of them, in the order of creation. */
  list(): Promise<ApiKey[]>;
  /** Revokes a key; whether there was one to revoke. */
  revoke(id: string): Promise<boolean>;
  /** Notes that keys were used at these times. Earlier than what is noted changes nothing. */
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
}

export interface SecretStore {
  /** The secret of that name, which is `candidate` where there was none: all who ask, at once or later, get the same. */
  getOrCreate(name: string, candidate: Uint8Array): Promise<Uint8Array>;
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

export function secretStore(database: SqlDatabase): SecretStore {
  return {
    async getOrCreate(name, candidate) {
      checkId("a secret's name", name);
      const [, [{ value }]] = await database.run([
        { sql: "INSERT INTO nearkin.secrets VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", values: [name, candidate] },
        { sql: "SELECT value FROM nearkin.secrets WHERE name = $1", values: [name] },
      ]);
      return value as Uint8Array;
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
