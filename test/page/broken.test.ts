// Where an answer, the browser's storage or the network is broken, the page says so, goes on, and loses nothing.
import { expect, test } from "vitest";
import { rateQuestions } from "./rating.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

test("an answer that the screen cannot draw is a problem of that screen, and no blank page", async () => {
  const { page, context } = await visit("/model");
  await context.route("**/v1/models/*/training", (route) => route.fulfill({ json: { stages: null } }));
  await page.locator(".models h2 a").first().click();
  await page.getByText("Something went wrong on this page").waitFor();
  await page.getByRole("link", { name: "You", exact: true }).click();
  await page.getByRole("heading", { name: "What counts for you" }).waitFor();
  expect(await page.getByText("Something went wrong").count()).toBe(0);
});

test("what another tab has rated meanwhile is not written over", async () => {
  const { page, context } = await visit("/you");
  await settled(page);
  await rateQuestions(page, [4]);
  await page.getByRole("link", { name: "Explore", exact: true }).click();
  const other = await context.newPage();
  await other.goto("/you");
  await settled(other);
  await rateQuestions(other, [2, 5]);
  await page.getByRole("link", { name: "You", exact: true }).click();
  await settled(page);
  await rateQuestions(page, [3]);
  for (const tab of [page, other]) await expect.poll(() => tab.locator(".ratings-item").count()).toBe(4);
});

test("a browser that refuses all storage shows every screen, and says that ratings do not last", async () => {
  const { page, context } = await visit("/evaluation");
  await context.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage", "caches", "indexedDB"]) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException("refused", "SecurityError");
        },
      });
    }
  });
  for (const path of ["/", "/items/alien-1979", "/studio?draft.genres=Horror", "/model", "/you"]) {
    await page.goto(path);
    await settled(page);
    expect([path, await page.getByRole("alert").count()]).toEqual([path, 0]);
  }
  await rateQuestions(page, [4]);
  await page.getByText("This browser stores nothing for this page").waitFor();
});

test("a search that the server does not answer is not called one without a find", async () => {
  const { page, context } = await visit("/", { expected: /ERR_INTERNET_DISCONNECTED/ });
  await context.addInitScript(() => Reflect.deleteProperty(window, "Worker")); // so that the server is asked
  await page.reload();
  await settled(page);
  await context.setOffline(true);
  await page.getByRole("combobox", { name: "Search the catalogue" }).fill("alien");
  await page.locator(".combobox-list").getByText("The server cannot be reached").waitFor();
});

test("titles of any length and in any script stay within the page, and run nothing", async () => {
  const titles = [
    "x".repeat(10_000),
    "word ".repeat(2000),
    "<img src=x onerror=document.title=1>",
    "\u202edesrever",
    "🦖".repeat(300),
  ];
  for (const width of [360, 1280]) {
    const { page, context } = await visit("/evaluation", { viewport: { width, height: 900 } });
    await context.addInitScript(() => Reflect.deleteProperty(window, "Worker"));
    await context.route(/\/v1\/items(\/[^/]+(\/similar)?)?\?|\/v1\/items\/[^/]+$/, async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { title?: string; items?: { title: string | null }[] };
      if (json.items) for (const [i, item] of json.items.entries()) item.title = titles[i % titles.length];
      else json.title = titles[0];
      await route.fulfill({ response, json });
    });
    for (const path of ["/", "/items/alien-1979"]) {
      await page.goto(path);
      await settled(page);
      await page.getByText("desrever").first().waitFor();
      const { scrollWidth, tallest, title } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        tallest: Math.max(...[...document.querySelectorAll(".tile, .neighbour")].map((card) => card.clientHeight)),
        title: document.title,
      }));
      expect(scrollWidth, path).toBeLessThanOrEqual(width);
      expect(tallest).toBeLessThan(400); // px
      expect(title).not.toBe("1");
    }
  }
});
