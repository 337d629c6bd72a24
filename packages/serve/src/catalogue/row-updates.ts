// What events after training change in the rows of a catalogue: who met an item (core/src/behavior/fold-in.ts), and its popularity,
//
//   log q′ = log(q + w̄_q·Δ/w̄)      Δ = Σ 2^((time − end)/half-life) over users who met it later, w̄_q what an item met once has, w̄ what an event has
//
// Each user counts once for an item. All of it follows from the model and the store's events in the order of their arrival: servers that read the same
// events have the same rows. Nothing is stored; a model that is opened reads anew what is later than its training, and finds nothing of deleted users.
import { exp, FoldIn, type Model, portableLog } from "@nearkin/core";
import type { ActiveModels } from "../models/active.ts";
import type { Served } from "../models/served.ts";
import type { StoredEvent } from "../store/events.ts";
import type { Store } from "../store/store.ts";

const GAP_MS = 500; // between the first event that is noticed and the next look
const ARRIVALS = 20_000; // arrival numbers that a look goes through at once, most of them of events that training had
const USER_EVENTS = 300; // of a user that are looked at
const ROWS_PER_WRITE = 100; // rows written between two scans
const DAY = 86_400_000; // ms

/** What is known from events after training. */
export class Evidence {
  readonly #model: Model;
  readonly #foldIn: FoldIn<string> | undefined;
  readonly #people = new Map<string, number>(); // Δ

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

  /** A user has met an item, and had met these before it; `time` in ms since 1970. Returns the items that this moves. */
  add(item: string, before: readonly string[], time: number): string[] {
    const { time: end, halfLife } = this.#model.parts.updates ?? {};
    const age = end !== null && end !== undefined && halfLife ? (time - end * 1000) / (halfLife * DAY) : 0;
    this.#people.set(item, (this.#people.get(item) ?? 0) + exp(age * portableLog(2)));
    return this.#foldIn?.add(item, before) ?? [item];
  }

  /** Whether there is something to add to an item. */
  has(item: string): boolean {
    return this.#people.has(item) || this.#foldIn?.of(item) !== undefined;
  }

  /** Whether training knew nobody who met the item: then who met it since moves it far. */
  isNew(item: string): boolean {
    const row = this.#model.items.ids.index(item as never);
    return row === undefined || !this.#model.parts.updates?.foldIn?.evidence[row];
  }

  /** Adds it to columns and marks, as they are without it. */
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
  /** Told how many events were added. */
  onAdded: (events: number) => void;
  /** ms between an event that is noticed and when it is looked for. @default 500 */
  gap?: number;
}

/** Brings the rows of the model that answers up to the store's events, in the background. */
export class RowUpdates implements AsyncDisposable {
  readonly #options: RowUpdatesOptions;
  #served: Served | undefined;
  #arrival = 0; // of the last event that was looked at
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: RowUpdatesOptions) {
    this.#options = options;
  }

  /** There may be events that were not looked at, or another model. */
  notice(): void {
    if (this.#running) this.#again = true;
    else this.#plan();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  #plan(): void {
    if (this.#closed || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#again = false;
      this.#running = this.#readAll()
        .catch(this.#options.onError) // what was not read is read at the next notice
        .finally(() => {
          this.#running = undefined;
          if (this.#again) this.#plan();
        });
    }, this.#options.gap ?? GAP_MS);
    this.#timer.unref();
  }

  async #readAll(): Promise<void> {
    const { models } = this.#options;
    while (!this.#closed && models.current?.model.parts.updates && (await models.with((served) => this.#read(served))));
  }

  /** Reads some events; whether there may be more. */
  async #read(served: Served): Promise<boolean> {
    const { store, onAdded } = this.#options;
    const { catalogue, model } = served;
    if (this.#served !== served) {
      this.#served = served;
      this.#arrival = 0;
      catalogue.evidence = new Evidence(model, (row) => catalogue.factorsBefore(row));
    }
    const evidence = catalogue.evidence as Evidence;
    const since = await this.#since(model);
    if (since === null) return false;
    const { events, last, more } = await store.events.laterThan(since, { after: this.#arrival, look: ARRIVALS });
    const byUser = new Map<string, StoredEvent[]>();
    for (const user of new Set(events.map((event) => event.user))) {
      const latest = await store.events.ofUser(user, { last: USER_EVENTS });
      byUser.set(
        user,
        latest.sort((a, b) => a.arrival - b.arrival),
      );
    }
    const moved = new Set<string>();
    const now = Date.now();
    let added = 0;
    for (const { user, item, arrival, time } of events) {
      const before = metBefore(byUser.get(user) as StoredEvent[], arrival);
      if (before.includes(item)) continue;
      added++;
      // a client may say any time; one to come would count for more than any that was
      for (const id of evidence.add(item, before, Math.min(time, now))) moved.add(id);
    }
    this.#arrival = last;
    const ids = [...moved];
    for (let from = 0; from < ids.length; from += ROWS_PER_WRITE) {
      await served.queue.exclusively(() => served.move(ids.slice(from, from + ROWS_PER_WRITE)));
    }
    onAdded(added);
    return more;
  }

  /** Events later than this, in ms since 1970, were not in training; null while that is not known. */
  async #since({ id, parts: { updates } }: Model): Promise<number | null> {
    const first = await this.#options.store.activations.firstOf(id);
    if (first === null) return null;
    const end = updates?.time ?? null;
    return end === null ? first.time : Math.min(first.time, Math.round(end * 1000));
  }
}

/** Items that a user had met before an arrival, each once, the last one last. Events are in the order of arrival. */
function metBefore(events: readonly StoredEvent[], arrival: number): string[] {
  const items = new Set<string>();
  for (const event of events) {
    if (event.arrival >= arrival) break;
    items.delete(event.item); // to the end
    items.add(event.item);
  }
  return [...items];
}
