// Many callers, one scan at a time. While a batch is under way further queries gather, and go together as the next one: under load every
// scan serves many. A batch that is full does not wait for the one before to be answered: the threads find it ready when they are done.
// Between batches nobody reads the rows, so that is when they change.
import { NearkinError } from "../errors.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { ScanQuery, ScanThreads } from "../linalg/scan-query.ts";
import type { TopK } from "../linalg/top-k.ts";

/** The rows to scan, as they are when a batch begins. */
export interface ScannedRows {
  /** (at least count, w) f32, row-major, in the memory of the threads' engine. */
  readonly rows: Matrix;
  /** Rows in use. */
  readonly count: number;
}

export interface ScanQueueOptions {
  /** Queries of one batch, at most: more serve more callers a second, each of whom waits longer. @default 16 */
  batch?: number;
  /** Queries that may wait, at most. @default 1024 */
  limit?: number;
  /** Told after each batch: how many queries, and ms. */
  onBatch?: (queries: number, time: number) => void;
}

export interface SearchOptions<T> {
  /** Drops the query when its caller is gone. */
  signal?: AbortSignal | undefined;
  /** Tells callers apart: when more waits than one batch takes, each has a query of theirs in turn. Those without a name are one, which may fill the queue. */
  caller?: string | undefined;
  /**
   * Makes the answer of what was found, before the rows can change. It may search once more: such a search is never refused, and a queue
   * that is closing waits for it. @default the list as it is
   */
  look?: (found: TopK) => T | Promise<T>;
}

/** Since the queue was made. */
export interface ScanCounters {
  batches: number;
  /** Queries of those batches. */
  queries: number;
  /** Queries of a batch, on average; 0 before the first. */
  meanBatch: number;
  /** Queries that wait now. */
  waiting: number;
  /** Queries refused because too many were waiting. */
  refused: number;
  /** Queries whose callers left while they waited. */
  dropped: number;
  /** Time in which a batch was under way, in ms. */
  busy: number;
}

const MAX_BATCHES_IN_FLIGHT = 2;
/** A named caller may have at most this many times as many queries waiting as there are free places: 80 % of the queue for one alone. */
const THRESHOLD_FACTOR = 4;

interface Waiting {
  query: ScanQuery;
  caller: string | undefined;
  /** Takes the list, or why there is none. */
  settle(found: TopK | undefined, error?: unknown): void;
}

