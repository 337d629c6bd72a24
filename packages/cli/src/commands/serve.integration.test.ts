import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@nearkin/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";
import { startServe } from "../testing/serve.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-serve-"));
  await writeTinyModel(join(folder, "models", "a"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const serve = (...flags: string[]) => startServe(join(folder, "models"), ...flags);

describe("nearkin serve", () => {
  test("answers the typed client, drains on SIGTERM, and knows its users again after a restart", async () => {
    const store = join(folder, "users.db");
    const first = await serve("--store", store, "--log", "warn");
    const nearkin = createClient({ url: first.url });
    expect((await nearkin.ready()).items).toBe(40);
    await nearkin.events.add([{ user: "ann", item: "f001", rating: 5 }]);
    await nearkin.items.putOne("new", { title: "New", channels: { year: 1999 } });
    const { items } = await nearkin.items.similar("new", { k: 3 });
    expect(items).toHaveLength(3);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    const second = await serve("--store", store, "--log", "warn");
    const again = createClient({ url: second.url });
    expect((await again.users.get("ann")).events).toBe(1);
    expect((await again.items.similar("new", { k: 3 })).items).toEqual(items);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });

  test("beyond localhost asks for a key, which nearkin keys makes", async () => {
    const store = join(folder, "keys.db");
    const made = await run("keys", "create", "--store", store, "--scopes", "read", "--name", "test");
    expect(made.code).toBe(0);
    const key = made.out.trim();
    const { child, url, ended } = await serve("--store", store, "--keys", "on", "--log", "warn");
    await expect(createClient({ url, retries: 0 }).models.list()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    const nearkin = createClient({ url, key });
    expect((await nearkin.items.similar("f000", { k: 1 })).items).toHaveLength(1);
    await expect(nearkin.items.delete("f000")).rejects.toMatchObject({ code: "FORBIDDEN" });
    const listed = await run("keys", "list", "--store", store);
    expect(listed.out).toMatch(/^[a-z2-7]{12} {2}read +made .* test\n$/);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test("shows the page and the results it is given, and says so", async () => {
    const page = join(folder, "page");
    mkdirSync(join(page, "assets"), { recursive: true });
    writeFileSync(join(page, "index.html"), "<title>Nearkin</title>");
    writeFileSync(join(page, "assets", "a.js"), "1");
    writeFileSync(join(folder, "page.yaml"), `serve:\n  page: ${page}\n`);
    mkdirSync(join(folder, "models", "results"));
    writeFileSync(join(folder, "models", "results", "cut.json"), "{");
    const flags = ["--store", join(folder, "page.db"), "--log", "silent", "--config", join(folder, "page.yaml")];
    const shown = await startServe(join(folder, "models", "a"), ...flags);
    expect(await (await fetch(`${shown.url}/items/f000`)).text()).toBe("<title>Nearkin</title>");
    expect((await fetch(`${shown.url}/assets/a.js`)).status).toBe(200);
    const { evaluations } = await createClient({ url: shown.url }).evaluations.list(); // of the folder beside the model
    expect(evaluations).toMatchObject([{ name: "cut", problem: "cut.json: it is not JSON, or broke off" }]);
    await expect.poll(shown.said).toContain(`the page is at ${shown.url}/\n`);
    shown.child.kill("SIGTERM");
    expect(await shown.ended).toBe(0);

    const bare = await serve(...flags, "--no-page", "--results", folder);
    expect((await fetch(`${bare.url}/`, { redirect: "manual" })).headers.get("location")).toBe("/docs");
    expect((await createClient({ url: bare.url }).evaluations.list()).evaluations).toEqual([]);
    await expect.poll(bare.said).toContain("no page, as asked\n");
    bare.child.kill("SIGTERM");
    expect(await bare.ended).toBe(0);
    rmSync(join(folder, "models", "results"), { recursive: true });
    const nowhere = await run("serve", join(folder, "models"), "--results", join(folder, "nowhere"));
    expect(nowhere.err).toMatch(/BAD_CONFIG: results: .*nowhere is no folder/);
  });

  test("says what is wrong with its settings, its models and its store", async () => {
    const port = await run("serve", join(folder, "models"), "--port", "99999");
    expect(port.code).toBe(1);
    expect(port.err).toMatch(/BAD_CONFIG: serve: port: /);
    const models = await run("serve", join(folder, "nothing"), "--store", join(folder, "x.db"));
    expect(models.err).toMatch(/BAD_MODEL: there is no model to serve: no model\.json in .*nothing, nor in a folder/);
    const store = await run("serve", join(folder, "models"), "--store", join(folder, "no", "such", "folder.db"));
    expect(store.err).toMatch(/STORE_UNAVAILABLE: .*there is no folder/);
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port: taken } = other.address() as AddressInfo;
    const place = ["--store", join(folder, "y.db"), "--log", "error"];
    const listeners = () => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");
    const before = listeners();
    const second = await run("serve", join(folder, "models"), ...place, "--port", `${taken}`);
    other.close();
    expect(listeners()).toBe(before);
    expect(second.err).toMatch(/BAD_CONFIG: serve: port \d+ of 127\.0\.0\.1 is taken already; give another by --port/);
  });

  const script = fileURLToPath(new URL("../../../../scripts/postgres.sh", import.meta.url));
  const skip = spawnSync(script, ["find"]).status !== 0 && !process.env.CI;
  test.skipIf(skip)(
    `a port that is taken ends it, and no other server counts on it${skip ? " (skipped: no PostgreSQL)" : ""}`,
    async () => {
      const place = mkdtempSync(join(tmpdir(), "nearkin-serve-postgres-"));
      chmodSync(place, 0o755); // where root starts it, another user runs it
      const store = execFileSync(script, ["start", place], { encoding: "utf8" }).trim();
      try {
        const first = await serve("--store", store, "--log", "warn");
        const second = await serve("--store", store, "--log", "warn", "--port", new URL(first.url).port).catch(
          (error: Error) => error.message,
        );
        expect(second).toMatch(/BAD_CONFIG: serve: port \d+ of 127\.0\.0\.1 is taken already; give another by --port/);
        const nearkin = createClient({ url: first.url });
        await expect.poll(async () => (await nearkin.ready()).replicas?.alive).toBe(1);
        first.child.kill("SIGTERM");
        expect(await first.ended).toBe(0);
      } finally {
        execFileSync(script, ["stop", place, "immediate"], { stdio: "ignore" });
        rmSync(place, { recursive: true, force: true });
      }
    },
  );
});
