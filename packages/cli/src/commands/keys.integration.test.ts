// nearkin keys, and the store that all commands share: where it is, and that its password is never shown.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@nearkin/client";
import { openStore } from "@nearkin/serve/store";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";
import { startServe } from "../testing/serve.ts";

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-keys-"));
  await writeTinyModel(at("models/a"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

describe("nearkin keys", () => {
  test("NEARKIN_STORE stands for --store, which goes before it", async () => {
    vi.stubEnv("NEARKIN_STORE", at("env.db"));
    const made = await run("keys", "create", "--scopes", "read", "--name", "by the environment");
    expect(made.code).toBe(0);
    const id = made.out.slice("nk_".length).split("_")[0];
    expect(existsSync(at("env.db"))).toBe(true);
    expect((await run("keys", "list")).out).toContain(id);
    expect((await run("keys", "create", "--scopes", "read", "--store", at("flag.db"))).code).toBe(0);
    expect((await run("keys", "list", "--store", at("flag.db"))).out).not.toContain(id);
    expect((await run("keys", "revoke", id)).code).toBe(0);
    expect((await run("keys", "list")).out).toContain("revoked");
  });

  test("serve takes its store from NEARKIN_STORE too", async () => {
    vi.stubEnv("NEARKIN_STORE", at("missing/folder.db"));
    const { err } = await run("serve", at("models"), "--port", "0");
    expect(err).toContain("STORE_UNAVAILABLE");
    expect(err).toContain("missing");
  });

  test("rotate-secret replaces the secret of a store, and says what becomes of tokens", async () => {
    const store = ["--store", at("rotated.db")];
    await run("keys", "create", "--scopes", "read", ...store);
    const kept = async () => {
      await using opened = await openStore(at("rotated.db"), { exclusive: false });
      return (await opened.secrets.accepted("signing")).map(({ value }) => Buffer.from(value).toString("hex"));
    };
    expect((await run("keys", "rotate-secret", ...store)).code).toBe(0); // the first
    const [first] = await kept();
    const rotated = await run("keys", "rotate-secret", "--grace", "1.5", ...store);
    expect(rotated.err).toContain("accepted for 1.5 h");
    expect(await kept()).toEqual([expect.not.stringMatching(first), first]);
    expect((await run("keys", "rotate-secret", "--drop", ...store)).err).toContain("refused");
    expect(await kept()).toHaveLength(1);
    expect((await run("keys", "rotate-secret", "--grace", "-1", ...store)).code).toBe(2);
  });

  test.each([[["list"]], [["revoke", "aaaaaaaaaaaa"]], [["rotate-secret"]]])("%j makes no store", async (args) => {
    const place = at("nowhere.db");
    const { code, err } = await run("keys", ...args, "--store", place);
    expect(code).toBe(1);
    expect(err).toContain(`BAD_ARGUMENT: --store: there is no file ${place}`);
    expect(existsSync(place)).toBe(false);
  });
});

const script = fileURLToPath(new URL("../../../../scripts/postgres.sh", import.meta.url));
const skip = spawnSync(script, ["find"]).status !== 0 && !process.env.CI;
describe.skipIf(skip)(`on PostgreSQL${skip ? " (skipped: no PostgreSQL)" : ""}`, () => {
  let place: string;
  let store: string;
  let password: string;
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "nearkin-keys-postgres-"));
    chmodSync(place, 0o755); // if root starts it, another user runs it
    store = execFileSync(script, ["start", place], { encoding: "utf8" }).trim();
    ({ password } = new URL(store));
  });
  afterAll(() => {
    execFileSync(script, ["stop", place, "immediate"], { stdio: "ignore" });
    rmSync(place, { recursive: true, force: true });
  });

  test("a command that only reads makes no tables, and no message shows the password", async () => {
    expect(password.length).toBeGreaterThan(8);
    const said: string[] = [];
    const keys = async (...args: string[]) => {
      const { code, out, err } = await run("keys", ...args, "--store", store);
      said.push(out, err);
      return { code, out, err };
    };
    for (const args of [["list"], ["revoke", "aaaaaaaaaaaa"]]) {
      expect(await keys(...args)).toMatchObject({ code: 1, err: expect.stringMatching(/^BAD_ARGUMENT: store: /) });
    }
    expect((await keys("list")).err).toMatch(/^BAD_ARGUMENT/); // still

    const first = await startServe(at("models"), "--store", store, "--keys", "on", "--log", "info");
    onTestFinished(() => void first.child.kill("SIGKILL"));
    expect(first.said()).toContain("there is NO KEY yet");
    expect((await keys("list")).err).toContain("there are no keys in postgres://nearkin@127.0.0.1");

    const made = await keys("create", "--scopes", "admin");
    const client = createClient({ url: first.url, key: made.out.trim(), retries: 0 });
    const [{ id }] = (await client.keys.list()).keys;
    expect((await keys("revoke", id)).code).toBe(0);
    expect((await keys("revoke", id)).code).toBe(1);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    said.push(first.said());
    for (const text of said) expect(text).not.toContain(password);
  });

  test("nor does one for an address that is mistyped", async () => {
    for (const mistyped of [
      store.replace("://", ":/"),
      store.replace("postgres://", "postgre://"),
      store.replace(password, `7/${password}`),
      `${store.replace(`:${password}`, "")}/nowhere?password=${password}`,
    ]) {
      const { code, err } = await run("keys", "list", "--store", mistyped);
      expect(code).toBe(1);
      expect(err).not.toContain(password);
    }
  });
});
