// Scan threads on an engine's shared memory. The host writes a batch, hands out chunks of rows, and goes on with other things until a
// thread says that all are done; it never waits, and the threads do not spin. A second batch may lie ready beside the one under way, in
// memory of its own: threads go on to it by themselves, while the host is still busy with what came before.
import { NearkinError } from "../../errors.ts";
import type { Scope } from "../arena.ts";
import { scansClosed } from "../host-scans.ts";
import type { Matrix } from "../matrix.ts";
import { checkScanBatch, type ScanQuery, type ScanThreads } from "../scan-query.ts";
import { TopK } from "../top-k.ts";
import { moduleBytes, type Simd } from "./modules.ts";
import type { Pool } from "./pool.ts";
import { chunkRows, ScanBatch } from "./scan-batch.ts";
import * as layout from "./scan-layout.ts";
import { scanSource } from "./scan-source.ts";
import { startThread, type Thread } from "./thread.ts";

const MOST_RESTARTS = 3; // without an answer in between
const SLOTS = 2; // batches handed out at the same time; a power of two, for their number overflows in 32 bits

export interface SharedScansOptions {
  threads: number;
  simd: Simd;
  bytes: number;
}

interface Asked {
  rows: Matrix;
  count: number;
  queries: readonly ScanQuery[];
  found: TopK[];
  resolve(found: TopK[]): void;
  reject(error: Error): void;
}

/** Room for one batch, and whose queries are in it. */
interface Slot {
  batch: ScanBatch;
  words: Int32Array;
  asked: Asked | undefined;
  /** Queries of the batch. */
  taken: number;
  isDone: boolean;
}

export class SharedScans implements ScanThreads {
  readonly threads: number;
  readonly #module: WebAssembly.Module;
  readonly #pool: Pool;
  readonly #scope: Scope;
  /** Batch n lies in slot n mod SLOTS. */
  readonly #slots: readonly Slot[];
  /** Batches handed out, and those of them that were collected. */
  #handedOut = 0;
  #collected = 0;
  /** All of them; none while they start. */
  #crew: readonly Thread[] = [];
  /** Counts the crews: what an earlier one still has to say is of no interest. */
  #generation = 0;
  #starting: Promise<void> = Promise.resolve();
  #restarts = 0;
  /** In the order of asking; those that are in slots come first. */
  readonly #asked: Asked[] = [];
  #failure: NearkinError | undefined;
  #givenBack = false;

  /** Throws WORKER_FAILED where threads cannot start. */
  static async open(pool: Pool, options: SharedScansOptions): Promise<SharedScans> {
    const module = await WebAssembly.compile(moduleBytes(options.simd, true));
    const scans = new SharedScans(pool, module, options);
    try {
      await scans.#start();
    } catch (error) {
      await scans.close();
      throw error;
    }
    return scans;
  }

