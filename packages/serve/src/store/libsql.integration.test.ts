// What happens to a file, and what the store says then.
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { patience } from "@nearkin/core/testing";
import Database from "libsql";
import { afterAll, describe, expect, test } from "vitest";
import { BATCH, batchEvents, batchItems, sizesOf } from "../testing/batches.ts";
import { libsqlPlaces } from "../testing/places.ts";
import { mountSmallDisk, noSmallDisk } from "../testing/small-disk.ts";
import { openLibsql } from "./libsql.ts";
import { migrate } from "./migrations.ts";
import { openStore, type Store, storeOver } from "./store.ts";

const places = libsqlPlaces();
afterAll(() => places[Symbol.asyncDispose]());
const freshPath = () => places.fresh().location;

/** The whole error, with the folder cut out. */
async function failure(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    () => new Error("nothing failed"),
    (error) => error,
  );
  const { code, reason, message } = error;
  return `${code} ${reason}: ${message}`.replace(/\/\S*\//g, "…/").replaceAll(`${process.pid}`, "<pid>");
}

/** Writes batches until one fails; the names of those that were acknowledged. */
async function fill(store: Store, prefix: string): Promise<{ acknowledged: string[]; error: unknown }> {
  const acknowledged: string[] = [];
  for (let n = 0; n < 500; n++) {
    const name = `${prefix}${n}`;
    try {
      await (n % 2 ? store.events.add(batchEvents(name, BATCH)) : store.items.put(batchItems(name, BATCH)));
    } catch (error) {
      return { acknowledged, error };
    }
    acknowledged.push(name);
  }
  throw new Error("the disk never was full");
}

async function batchesIn(store: Store): Promise<string[]> {
  const { events, items } = await sizesOf(store);
  expect([...events, ...items].filter(([, size]) => size !== BATCH)).toEqual([]);
  return [...events.keys(), ...items.keys()].sort();
}

describe("a full disk", () => {
  test("of a database that may not grow: what was acknowledged stays, and it goes on when it may", async () => {
    const database = await openLibsql(freshPath());
    await migrate(database);
    await using store = storeOver(database);
    await database.run([{ sql: "PRAGMA max_page_count = 200" }]);
    const { acknowledged, error } = await fill(store, "a");
    expect(await failure(Promise.reject(error))).toMatchInlineSnapshot(
      `"STORE_UNAVAILABLE full: store: the disk of …/1.db is full; make room, and try again"`,
    );
    expect(acknowledged.length).toBeGreaterThan(2);
    expect(await batchesIn(store)).toEqual(acknowledged.toSorted());
    await database.run([{ sql: "PRAGMA max_page_count = 100000" }]);
    await store.events.add(batchEvents("b", BATCH));
    expect(await batchesIn(store)).toEqual([...acknowledged, "b"].sort());
  });

  test(`for real: what was acknowledged stays, and it goes on when there is room${noSmallDisk}`, async ({ skip }) => {
    if (noSmallDisk) skip();
    using disk = mountSmallDisk(3000);
    const path = join(disk.folder, "store.db");
    let written: string[];
    {
      await using store = await openStore(path);
      const { acknowledged, error } = await fill(store, "a");
      expect(await failure(Promise.reject(error))).toMatchInlineSnapshot(
        `"STORE_UNAVAILABLE full: store: the disk of …/store.db is full; make room, and try again"`,
      );
      expect(acknowledged.length).toBeGreaterThan(2);
      expect(await batchesIn(store)).toEqual(acknowledged.toSorted());
      disk.resize(30_000);
      await store.events.add(batchEvents("b", BATCH));
      written = [...acknowledged, "b"].sort();
      expect(await batchesIn(store)).toEqual(written);
    }
    await using again = await openStore(path);
    expect(await batchesIn(again)).toEqual(written);
  });

  test("does not take others down: of lists that wait together the good ones are written", async () => {
    await using database = await openLibsql(freshPath());
    await database.run([{ sql: "CREATE TABLE t (n INTEGER PRIMARY KEY, big TEXT) STRICT" }]);
    const insert = (n: number, big = "") =>
      database.run([{ sql: "INSERT INTO t VALUES ($1, $2)", values: [n, big] }, { sql: "SELECT 1" }]);
    await database.run([{ sql: "PRAGMA max_page_count = 40" }]);
    const lists = [insert(1), insert(2), insert(2), insert(3, "x".repeat(1 << 20)), insert(4)];
    const settled = await Promise.allSettled(lists);
    expect(
      settled.map((one) => (one.status === "rejected" ? (one.reason.reason ?? one.reason.constraint) : "ok")),
    ).toEqual(["ok", "ok", "unique", "full", "ok"]);
    expect(await database.run([{ sql: "SELECT n FROM t ORDER BY n" }])).toEqual([[{ n: 1 }, { n: 2 }, { n: 4 }]]);
  });
});

