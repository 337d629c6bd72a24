// Items put and taken away while the server runs: stored first, then searchable, then answered. One change after the other, so that store and
// memory never differ in their order.
//
// A limit on new items holds when they are put. What the store has is taken over beyond that limit too, for as long as there are rows; an item that
// finds none is noted (`Served.withoutRoom`), and written as soon as another one makes room.
import { setTimeout as delay } from "node:timers/promises";
import type { MissingChannel } from "@nearkin/core";
import { FairQueue, type Turn } from "../fair-queue.ts";
import type { Served } from "../models/served.ts";
import { isAway, StoreError } from "../store/errors.ts";
import type { StoredItem } from "../store/items.ts";
import type { Store } from "../store/store.ts";
import type { TextVectors } from "../texts/vectors.ts";
import { type ItemContent, type PreparedItem, prepareItems } from "./prepare-items.ts";

const ROWS_PER_WRITE = 100; // rows written between two scans
const STORE_RETRY_MS = 1000; // ms until a store that was away is asked again

export interface PutAnswer {
  readonly id: string;
  readonly created: boolean;
  readonly missing: readonly MissingChannel[];
  readonly pending: readonly string[];
}

/** There is no room for so many more items. */
export class CatalogueFullError extends Error {}

export interface ItemWriterOptions {
  store: Store;
  vectors: TextVectors;
  /** Runs with the model that answers. Asked in a change's own turn: the model may have changed while it waited. */
  withServed: <T>(use: (served: Served) => Promise<T>) => Promise<T>;
  /** Called when the items of the store that the catalogue lacks have changed. */
  onLacking?: (served: Served) => void;
  /** Items read from the store at once. @default 1000 */
  page?: number;
  /** Changes that may wait for their turn. @default 1000 */
  queue?: number;
}

export class ItemWriter implements AsyncDisposable {
  readonly #store: Store;
  readonly #vectors: TextVectors;
  readonly #withServed: ItemWriterOptions["withServed"];
  readonly #onLacking: (served: Served) => void;
  readonly #page: number;
  readonly #closing = new AbortController();
  readonly #changes: FairQueue;

  constructor({ store, vectors, withServed, onLacking = () => {}, page = 1000, queue = 1000 }: ItemWriterOptions) {
    this.#store = store;
    this.#vectors = vectors;
    this.#withServed = withServed;
    this.#onLacking = onLacking;
    this.#page = page;
    this.#changes = new FairQueue({ limit: queue });
  }

  /** Runs while no item changes. Callers take turns; the server's own work has no caller, and is never refused. */
  exclusively<T>(run: () => Promise<T>, turn?: Turn): Promise<T> {
    return this.#changes.run(run, turn);
  }