  private constructor(pool: Pool, module: WebAssembly.Module, { threads, bytes }: SharedScansOptions) {
    this.threads = threads;
    this.#pool = pool;
    this.#module = module;
    this.#scope = pool.arena.open();
    try {
      this.#slots = Array.from({ length: SLOTS }, () => {
        const batch = new ScanBatch(pool, this.#scope, { threads, bytes });
        const words = new Int32Array(pool.arena.memory.buffer, batch.control, layout.CONTROL_BYTES / 4).fill(0);
        return { batch, words, asked: undefined, taken: 0, isDone: false };
      });
    } catch (error) {
      this.#scope.close();
      throw error;
    }
  }

  scan(rows: Matrix, count: number, queries: readonly ScanQuery[]): Promise<TopK[]> {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure;
      checkScanBatch(rows, count, queries);
      this.#pool.address(rows); // throws where they lie elsewhere
      if (count === 0 || queries.length === 0) return resolve(queries.map(() => new TopK(1)));
      this.#asked.push({ rows, count, queries, found: [], resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#fail(scansClosed());
    await this.#starting;
    await this.#end(this.#crew);
    if (this.#givenBack) return;
    this.#scope.close();
    this.#givenBack = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Hands out batches while there are slots for them. */
  #next(): void {
    if (this.#crew.length === 0) return;
    this.#crew[0].keepAlive(this.#asked.length > 0);
    while (this.#handedOut - this.#collected < SLOTS) {
      const asked = this.#asked.find((one) => this.#slots.every((slot) => slot.asked !== one));
      if (!asked) return;
      this.#handOut(asked);
    }
  }

  #handOut(asked: Asked): void {
    const slot = this.#slots[this.#handedOut % SLOTS];
    const { batch, words } = slot;
    const { rows, count, queries, found } = asked;
    try {
      slot.taken = batch.write(rows, count, queries, found.length);
    } catch (error) {
      this.#settle(asked).reject(error as Error);
      return;
    }
    slot.asked = asked;
    slot.isDone = false;
    this.#handedOut++;
    const size = chunkRows(count, this.threads);
    const chunks = Math.ceil(count / size);
    words[layout.CHUNKS] = chunks;
    words[layout.CHUNK_ROWS] = size;
    words[layout.COUNT] = count;
    words[layout.ERROR_LENGTH] = 0;
    Atomics.store(words, layout.DONE, 0);
    Atomics.store(words, layout.LEFT, chunks); // from here on they can be taken
    const [{ words: shared }] = this.#slots;
    Atomics.store(shared, layout.ROUND, this.#handedOut);
    Atomics.notify(shared, layout.ROUND, chunks);
  }

  /** All chunks of a slot's batch are finished. Answers go out in the order of the batches. */
  #done(finished: number): void {
    this.#slots[finished].isDone = true;
    this.#restarts = 0;
    while (this.#collected < this.#handedOut && this.#slots[this.#collected % SLOTS].isDone) {
      this.#collect(this.#slots[this.#collected % SLOTS]);
    }
    this.#next();
  }

  #collect(slot: Slot): void {
    const { batch, words, taken } = slot;
    const asked = slot.asked as Asked;
    slot.asked = undefined;
    slot.isDone = false;
    this.#collected++;
    const length = words[layout.ERROR_LENGTH];
    if (length > 0) {
      const text = new Uint16Array(words.buffer, batch.control + layout.ERROR_TEXT * 4, length);
      this.#settle(asked).reject(new NearkinError("WORKER_FAILED", `scan: ${String.fromCharCode(...text)}`));
      return;
    }
    const { found, queries, count } = asked;
    for (let i = 0; i < taken; i++) found.push(batch.read(i, queries[found.length], count));
    if (found.length === queries.length) this.#settle(asked).resolve(found);
  }

  /** It is no longer asked. */
  #settle(asked: Asked): Asked {
    this.#asked.splice(this.#asked.indexOf(asked), 1);
    return asked;
  }

  async #start(): Promise<void> {
    const generation = ++this.#generation;
    const ofThisCrew = (call: () => void) => {
      if (generation === this.#generation) call();
    };
    const { memory } = this.#pool.arena;
    const [round, module] = [this.#handedOut | 0, this.#module];
    const started = await Promise.allSettled(
      Array.from({ length: this.threads }, (_, t) =>
        startThread(scanSource, {
          name: `nearkin scan ${t + 1}`,
          message: {
            module,
            memory,
            slots: this.#slots.map(({ batch }) => ({ control: batch.control, job: batch.job(t) })),
            round,
          },
          events: {
            message: (slot) => ofThisCrew(() => this.#done(slot as number)),
            lost: (reason) => ofThisCrew(() => this.#lost(reason)),
          },
        }),
      ),
    );
    const crew = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const failed = started.find((one) => one.status === "rejected");
    if (failed || generation !== this.#generation) {
      await this.#end(crew);
      const reason = failed ? (failed.reason as Error).message : "one was lost";
      throw new NearkinError("WORKER_FAILED", `scan threads do not start: ${reason}`);
    }
    this.#crew = crew;
    this.#next();
  }

  /** A thread is gone, with the chunk it had taken: its batch is lost, and all threads start anew, so that none writes to the next. */
  #lost(reason: string): void {
    this.#generation++;
    const crew = this.#crew;
    this.#crew = [];
    const lost = `a scan thread was lost (${reason})`;
    const [first] = this.#asked;
    if (this.#slots.some(({ asked }) => asked !== undefined && asked === first)) {
      const again = `${lost}; ask again, the threads are starting anew`;
      this.#settle(first).reject(new NearkinError("WORKER_FAILED", again));
    }
    this.#emptySlots(); // what lay ready behind it is handed out once more
    if (crew.length === 0) return; // while starting: whoever started them learns it
    this.#starting = this.#restart(crew, lost);
  }

  async #restart(crew: readonly Thread[], lost: string): Promise<void> {
    await this.#end(crew);
    while (!this.#failure && ++this.#restarts <= MOST_RESTARTS) {
      try {
        return await this.#start();
      } catch {
        // once more, or not at all
      }
    }
    this.#fail(new NearkinError("WORKER_FAILED", `${lost}, and again after each new start; open new ones`));
  }

  /** No scan from now on. */
  #fail(error: NearkinError): void {
    this.#failure ??= error;
    this.#generation++;
    this.#emptySlots();
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }

  /** Nobody waits any more for what is in them. */
  #emptySlots(): void {
    for (const slot of this.#slots) slot.asked = undefined;
    this.#collected = this.#handedOut;
  }

  async #end(crew: readonly Thread[]): Promise<void> {
    await Promise.all(crew.map((thread) => thread.terminate()));
  }
}
