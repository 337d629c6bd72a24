// Texts as vectors, each encoded once. Encoders run in threads of their own, started when the first text comes; what they made is kept in the
// store, so that a restart or another model does not encode it again. Requests and the background take turns, a batch of texts at a time. Servers that
// share a store all wait for the same texts: each begins elsewhere, and asks what others have made meanwhile.
import { setTimeout as delay } from "node:timers/promises";
import { NearkinError } from "@nearkin/core";
import type { Encoder } from "@nearkin/data/encoders";
import { FairQueue, type Turn } from "../fair-queue.ts";
import { Recent } from "../recent.ts";
import { isAway } from "../store/errors.ts";

const BATCH = 8; // texts encoded in one turn
const STORE_RETRY_MS = 1000; // ms until a store that was away is asked again
const REMEMBERED = 512; // vectors of texts asked about lately

/** What the store keeps of texts. */
export interface VectorStore {
  get(encoder: string, texts: readonly string[]): Promise<(Float32Array | null)[]>;
  put(encoder: string, texts: readonly string[], vectors: readonly Float32Array[]): Promise<void>;
}

export interface TextVectorsOptions {
  store: VectorStore;
  /** Opens an encoder by its name. */
  open: (name: string) => Promise<Encoder>;
  /** Whether other servers on the store may be at the same texts. @default false */
  shared?: boolean;
  /** Vectors of background texts have come. */
  onEncoded: (encoder: string, texts: readonly string[]) => void;
  /** An encoder cannot be had, or failed on some texts: these stay as they are until somebody asks again. */
  onFailure: (encoder: string, error: Error) => void;
  /** Told after each batch. */
  onBatch?: (texts: number, seconds: number) => void;
  /** Told when an encoder has made its first vectors: by how many bytes the process has grown since before it was opened. */
  onStarted?: (bytes: number) => void;
}

