// A deleted user is in none of the files of the store.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "@nearkin/core/testing";
import Database from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TinyServer } from "../testing/tiny-server.ts";
import { openLibsql } from "./libsql.ts";
import { migrate } from "./migrations.ts";
import { openStore, type Store, storeOver } from "./store.ts";

const folders: string[] = [];
const freshFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-privacy-"));
  folders.push(folder);
  return folder;
};
const folder = freshFolder();
const path = join(folder, "nearkin.db");
let store: Store;
beforeAll(async () => {
  store = await openStore(path, { busyTimeout: 30_000 * patience });
});
afterAll(async () => {
  await store.close();
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

/** Files of the folder that have one of these texts. */
const filesIn = (place: string, texts: readonly string[]): string[] =>
  readdirSync(place).flatMap((file) => {
    const bytes = readFileSync(join(place, file));
    return texts.filter((text) => bytes.includes(text)).map((text) => `${file}: ${text}`);
  });
const filesWith = (...texts: readonly string[]) => filesIn(folder, texts);

/** Another program in the middle of reading the file. */
function reading(file: string): Disposable {
  const reader = new Database(file);
  reader.exec("BEGIN");
  reader.prepare("SELECT COUNT(*) FROM events").get([]);
  return {
    [Symbol.dispose]() {
      reader.exec("ROLLBACK");
      reader.close();
    },
  };
}

const SECRETS = ["margaret.hamilton", "a film for herself", "watched-in-secret", "her-recommendation"];
const [user, item, type, recommendation] = SECRETS;

/** Events of hers between those of others, so that pages of the tables are shared, split and joined. */
async function fill(from: number, into = store): Promise<void> {
  for (let n = from; n < from + 40; n++) {
    await into.events.add(
      Array.from({ length: 50 }, (_, i) =>
        i % 5 === 0
          ? { user, item: `${item} ${n}`, type, time: n * 50 + i }
          : { user: `user ${(i * 7919) % 97}`, item: `item ${i}`, type: "view", time: n * 50 + i },
      ),
    );
  }
  await into.feedback.add([{ recommendation, user, item, action: "clicked", model: "m" }]);
  await into.metrics.set({
    user,
    model: "m",
    weights: { plot: 1 },
    base: { plot: 1 },
    popularity: 0,
    offset: 0,
    source: "set",
    kept: null,
    items: 0,
    fit: null,
    events: 0,
  });
}

test("a deleted user is in no file of the store when the deletion is answered", async () => {
  await fill(0);
  expect(filesWith(...SECRETS)).not.toEqual([]);
  await store.deleteUser(user);
  expect(filesWith(...SECRETS)).toEqual([]);
});

test("nor is one of many who are deleted at once, while others write", async () => {
  await fill(100);
  const users = Array.from({ length: 97 }, (_, i) => `user ${i}`);
  await Promise.all([
    store.deleteUser(user),
    ...users.slice(0, 40).map((other) => store.deleteUser(other)),
    store.events.add([{ user: "user 96", item: "other", type: "view", time: 1 }]),
  ]);
  expect(filesWith(...SECRETS)).toEqual([]);
});

test("while another program reads the file, a deletion waits; all others are answered", async () => {
  await fill(200);
  let deleted: Promise<unknown>;
  {
    using _ = reading(path);
    deleted = store.deleteUser(user);
    await expect.poll(() => store.events.summaryOf(user)).toMatchObject({ events: 0 });
    await store.events.add([{ user: "user 96", item: "another", type: "view", time: 1 }]);
    expect(filesWith(...SECRETS)).not.toEqual([]);
  }
  await deleted;
  expect(filesWith(...SECRETS)).toEqual([]);
});

test("a deletion that waited too long is refused, and goes on when the reader ends", async () => {
  const place = freshFolder();
  const file = join(place, "nearkin.db");
  await using impatient = await openStore(file, { busyTimeout: 100 });
  await fill(0, impatient);
  {
    using _ = reading(file);
    await expect(impatient.deleteUser(user)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", reason: "log-held" });
    expect(await impatient.events.ofUser(user)).toEqual([]);
    expect(filesIn(place, SECRETS)).not.toEqual([]);
  }
  await expect.poll(() => filesIn(place, SECRETS)).toEqual([]);
});

test("a server that ended between a deletion and the emptying of the log empties it at its next start", async () => {
  const [place, copy] = [freshFolder(), freshFolder()];
  await using database = await openLibsql(join(place, "nearkin.db"));
  await migrate(database);
  const dying = storeOver({
    ...database,
    kind: "libsql",
    changed: () => {},
    run: (list) => database.run(list),
    scrub: async () => cpSync(place, copy, { recursive: true }), // the files as kill -9 would leave them here
  });
  await fill(0, dying);
  await dying.deleteUser(user);
  expect(filesIn(copy, SECRETS)).not.toEqual([]);
  await using _ = await openStore(join(copy, "nearkin.db"));
  await expect.poll(() => filesIn(copy, SECRETS)).toEqual([]);
});

test("a server answers 503 to a deletion that is not through, and 200 when it is", async () => {
  const file = join(freshFolder(), "nearkin.db");
  await using tiny = await TinyServer.open({ place: { location: file, options: { busyTimeout: 100 } } });
  await tiny.answer("addEvents", { body: { events: [{ user, item: "f001" }] } });
  await tiny.answer("similarToItem", { params: { id: "f000" }, query: { user } }); // is remembered
  const params = { id: user };
  {
    using _ = reading(file);
    const { status, error, headers } = await tiny.ask("deleteUser", { params });
    expect([status, error.code, headers["retry-after"]]).toEqual([503, "STORE_UNAVAILABLE", "1"]);
    expect(error.message).toContain("another program reads the file");
    expect((await tiny.ask("getUser", { params })).status).toBe(404);
    const { metric } = await tiny.answer("similarToItem", { params: { id: "f000" }, query: { user } });
    expect(metric.reason).toContain("no such user");
  }
  expect(await tiny.answer("deleteUser", { params })).toMatchObject({ events: 0 });
});
