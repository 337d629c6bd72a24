// Studio: an item that does not exist. What is close to it and what it can expect are the API's answers, and edits move them.
import type { ItemContent } from "@nearkin/client";
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { demoClient } from "./lists.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const PLOT = "The crew of a deep-space freighter wakes early and finds that something is hunting them one by one.";

const closest = (page: Page): Promise<string[]> =>
  page.locator(".closest-list > li").evaluateAll((cards) => cards.map((card) => card.getAttribute("data-id") ?? ""));

/** Waits for the API's list and rating of a draft. */
async function expectAnswersTo(page: Page, draft: NonNullable<ItemContent["channels"]>): Promise<void> {
  const client = demoClient();
  const { items } = await client.similar([{ draft }], { k: 5 });
  await expect.poll(() => closest(page)).toEqual(items.map(({ id }) => id));
  const { catalogue } = await client.predict({ draft });
  const said = `${catalogue?.mean.toFixed(2)} ± ${catalogue?.deviation.toFixed(2)}`;
  await expect.poll(() => page.locator(".rating-figure").textContent()).toBe(said);
}

test("neighbours and rating come as one types, and move with every field", async () => {
  const { page } = await visit("/studio");
  await settled(page);
  await page.getByLabel("Title", { exact: true }).fill("Cold Berth");
  await page.getByLabel("Plot", { exact: true }).pressSequentially(PLOT);
  await expectAnswersTo(page, { plot: PLOT });
  const byPlot = await closest(page);

  await page.getByRole("combobox", { name: "Genres" }).fill("Roman");
  await page.getByRole("option", { name: "Romance" }).waitFor();
  await page.keyboard.press("Enter");
  await expectAnswersTo(page, { plot: PLOT, genres: ["Romance"] });
  expect(await closest(page)).not.toEqual(byPlot);
  await page.getByText("Arrows: since you changed the genres").waitFor();

  await page.getByLabel("Year", { exact: true }).fill("1931");
  await expectAnswersTo(page, { plot: PLOT, genres: ["Romance"], year: 1931 });

  await page.getByRole("button", { name: "Remove Romance" }).click();
  await expectAnswersTo(page, { plot: PLOT, year: 1931 });
});

test("what each field does is where its first five would stand without it", async () => {
  const draft = { plot: PLOT, genres: ["Science Fiction", "Horror"], year: 1979 };
  const query = new URLSearchParams([
    ["draft.plot", PLOT],
    ["draft.genres", "Science Fiction"],
    ["draft.genres", "Horror"],
    ["draft.year", "1979"],
  ]);
  const { page } = await visit(`/studio?${query}`);
  await expectAnswersTo(page, draft);
  await settled(page);
  const client = demoClient();
  const { items: now } = await client.similar([{ draft }], { k: 5 });
  for (const channel of ["genres", "plot", "year"] as const) {
    const { [channel]: _, ...without } = draft;
    const { items: then } = await client.similar([{ draft: without }], { k: 100 });
    const row = page.getByRole("row", { name: `without the ${channel}` });
    const told = ((await row.getByRole("cell").textContent()) ?? "").replaceAll(/\s+/g, " ");
    const moved = now.flatMap(({ id, title }, i) => {
      const place = then.findIndex((item) => item.id === id) + 1;
      return place === i + 1 ? [] : [`${title} ${i + 1} →to ${place || "beyond 100"}`];
    });
    if (moved.length === 0) expect(told).toBe("all five stay");
    expect([told, moved.filter((one) => told.includes(one)).length]).toEqual([told, Math.min(3, moved.length)]);
  }
});

test("a draft is in the address, and one of the catalogue's can be begun from", async () => {
  const { page } = await visit("/studio");
  await settled(page);
  await page.getByRole("combobox", { name: "Start from an existing item" }).fill("alien");
  await page.getByRole("option", { name: /^Alien 1979/ }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => closest(page)).toContain("alien-1979");
  expect((await closest(page))[0]).toBe("alien-1979");
  await page.getByLabel("Year", { exact: true }).fill("2015");
  await expect.poll(() => new URL(page.url()).searchParams.get("draft.year")).toBe("2015");
  await settled(page);
  const { pathname, search } = new URL(page.url());
  const again = await visit(pathname + search);
  await settled(again.page);
  await expect.poll(() => closest(again.page)).toEqual(await closest(page));
  expect(await again.page.getByLabel("Year", { exact: true }).inputValue()).toBe("2015");
});

test("what cannot be read is said at its field", async () => {
  const { page } = await visit("/studio?draft.year=soon", { expected: /400 \(Bad Request\)/ });
  await page.locator(".field-error").waitFor();
  const year = page.getByLabel("Year", { exact: true });
  await expect.poll(() => year.getAttribute("aria-invalid")).toBe("true"); // the draft is asked about again once the model is here
  await year.fill("1999");
  await expectAnswersTo(page, { year: 1999 });
});
