// "Save to the server" is the only thing that sends ratings, it says what, and it can be taken back there too.
import { expect, test } from "vitest";
import { demoClient } from "./lists.ts";
import { rateQuestions } from "./rating.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

test("saved ratings are events of the server, which learns the same weights; deleting deletes there too", async () => {
  const user = "who sits here";
  const client = demoClient();
  const { page, requests } = await visit("/you");
  await settled(page);
  await rateQuestions(page, [5, 1, 4, 2, 5]);
  await page.getByRole("button", { name: "Save to the server …" }).click();
  const dialog = page.getByRole("dialog", { name: "Save to the server" });
  await dialog.getByLabel("Your name at the server").fill(user);
  const told = await dialog.locator(".save-requests li").allTextContents();
  const sent = () =>
    requests
      .filter((request) => /\/v1\/(?:users|events)/.test(request.url()))
      .map((request) => `${request.method()} ${new URL(request.url()).pathname}`);
  expect(sent()).toEqual([]);

  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByText("Saved. The server learned the same weights from your ratings.").waitFor();
  expect(sent()).toEqual(told.map((line) => line.split(":")[0]));
  const { events } = await client.users.events(user);
  expect(events.map(({ rating }) => rating).toSorted()).toEqual([1, 2, 4, 5, 5]);
  const { weights } = await client.users.metric.get(user);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.locator(".weights").getByRole("button", { name: "Table" }).click();
  const own = await page
    .locator(".weights tbody tr")
    .evaluateAll((rows) => rows.map((row) => [row.children[0].textContent, row.children[2].textContent]));
  expect(own).toEqual(Object.entries(weights).map(([channel, weight]) => [channel, weight.toFixed(3)]));

  await page.getByRole("button", { name: "Delete everything" }).click();
  await page.getByText("Deleted everything, also at the server.").first().waitFor();
  expect((await client.users.events(user)).events).toEqual([]);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test("a name that somebody has is not taken without asking", async () => {
  const [{ id, events }] = (await demoClient().users.list({ limit: 1 })).users;
  const { page } = await visit("/you");
  await settled(page);
  await rateQuestions(page, [4]);
  await page.getByRole("button", { name: "Save to the server …" }).click();
  const dialog = page.getByRole("dialog", { name: "Save to the server" });
  await dialog.getByLabel("Your name at the server").fill(id);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByRole("alert").getByText(`The server already knows “${id}”`).waitFor();
  expect((await demoClient().users.get(id)).events).toBe(events);
});
