// Sliders re-rank the list as the API does with the same numbers.
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { answeredIds, demoClient, expectListOfApi, shownIds } from "./lists.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const SETTINGS = 6;

/** Numbers in [0, 1) that are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const between = (random: () => number, low: number, high: number): number =>
  Math.round((low + random() * (high - low)) / 0.05) * 0.05;

const slider = (page: Page, name: string) => page.getByRole("slider", { name, exact: true });

test("random weights, popularity and diversity: the order of the API", async () => {
  const { channels } = (await demoClient().models.list()).models.find(({ active }) => active) ?? { channels: [] };
  expect(channels.length).toBeGreaterThanOrEqual(5);
  const { page } = await visit("/items/alien-1979");
  await settled(page);
  const orders = new Set([(await shownIds(page)).join(" ")]);
  const random = randomNumbers(7);
  for (let i = 0; i < SETTINGS; i++) {
    const multiples = channels.map(() => between(random, 0, 4));
    for (const [c, { name }] of channels.entries()) await slider(page, name).fill(multiples[c].toFixed(2));
    const popularity = between(random, -1, 1);
    const diversity = i % 2 === 0 ? 0 : between(random, 0.1, 1);
    await slider(page, "Popularity").fill(popularity.toFixed(2));
    await slider(page, "Diversity").fill(diversity.toFixed(2));
    const wanted = channels.map(({ name, weight }, c) => [name, multiples[c] * weight] as const);
    await expect.poll(() => isInAddress(page, { wanted, popularity, diversity })).toBe(true);
    await expectListOfApi(page);
    orders.add((await shownIds(page)).join(" "));
  }
  expect(orders.size).toBeGreaterThan(SETTINGS / 2); // lists that all look alike would prove nothing
});

interface Wanted {
  readonly wanted: readonly (readonly [string, number])[];
  readonly popularity: number;
  readonly diversity: number;
}

/** Whether the address says what the sliders do; weights stand there with four digits. */
function isInAddress(page: Page, { wanted, popularity, diversity }: Wanted): boolean {
  const query = new URL(page.url()).searchParams;
  const weights = new Map((query.get("weights") ?? "").split(",").map((part) => part.split(":") as [string, string]));
  return (
    wanted.every(([name, weight]) => Math.abs(Number(weights.get(name)) - weight) <= 1e-3 * weight) &&
    Math.abs(Number(query.get("popularity")) - popularity) < 1e-9 &&
    Math.abs(Number(query.get("diversity")) - diversity) < 1e-9
  );
}

test("arrows move a slider by keyboard, badges say what moved, and one button takes all back", async () => {
  const { page } = await visit("/items/alien-1979");
  await settled(page);
  const before = await shownIds(page);
  await slider(page, "plot").focus();
  await page.keyboard.press("Home");
  expect(await slider(page, "plot").getAttribute("aria-valuetext")).toBe("0.00×");
  await expect.poll(() => new URL(page.url()).searchParams.get("weights")).toBe("plot:0");
  await expectListOfApi(page);
  const after = await shownIds(page);
  expect(after).not.toEqual(before);
  const shared = (await demoClient().items.similar("alien-1979", { k: 96 })).items.map(({ id }) => id);
  const badges = await page
    .locator(".neighbours-list > li")
    .evaluateAll((cards) => cards.map((card) => card.querySelector(".move .unseen, .move")?.textContent ?? ""));
  const moved = after.map((id, i) => {
    const place = shared.indexOf(id);
    if (place < 0) return "new";
    return place === i
      ? ""
      : `${place > i ? "▲" : "▼"}${Math.abs(place - i)}${place > i ? "up" : "down"} ${Math.abs(place - i)}`;
  });
  expect(badges).toEqual(moved);
  await page.getByRole("button", { name: "Reset sliders" }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
  await expect.poll(() => shownIds(page)).toEqual(before);
});

test("with every channel at 0 nothing is nearer than another, which is said", async () => {
  const { channels } = (await demoClient().models.list()).models.find(({ active }) => active) ?? { channels: [] };
  const { page } = await visit(`/items/alien-1979?weights=${channels.map(({ name }) => `${name}:0`).join(",")}`);
  await page.getByText("Nothing counts").waitFor();
});

test("more of the list is the API's too, and the call that is offered answers it", async () => {
  const { page } = await visit("/items/alien-1979?diversity=0.3");
  await settled(page);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(async () => (await shownIds(page)).length).toBe(24);
  await page.waitForURL("**/items/alien-1979?diversity=0.3&k=24");
  await expectListOfApi(page);
  await page.getByText("As an API call").click();
  const call = (await page.locator(".api-call code").textContent()) ?? "";
  const [, address] = /^curl -G (\S+)/.exec(call) ?? [];
  const query = new URLSearchParams([...call.matchAll(/--data-urlencode (\w+)=(\S+)/g)].map(([, n, v]) => [n, v]));
  const { items } = (await (await fetch(`${address}?${query}`)).json()) as { items: readonly { id: string }[] };
  expect(items.map(({ id }) => id)).toEqual(await shownIds(page));
  expect(await answeredIds(page)).toHaveLength(24);
});
