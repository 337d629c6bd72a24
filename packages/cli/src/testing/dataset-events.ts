import { type Dataset, loadItems, loadUsers, readEvents } from "@nearkin/data";

/** What a dataset holds: [user, item, rating, seconds], by user and time. */
export async function datasetEvents(dataset: Dataset): Promise<[string, string, number, number][]> {
  const users = (await loadUsers(dataset)).ids;
  const items = (await loadItems(dataset)).ids;
  const events: [string, string, number, number][] = [];
  for await (const batch of readEvents(dataset)) {
    batch.users.forEach((user, i) => {
      events.push([users[user], items[batch.items[i]], batch.ratings[i], batch.times[i]]);
    });
  }
  return events;
}
