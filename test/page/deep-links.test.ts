// Every state has an address: opened anew, it shows the same.
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { demoClient, expectListOfApi, shownIds } from "./lists.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const slidersOf = (page: Page): Promise<(string | null)[]> =>
  page.getByRole("slider").evaluateAll((all) => all.map((one) => one.getAttribute("aria-valuetext")));

test("sliders, user and length of a list", async () => {
  const [user] = (await demoClient().users.list({ limit: 1 })).users;
  const { page } = await visit(`/items/alien-1979?user=${user.id}`);
  await settled(page);
  await page.getByRole("slider", { name: "genres", exact: true }).fill("2.5");
  await page.getByRole("slider", { name: "Popularity", exact: true }).fill("-0.4");
  await page.getByRole("slider", { name: "Diversity", exact: true }).fill("0.35");
  await page.getByRole("button", { name: "Show more" }).click();
  await expect
    .poll(() => [...new URL(page.url()).searchParams.keys()])
    .toEqual(["user", "weights", "popularity", "diversity", "k"]);
  await expectListOfApi(page);
  const { pathname, search } = new URL(page.url());
  const again = await visit(pathname + search);
  await settled(again.page);
  expect(await shownIds(again.page)).toEqual(await shownIds(page));
  expect(await slidersOf(again.page)).toEqual(await slidersOf(page));
});

test("a neighbour's page keeps what was chosen, and back leads back", async () => {
  const { page } = await visit("/items/alien-1979?weights=plot:0.5&diversity=0.2");
  await settled(page);
  const before = await shownIds(page);
  await page.locator(".neighbours-list h3 a").first().click();
  await page.waitForURL(`**/items/${before[0]}?weights=plot:0.5&diversity=0.2`);
  await expectListOfApi(page);
  await page.goBack();
  await page.waitForURL("**/items/alien-1979?weights=plot:0.5&diversity=0.2");
  await expect.poll(() => shownIds(page)).toEqual(before);
});

test("what makes no sense in an address is left out", async () => {
  const { page } = await visit("/items/alien-1979?weights=plot:many,nothing:3,:,genres&popularity=x&diversity=7&k=-1");
  await settled(page);
  expect(await shownIds(page)).toEqual(
    (await demoClient().items.similar("alien-1979", { k: 12 })).items.map(({ id }) => id),
  );
});

test("an item that is not there is said to be so, with a way on", async () => {
  const { page } = await visit("/items/no-such-film", { expected: /404/ });
  await page.getByRole("alert").getByText("There is no such item").waitFor();
  expect(await page.getByRole("combobox", { name: "Search the catalogue" }).isVisible()).toBe(true);
});
