// Places for stores, a new one for every test: files in a temporary folder, schemas of a PostgreSQL database.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openStore, type Store, type StoreOptions } from "../store/store.ts";
import { testPostgres } from "./postgres.ts";

export interface Place {
  readonly location: string;
  readonly options: StoreOptions;
}

export interface Places extends AsyncDisposable {
  readonly kind: Store["kind"];
  /** Nobody has been there. */
  fresh(): Place;
}

export function libsqlPlaces(): Places {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-store-"));
  chmodSync(folder, 0o755);
  let count = 0;
  return {
    kind: "libsql",
    fresh: () => ({ location: join(folder, `${++count}.db`), options: {} }),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function postgresPlaces(): Promise<Places> {
  const server = await testPostgres();
  const schemas: string[] = [];
  return {
    kind: "postgres",
    fresh() {
      const schema = `test_${randomBytes(8).toString("hex")}`;
      schemas.push(schema);
      return { location: server.url, options: { schema, connections: 4 } };
    },
    async [Symbol.asyncDispose]() {
      const client = new pg.Client(server.url);
      await client.connect();
      for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await client.end();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Opens it as its server, or, where there is one already, beside it: another replica, or a command. */
export function openAt({ location, options }: Place, more: StoreOptions = {}): Promise<Store> {
  return openStore(location, { ...options, ...more });
}
