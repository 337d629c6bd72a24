// What a user met and rated: events, each item once. The last rating of an item counts; an item stands where it was last met.

/** As much of an event as counts. */
export interface HistoryEvent {
  readonly item: string;
  readonly rating: number | null;
  /** ms since 1970 */
  readonly time: number;
}

/** Items of a user, the one met last at the end. Events are in the order of time. */
export function historyOf(events: Iterable<HistoryEvent>): HistoryEvent[] {
  const items = new Map<string, HistoryEvent>();
  for (const { item, rating, time } of events) {
    const before = items.get(item);
    items.delete(item); // to the end
    items.set(item, { item, rating: rating ?? before?.rating ?? null, time });
  }
  return [...items.values()];
}
