// Light and dark: as the system is, or as was chosen, from the first paint on.
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const LIGHT = "rgb(245, 247, 245)";
const DARK = "rgb(15, 21, 20)";

const ground = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

const chosen = (page: Page): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset.theme);

test("follows the system, also while it changes", async () => {
  const { page } = await visit("/", { colorScheme: "dark" });
  await settled(page);
  expect([await ground(page), await chosen(page)]).toEqual([DARK, undefined]);
  await page.emulateMedia({ colorScheme: "light" });
  expect(await ground(page)).toBe(LIGHT);
});

test("a choice goes before the system, lasts, and can be taken back, by keyboard", async () => {
  const { page } = await visit("/", { colorScheme: "light" });
  await settled(page);
  await page.getByRole("radio", { name: "As the system" }).focus();
  await page.keyboard.press("ArrowLeft"); // round to the last
  expect([await ground(page), await chosen(page)]).toEqual([DARK, "dark"]);
  await page.reload();
  expect([await ground(page), await chosen(page)]).toEqual([DARK, "dark"]);
  expect(await page.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  await page.getByRole("radio", { name: "Dark" }).focus();
  await page.keyboard.press("ArrowRight");
  expect([await ground(page), await chosen(page)]).toEqual([LIGHT, undefined]);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test("what was chosen stands before anything is painted", async () => {
  const { page, context } = await visit("/", { colorScheme: "light" });
  await settled(page);
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  // every frame of the next load, before it is painted
  await context.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const look = () => {
      if (document.body) seen.push(getComputedStyle(document.documentElement).colorScheme);
      if (seen.length < 30) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      observer.disconnect();
      // the attribute, not the style: sheets may still be on their way, and hold the first paint back
      seen.push(document.documentElement.dataset.theme ?? "none");
    }).observe(document, { subtree: true, childList: true });
  });
  await page.reload();
  await settled(page);
  await page.waitForFunction(() => (window as unknown as { seen: string[] }).seen.length >= 20);
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  const first = await page.evaluate(() => performance.getEntriesByName("first-paint").length);
  expect([seen[0], [...new Set(seen)], first]).toEqual(["dark", ["dark"], 1]);
});
