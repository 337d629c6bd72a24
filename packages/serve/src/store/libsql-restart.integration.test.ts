// The thread of a libsql store stops, and another takes its place.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { TinyServer } from "../testing/tiny-server.ts";
import { openLibsql } from "./libsql.ts";
import { openStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "nearkin-restart-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

/** Ends the thread that the next statement goes to, before that is done. */
function endThread(): void {
  const post = Worker.prototype.postMessage;
  vi.spyOn(Worker.prototype, "postMessage").mockImplementationOnce(function (this: Worker, ...args) {
    void this.terminate();
    return post.apply(this, args);
  });
}

/** Ends the next thread that is started, before it says a word. */
function endNextThread(): void {
  process.once("worker", (worker) => void worker.terminate());
}

const event = (item: string) => [{ user: "ann", item, type: "view", time: 1 }];

test("what was under way fails with an unknown outcome, and then the store goes on, as the only server of its file", async () => {
  const path = join(folder, "a.db");
  await using store = await openStore(path);
  await store.events.add(event("before"));
  endThread();
  await expect(store.ping()).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    reason: "unreachable",
    uncertain: true,
  });
  await expect(store.ping()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", uncertain: false });
  await expect
    .poll(() =>
      store.ping().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await store.events.add(event("after"));
  expect((await store.events.ofUser("ann")).map(({ item }) => item)).toEqual(["before", "after"]);
  await expect(openLibsql(path)).rejects.toMatchObject({ reason: "locked" });
});

test("a store that is closed while its thread starts again leaves no thread behind", async () => {
  const path = join(folder, "b.db");
  const store = await openStore(path);
  endThread();
  await expect(store.ping()).rejects.toMatchObject({ reason: "unreachable" });
  await store.close();
  await expect(store.ping()).rejects.toMatchObject({ reason: "closed" });
  await (await openStore(path)).close();
});

test("a thread that ends without a word fails the opening, and is started again behind it", async () => {
  const path = join(folder, "c.db");
  endNextThread();
  await expect(openStore(path)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", reason: "unreachable" });
  await using store = await openStore(path);
  endThread();
  endNextThread();
  await expect(store.ping()).rejects.toMatchObject({ uncertain: true });
  await expect
    .poll(() =>
      store.ping().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
});

test("a database in memory is gone with its thread, and says so", async () => {
  await using store = await openStore(":memory:");
  endThread();
  await expect(store.ping()).rejects.toMatchObject({ reason: "unreachable" });
  await expect(store.ping()).rejects.toMatchObject({ reason: "unreachable" });
});

test("a server is not ready meanwhile, and ready again", async () => {
  await using tiny = await TinyServer.open();
  endThread();
  const { status, error } = await tiny.ask("addEvents", { body: { events: [{ user: "ann", item: "f001" }] } });
  expect([status, error.code]).toEqual([503, "STORE_UNAVAILABLE"]);
  expect((await tiny.ask("ready")).status).toBe(503);
  await expect.poll(async () => (await tiny.ask("ready")).status).toBe(200);
  await tiny.answer("addEvents", { body: { events: [{ user: "ann", item: "f001" }] } });
});
