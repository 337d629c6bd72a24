// Without a network: the metric goes on learning, and the page comes back when it is loaded again.
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { expectListOfApi, shownIds } from "./lists.ts";
import { rateQuestions, shownShares } from "./rating.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();
const OFFLINE = /ERR_INTERNET_DISCONNECTED/; // the browser's own line for every request that fails

/** Waits until the service worker answers, and the whole model is kept: its card is written last. */
async function isKept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(
    async () => (await caches.match("/kept-model/info")) !== undefined && navigator.serviceWorker.controller !== null,
  );
}

test("rating goes on, also after a reload", async () => {
  const { page, context } = await visit("/you", { expected: OFFLINE });
  await settled(page);
  await rateQuestions(page, [5, 1]);
  await isKept(page);

  await context.setOffline(true);
  await rateQuestions(page, [5, 2]);
  const four = await shownShares(page);

  await page.reload();
  await settled(page);
  await page.getByText("Without the server: all of this works").waitFor();
  await expect.poll(() => page.locator(".ratings-item").count()).toBe(4);
  await expect.poll(() => shownShares(page)).toEqual(four);
  await rateQuestions(page, [3]);
  await expect.poll(() => page.locator(".ratings-item").count()).toBe(5);
});

test("Explore opens and re-ranks as it did with the server", async () => {
  const { page, context } = await visit("/items/alien-1979", { expected: OFFLINE });
  await settled(page);
  await isKept(page);
  const before = await shownIds(page);
  await context.setOffline(true);
  await page.reload();
  await expect.poll(() => shownIds(page)).toEqual(before);
  await page.getByRole("slider", { name: "plot", exact: true }).fill("0");
  await expect.poll(() => page.url()).toContain("weights=plot:0");
  await expectListOfApi(page); // the test itself is not offline
});

test("what is kept is the page and one model, and nothing of the API's answers about users", async () => {
  const [user, item] = ["u0001", "alien-1979"];
  const { page } = await visit(`/items/${item}?user=${user}`);
  await settled(page);
  await isKept(page);
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return all.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.filter((path) => !/^\/(?:|assets\/[\w.-]+|kept-model\/(?:info|files\/[\w.-]+))$/.test(path))).toEqual([]);
});
