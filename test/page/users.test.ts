// The list through the eyes of a user: as the API answers for them.
import { expect, test } from "vitest";
import { answeredIds, demoClient, expectListOfApi, shownIds } from "./lists.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

test("choosing users by keyboard re-ranks as the API does for each of them", async () => {
  const { users } = await demoClient().users.list({ limit: 3 });
  expect(users.map(({ metric }) => metric)).not.toContain("base"); // those with a metric of their own come first
  const { page } = await visit("/items/alien-1979");
  await settled(page);
  const everyones = await shownIds(page);
  const lists = new Set([everyones.join(" ")]);
  for (const { id } of users) {
    await page.getByRole("combobox", { name: "Whose similarity" }).focus();
    await page.keyboard.type(id);
    await page.getByRole("option", { name: id }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/items/alien-1979?user=${id}`);
    await expectListOfApi(page);
    lists.add((await shownIds(page)).join(" "));
  }
  expect(lists.size).toBeGreaterThan(1);
  expect(await page.locator(".user-chooser").textContent()).toContain("Users are simulated. This metric: ");
  await page.getByRole("button", { name: "Everyone’s" }).click();
  await expect.poll(() => shownIds(page)).toEqual(everyones);
});

test("the sliders stand where the user's weights are", async () => {
  const client = demoClient();
  const { users } = await client.users.list({ limit: 1 });
  const metric = await client.users.metric.get(users[0].id);
  const { channels } = (await client.models.list()).models.find(({ active }) => active) ?? { channels: [] };
  const { page } = await visit(`/items/alien-1979?user=${users[0].id}`);
  await settled(page);
  for (const { name, weight } of channels) {
    const said = await page.getByRole("slider", { name, exact: true }).getAttribute("aria-valuetext");
    expect([name, said]).toEqual([name, `${(metric.weights[name] / weight).toFixed(2)}×`]);
  }
});

test("who is not known has everyone's list, and that is said", async () => {
  const { page } = await visit("/items/alien-1979?user=nobody-at-all");
  await settled(page);
  expect(await shownIds(page)).toEqual(await answeredIds(page));
});
