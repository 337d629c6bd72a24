// Keys as requests meet them: a small cache before the store.
//
// A key revoked here stops working with the answer to `revoke`; one revoked by another process, within `freshMs`, or as soon as we are told. Ids that the store does
// not have are not cached, and cannot push good keys out: whoever sends many of them is made to wait, and all who wait are looked up together.
import { setTimeout as delay } from "node:timers/promises";
import { together } from "../store/together.ts";
import { type KeyRecord, type KeyStore, newKey, type ParsedKey, secretMatches, standing } from "./keys.ts";
import type { Scope } from "./scopes.ts";

export interface KeyRingOptions {
  /** How long a record is believed before the store is asked again, in ms. @default 2000 */
  freshMs?: number;
  /** If the store cannot be reached, a key is accepted for this many ms beyond `freshMs`. 0: not at all. @default 10000 */
  graceMs?: number;
  /** Keys remembered; those unused for longest go first. @default 10000 */
  most?: number;
  /** `lastUsed` of a key is written at most this often, in ms. @default 60000 */
  touchMs?: number;
  /** Told when `lastUsed` cannot be written, or the store did not answer and the grace was used. */
  onError?: (error: unknown) => void;
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
}

export type KeyVerdict =
  | { readonly record: KeyRecord }
  | { readonly failure: "unknown" | "wrong secret" | "revoked" | "expired" };

interface Entry {
  readonly record: KeyRecord;
  /** When the store said so. */
  readonly at: number;
  /** When `lastUsed` was last written from here. */
  touched: number;
  /** Some key was revoked since, maybe this one. */
  stale?: boolean;
}

/** ms between two reads for those who wait. */
const BATCH_INTERVAL_MS = 100;
/** SQLite takes 32,766 values in a statement. */
const MAX_KEYS_IN_BATCH = 30_000;

/** A read under way; requests that want the same key share it. */
interface Load {
  record: Promise<KeyRecord | null>;
}

export class KeyRing {
  readonly #store: KeyStore;
  readonly #options: Required<KeyRingOptions>;
  readonly #entries = new Map<string, Entry>(); // least recently used first
  readonly #loading = new Map<string, Load>();
  readonly #writing = new Set<Promise<void>>();
  readonly #getInBatch: (id: string) => Promise<KeyRecord | null>;
  #nextBatch = Number.NEGATIVE_INFINITY;

  constructor(
    store: KeyStore,
    {
      freshMs = 2000,
      graceMs = 10_000,
      most = 10_000,
      touchMs = 60_000,
      onError = () => {},
      now = Date.now,
    }: KeyRingOptions = {},
  ) {
    this.#store = store;
    this.#options = { freshMs, graceMs, most, touchMs, onError, now };
    this.#getInBatch = together((ids) => this.#getAll(ids), { sizeOf: () => 1, most: MAX_KEYS_IN_BATCH });
  }

  /**
   * Tells if this key may be used now, and if not, why. Rejects if the store fails and nothing recent is known. `inBatch` waits to be looked up
   * with others.
   */
  async verify({ id, secret }: ParsedKey, { inBatch = false } = {}): Promise<KeyVerdict> {
    const record = await this.find(id, { inBatch });
    const matches = secretMatches(secret, record);
    if (record === null) return { failure: "unknown" };
    if (!matches) return { failure: "wrong secret" };
    return this.#used(record);
  }

  /** The same for a key that is only named, as a token names the one that signed it. */
  async verifyNamed(id: string): Promise<KeyVerdict> {
    const record = await this.find(id);
    return record === null ? { failure: "unknown" } : this.#used(record);
  }

  /** Whether the id has been seen here, however long ago: asking the store about it again is then no stranger's doing. */
  knows(id: string): boolean {
    return this.#entries.has(id);
  }

  /** The record with that id, at most `freshMs` old. */
  async find(id: string, { inBatch = false } = {}): Promise<KeyRecord | null> {
    const entry = this.#entries.get(id);
    if (entry !== undefined && !entry.stale && this.#ageOf(entry) < this.#options.freshMs) {
      this.#entries.delete(id); // and in again, as the most recently used
      this.#entries.set(id, entry);
      return entry.record;
    }
    const underWay = this.#loading.get(id);
    if (underWay !== undefined) return underWay.record;
    const load: Load = { record: Promise.resolve(null) };
    this.#loading.set(id, load);
    load.record = this.#load(id, entry, load, inBatch);
    return load.record;
  }

  /** A new key, kept. The text is not kept anywhere: show it now or never. */
  async create(options: {
    name: string;
    scopes: readonly Scope[];
    expires?: number | null;
  }): Promise<{ readonly key: string; readonly record: KeyRecord }> {
    const { key, kept } = newKey({ ...options, now: this.#options.now() });
    return { key, record: await this.#store.create(kept) };
  }

  list(): Promise<readonly KeyRecord[]> {
    return this.#store.list();
  }

  /** Revokes a key, and with it every token it signed. False where there is no such key. */
  async revoke(id: string): Promise<boolean> {
    const known = await this.#store.revoke(id);
    // what was read before the revocation must neither stay nor come back from a read still under way
    this.#entries.delete(id);
    this.#loading.delete(id);
    return known;
  }

  /** Another process has revoked a key: each is read again before it is believed. */
  doubt(): void {
    for (const entry of this.#entries.values()) entry.stale = true;
    this.#loading.clear();
  }

  /** Resolves when what was being written to the store has been. Call before closing the store. */
  async settle(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** ms since the store said so. A clock that was put back cannot tell: a revoked key would be believed until it is where it was. */
  #ageOf({ at }: Entry): number {
    const age = this.#options.now() - at;
    return age < 0 ? Number.POSITIVE_INFINITY : age;
  }

  async #getAll(ids: readonly string[]): Promise<readonly (KeyRecord | null)[]> {
    await delay(Math.max(0, this.#nextBatch - performance.now()));
    this.#nextBatch = performance.now() + BATCH_INTERVAL_MS;
    const found = new Map((await this.#store.getAll(ids)).map((record) => [record.id, record]));
    return ids.map((id) => found.get(id) ?? null);
  }

  async #load(id: string, before: Entry | undefined, load: Load, inBatch: boolean): Promise<KeyRecord | null> {
    const { now, freshMs, graceMs, onError } = this.#options;
    let record: KeyRecord | null;
    try {
      record = await (inBatch ? this.#getInBatch(id) : this.#store.get(id));
    } catch (error) {
      if (this.#loading.get(id) === load) this.#loading.delete(id);
      if (before === undefined || this.#ageOf(before) >= freshMs + graceMs) throw error;
      onError(error);
      return before.record;
    }
    if (this.#loading.get(id) !== load) return record; // revoked meanwhile: what was read is not to be remembered
    this.#loading.delete(id);
    this.#entries.delete(id);
    if (record !== null) {
      this.#entries.set(id, { record, at: now(), touched: before?.touched ?? record.lastUsed ?? 0 });
      if (this.#entries.size > this.#options.most) {
        const [oldest] = this.#entries.keys();
        this.#entries.delete(oldest);
      }
    }
    return record;
  }

  #used(record: KeyRecord): KeyVerdict {
    const time = this.#options.now();
    const state = standing(record, time);
    if (state !== "live") return { failure: state };
    const entry = this.#entries.get(record.id);
    if (entry !== undefined && time - entry.touched >= this.#options.touchMs) {
      entry.touched = time;
      const writing: Promise<void> = this.#store
        .touch(new Map([[record.id, time]]))
        .catch(this.#options.onError)
        .finally(() => this.#writing.delete(writing));
      this.#writing.add(writing);
    }
    return { record };
  }
}
