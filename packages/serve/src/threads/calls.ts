// Calls into a thread: each has a number, its answer comes when it comes. A thread that dies fails what was under way, and the next call starts
// another one.
import type { Transferable, Worker } from "node:worker_threads";
import { NearkinError } from "@nearkin/core";

/** What a thread sends back. */
export type Answer = { call: number; value: unknown } | { call: number; error: { code: string; message: string } };

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class ThreadCalls implements AsyncDisposable {
  readonly #name: string;
  readonly #start: () => Worker;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #calls = 0;
  #closed = false;

  /** @param start called for the first call, and again after a thread was lost; it may send first messages */
  constructor(name: string, start: () => Worker) {
    this.#name = name;
    this.#start = start;
  }

  /** Calls under way. */
  get pending(): number {
    return this.#pending.size;
  }

  get started(): boolean {
    return this.#worker !== undefined;
  }

  call<T>(kind: string, payload: unknown, transfer: readonly Transferable[] = []): Promise<T> {
    if (this.#closed) return Promise.reject(this.#lost("it is closed"));
    const worker = this.#open();
    const call = ++this.#calls;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(call, { resolve: resolve as (value: unknown) => void, reject });
      worker.postMessage({ call, kind, payload }, [...transfer]);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll("it is closed");
    await worker?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #open(): Worker {
    if (this.#worker) return this.#worker;
    const worker = this.#start();
    worker.unref(); // a server has other reasons to live
    worker.on("message", (answer: Answer) => this.#settle(answer));
    const lose = (reason: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#failAll(reason);
    };
    worker.on("error", (error: Error) => lose(error.message));
    worker.on("exit", (code) => lose(`it ended with code ${code}`));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.get(answer.call);
    if (!pending) return;
    this.#pending.delete(answer.call);
    if ("error" in answer) {
      pending.reject(new NearkinError(answer.error.code as NearkinError["code"], answer.error.message));
    } else pending.resolve(answer.value);
  }

  #failAll(reason: string): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(this.#lost(reason));
  }

  #lost(reason: string): NearkinError {
    return new NearkinError("WORKER_FAILED", `the thread for ${this.#name} was lost: ${reason}; try again`);
  }
}
