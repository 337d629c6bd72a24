// Items put and taken away while the server runs: stored first, then searchable, then answered. One change after the other, so that store and
// memory never differ in their order.
import { setTimeout as delay } from "node:timers/promises";
import type { MissingChannel } from "@nearkin/core";
import type { Served } from "../models/served.ts";
import { isAway, StoreError } from "../store/errors.ts";
import type { Store } from "../store/store.ts";
import type { TextVectors } from "../texts/vectors.ts";
import { type ItemContent, type PreparedItem, prepareItems } from "./prepare-items.ts";

const WRITTEN = 100; // rows written between two scans
const PAGE = 1000; // items read from the store at once
const RETRY = 1000; // ms until a store that was away is asked again

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
}

export class ItemWriter implements AsyncDisposable {
  readonly #store: Store;
  readonly #vectors: TextVectors;
  readonly #withServed: ItemWriterOptions["withServed"];
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor({ store, vectors, withServed }: ItemWriterOptions) {
    this.#store = store;
    this.#vectors = vectors;
    this.#withServed = withServed;
  }

  /** Runs alone: no item changes meanwhile. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#last.then(run);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Puts all or none. What became of each, and in which model. */
  put(items: readonly ItemContent[]): Promise<{ items: PutAnswer[]; model: string }> {
    return this.#change(async (served) => {
      const { catalogue } = served;
      const more = catalogue.rowsFor(items.map(({ id }) => id));
      if (more > catalogue.roomLeft) {
        throw new CatalogueFullError(
          `there is room for ${catalogue.roomLeft} more items, these are ${more}; delete some, raise spareItems, or train a model that has them`,
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

  /** How many there were. */
  delete(ids: readonly string[]): Promise<{ deleted: number; unknown: string[] }> {
    return this.#change(async (served) => {
      const asked = [...new Set(ids)];
      const isKnown = (id: string) => served.catalogue.find(id) !== undefined;
      if (!asked.every(isKnown)) await this.replay(served); // another server may have put it just now
      const known = asked.filter(isKnown);
      const unknown = asked.filter((id) => !isKnown(id));
      if (known.length > 0) {
        const { version } = await this.#stored(this.#store.items.remove(known));
        await served.queue.exclusively(() => served.delete(known));
        await this.#reach(served, version, known.length);
      }
      return { deleted: known.length, unknown };
    });
  }

  /** Brings a catalogue to what the store has: all of it after a start, and what other servers have put. */
  async replay(served: Served): Promise<number> {
    let count = 0;
    for (;;) {
      const page = await this.#store.items.changedSince(served.version, { limit: PAGE });
      if (page.length === 0) return count;
      const gone = page.filter(({ deleted }) => deleted).map(({ id }) => id);
      const items = page.filter(({ deleted }) => !deleted);
      const prepared = await prepareItems(served.model, this.#vectors, items, { unknownChannels: "pass over" });
      const usable = prepared.filter((item) => item !== undefined);
      const { roomLeft } = served.catalogue;
      const fitting =
        served.catalogue.rowsFor(usable.map(({ ready }) => ready.id)) <= roomLeft ? usable : usable.slice(0, roomLeft);
      served.leftOut += items.length - fitting.length;
      await this.#write(served, fitting);
      await served.queue.exclusively(() => served.delete(gone));
      served.version = page[page.length - 1].version;
      count += page.length;
    }
  }

  /** Brings the catalogue that answers to what other servers have put. */
  catchUp(): Promise<number> {
    return this.#change((served) => this.replay(served));
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
    if (served.version + count === version) served.version = version;
    else await this.replay(served);
  }

  /** A change that nobody would ask for again: tried until the store can be used. */
  async #untilBack<T>(run: (served: Served) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#change(run);
      } catch (error) {
        if (!isAway(error)) throw error;
        await this.#pause();
      }
    }
  }

  #pause(): Promise<void> {
    return delay(RETRY, undefined, { ref: false, signal: this.#closing.signal });
  }

  #change<T>(run: (served: Served) => Promise<T>): Promise<T> {
    return this.alone(() => this.#withServed(run));
  }

  async #write(served: Served, prepared: readonly PreparedItem[]): Promise<void> {
    for (let from = 0; from < prepared.length; from += WRITTEN) {
      const some = prepared.slice(from, from + WRITTEN).map(({ ready }) => ready);
      await served.queue.exclusively(() => served.write(some));
    }
    const texts = new Map<string, string[]>();
    for (const { ready, texts: own } of prepared) {
      for (const { encoder, text } of own) {
        served.waiting.add(encoder, text, ready.id);
        const list = texts.get(encoder);
        if (list) list.push(text);
        else texts.set(encoder, [text]);
      }
    }
    for (const [encoder, list] of texts) this.#vectors.later(encoder, list);
  }
}

const asStored = ({ id, title, channels, fields }: ItemContent) => ({ id, title, channels, fields }) as never;