describe("a file in use", () => {
  test("has one server; commands beside it read and write", async () => {
    const path = freshPath();
    await using server = await openStore(path);
    expect(await failure(openStore(path))).toMatchInlineSnapshot(
      `"STORE_UNAVAILABLE locked: store: another server (process <pid>) has …/3.db; end it, or name another file"`,
    );
    const link = `${path}.link`;
    symlinkSync(path, link);
    expect(await failure(openStore(link))).toContain("another server (process <pid>) has …/3.db");
    {
      await using command = await openStore(path, { exclusive: false });
      await command.keys.create({ id: "k", name: "k", scopes: [], hash: Uint8Array.of(1), expires: null });
      expect(await server.keys.get("k")).toMatchObject({ name: "k" });
      await server.events.add(batchEvents("a", 5));
      expect(await command.events.count()).toBe(5);
    }
    await server.close();
    await using next = await openStore(path);
    expect(await next.events.count()).toBe(5);
  });

  test("that somebody writes to for long is waited for, and then said to be locked", async () => {
    const path = freshPath();
    await using store = await openStore(path, { busyTimeout: 1500 * patience });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    expect(await failure(store.events.add(batchEvents("a", 3)))).toMatchInlineSnapshot(
      `"STORE_UNAVAILABLE locked: store: another process is writing to …/4.db; wait for it, or end it"`,
    );
    expect(await store.events.count()).toBe(0); // reading goes on
    const waits = store.events.add(batchEvents("b", 3));
    setTimeout(() => other.exec("ROLLBACK"), 40); // the writing has begun by then, or finds the file free: both are answered
    expect(await waits).toMatchObject({ accepted: 3 });
    other.close();
  });
});

