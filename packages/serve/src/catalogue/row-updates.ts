// What events after training change in the rows of a catalogue: who met an item (core/src/behavior/fold-in.ts), and its popularity,
//
//   log q′ = log(q + q_1·P/w̄)      P users who met it later, each as much as the last event of training; q_1 of an item met once, w̄ of an event
//
// Each user counts once for an item. All of it follows from the model and the store's events in the order of their arrival: servers that read the same
// events have the same rows. Nothing is stored. What cannot be taken back, or was not known in time, is mended by reading all anew: when a user was
// deleted, and when an item is put that others had met before.
import { exp, FoldIn, latestItems, type Model, portableLog } from "@nearkin/core";
import type { ActiveModels } from "../models/active.ts";
import type { Served } from "../models/served.ts";
import type { MetEvents, StoredEvent } from "../store/events.ts";
import type { Store } from "../store/store.ts";

const GAP_MS = 500; // between the first event that is noticed and the next look
const RETRY_MS = 5000; // until a look that failed is tried again
const ANEW_MS = 60_000; // between the end of a reading and the next one from the start
const ANEW_SHARE = 20; // or so many times as long as it took
const ARRIVALS = 20_000; // arrival numbers that a look goes through at once, most of them of events that training had
const EVENTS_BEFORE = 200; // of a user before an event that are looked at
const ROWS_PER_WRITE = 100; // rows written between two scans
const MOST_UNKNOWN = 1000; // ids of unknown items that are remembered

/** Evidence of events after training, by item. */
export class Evidence {
  readonly #model: Model;
  readonly #foldIn: FoldIn<string> | undefined;
  readonly #people = new Map<string, number>(); // P

