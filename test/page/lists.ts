// Lists of neighbours, as the page shows them and as the API answers.
import { createClient, type NearkinClient } from "@nearkin/client";
import type { Page } from "playwright";
import { expect, inject } from "vitest";

export const demoClient = (): NearkinClient => createClient({ url: inject("demo").url });

/** Ids of the cards, in order. */
export const shownIds = (page: Page): Promise<string[]> =>
  page
    .locator(".neighbours-list > li[data-id]")
    .evaluateAll((cards) => cards.map((card) => card.getAttribute("data-id") ?? ""));

/** What the API answers to the very query that stands in the page's address. */
export async function answeredIds(page: Page): Promise<string[]> {
  const { origin, pathname, searchParams } = new URL(page.url());
  if (!searchParams.has("k")) searchParams.set("k", "12");
  const response = await fetch(`${origin}/v1${pathname}/similar?${searchParams}`);
  const { items } = (await response.json()) as { items: readonly { id: string }[] };
  return items.map(({ id }) => id);
}

/** Waits until the list is the API's, for the address as it stands then. */
export async function expectListOfApi(page: Page): Promise<void> {
  await expect
    .poll(async () => [await shownIds(page), await answeredIds(page)].map((ids) => ids.join(" ")))
    .toSatisfy(([shown, answered]) => shown === answered);
}