describe("a file that will not do", () => {
  test("is named, with what is wrong with it", async () => {
    const folder = dirname(freshPath());
    const path = (name: string) => join(folder, name);
    writeFileSync(path("letter.txt"), "Dear store, this is no database. ".repeat(200));
    mkdirSync(path("folder.db"));
    const foreign = new Database(path("foreign.db"));
    foreign.exec("CREATE TABLE migrations (id INTEGER)");
    foreign.close();
    {
      await using database = await openLibsql(path("newer.db"));
      await migrate(database);
      await database.run([{ sql: "INSERT INTO nearkin_migrations VALUES (99, 0)" }]);
    }
    const failures = [];
    for (const name of ["letter.txt", "folder.db", "foreign.db", "newer.db", "none/store.db"])
      failures.push(await failure(openStore(path(name))));
    expect(failures).toMatchInlineSnapshot(`
      [
        "BAD_STORE foreign: store: …/letter.txt is no database, or a damaged one; name another file, or restore a copy",
        "STORE_UNAVAILABLE refused: store: …/folder.db cannot be opened; it must be a file that we may read and write",
        "BAD_STORE foreign: store: …/foreign.db holds tables of another program (migrations, …); name another",
        "BAD_STORE newer: store: …/newer.db was written by a later version (its tables are number 99, this program knows 4); upgrade",
        "STORE_UNAVAILABLE refused: store: there is no folder …/none; make it, or name another file",
      ]
    `);
    expect(await failure(openStore("mysql://localhost/x"))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT undefined: store: a store is a path, file:… or postgres:…/…, got mysql:…"`,
    );
    expect(readFileSync(path("letter.txt"), "utf8")).toContain("Dear store");
    expect(await failure(openStore(path("newer.db"), { exclusive: false }))).toBe(failures[3]);
  });

  test("because it is damaged: says so when it meets the damage, and leaves it alone", async () => {
    const path = freshPath();
    {
      await using store = await openStore(path);
      for (let n = 0; n < 5; n++) await store.events.add(batchEvents(`a${n}`, BATCH));
    }
    const bytes = readFileSync(path);
    bytes.fill(0x55, bytes.length / 2);
    writeFileSync(path, bytes);
    await using store = await openStore(path);
    expect(await failure(sizesOf(store))).toMatchInlineSnapshot(
      `"BAD_STORE damaged: store: …/6.db is damaged (database disk image is malformed); restore a copy"`,
    );
    expect(await failure(store.events.add(batchEvents("b", BATCH)))).toContain("BAD_STORE damaged");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("because it may only be read", async () => {
    const path = freshPath();
    await (await openStore(path)).close();
    chmodSync(path, 0o444);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534); // root may write to anything
    try {
      expect(await failure(openStore(path, { exclusive: false }))).toMatchInlineSnapshot(
        `"STORE_UNAVAILABLE read-only: store: …/7.db cannot be written to; look at the permissions of file and folder"`,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

test("a store of an older version is brought up to date beside no server only", async () => {
  const path = freshPath();
  const server = await openLibsql(path); // has made no tables yet
  expect(await failure(openStore(path, { exclusive: false }))).toContain("STORE_UNAVAILABLE locked");
  await server[Symbol.asyncDispose]();
  await using store = await openStore(path, { exclusive: false });
  expect(await store.events.count()).toBe(0);
});

test("locations are paths or addresses of files", async () => {
  const path = freshPath();
  await (await openStore(`file:${path}`)).close();
  await using store = await openStore(`file://${path}`);
  expect(store.place).toBe(path);
  await using memory = await openStore(":memory:");
  await using another = await openStore(":memory:");
  await memory.events.add(batchEvents("a", 2));
  expect([await memory.events.count(), await another.events.count()]).toEqual([2, 0]);
});

test("a new file is its owner's alone, for it holds the secret that signs tokens; one that is there stays as it is, but its lock", async () => {
  const mode = (path: string) => statSync(path).mode & 0o777;
  const path = freshPath();
  {
    await using store = await openStore(path);
    await store.events.add(batchEvents("a", 1));
    expect([mode(path), mode(`${path}-wal`), mode(`${path}.lock`)]).toEqual([0o600, 0o600, 0o600]);
  }
  chmodSync(path, 0o640);
  chmodSync(`${path}.lock`, 0o644); // as earlier versions left it
  await using _ = await openStore(path);
  expect([mode(path), mode(`${path}.lock`)]).toEqual([0o640, 0o600]);
});

test("a file that is moved, removed or replaced acknowledges nothing more, and goes on when it is back", async () => {
  const path = freshPath();
  await using store = await openStore(path);
  await store.events.add(batchEvents("kept", 3));
  const refused = `STORE_UNAVAILABLE unreachable: store: …/${path.split("/").pop()} was moved, removed or replaced while it was open; put it back, or stop the server first`;
  renameSync(path, `${path}.away`);
  expect(await failure(store.events.add(batchEvents("lost", 1)))).toBe(refused);
  expect(await failure(store.ping())).toBe(refused);
  writeFileSync(path, "");
  expect(await failure(store.events.count())).toBe(refused);
  renameSync(`${path}.away`, path);
  await store.events.add(batchEvents("more", 2));
  expect(await store.events.count()).toBe(5);
});