  /** @param factorsOf the factors of a row of the model, as training left them */
  constructor(model: Model, factorsOf: (row: number) => Float32Array) {
    this.#model = model;
    const settings = model.parts.updates?.foldIn;
    if (settings) {
      this.#foldIn = new FoldIn(settings, {
        rowOf: (id) => model.items.ids.index(id as never),
        vectors: factorsOf,
      });
    }
  }

  /** A user has met an item, and had met these before it. Returns the items that this moves. */
  add(item: string, before: readonly string[]): string[] {
    this.#people.set(item, (this.#people.get(item) ?? 0) + 1);
    return this.#foldIn?.add(item, before) ?? [item];
  }

  /** Whether there is something to add to an item. */
  has(item: string): boolean {
    return this.#people.has(item) || this.#foldIn?.of(item) !== undefined;
  }

  /** Ids of all items that there is something to add to. */
  *items(): Generator<string> {
    yield* this.#people.keys();
    for (const item of this.#foldIn?.items() ?? []) if (!this.#people.has(item)) yield item;
  }

  /** Whether training knew nobody who met the item: then who met it since moves it far. */
  isNew(item: string): boolean {
    const row = this.#model.items.ids.index(item as never);
    return row === undefined || !this.#model.parts.updates?.foldIn?.evidence[row];
  }

  /** Adds the evidence of an item to its columns and marks, which are as without it. */
  addTo(item: string, { columns, masked }: { columns: Float32Array; masked: Uint8Array }): void {
    const found = this.#foldIn?.of(item);
    if (!this.#foldIn || !found) return;
    const { products, starts, sizes } = this.#model.rows.layout;
    const c = products.indexOf(true);
    const own = columns.subarray(starts[c], starts[c] + sizes[c]);
    own.set(this.#foldIn.factors(item, own));
    if (found.people > 0) masked[c] = 0;
  }

  /** log q′ */
  logPopularity(item: string, log: number): number {
    const people = this.#people.get(item);
    if (people === undefined) return log;
    const { perEvent = 1 } = this.#model.parts.updates ?? {};
    return portableLog(exp(log) + (exp(this.#model.coldLogPopularity) * people) / perEvent);
  }
}

export interface RowUpdatesOptions {
  store: Pick<Store, "events" | "activations">;
  models: Pick<ActiveModels, "current" | "with">;
  onError: (error: unknown) => void;
  /** Told how many events were added to the rows that answer. */
  onAdded: (events: number) => void;
  /** ms between the end of a reading and the next one from the start. @default 60000 */
  anewAfter?: number;
}

/** How far events were read for a model. */
interface Reading {
  readonly served: Served;
  readonly evidence: Evidence;
  /** Events later than this, in ms since 1970, were not in training. */
  readonly since: number;
  /** Arrival number of the last event that was looked at. */
  arrival: number;
  /** Items that were met, and that the catalogue did not have; null: too many to name. */
  unknown: Set<string> | null;
}

/** Brings the rows of the model that answers up to the store's events, in the background. */
export class RowUpdates implements AsyncDisposable {
  readonly #options: RowUpdatesOptions;
  #reading: Reading | undefined;
  #isStale = false;
  #nextAnew = 0; // performance.now() from when all may be read anew
  #timer: { handle: ReturnType<typeof setTimeout>; at: number } | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: RowUpdatesOptions) {
    this.#options = options;
  }

  /** There may be events that were not looked at, or another model. */
  notice(): void {
    this.#plan(GAP_MS);
  }

  /** Something is gone, as when a user was deleted: it is taken back, within a minute or so. Until then no further events are added. */
  readAnew(): void {
    this.#isStale = true;
    this.#plan(Math.max(GAP_MS, this.#nextAnew - performance.now()));
  }

  /** Somebody may have met items before they were put; what deleted ones said of others goes with them. */
  itemsChanged({ put, deleted }: { put: readonly string[]; deleted: readonly string[] }): void {
    if (!this.#reading) return;
    const { unknown, evidence } = this.#reading;
    const isMet = (id: string) => unknown === null || unknown.has(id);
    if (put.some(isMet) || deleted.some((id) => evidence.has(id))) this.readAnew();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer?.handle);
    await this.#running;
  }

  /** Looks in so many ms, or earlier if that is planned already. */
  #plan(wait: number): void {
    const at = performance.now() + wait;
    if (this.#closed || (this.#timer && this.#timer.at <= at)) return;
    clearTimeout(this.#timer?.handle);
    const handle = setTimeout(() => {
      this.#timer = undefined;
      this.#running = (this.#running ?? Promise.resolve())
        .then(() => this.#look())
        .catch((error) => {
          this.#options.onError(error);
          this.#plan(RETRY_MS);
        });
    }, wait);
    handle.unref();
    this.#timer = { handle, at };
  }

  async #look(): Promise<void> {
    const { models } = this.#options;
    const current = models.current;
    if (this.#reading && this.#reading.served !== current) this.#reading = undefined; // its model is closed
    if (this.#closed || !current?.model.parts.updates) return;
    if (this.#reading === undefined || this.#isStale) {
      // While something waits to be taken back nothing is added: who comes and is deleted again and again would leave a trace each time.
      const wait = this.#reading ? this.#nextAnew - performance.now() : 0;
      if (wait > 0) return this.#plan(wait);
      await this.#readAnew(current);
    }
    const reading = this.#reading as Reading | undefined;
    while (reading && !this.#isStale && !this.#closed && models.current === reading.served) {
      const more = await models.with(async () => {
        const found = await this.#readSome(reading);
        await this.#move(reading.served, found.moved);
        this.#options.onAdded(found.added);
        return found.more;
      });
      if (!more) return;
    }
  }

  /** Reads all events, then lets them move the rows in the place of those that were read before. */
  async #readAnew(served: Served): Promise<void> {
    const since = await this.#since(served.model);
    if (since === null) return;
    const started = performance.now();
    this.#isStale = false;
    const { catalogue, model } = served;
    const evidence = new Evidence(model, (row) => catalogue.factorsBefore(row));
    const reading: Reading = { served, evidence, since, arrival: 0, unknown: new Set() };
    const { models } = this.#options;
    let added = 0;
    for (let more = true; more; ) {
      if (this.#closed || models.current !== served) return;
      const found = await models.with(() => this.#readSome(reading));
      more = found.more;
      added += found.added;
    }
    if (models.current !== served) return;
    await models.with(() => {
      const items = new Set([...(catalogue.evidence?.items() ?? []), ...evidence.items()]);
      catalogue.evidence = evidence;
      this.#reading = reading;
      return this.#move(served, [...items]);
    });
    this.#options.onAdded(added);
    const now = performance.now();
    this.#nextAnew = now + Math.max(this.#options.anewAfter ?? ANEW_MS, ANEW_SHARE * (now - started));
    const isPut = (id: string) => catalogue.known(id) !== undefined; // while all was read
    if (this.#isStale || [...(reading.unknown ?? [])].some(isPut)) this.readAnew();
  }

  /** Reads some events: the items that they move, how many counted, and whether there may be more. */
  async #readSome(reading: Reading): Promise<{ moved: string[]; added: number; more: boolean }> {
    const { events: store } = this.#options.store;
    const { evidence, since } = reading;
    const { events, last, more } = await store.laterThan(since, { after: reading.arrival, look: ARRIVALS });
    const byUser = new Map<string, StoredEvent[]>();
    for (const event of events) {
      const own = byUser.get(event.user);
      if (own) own.push(event);
      else byUser.set(event.user, [event]);
    }
    const met = new Map<string, MetEvents>();
    for (const [user, own] of byUser) met.set(user, await store.metUpTo(user, own, { before: EVENTS_BEFORE }));
    const moved = new Set<string>();
    let added = 0;
    for (const { user, item, arrival } of events) {
      const { first, events: own } = met.get(user) as MetEvents;
      if (first.get(item) !== arrival) continue; // met before, or deleted meanwhile
      if (!isThere(item, reading)) continue;
      added++;
      const before = itemsBefore(own, arrival).filter((id) => isThere(id, reading));
      for (const id of evidence.add(item, before)) moved.add(id);
    }
    reading.arrival = last;
    return { moved: [...moved], added, more };
  }

  async #move(served: Served, ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += ROWS_PER_WRITE) {
      await served.queue.exclusively(() => served.move(ids.slice(from, from + ROWS_PER_WRITE)));
    }
  }

  /** null while the model was never active. */
  async #since({ id, parts: { updates } }: Model): Promise<number | null> {
    const first = await this.#options.store.activations.firstOf(id);
    if (first === null) return null;
    const end = updates?.time ?? null;
    return end === null ? first.time : Math.min(first.time, Math.round(end * 1000));
  }
}

/** Whether the catalogue has an item, or had it from the model. One that is not there is remembered. */
function isThere(item: string, reading: Reading): boolean {
  if (reading.served.catalogue.known(item) !== undefined) return true;
  reading.unknown?.add(item);
  if (reading.unknown && reading.unknown.size > MOST_UNKNOWN) reading.unknown = null;
  return false;
}

/** Distinct items of the last events of a user before an arrival, the last one last. */
function itemsBefore(events: MetEvents["events"], arrival: number): string[] {
  const end = events.findIndex((event) => event.arrival >= arrival);
  const last = events.slice(Math.max(0, end - EVENTS_BEFORE), end).map(({ item }) => item);
  return latestItems(last, { limit: EVENTS_BEFORE, query: [] });
}
