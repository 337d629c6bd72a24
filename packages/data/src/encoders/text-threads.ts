// Threads that turn one text at a time into a vector. They start when there is work, stay for the next call, and never keep the
// process alive while idle.
import { Worker } from "node:worker_threads";
import { NearkinError } from "@nearkin/core";
import type { EncodeOptions } from "./encoder.ts";

/** A further thread must load the weights (0.4 s, 0.3 GB): it starts only when this many texts wait for each. */
const TEXTS_PER_THREAD = 8;

export interface TextThreadsOptions {
  /** Names the encoder in errors. */
  name: string;
  /**
   * CommonJS that each thread runs. It posts `{}` once ready, and answers every text with `{ vector: Float32Array }`
   * or `{ error: string }`.
   */
  source: string;
  workerData: unknown;
  /** Most threads. */
  threads: number;
  /** What to say when a thread cannot start, usually for want of intact weights. */
  cannotStart: (reason: string, cause?: unknown) => NearkinError;
}

interface Task {
  text: string;
  call: object;
  done: (vector: Float32Array) => void;
  fail: (error: unknown) => void;
}

interface Thread {
  worker: Worker;
  ready: boolean;
  task: Task | undefined;
}

export class TextThreads {
  readonly #options: TextThreadsOptions;
  readonly #threads: Thread[] = [];
  #queue: Task[] = [];
  #closed: NearkinError | undefined;

  constructor(options: TextThreadsOptions) {
    this.#options = options;
  }

  /** How many threads have been started. */
  get started(): number {
    return this.#threads.length;
  }

  /** Calls `write(i, vector)` for every text, in no particular order. */
  run(
    texts: readonly string[],
    write: (index: number, vector: Float32Array) => void,
    { signal, onProgress }: EncodeOptions = {},
  ): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (texts.length === 0) return Promise.resolve();
    const call = {};
    return new Promise<void>((resolve, reject) => {
      let left = texts.length;
      const abort = () => settle(signal?.reason);
      const settle = (error?: unknown) => {
        signal?.removeEventListener("abort", abort);
        this.#queue = this.#queue.filter((task) => task.call !== call);
        if (left > 0) reject(error);
        else resolve();
      };
      signal?.addEventListener("abort", abort, { once: true });
      // The longest first, so that at the end no thread is left alone with a long text.
      const order = [...texts.keys()].sort((i, j) => texts[j].length - texts[i].length || i - j);
      for (const i of order) {
        const done = (vector: Float32Array) => {
          if (signal?.aborted) return;
          write(i, vector);
          left--;
          onProgress?.(texts.length - left);
          if (left === 0) settle();
        };
        this.#queue.push({ text: texts[i], call, done, fail: settle });
      }
      this.#dispatch();
    });
  }

  async close(
    error = new NearkinError("ENGINE_CLOSED", `${this.#options.name}: the encoder is closed; open a new one`),
  ) {
    if (this.#closed) return;
    this.#closed = error;
    const tasks = [...this.#threads.flatMap(({ task }) => task ?? []), ...this.#queue];
    this.#queue = [];
    for (const { fail } of tasks) fail(error);
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #dispatch(): void {
    const wanted = Math.min(this.#options.threads, Math.ceil(this.#queue.length / TEXTS_PER_THREAD));
    while (this.#threads.length < wanted) this.#start();
    for (const thread of this.#threads) {
      if (thread.ready && !thread.task) {
        thread.task = this.#queue.shift();
        if (thread.task) thread.worker.postMessage(thread.task.text);
      }
    }
    // An idle thread must not hold the process; one with work, or on its way to it, must.
    for (const { worker, ready, task } of this.#threads) {
      if (task || (!ready && this.#queue.length > 0)) worker.ref();
      else worker.unref();
    }
  }

  #start(): void {
    const { name, source, workerData, cannotStart } = this.#options;
    const worker = new Worker(source, { eval: true, workerData, name: `nearkin-${name}` });
    const thread: Thread = { worker, ready: false, task: undefined };
    this.#threads.push(thread);
    const lost = (reason: string, cause?: unknown) =>
      this.close(
        thread.ready
          ? new NearkinError("WORKER_FAILED", `${name}: a thread stopped (${reason}); open a new encoder`, { cause })
          : cannotStart(reason, cause),
      );
    worker.on("message", ({ vector, error }: { vector?: Float32Array; error?: string }) => {
      if (error !== undefined) {
        void lost(error);
        return;
      }
      const { task } = thread;
      thread.ready = true;
      thread.task = undefined;
      if (task && vector) task.done(vector);
      this.#dispatch();
    });
    worker.on("error", (cause: Error) => void lost(cause.message.split("\n")[0], cause));
    worker.on("exit", (code) => void lost(`exit code ${code}`));
  }
}
