// Batches that are told apart when they are read back, and that show when a part is missing.
import type { NewEvent } from "../store/events.ts";
import type { NewItem } from "../store/items.ts";
import type { Store } from "../store/store.ts";

/** More than go into one statement. */
export const BATCH = 300;

export function batchEvents(name: string, size: number): NewEvent[] {
  return Array.from({ length: size }, (_, i) => ({
    user: name,
    item: `i${i}`,
    type: "rating",
    rating: i,
    time: i,
    id: `${name}/${i}`,
  }));
}

export function batchItems(name: string, size: number): NewItem[] {
  return Array.from({ length: size }, (_, i) => ({
    id: `${name}/${i}`,
    title: name,
    channels: { plot: "a plot" },
    fields: {},
  }));
}

/** How much there is of every batch. */
export async function sizesOf(store: Store): Promise<{ events: Map<string, number>; items: Map<string, number> }> {
  const events = new Map<string, number>();
  const items = new Map<string, number>();
  const count = (sizes: Map<string, number>, name: string) => sizes.set(name, (sizes.get(name) ?? 0) + 1);
  for (let page = await store.events.page({ limit: 5000 }); page.length > 0; ) {
    for (const { user } of page) count(events, user);
    page = await store.events.page({ after: page[page.length - 1].arrival, limit: 5000 });
  }
  for (let page = await store.items.changedSince(0, { limit: 5000 }); page.length > 0; ) {
    for (const { title } of page) count(items, title ?? "");
    page = await store.items.changedSince(page[page.length - 1].version, { limit: 5000 });
  }
  return { events, items };
}