export class ScanQueue {
  readonly #threads: ScanThreads;
  readonly #source: ScannedRows;
  readonly #batch: number;
  readonly #limit: number;
  readonly #onBatch: ScanQueueOptions["onBatch"];
  readonly #waiting = new Set<Waiting>(); // in the order of asking
  readonly #callers = new Map<string | undefined, number>(); // how many of them wait
  readonly #writes: (() => void)[] = [];
  readonly #counters = { batches: 0, queries: 0, refused: 0, dropped: 0, busy: 0 };
  /** Batches handed to the threads, and since when there are any. */
  #underWay = 0;
  #busySince = 0;
  #isAnswering = false;
  #isAnnounced = false;
  #closing: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(threads: ScanThreads, source: ScannedRows, options: ScanQueueOptions = {}) {
    const { batch = 16, limit = 1024, onBatch } = options;
    for (const [name, value] of Object.entries({ batch, limit })) {
      if (!Number.isSafeInteger(value) || value < 1) {
        throw new NearkinError(
          "BAD_ARGUMENT",
          `scan queue: ${name} must be a whole number of at least 1, got ${value}`,
        );
      }
    }
    this.#threads = threads;
    this.#source = source;
    this.#batch = batch;
    this.#limit = limit;
    this.#onBatch = onBatch;
  }

  /** Rows there is room for: bitmaps of so many fit, however many come into use. */
  get capacity(): number {
    return this.#source.rows.rows;
  }

  get counters(): ScanCounters {
    const { batches, queries } = this.#counters;
    return { ...this.#counters, meanBatch: batches === 0 ? 0 : queries / batches, waiting: this.#waiting.size };
  }

  /**
   * The best rows for a query, in its turn. Rejects with `BUSY` if too many wait already, or too many of this caller; with the signal's reason if
   * that comes first.
   */
  search<T = TopK>(query: ScanQuery, { signal, caller, look }: SearchOptions<T> = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.#isAnswering) this.#admit(caller);
      signal?.throwIfAborted();
      const leave = () => {
        if (this.#leave(waiting)) this.#counters.dropped++;
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        query,
        caller,
        settle(found, error) {
          signal?.removeEventListener("abort", leave);
          if (signal?.aborted) return;
          if (!found) return reject(error);
          try {
            resolve(look ? look(found) : (found as T));
          } catch (thrown) {
            reject(thrown);
          }
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.add(waiting);
      this.#callers.set(caller, (this.#callers.get(caller) ?? 0) + 1);
      this.#announce();
    });
  }

  /** Runs a change of the rows, their number or bitmaps while no scan reads them: at once, or when the batch under way has ended. */
  exclusively<T>(write: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(write());
        } catch (error) {
          reject(error);
        }
      };
      if (this.#isReading) this.#writes.push(run);
      else run();
    });
  }

  /** Takes no further queries, and resolves when those that wait have their answers. The threads stay open. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#whenIdle = resolve;
      this.#goOn();
    });
    return this.#closing;
  }

  /** Whether rows are read, or answers made of them. */
  get #isReading(): boolean {
    return this.#underWay > 0 || this.#isAnswering;
  }

  #admit(caller: string | undefined): void {
    if (this.#closing) {
      throw new NearkinError("ENGINE_CLOSED", "the scan queue is closed; ask the one that replaced it");
    }
    const left = this.#limit - this.#waiting.size;
    const isGreedy = caller !== undefined && (this.#callers.get(caller) ?? 0) >= THRESHOLD_FACTOR * left;
    if (left > 0 && !isGreedy) return;
    this.#counters.refused++;
    const whose = left > 0 ? ", too many of them of this caller" : "";
    throw new NearkinError("BUSY", `${this.#waiting.size} searches are waiting already${whose}; ask again later`);
  }

  /** Begins a batch once the caller's turn has ended: what is asked in one turn goes together. */
  #announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    queueMicrotask(() => {
      this.#isAnnounced = false;
      this.#goOn();
    });
  }

  /** Lets rows change where that is due and nobody reads them, then begins what can begin. */
  #goOn(): void {
    while (this.#writes.length > 0 && !this.#isReading) this.#writes.shift()?.();
    while (this.#canBegin()) this.#begin();
    if (this.#waiting.size === 0 && !this.#isReading) this.#whenIdle?.();
  }

  #canBegin(): boolean {
    if (this.#writes.length > 0 || this.#waiting.size === 0) return false; // answers are of the rows before a change
    return this.#underWay === 0 || (this.#underWay < MAX_BATCHES_IN_FLIGHT && this.#waiting.size >= this.#batch);
  }

  #leave(waiting: Waiting): boolean {
    if (!this.#waiting.delete(waiting)) return false;
    const others = (this.#callers.get(waiting.caller) as number) - 1;
    if (others > 0) this.#callers.set(waiting.caller, others);
    else this.#callers.delete(waiting.caller);
    return true;
  }

  /** The queries of the next batch: in the order of asking, or one of each caller in turn if not all go together. */
  #take(): Waiting[] {
    const batch: Waiting[] = [];
    const isFair = this.#waiting.size > this.#batch && this.#callers.size > 1;
    while (batch.length < this.#batch && this.#waiting.size > 0) {
      const served = isFair ? new Set<string | undefined>() : undefined;
      for (const waiting of this.#waiting) {
        if (batch.length === this.#batch) break;
        if (served?.has(waiting.caller)) continue;
        served?.add(waiting.caller);
        this.#leave(waiting);
        batch.push(waiting);
      }
    }
    return batch;
  }

  #begin(): void {
    const batch = this.#take();
    this.#counters.batches++;
    this.#counters.queries += batch.length;
    const started = performance.now();
    if (this.#underWay++ === 0) this.#busySince = started;
    void this.#scan(batch.map(({ query }) => query)).then((answers) => {
      const now = performance.now();
      if (--this.#underWay === 0) this.#counters.busy += now - this.#busySince;
      this.#onBatch?.(batch.length, now - started);
      this.#isAnswering = true;
      while (this.#canBegin()) this.#begin(); // the threads go on at once, while answers are made here
      batch.forEach((waiting, i) => {
        const answer = answers[i];
        if (answer.status === "fulfilled") waiting.settle(answer.value);
        else waiting.settle(undefined, answer.reason);
      });
      this.#isAnswering = false;
      this.#goOn();
    });
  }

  /** One answer for each query. Where a query cannot be asked, those beside it do not suffer: each is asked alone. */
  async #scan(queries: readonly ScanQuery[]): Promise<PromiseSettledResult<TopK>[]> {
    const { rows, count } = this.#source;
    try {
      return (await this.#threads.scan(rows, count, queries)).map((value) => ({ status: "fulfilled", value }));
    } catch (reason) {
      const isOfThreads = reason instanceof NearkinError && ["WORKER_FAILED", "ENGINE_CLOSED"].includes(reason.code);
      if (isOfThreads || queries.length === 1) return queries.map(() => ({ status: "rejected", reason }));
      return Promise.allSettled(queries.map(async (query) => (await this.#threads.scan(rows, count, [query]))[0]));
    }
  }
}