  /** Puts all items or none, and returns what became of each, and in which model. Rejects with `BUSY` if too many changes wait. */
  put(items: readonly ItemContent[], turn?: Turn): Promise<{ items: PutAnswer[]; model: string }> {
    return this.#change(turn, async (served) => {
      const { catalogue } = served;
      const more = () => catalogue.rowsFor(items.map(({ id }) => id));
      if (more() > served.roomLeft) await this.replay(served); // another server may have deleted some just now
      if (more() > served.roomLeft) {
        throw new CatalogueFullError(
          `there is room for ${served.roomLeft} more items, these are ${more()}; delete some, raise spareItems, or train a model that has them`,
        );
      }
      const prepared = (await prepareItems(served.model, this.#vectors, items, {
        unknownChannels: "refuse",
      })) as PreparedItem[];
      const created = items.map(({ id }) => catalogue.find(id) === undefined);
      const { version } = await this.#stored(this.#store.items.put(items.map(asStored)));
      await this.#write(served, prepared);
      await this.#reach(served, version, items.length);
      const put = prepared.map(({ ready, missing }, i) => ({
        id: ready.id,
        created: created[i],
        missing,
        pending: ready.pending,
      }));
      return { items: put, model: served.model.id };
    });
  }

  /** Deletes items and returns how many there were. Rejects with `BUSY` if too many changes wait. */
  delete(ids: readonly string[], turn?: Turn): Promise<{ deleted: number; unknown: string[] }> {
    return this.#change(turn, async (served) => {
      const asked = [...new Set(ids)];
      const isKnown = (id: string) =>
        served.catalogue.find(id) !== undefined || served.withoutRoom.has(id) || served.unreadable.has(id);
      if (!asked.every(isKnown)) await this.replay(served); // another server may have put it just now
      const known = asked.filter(isKnown);
      const unknown = asked.filter((id) => !isKnown(id));
      if (known.length > 0) {
        const { version } = await this.#stored(this.#store.items.remove(known));
        await this.#delete(served, known);
        await this.#reach(served, version, known.length);
      }
      return { deleted: known.length, unknown };
    });
  }

  /** Brings a catalogue to what the store has: all of it after a start, and what other servers have put. */
  async replay(served: Served): Promise<number> {
    let count = 0;
    const { withoutRoom, unreadable } = served;
    const before = [withoutRoom.size, unreadable.size];
    for (;;) {
      const page = await this.#store.items.changedSince(served.version, { limit: this.#page });
      if (page.length === 0) break;
      await this.#apply(served, page);
      served.version = page[page.length - 1].version;
      count += page.length;
    }
    await this.#fill(served);
    if (withoutRoom.size !== before[0] || unreadable.size !== before[1]) this.#onLacking(served);
    return count;
  }

  /** Brings the catalogue that answers to what other servers have put. */
  catchUp(): Promise<number> {
    return this.#change(undefined, (served) => this.replay(served));
  }

  /** Vectors of texts have come: items that waited for them get their rows anew. */
  encoded(encoder: string, texts: readonly string[]): Promise<void> {
    return this.#untilBack(async (served) => {
      const ids = served.waiting.waitingFor(encoder, texts);
      const found = await Promise.all(ids.map((id) => this.#store.items.get(id)));
      const items = found.filter((item) => item !== null && !item.deleted) as ItemContent[];
      const prepared = await prepareItems(served.model, this.#vectors, items, { unknownChannels: "pass over" });
      served.waiting.drop(encoder, texts);
      await this.#write(
        served,
        prepared.filter((item) => item !== undefined),
      );
    });
  }

  /** Asks anew for texts that a model which answers now still waits for: their vectors may have come before it did. */
  resume({ waiting }: Served): void {
    for (const [encoder, texts] of waiting.texts()) this.#vectors.later(encoder, texts);
  }

  /** What waits for the store to come back waits no longer. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
  }

  /** A change whose answer was lost may have been stored: what became of it is looked up when the store is back. */
  async #stored<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      if (error instanceof StoreError && error.uncertain) {
        this.#pause()
          .then(() => this.#untilBack((served) => this.replay(served)))
          .catch(() => {}); // the next change finds it out too
      }
      throw error;
    }
  }

  /**
   * The catalogue has a change of ours, the last `count` of the store's up to `version`. The store numbers them without gaps: where one is
   * missing here, somebody else has changed items, or we have and were not told.
   */
  async #reach(served: Served, version: number, count: number): Promise<void> {
    if (served.version + count === version) {
      served.version = version;
      await this.#fill(served);
    } else await this.replay(served);
  }

  /** Brings changes of the store to the catalogue. Each id stands once, so deletions may come first: they make room. */
  async #apply(served: Served, changes: readonly StoredItem[]): Promise<void> {
    const items = changes.filter(({ deleted }) => !deleted);
    const prepared = await prepareItems(served.model, this.#vectors, items, { unknownChannels: "pass over" });
    await this.#delete(
      served,
      changes.filter(({ deleted }) => deleted).map(({ id }) => id),
    );
    await this.#write(
      served,
      prepared.filter((item) => item !== undefined),
    );
    items.forEach(({ id }, i) => {
      if (prepared[i]) return;
      served.withoutRoom.delete(id);
      served.unreadable.add(id);
    });
  }

  /** Writes items that found no row before, as far as there are rows now. */
  async #fill(served: Served): Promise<void> {
    const { withoutRoom, catalogue } = served;
    while (withoutRoom.size > 0) {
      const ids = [...withoutRoom].slice(0, Math.min(this.#page, catalogue.rowsLeft + catalogue.freed.resting));
      if (ids.length === 0) return;
      const found = await Promise.all(ids.map((id) => this.#store.items.get(id)));
      await this.#apply(served, found as StoredItem[]); // the store forgets no id
    }
  }

  async #delete(served: Served, ids: readonly string[]): Promise<void> {
    await served.queue.exclusively(() => served.delete(ids));
    for (const id of ids) {
      served.withoutRoom.delete(id);
      served.unreadable.delete(id);
    }
  }

  /** A change that nobody would ask for again: tried until the store can be used. */
  async #untilBack<T>(run: (served: Served) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#change(undefined, run);
      } catch (error) {
        if (!isAway(error)) throw error;
        await this.#pause();
      }
    }
  }

  #pause(): Promise<void> {
    return delay(STORE_RETRY_MS, undefined, { ref: false, signal: this.#closing.signal });
  }

  #change<T>(turn: Turn | undefined, run: (served: Served) => Promise<T>): Promise<T> {
    return this.exclusively(() => this.#withServed(run), turn);
  }

  async #write(served: Served, prepared: readonly PreparedItem[]): Promise<void> {
    const fitting = await this.#fitting(served, prepared);
    for (let from = 0; from < fitting.length; from += ROWS_PER_WRITE) {
      const some = fitting.slice(from, from + ROWS_PER_WRITE).map(({ ready }) => ready);
      await served.queue.exclusively(() => served.write(some));
    }
    const texts = new Map<string, string[]>();
    for (const { ready, texts: own } of fitting) {
      for (const { encoder, text } of own) {
        served.waiting.add(encoder, text, ready.id);
        const list = texts.get(encoder);
        if (list) list.push(text);
        else texts.set(encoder, [text]);
      }
    }
    for (const [encoder, list] of texts) this.#vectors.later(encoder, list);
  }

  /** The items that have a row, or get one. Waits for rows that requests under way still know; notes those that get none. */
  async #fitting(served: Served, prepared: readonly PreparedItem[]): Promise<PreparedItem[]> {
    const { catalogue, withoutRoom, unreadable } = served;
    const more = catalogue.rowsFor(prepared.map(({ ready }) => ready.id));
    while (more > catalogue.rowsLeft && catalogue.freed.resting > 0) await catalogue.freed.released();
    let rows = catalogue.rowsLeft;
    return prepared.filter(({ ready: { id } }) => {
      unreadable.delete(id);
      const fits = catalogue.known(id) !== undefined || rows-- > 0;
      if (fits) withoutRoom.delete(id);
      else withoutRoom.add(id);
      return fits;
    });
  }
}

const asStored = ({ id, title, channels, fields }: ItemContent) => ({ id, title, channels, fields }) as never;
