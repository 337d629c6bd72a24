// A server that asks for keys: the page comes without one, says what it needs, and works with what the key allows.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Listening, listenNearkin } from "./nearkin.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();
const bin = fileURLToPath(new URL("../../packages/cli/bin/nearkin.js", import.meta.url));
const REFUSED = /status of 40[13]/; // the browser's own line for every answer that refuses

let folder: string;
let server: Listening;
let key: { read: string; admin: string };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-keys-"));
  const store = join(folder, "users.db");
  const { folder: demo } = inject("demo");
  const create = (scopes: string) =>
    execFileSync(process.execPath, [bin, "keys", "create", "--scopes", scopes, "--store", store], {
      encoding: "utf8",
      stdio: "pipe",
    });
  const made = (scopes: string) => /nk_\S+/.exec(create(scopes))?.[0] ?? "";
  key = { read: made("read"), admin: made("admin") };
  server = await listenNearkin(
    [
      "serve",
      join(demo, "model"),
      join(demo, "model-split"),
      "--store",
      store,
      "--keys",
      "on",
      "--port",
      "0",
      "--log",
      "error",
    ],
    /the page is at (http:\S+?)\/\n/,
  );
});
afterAll(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function signIn(page: Page, given: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Sign in" });
  await dialog.getByLabel("API key or token").fill(given);
  await dialog.getByRole("button", { name: "Sign in" }).click();
}

test("signed out, a key is asked for; a wrong one is said to be wrong; a read key opens the page", async () => {
  const { page, requests } = await visit("/items/alien-1979", { at: server.url, expected: REFUSED });
  const dialog = page.getByRole("dialog", { name: "Sign in" });
  await dialog.waitFor();
  expect(await dialog.getByLabel("API key or token").evaluate((input) => input === document.activeElement)).toBe(true);

  await signIn(page, key.read.replace(/.{6}$/, "AAAAAA"));
  await dialog.locator(".field-error").waitFor();
  expect(await dialog.getByLabel("API key or token").getAttribute("aria-invalid")).toBe("true");

  await signIn(page, key.read);
  await dialog.waitFor({ state: "hidden" });
  await settled(page);
  expect(await page.locator(".neighbours-list > li").count()).toBe(12);
  await page.getByText("Computed in your browser").waitFor();

  // the key is in headers alone, and gone with the sign-out
  expect(requests.filter((request) => request.url().includes("nk_"))).toEqual([]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await dialog.waitFor();
  expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
});

test("what a read key may not is said where it is, with how to get there", async () => {
  const { page } = await visit("/items/alien-1979", { at: server.url, expected: REFUSED });
  await page.getByRole("dialog", { name: "Sign in" }).waitFor();
  await signIn(page, key.read);
  await settled(page);
  await page.getByRole("combobox", { name: "Whose similarity" }).focus();
  await page.getByText("Only a key with the scope admin can list them: type an id.").waitFor();
});

test.each(["/", "/you", "/studio", "/model", "/evaluation"])("signed out, %s says what is needed", async (path) => {
  const { page } = await visit(path, { at: server.url, expected: REFUSED });
  await page.getByRole("dialog", { name: "Sign in" }).waitFor();
  await page.keyboard.press("Escape");
  const problem = page.getByRole("alert").first();
  await problem.getByText("nearkin keys create").waitFor();
  await problem.getByRole("button", { name: "Sign in" }).click();
  await signIn(page, key.admin);
  await problem.waitFor({ state: "detached" });
  await settled(page);
});
