// What a card says of its neighbour is what the API says.
import { expect, test } from "vitest";
import { demoClient } from "./lists.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const ITEMS = ["alien-1979", "spirited-away-2001", "the-godfather-1972"];

test.each(ITEMS)("%s: distances, parts, and where a neighbour would stand", async (item) => {
  const { page } = await visit(`/items/${item}`);
  await settled(page);
  const cards = await page.locator(".neighbours-list > li").all();
  const { items } = await demoClient().items.similar(item, { k: 12, explain: true });
  expect(cards.length).toBe(12);
  for (const [i, card] of cards.entries()) {
    const { id, distance, contributions = [], rank } = items[i];
    expect(await card.getAttribute("data-id")).toBe(id);
    const parts = contributions
      .filter(({ contribution }) => contribution !== 0)
      .toSorted((a, b) => b.contribution - a.contribution)
      .map(({ channel, contribution }) => `${channel} ${contribution.toFixed(3)}`);
    const said = await card.getByRole("button").getAttribute("aria-label");
    expect(said).toBe(`Distance ${distance.toFixed(3)}: ${parts.join(", ")}. Numbers`);
    const claim = /Would be #(\d+) with the same ([\w ]+)/.exec((await card.textContent()) ?? "");
    const best = Math.min(rank, ...contributions.map(({ rankWithout }) => rankWithout));
    expect(claim === null).toBe(best === rank);
    if (!claim) continue;
    const named = contributions.find(({ channel }) => channel === claim[2].trim());
    expect([Number(claim[1]), named?.rankWithout]).toEqual([best, best]);
  }
});

test("some claim is made, so that the tests above have something to check", async () => {
  const { page } = await visit("/items/alien-1979");
  await settled(page);
  expect(await page.locator(".neighbour-words b").count()).toBeGreaterThan(3);
});

test("a card opens to the numbers behind its bar, which add up", async () => {
  const { page } = await visit("/items/alien-1979");
  await settled(page);
  const button = page.locator(".neighbours-list > li").first().getByRole("button");
  await button.click();
  expect(await button.getAttribute("aria-expanded")).toBe("true");
  const rows = page.locator(".neighbours-list > li").first().locator("tbody tr");
  const { items } = await demoClient().items.similar("alien-1979", { k: 1, explain: true });
  const { contributions = [], distance } = items[0];
  const shown = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  expect(shown).toEqual(
    contributions.map((one) => [
      one.channel,
      one.weight.toFixed(3),
      one.distance.toFixed(3),
      one.contribution.toFixed(3),
      `#${one.rankWithout}`,
    ]),
  );
  expect(contributions.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(distance, 6);
  const bar = page.locator(".neighbours-list > li").first().locator(".bar-segment");
  const widths = await bar.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  const total = widths.reduce((sum, width) => sum + width, 0);
  for (const [i, { contribution }] of contributions.entries()) {
    expect(Math.abs(widths[i] / total - contribution / distance)).toBeLessThan(0.02); // borders and whole pixels
  }
});
