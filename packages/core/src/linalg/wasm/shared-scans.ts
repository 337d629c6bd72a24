// Scan threads on an engine's shared memory. The host writes a batch, hands out chunks of rows, and goes on with other things until a
// thread says that all are done; it never waits, and the threads do not spin.
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

export class SharedScans implements ScanThreads {
  readonly threads: number;
  readonly #module: WebAssembly.Module;
  readonly #pool: Pool;
  readonly #scope: Scope;
  readonly #batch: ScanBatch;
  readonly #words: Int32Array;
  /** All of them; none while they start. */
  #crew: readonly Thread[] = [];
  /** Counts the crews: what an earlier one still has to say is of no interest. */
  #generation = 0;
  #starting: Promise<void> = Promise.resolve();
  #restarts = 0;
  /** In the order of asking; the first is under way where `#taken` is not 0. */
  readonly #asked: Asked[] = [];
  /** Queries of the batch under way. */
  #taken = 0;
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
      this.#batch = new ScanBatch(pool, this.#scope, { threads, bytes });
    } catch (error) {
      this.#scope.close();
      throw error;
    }
    this.#words = new Int32Array(pool.arena.memory.buffer, this.#batch.control, layout.CONTROL_BYTES / 4).fill(0);
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

  /** Hands out the next batch, unless one is under way. */
  #next(): void {
    if (this.#taken > 0 || this.#crew.length === 0) return;
    const [asked] = this.#asked;
    this.#crew[0].keepAlive(asked !== undefined);
    if (!asked) return;
    const { rows, count, queries, found } = asked;
    try {
      this.#taken = this.#batch.write(rows, count, queries, found.length);
    } catch (error) {
      this.#asked.shift();
      asked.reject(error as Error);
      this.#next();
      return;
    }
    const words = this.#words;
    const size = chunkRows(count, this.threads);
    const chunks = Math.ceil(count / size);
    words[layout.CHUNKS] = chunks;
    words[layout.CHUNK_ROWS] = size;
    words[layout.COUNT] = count;
    words[layout.ERROR_LENGTH] = 0;
    Atomics.store(words, layout.DONE, 0);
    Atomics.store(words, layout.LEFT, chunks); // from here on they can be taken
    Atomics.add(words, layout.ROUND, 1);
    Atomics.notify(words, layout.ROUND, chunks);
  }

  /** All chunks of the batch are finished. */
  #done(): void {
    const taken = this.#taken;
    const [asked] = this.#asked;
    this.#taken = 0;
    this.#restarts = 0;
    const length = this.#words[layout.ERROR_LENGTH];
    if (length > 0) {
      const text = new Uint16Array(this.#words.buffer, this.#batch.control + layout.ERROR_TEXT * 4, length);
      this.#asked.shift();
      asked.reject(new NearkinError("WORKER_FAILED", `scan: ${String.fromCharCode(...text)}`));
    } else {
      const { found, queries, count } = asked;
      for (let i = 0; i < taken; i++) found.push(this.#batch.read(i, queries[found.length], count));
      if (found.length === queries.length) {
        this.#asked.shift();
        asked.resolve(found);
      }
    }
    this.#next();
  }

  async #start(): Promise<void> {
    const generation = ++this.#generation;
    const ofThisCrew = (call: () => void) => {
      if (generation === this.#generation) call();
    };
    const { memory } = this.#pool.arena;
    const { control } = this.#batch;
    const [round, module] = [this.#words[layout.ROUND], this.#module];
    const started = await Promise.allSettled(
      Array.from({ length: this.threads }, (_, t) =>
        startThread(scanSource, {
          name: `nearkin scan ${t + 1}`,
          message: { module, memory, control, job: this.#batch.job(t), round },
          events: {
            message: () => ofThisCrew(() => this.#done()),
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
    if (this.#taken > 0) {
      this.#taken = 0;
      this.#asked
        .shift()
        ?.reject(new NearkinError("WORKER_FAILED", `${lost}; ask again, the threads are starting anew`));
    }
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
    this.#taken = 0;
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }

  async #end(crew: readonly Thread[]): Promise<void> {
    await Promise.all(crew.map((thread) => thread.terminate()));
  }
}
