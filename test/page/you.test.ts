// You: a metric of one's own, learned here. Nothing is sent.
import { expect, test } from "vitest";
import { rateQuestions, shownShares, suggestedIds } from "./rating.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

/** The page's own files, and which model answers, with its files: nothing about anybody. */
const HARMLESS = /^\/(?:you|sw\.js|assets\/[\w.-]+|v1\/index|v1\/models(?:\/[0-9a-f]+\/files(?:\/[\w.-]+)?)?|)$/;

/** Threads of the engine are started from blobs of the page's own. */
const isHarmless = (url: string): boolean => url.startsWith("blob:") || HARMLESS.test(new URL(url).pathname);

test("five ratings move the weights and what is suggested, and nothing is sent", async () => {
  const { page, requests } = await visit("/you");
  await settled(page);
  const everybodys = await shownShares(page);
  expect(everybodys.join()).toMatch(/^(?:\d+ %,?)+$/); // no own ones yet
  await rateQuestions(page, [5, 1, 5]);
  const three = { shares: await shownShares(page), ids: await suggestedIds(page) };
  await rateQuestions(page, [2, 4]);
  const five = { shares: await shownShares(page), ids: await suggestedIds(page) };
  expect(five.shares.join()).toMatch(/^(?:\d+ % → \d+ % ± \d+,?)+$/);
  expect(five.shares).not.toEqual(three.shares);
  expect(five.ids.length).toBeGreaterThan(3);
  expect(five.ids).not.toEqual(three.ids);
  // each rating says what it did, and at least one did something
  expect(await page.locator(".ratings-item").count()).toBe(5);
  expect(await page.locator(".ratings-effect b").count()).toBeGreaterThan(0);

  const sent = requests.filter((request) => request.method() !== "GET" || !isHarmless(request.url()));
  expect(sent.map((request) => `${request.method()} ${request.url()}`)).toEqual([]);
  expect(requests.length).toBeGreaterThan(5);
});

test("a rating can be undone and taken back, and the weights go back with it", async () => {
  const { page } = await visit("/you");
  await settled(page);
  await rateQuestions(page, [5, 1, 4]);
  const three = await shownShares(page);
  await rateQuestions(page, [1]);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect.poll(() => page.locator(".ratings-item").count()).toBe(3);
  await expect.poll(() => shownShares(page)).toEqual(three);
  await page
    .getByRole("button", { name: /^Take back the rating of/ })
    .first()
    .click();
  await expect.poll(() => page.locator(".ratings-item").count()).toBe(2);
  await expect.poll(() => shownShares(page)).not.toEqual(three);
});

test("ratings last over a reload, and one click deletes them all", async () => {
  const { page } = await visit("/you");
  await settled(page);
  await rateQuestions(page, [5, 2]);
  const two = await shownShares(page);
  await page.reload();
  await settled(page);
  await expect.poll(() => page.locator(".ratings-item").count()).toBe(2);
  await expect.poll(() => shownShares(page)).toEqual(two);
  expect(await page.evaluate(() => localStorage.length)).toBe(1);
  await page.getByRole("button", { name: "Delete everything" }).click();
  await expect.poll(() => page.locator(".ratings-item").count()).toBe(0);
  const left = () =>
    page.evaluate(async () => [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length]);
  expect(await left()).toEqual([0, 0, 0]);
  await page.reload();
  await settled(page);
  expect([await page.locator(".ratings-item").count(), await left()]).toEqual([0, [0, 0, 0]]);
});

test("a film of one's choice, by its address or by search", async () => {
  const { page } = await visit("/you?item=alien-1979");
  await settled(page);
  await page.getByRole("slider", { name: "Your rating of Alien" }).first().focus();
  await page.keyboard.press("4");
  await page.waitForURL("**/you");
  await page.getByRole("combobox", { name: "Find something to rate" }).fill("spirited");
  await page.getByRole("option", { name: /^Spirited Away/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/you?item=spirited-away-2001");
  await page.getByRole("slider", { name: "Your rating of Spirited Away" }).first().focus();
  await page.keyboard.press("2");
  await expect.poll(() => page.locator(".ratings-name").allTextContents()).toEqual(["Spirited Away", "Alien"]);
});

test("who leaves the stars while the next film takes their place rates only the one before", async () => {
  const { page } = await visit("/you?item=alien-1979");
  await settled(page);
  const stars = page.locator(".rate input[type=range]");
  await stars.focus();
  await stars.evaluate((input: HTMLElement) =>
    new MutationObserver(() => input.blur()).observe(input, { attributes: true, attributeFilter: ["aria-label"] }),
  );
  await page.keyboard.press("4");
  await expect.poll(() => stars.getAttribute("aria-label")).not.toBe("Your rating of Alien");
  await settled(page);
  expect(await page.locator(".ratings-name").allTextContents()).toEqual(["Alien"]);
});