/** A text as encoders see it: white space is one blank. Texts that are equal then are one text here. */
const normalText = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export class TextVectors implements AsyncDisposable {
  readonly #options: TextVectorsOptions;
  readonly #encoders = new Map<string, Promise<Encoder>>();
  readonly #waiting = new Map<string, Set<string>>(); // by encoder
  readonly #recent = new Recent<string, Float32Array>(REMEMBERED);
  readonly #queue = new FairQueue();
  #work: Promise<void> | undefined;
  #closed = false;
  readonly #closing = new AbortController();

  constructor(options: TextVectorsOptions) {
    this.#options = options;
  }

  /** Texts that wait in the background. */
  get waiting(): number {
    let sum = 0;
    for (const texts of this.#waiting.values()) sum += texts.size;
    return sum;
  }

  /** What is known already; undefined for the others. */
  async known(encoder: string, texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    if (texts.length === 0) return [];
    const found = await this.#options.store.get(encoder, texts.map(normalText));
    return found.map((vector) => vector ?? undefined);
  }

  /** Vectors for a request, a batch in each of its caller's turns. `BUSY` if too many requests wait; stops if the caller is gone. */
  async encode(texts: readonly string[], encoder: string, turn: Turn = {}): Promise<Float32Array[]> {
    const wanted = texts.map(normalText);
    const found = new Map<string, Float32Array>();
    for (const text of wanted) {
      const recent = this.#recent.get(`${encoder} ${text}`);
      if (recent) found.set(text, recent);
    }
    const unknown = [...new Set(wanted)].filter((text) => !found.has(text));
    if (unknown.length > 0) {
      const stored = await this.known(encoder, unknown).catch(() => []); // a store that is away is no reason not to answer
      for (const [i, text] of unknown.entries()) if (stored[i]) found.set(text, stored[i]);
      const open = unknown.filter((text) => !found.has(text));
      for (let from = 0; from < open.length; from += BATCH) {
        const batch = open.slice(from, from + BATCH);
        const made = await this.#queue.run(() => this.#run(encoder, batch), { ...turn, goesOn: from > 0 });
        for (const [i, text] of batch.entries()) found.set(text, made[i]);
      }
      for (const text of unknown) this.#recent.set(`${encoder} ${text}`, found.get(text) as Float32Array);
    }
    return wanted.map((text) => found.get(text) as Float32Array);
  }

  /** Texts to encode when there is time. */
  later(encoder: string, texts: readonly string[]): void {
    const waiting = this.#waiting.get(encoder) ?? new Set<string>();
    for (const text of this.#options.shared ? shuffled(texts) : texts) waiting.add(normalText(text));
    this.#waiting.set(encoder, waiting);
    this.#start();
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (this.#work) await this.#work;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    this.#waiting.clear();
    this.#queue.close();
    for (const opening of this.#encoders.values()) await opening.then((encoder) => encoder.close()).catch(() => {});
    await this.#work;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(): void {
    if (this.#work || this.#closed || this.waiting === 0) return;
    this.#work = this.#background().finally(() => {
      this.#work = undefined;
      this.#start(); // for what came between the last look and now
    });
  }

  async #background(): Promise<void> {
    for (const [encoder, waiting] of this.#waiting) {
      let failed = 0; // texts, one after the other
      while (waiting.size > 0 && !this.#closed) {
        const batch: string[] = [];
        for (const text of waiting) {
          if (batch.length === BATCH) break;
          batch.push(text);
          waiting.delete(text);
        }
        try {
          // Another server may have made them; or we, and who waited for them then was not there yet.
          const made = await this.known(encoder, batch).catch(() => []);
          const open = batch.filter((_, i) => !made[i]);
          const { vectors, error } = await this.#queue.run(() => this.#runApart(encoder, open));
          const done = open.filter((_, i) => vectors[i]);
          if (error) this.#options.onFailure(encoder, error);
          failed = done.length > 0 ? 0 : failed + open.length;
          if (failed >= BATCH) waiting.clear(); // the encoder is to blame, and not a text
          await this.#keep(
            encoder,
            done,
            vectors.filter((vector) => vector !== undefined),
          );
          this.#options.onEncoded(
            encoder,
            batch.filter((text, i) => made[i] || done.includes(text)),
          );
        } catch (error) {
          waiting.clear();
          if (!this.#closed) this.#options.onFailure(encoder, error as Error);
        }
      }
      this.#waiting.delete(encoder);
    }
  }

  /** A batch, or its texts one by one if it fails: undefined for a text that fails alone. */
  async #runApart(
    encoder: string,
    texts: readonly string[],
  ): Promise<{ vectors: (Float32Array | undefined)[]; error?: Error }> {
    let error: Error;
    try {
      return { vectors: await this.#run(encoder, texts) };
    } catch (thrown) {
      if (this.#closed || (thrown as NearkinError).code === "ENCODER_UNAVAILABLE") throw thrown;
      error = thrown as Error;
    }
    const vectors: (Float32Array | undefined)[] = [];
    for (const text of texts.length > 1 ? texts : []) {
      await this.#run(encoder, [text]).then(
        ([vector]) => vectors.push(vector),
        (thrown: Error) => {
          vectors.push(undefined);
          error = thrown;
        },
      );
    }
    return { vectors, error };
  }

  /** A store that is away is waited for: nobody would ask for these texts again. */
  async #keep(encoder: string, texts: readonly string[], vectors: readonly Float32Array[]): Promise<void> {
    for (;;) {
      try {
        return await this.#options.store.put(encoder, texts, vectors);
      } catch (error) {
        if (!isAway(error)) throw error;
        await delay(STORE_RETRY_MS, undefined, { ref: false, signal: this.#closing.signal });
      }
    }
  }

  /** Vectors of texts that are normal already. */
  async #run(name: string, texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const before = this.#encoders.has(name) ? undefined : process.memoryUsage.rss();
    const encoder = await this.#open(name);
    const started = performance.now();
    const d = encoder.dimensions;
    const flat = await encoder.encode(texts).catch((error: unknown) => {
      this.#encoders.delete(name); // a thread that was lost does not come back
      throw error;
    });
    this.#options.onBatch?.(texts.length, (performance.now() - started) / 1000);
    if (before !== undefined) this.#options.onStarted?.(Math.max(0, process.memoryUsage.rss() - before));
    return texts.map((_, i) => flat.slice(i * d, (i + 1) * d));
  }

  #open(name: string): Promise<Encoder> {
    if (this.#closed) return Promise.reject(new NearkinError("ENGINE_CLOSED", "the server is closing"));
    let opening = this.#encoders.get(name);
    if (!opening) {
      opening = this.#options.open(name);
      this.#encoders.set(name, opening);
      opening.catch(() => this.#encoders.delete(name)); // it may be installed meanwhile
    }
    return opening;
  }
}

/** In an order of this server's own: it only changes who encodes what. */
function shuffled<T>(list: readonly T[]): T[] {
  const keys = new Map(list.map((one) => [one, Math.random()]));
  return [...keys].sort(([, a], [, b]) => a - b).map(([one]) => one);
}
