// A bounded queue of work, fair between callers: one task of each in turn, however many the others have waiting. Work that nobody waits for any more is
// dropped, and a caller who comes when the queue is full is told so at once (`BUSY`). Places are shared by a dynamic threshold: a caller may have as many
// tasks waiting as there are places left, so callers with much to do leave some for the next one.
import { NearkinError } from "@nearkin/core";

export interface FairQueueOptions {
  /** Tasks that run at the same time. @default 1 */
  concurrency?: number;
  /** Those of one caller. @default as many */
  concurrencyOfCaller?: number;
  /** Tasks that may wait: half of them of one caller, a third of each of two, and so on. @default 64 */
  limit?: number;
}

/** Place of a task in the order of callers. */
export interface Turn {
  /** The server's own background work if undefined: one caller among the others, who is never refused. */
  readonly caller?: string | undefined;
  /** Drops the task while it waits. */
  readonly signal?: AbortSignal | undefined;
  /** A further part of work that was admitted before: never refused. @default false */
  readonly goesOn?: boolean;
}

interface Task {
  start(): Promise<void>;
  reject(reason: unknown): void;
}

export class FairQueue {
  readonly #concurrency: number;
  readonly #concurrencyOfCaller: number;
  readonly #limit: number;
  readonly #waiting = new Map<string | undefined, Set<Task>>(); // by caller, in the order of their turns
  readonly #runningOf = new Map<string | undefined, number>();
  #count = 0;
  #running = 0;
  #closed = false;

  constructor({ concurrency = 1, concurrencyOfCaller = concurrency, limit = 64 }: FairQueueOptions = {}) {
    this.#concurrency = concurrency;
    this.#concurrencyOfCaller = concurrencyOfCaller;
    this.#limit = limit;
  }

  /** Tasks that wait or run. */
  get size(): number {
    return this.#count + this.#running;
  }

  /** Runs the work in its turn. Rejects with `BUSY` if too much waits already, and with the signal's reason if that comes first. */
  run<T>(work: () => T | Promise<T>, { caller, signal, goesOn = false }: Turn = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#closed) throw closed();
      if (caller !== undefined && !goesOn) this.#admit(caller);
      const leave = () => {
        this.#remove(caller, task);
        reject(signal?.reason);
      };
      const task: Task = {
        reject,
        start: async () => {
          signal?.removeEventListener("abort", leave);
          try {
            resolve(await work());
          } catch (error) {
            reject(error);
          }
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      const tasks = this.#waiting.get(caller);
      if (tasks) tasks.add(task);
      else this.#waiting.set(caller, new Set([task]));
      this.#count++;
      this.#next();
    });
  }

  /** Takes no further work, and rejects what waits with `ENGINE_CLOSED`. */
  close(): void {
    this.#closed = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#count = 0;
    for (const tasks of waiting) for (const { reject } of tasks) reject(closed());
  }

  #admit(caller: string): void {
    if ((this.#waiting.get(caller)?.size ?? 0) < this.#limit - this.#count) return;
    throw new NearkinError("BUSY", `${this.#count} tasks are waiting already; ask again later`);
  }

  #next(): void {
    for (const [caller, tasks] of this.#waiting) {
      if (this.#running >= this.#concurrency) return;
      const running = this.#runningOf.get(caller) ?? 0;
      if (running >= this.#concurrencyOfCaller) continue;
      const [task] = tasks;
      this.#remove(caller, task);
      if (this.#waiting.delete(caller)) this.#waiting.set(caller, tasks); // the others' turn: at the end it is met once more
      this.#running++;
      this.#runningOf.set(caller, running + 1);
      void task.start().then(() => setImmediate(() => this.#ended(caller))); // requests that have come are read before the next task begins
    }
  }

  #ended(caller: string | undefined): void {
    const running = this.#runningOf.get(caller) as number;
    if (running > 1) this.#runningOf.set(caller, running - 1);
    else this.#runningOf.delete(caller);
    this.#running--;
    this.#next();
  }

  #remove(caller: string | undefined, task: Task): void {
    const tasks = this.#waiting.get(caller);
    if (!tasks?.delete(task)) return;
    this.#count--;
    if (tasks.size === 0) this.#waiting.delete(caller);
  }
}

const closed = () => new NearkinError("ENGINE_CLOSED", "the server is closing");
