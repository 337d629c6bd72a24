// What happens to a PostgreSQL server, and what the store does then. These tests stop the server, so they have one of their own.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { patience } from "@nearkin/core/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BATCH, batchEvents, batchItems, sizesOf } from "../testing/batches.ts";
import { hasPostgres, type PrivatePostgres, startPostgres } from "../testing/postgres.ts";
import { mountSmallDisk, noSmallDisk } from "../testing/small-disk.ts";
import { migrate } from "./migrations.ts";
import { openPostgres } from "./postgres.ts";
import { openStore } from "./store.ts";

const missing = process.env.CI || hasPostgres() ? "" : " (skipped: no PostgreSQL server is installed)";

describe.skipIf(missing !== "")(`a PostgreSQL server${missing}`, () => {
  let server: PrivatePostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  let schemas = 0;
  const freshSchema = () => `test_${++schemas}`;

  async function administer(...statements: string[]): Promise<void> {
    const client = new pg.Client(server.url);
    await client.connect();
    for (const sql of statements) await client.query(sql);
    await client.end();
  }

  /** How the statements begin that wait for a lock. */
  async function waiting(): Promise<string[]> {
    const client = new pg.Client(server.url); // within one transaction the answer stays the same
    await client.connect();
    const { rows } = await client.query(
      "SELECT left(query, 6) AS began FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    );
    await client.end();
    return rows.map(({ began }) => began);
  }

  const at = (change: Partial<URL>) => Object.assign(new URL(server.url), change).href;

  /** The whole error, with what changes from run to run cut out. */
  async function failure(asked: Promise<unknown>): Promise<string> {
    const error = await asked.then(
      () => new Error("nothing failed"),
      (error) => error,
    );
    expect(`${error.stack} ${error.cause}`).not.toContain(new URL(server.url).password);
    const { code, reason, message, uncertain } = error;
    return `${code} ${reason}${uncertain ? " uncertain" : ""}: ${message}`.replace(/127.0.0.1:\d+/g, "<host>");
  }

  test("that crashes under load: what was acknowledged is there, everything is there once, and nobody has to start anew", async () => {
    await using store = await openStore(server.url, { schema: freshSchema(), connections: 4 });
    const acknowledged: string[] = [];
    const failures = new Set<string>();
    let stopped = false;
    const write = async (writer: number) => {
      for (let n = 0; !stopped || n < 4; n++) {
        const name = `${writer}.${n}`;
        for (let done = false; !done; ) {
          try {
            await (writer % 2 ? store.items.put(batchItems(name, BATCH)) : store.events.add(batchEvents(name, BATCH)));
            done = true;
          } catch (error) {
            const { code, reason } = error as { code: string; reason: string };
            failures.add(`${code} ${reason}`);
            await delay(50);
          }
        }
        acknowledged.push(name);
      }
    };
    const writing = [0, 1, 2, 3].map(write);
    for (let crash = 0; crash < 2; crash++) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 8);
      await server.crash();
      failures.clear();
      await expect.poll(() => failures.size).toBeGreaterThan(0);
      await server.start();
    }
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 8);
    stopped = true;
    await Promise.all(writing);
    const { events, items } = await sizesOf(store);
    expect([...events.keys(), ...items.keys()].sort()).toEqual(acknowledged.sort());
    expect([...events, ...items].filter(([, size]) => size !== BATCH)).toEqual([]);
    expect(await store.events.count()).toBe(events.size * BATCH);
    expect([...failures]).toEqual(["STORE_UNAVAILABLE unreachable"]);
  });

  test("that hung up on idle connections is asked once more, on a new one", async () => {
    await using store = await openStore(server.url, { schema: freshSchema(), connections: 4 });
    for (let round = 0; round < 5; round++) {
      await Promise.all([1, 2, 3].map((n) => store.events.add(batchEvents(`${round}.${n}`, 2))));
      await administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nearkin'");
      const all = [1, 2, 3, 4].map((n) => store.items.put(batchItems(`${round}.${n}`, 2)));
      await Promise.all([...all, store.events.count()]);
    }
    expect(await store.events.count()).toBe(30);
  });

  test("that is stopped is said to be, and is found again when it is back", async () => {
    await using store = await openStore(server.url, { schema: freshSchema() });
    await server.stop();
    expect(await failure(store.ping())).toContain(
      "STORE_UNAVAILABLE unreachable: store: postgres://nearkin@<host>/postgres",
    );
    expect(await failure(store.events.add(batchEvents("a", 2)))).toMatchInlineSnapshot(
      `"STORE_UNAVAILABLE unreachable: store: postgres://nearkin@<host>/postgres does not answer; start it, or look at the address (connect ECONNREFUSED <host>)"`,
    );
    expect(await failure(openStore(server.url))).toContain("does not answer; start it, or look at the address");
    await server.start();
    expect(await store.events.add(batchEvents("a", 2))).toMatchObject({ accepted: 2 });
  });

  test("whose answer to COMMIT is lost: the error says that nobody knows, and sending again counts once", async () => {
    // Stands between the two and hangs up when it has seen a COMMIT, before or after the server has.
    let cut: "no" | "before" | "after" = "no";
    const sockets: Socket[] = [];
    const between = createServer((client) => {
      const target = connect(Number(new URL(server.url).port), "127.0.0.1");
      sockets.push(client, target);
      for (const socket of [client, target]) socket.on("error", () => {});
      let committing = false;
      client.on("data", (data) => {
        committing = cut !== "no" && data.includes("COMMIT\0"); // the statement: READ COMMITTED is none
        if (committing && cut === "before") client.destroy();
        else target.write(data);
      });
      target.on("data", (data) => {
        if (committing && data.includes("COMMIT")) client.destroy();
        else client.write(data);
      });
      client.on("close", () => target.destroy());
      target.on("close", () => client.destroy());
    });
    between.listen(0, "127.0.0.1");
    await once(between, "listening");
    const { port } = between.address() as { port: number };
    {
      await using store = await openStore(at({ port: `${port}` }), { schema: freshSchema() });
      cut = "after";
      expect(await failure(store.events.add(batchEvents("a", 3)))).toMatchInlineSnapshot(
        `"STORE_UNAVAILABLE unreachable uncertain: store: postgres://nearkin@<host>/postgres does not answer; start it, or look at the address; whether the write was done is not known: send it again (Connection terminated unexpectedly)"`,
      );
      cut = "before";
      expect(await failure(store.events.add(batchEvents("b", 3)))).toContain("STORE_UNAVAILABLE unreachable uncertain");
      cut = "no";
      expect(await store.events.count()).toBe(3);
      expect(await store.events.add(batchEvents("a", 3))).toMatchObject({ accepted: 0, duplicates: 3 });
      expect(await store.events.add(batchEvents("b", 3))).toMatchObject({ accepted: 3, duplicates: 0 });
    }
    for (const socket of sockets) socket.destroy();
    between.close();
  });

  test("that ends a deadlock by undoing one side: that side is done again", async () => {
    await using database = await openPostgres(server.url, { schema: "public" });
    await database.run([{ sql: "CREATE TABLE crossed (n INT PRIMARY KEY, value INT)" }]);
    await database.run([{ sql: "INSERT INTO crossed VALUES (1, 0), (2, 0)" }]);
    const add = (n: number) => ({ sql: "UPDATE crossed SET value = value + 1 WHERE n = $1", values: [n] });
    const pause = { sql: "SELECT pg_sleep(0.3)" };
    await Promise.all([database.run([add(1), pause, add(2)]), database.run([add(2), pause, add(1)])]);
    expect(await database.run([{ sql: "SELECT value FROM crossed ORDER BY n" }])).toEqual([
      [{ value: 2 }, { value: 2 }],
    ]);
  });

  test("runs a list whole or not at all", async () => {
    await using database = await openPostgres(server.url, { schema: "public" });
    await database.run([{ sql: "CREATE TABLE whole (n INT PRIMARY KEY)" }]);
    const insert = (n: number) => ({ sql: "INSERT INTO whole VALUES ($1)", values: [n] });
    await expect(database.run([insert(1), insert(2), insert(1), insert(3)])).rejects.toMatchObject({
      constraint: "unique",
    });
    await expect(database.run([insert(1), { sql: "SELEKT" }])).rejects.toMatchObject({
      name: "SqlError",
      constraint: null,
    });
    expect(await database.run([{ sql: "SELECT n FROM whole" }])).toEqual([[]]);
    await database.run([insert(1), insert(2)]);
    expect(await database.run([{ sql: "SELECT n FROM whole ORDER BY n" }])).toEqual([[{ n: 1 }, { n: 2 }]]);
  });

  test("that takes too long is not waited for", async () => {
    await using database = await openPostgres(server.url, { queryTimeout: 500 * patience });
    expect(await failure(database.run([{ sql: `SELECT pg_sleep(${5 * patience})` }]))).toContain(
      "STORE_UNAVAILABLE unreachable",
    );
    expect(await database.run([{ sql: "SELECT 1 AS one" }])).toEqual([[{ one: 1 }]]);
  });

  test("whose table is locked for longer than we wait: reads are not tried again, and writes leave no connection behind", async () => {
    const schema = freshSchema();
    await using store = await openStore(server.url, { schema, connections: 2, queryTimeout: 600 * patience });
    const locker = new pg.Client(server.url);
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query(`LOCK TABLE ${schema}.events`);
    for (let n = 0; n < 3; n++) {
      expect(await failure(store.events.add(batchEvents("a", 2)))).toMatch(
        /^STORE_UNAVAILABLE unreachable.*took longer/,
      );
    }
    await expect.poll(waiting).toEqual([]);
    expect(await failure(store.events.ofUser("ann"))).toMatchInlineSnapshot(
      `"STORE_UNAVAILABLE unreachable: store: postgres://nearkin@<host>/postgres took longer than it is allowed to (Query read timeout)"`,
    );
    await expect.poll(waiting).toEqual(["SELECT"]);
    await locker.query("COMMIT");
    await locker.end();
    expect(await store.events.add(batchEvents("a", 2))).toMatchObject({ accepted: 2, duplicates: 0 });
  });

  test("that gives us fewer connections than we ask for: whoever wants one waits for those there are", async () => {
    const schema = freshSchema();
    await administer(
      "CREATE USER crowded PASSWORD 'crowded' CONNECTION LIMIT 2",
      `CREATE SCHEMA ${schema} AUTHORIZATION crowded`,
    );
    const url = at({ username: "crowded", password: "crowded" });
    await using store = await openStore(url, { schema });
    const added = await Promise.all(Array.from({ length: 40 }, (_, n) => store.items.put(batchItems(`${n}`, 1))));
    expect(added).toHaveLength(40);
    expect(await failure(openStore(url, { schema }))).toContain("STORE_UNAVAILABLE refused"); // who has none is told so
  });

  test("whose transactions see by default what they began with: writers take turns all the same", async () => {
    await administer("CREATE USER repeatable PASSWORD 'repeatable'", "GRANT CREATE ON DATABASE postgres TO repeatable");
    await administer("ALTER USER repeatable SET default_transaction_isolation = 'repeatable read'");
    const url = at({ username: "repeatable", password: "repeatable" });
    const schema = freshSchema();
    await using store = await openStore(url, { schema });
    const names = Array.from({ length: 200 }, (_, n) => `${n}`);
    await Promise.all(names.map((name) => store.items.put(batchItems(name, 1))));
    expect(await store.items.version()).toBe(200);
  });

  test("in which a schema was made for a user who may make none", async () => {
    const schema = freshSchema();
    await administer("CREATE USER tenant PASSWORD 'tenant'", `CREATE SCHEMA ${schema} AUTHORIZATION tenant`);
    await using store = await openStore(at({ username: "tenant", password: "tenant" }), { schema });
    expect(await store.events.count()).toBe(0);
  });

  test("whose events a server of the version before writes and deletes: users are counted all the same", async () => {
    const schema = freshSchema();
    await using store = await openStore(server.url, { schema });
    await administer(
      `INSERT INTO ${schema}.events SELECT n, n::text, 'ann', 'i', NULL, n, 'view' FROM generate_series(1, 5) AS n`,
    );
    expect(await store.listUsers({ limit: 9 })).toMatchObject([{ user: "ann", events: 5 }]);
    await administer(`DELETE FROM ${schema}.events WHERE user_id = 'ann'`);
    expect(await store.listUsers({ limit: 9 })).toEqual([]);
  });

  test("that will not do is named, with what is wrong with it", async () => {
    await administer(
      "CREATE DATABASE plain ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0",
      "CREATE USER guest PASSWORD 'guest'",
      "CREATE USER reader PASSWORD 'reader'",
      "GRANT CREATE ON DATABASE postgres TO reader",
      "ALTER USER reader SET default_transaction_read_only = on",
      "CREATE SCHEMA foreign_tables",
      "CREATE TABLE foreign_tables.orders (id INT)",
    );
    {
      await using newer = await openPostgres(server.url, { schema: "newer" });
      await migrate(newer);
      await newer.run([{ sql: "INSERT INTO nearkin.nearkin_migrations VALUES (99, 0)" }]);
    }
    const as = (user: string) => at({ username: user, password: user });
    const failures = [
      await failure(openStore(as("nearkin"))),
      await failure(openStore(at({ password: "" }))),
      await failure(openStore(as("guest"))),
      await failure(openStore(as("reader"))),
      await failure(openStore(at({ pathname: "/nowhere" }))),
      await failure(openStore(at({ pathname: "/plain" }))),
      await failure(openStore(server.url, { schema: "foreign_tables" })),
      await failure(openStore(server.url, { schema: "newer" })),
      await failure(openStore(server.url, { schema: 'x"; DROP' })),
    ];
    expect(failures).toMatchInlineSnapshot(`
      [
        "STORE_UNAVAILABLE refused: store: postgres://nearkin@<host>/postgres does not let us in; look at user and password (password authentication failed for user "nearkin")",
        "STORE_UNAVAILABLE refused: store: postgres://nearkin@<host>/postgres does not let us in; look at user and password (SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string)",
        "STORE_UNAVAILABLE refused: store: postgres://guest@<host>/postgres does not allow this user to do that; grant it, or name another schema (permission denied for database postgres)",
        "STORE_UNAVAILABLE read-only: store: postgres://reader@<host>/postgres can only be read: is it a standby? (cannot execute CREATE SCHEMA in a read-only transaction)",
        "STORE_UNAVAILABLE refused: store: postgres://nearkin@<host>/nowhere is not there; create the database first (database "nowhere" does not exist)",
        "BAD_STORE foreign: store: postgres://nearkin@<host>/plain is encoded in SQL_ASCII, and must be in UTF8; name another database",
        "BAD_STORE foreign: store: the schema foreign_tables of postgres://nearkin@<host>/postgres holds tables of another program (orders, …); name another",
        "BAD_STORE newer: store: postgres://nearkin@<host>/postgres was written by a later version (its tables are number 99, this program knows 4); upgrade",
        "BAD_ARGUMENT undefined: store: a schema is named with letters, digits and _, got x"; DROP",
      ]
    `);
  });

  test("that commits without waiting for its disk by default: what was acknowledged is there after a crash", async () => {
    await administer(
      "CREATE USER hasty PASSWORD 'hasty'",
      "GRANT CREATE ON DATABASE postgres TO hasty",
      "ALTER USER hasty SET synchronous_commit = off",
      "ALTER SYSTEM SET wal_writer_delay = '10s'",
      "SELECT pg_reload_conf()",
    );
    const [url, schema] = [at({ username: "hasty", password: "hasty" }), freshSchema()];
    {
      await using store = await openStore(url, { schema });
      await store.events.add(batchEvents("a", 3));
      await store.keys.create({ id: "k", name: "k", scopes: [], hash: Uint8Array.of(1), expires: null }); // one statement alone
      await server.crash();
    }
    await server.start();
    await using store = await openStore(url, { schema });
    expect([await store.events.count(), (await store.keys.list()).length]).toEqual([3, 1]);
  });

  test("that waits for its standbys goes on to do so", async () => {
    await administer(
      "CREATE USER careful PASSWORD 'careful'",
      "GRANT CREATE ON DATABASE postgres TO careful",
      "ALTER USER careful SET synchronous_commit = remote_apply",
    );
    const options = { schema: freshSchema() };
    await using database = await openPostgres(at({ username: "careful", password: "careful" }), options);
    const setting = { sql: "SELECT current_setting('synchronous_commit') AS value" };
    expect(await database.run([setting, setting])).toEqual([[{ value: "remote_apply" }], [{ value: "remote_apply" }]]);
  });

  test.each(["fsync", "full_page_writes"])(
    "that would lose what it acknowledged in a crash, by %s = off, is refused",
    async (name) => {
      const set = (value: string) => administer(`ALTER SYSTEM SET ${name} = ${value}`, "SELECT pg_reload_conf()");
      const open = () => openStore(server.url, { schema: freshSchema() }).then((store) => store.close());
      await set("off");
      await expect.poll(() => failure(open())).toMatch(new RegExp(`^BAD_STORE unsafe: .* has ${name} = off`));
      await set("on");
      await expect.poll(() => failure(open())).toContain("nothing failed");
    },
  );

  test(`whose disk is full: what was acknowledged stays, and it goes on when there is room${noSmallDisk}`, async ({
    skip,
  }) => {
    if (noSmallDisk) skip();
    using disk = mountSmallDisk(6000);
    execFileSync("chown", ["postgres", disk.folder]);
    await administer(
      `CREATE TABLESPACE small LOCATION '${disk.folder}'`,
      "ALTER USER nearkin SET default_tablespace = small",
    );
    const schema = freshSchema();
    {
      await using store = await openStore(server.url, { schema });
      const acknowledged: string[] = [];
      let error: unknown;
      for (let n = 0; n < 500 && !error; n++) {
        const name = `${n}`;
        await store.items.put(batchItems(name, BATCH)).then(
          () => acknowledged.push(name),
          (reason) => {
            error = reason;
          },
        );
      }
      expect(await failure(Promise.reject(error))).toContain(
        "STORE_UNAVAILABLE full: store: postgres://nearkin@<host>/postgres has no room",
      );
      expect(acknowledged.length).toBeGreaterThan(2);
      expect([...(await sizesOf(store)).items]).toEqual(acknowledged.map((name) => [name, BATCH]));
      disk.resize(60_000);
      await store.items.put(batchItems("more", BATCH));
      expect([...(await sizesOf(store)).items]).toEqual([...acknowledged, "more"].map((name) => [name, BATCH]));
    }
    await administer(
      "ALTER USER nearkin RESET default_tablespace",
      `DROP SCHEMA ${schema} CASCADE`,
      "DROP TABLESPACE small",
    );
  });
});
