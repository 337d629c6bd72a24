// What the users of a dataset did, into a store: so that a server knows from the start whom it serves. Each event comes in once, however often
// this is run and wherever it is stopped: how far it is, is written together with each batch.
import { NearkinError } from "@nearkin/core";
import { type Dataset, type EventBatch, loadItems, loadUsers, readEvents } from "@nearkin/data";
import type { NewEvent, Store } from "@nearkin/serve/store";

export interface ImportOptions {
  /** Events of a transaction: few enough that a server that writes to the same store does not wait long. @default 4000 */
  batch?: number;
  /** After each batch. */
  onProgress?: (progress: ImportProgress) => void;
  /** After each batch: the users whose events were accepted, whose metrics are now behind. The next batch waits for it. */
  onUsers?: (users: readonly string[]) => void | Promise<void>;
  /** Looked at between batches; what is imported stays. */
  signal?: AbortSignal;
}

export interface ImportProgress {
  /** Events of the dataset that are dealt with, and all of them. */
  done: number;
  total: number;
  /** Of this run: events that are stored now, and those that were there before. */
  accepted: number;
  duplicates: number;
}

export interface ImportedDataset {
  /** The name of the import in the store: the same for the same dataset. */
  source: string;
  /** Events in the dataset's histories. */
  events: number;
  /** Of all runs together: stored by this import, and there before it. */
  accepted: number;
  duplicates: number;
  /** Events that no store can keep: an id with NUL, a time beyond 287,000 years. */
  leftOut: number;
  /** Events that the dataset holds out for evaluation: they are not imported. */
  heldOut: number;
  /** It was all done before, and nothing was read. */
  before: boolean;
}

/** What imported events are called, with a rating and without. */
const IMPORTED_TYPES = { rated: "rating", met: "interaction" } as const;

export const importSource = ({ manifest }: Dataset): string => `dataset:${manifest.id}`;

/**
 * Brings the histories of a dataset into a store as events. Times are those of the dataset; where it has none, its row numbers, as seconds since
 * 1970: before everything that comes later, and in order. Events that the store has already, by user, item, rating, type and time, are not
 * stored again.
 */
export async function importDataset(
  store: Store,
  dataset: Dataset,
  { batch = 4000, onProgress, onUsers, signal }: ImportOptions = {},
): Promise<ImportedDataset> {
  const { counts, columns, name } = dataset.manifest;
  const source = importSource(dataset);
  const total = counts.training.interactions;
  const earlier = await store.imports.get(source);
  const about = { source, events: total, heldOut: counts.interactions - total };
  if (earlier?.finished) return { ...about, ...figures(earlier), before: true };

  const from = firstEvent(earlier?.cursor ?? "", total);
  const names = { users: (await loadUsers(dataset)).ids, items: (await loadItems(dataset)).ids };
  const toEvents = eventsOf({ ...names, rated: columns.interactions.rating !== null });
  const progress = { done: from, total, accepted: 0, duplicates: 0 };
  const batches = readEvents(dataset, { from, batch });
  let cursor = earlier?.cursor ?? "";
  let reading = batches.next();
  try {
    for (;;) {
      const { value, done } = await reading;
      if (done) break;
      signal?.throwIfAborted();
      const events = toEvents(value);
      const to = value.first + value.users.length;
      const adding = store.imports.add(source, { from: cursor, to: String(to), events });
      reading = batches.next(); // while the store writes
      reading.catch(() => {}); // its turn to be heard comes
      const { accepted, duplicates, acceptedUsers } = await adding;
      cursor = String(to);
      progress.done = to;
      progress.accepted += accepted;
      progress.duplicates += duplicates;
      onProgress?.({ ...progress });
      if (acceptedUsers.length > 0) await onUsers?.(acceptedUsers);
    }
  } finally {
    await reading.catch(() => {}); // a database is not closed under its reader
    await batches.return(undefined);
  }
  const sofar = await store.imports.get(source);
  const leftOut = total - (sofar?.accepted ?? 0) - (sofar?.duplicates ?? 0);
  const finished = await store.imports.finish(source, { dataset: name, events: total, leftOut });
  return { ...about, ...figures(finished), before: false };
}

function figures({ accepted, duplicates, counts }: NonNullable<Awaited<ReturnType<Store["imports"]["get"]>>>) {
  const { leftOut } = (counts ?? {}) as { leftOut?: number };
  return { accepted, duplicates, leftOut: leftOut ?? 0 };
}

/** The cursor is the number of the next event. */
function firstEvent(cursor: string, total: number): number {
  const event = cursor === "" ? 0 : Number(cursor);
  if (Number.isSafeInteger(event) && event >= 0 && event <= total) return event;
  throw new NearkinError(
    "BAD_STORE",
    `store: an import of ${total} events stands at ${JSON.stringify(cursor)}; another program has written there`,
  );
}

interface Names {
  users: readonly string[];
  items: readonly string[];
  rated: boolean;
}

function eventsOf({ users, items, rated }: Names): (batch: EventBatch) => NewEvent[] {
  const type = rated ? IMPORTED_TYPES.rated : IMPORTED_TYPES.met;
  return (batch) => {
    const events: NewEvent[] = [];
    for (let i = 0; i < batch.users.length; i++) {
      const user = users[batch.users[i]];
      const item = items[batch.items[i]];
      const time = 1000 * batch.times[i];
      if (!Number.isSafeInteger(time) || user.includes("\0") || item.includes("\0")) continue;
      events.push({ user, item, type, time, ...(rated ? { rating: batch.ratings[i] } : {}) });
    }
    return events;
  };
}
