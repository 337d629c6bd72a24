// Threads that turn texts into vectors, a long one or some short ones at a time. They start when there is work, stay for the next call,
// and never keep the process alive while idle.
import { Worker } from "node:worker_threads";
import { NearkinError } from "@nearkin/core";
import type { EncodeOptions } from "./encoder.ts";

/** A further thread must load the weights (0.3 s): it starts only when this many texts wait for each. */
const TEXTS_PER_THREAD = 8;
/** Short texts go to a thread together, up to this many characters: about as many word pieces as it computes at once. */
const CHARACTERS = 1000;

export interface TextThreadsOptions {
  /** Names the encoder in errors. */
  name: string;
  /**
   * CommonJS that each thread runs. It posts `{}` once ready, and answers every list of texts with `{ vectors: Float32Array }`, one after
   * another, or `{ error: string }`.
   */
  source: string;
  /** What every thread is given; asked for once, when the first starts. */
  workerData: () => unknown;
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
  /** Absent until what it is to be given is there. */
  worker: Worker | undefined;
  ready: boolean;
  tasks: Task[];
}

interface Answer {
  vectors?: Float32Array;
  error?: string;
}

export class TextThreads {
  readonly #options: TextThreadsOptions;
  readonly #threads: Thread[] = [];
  #queue: Task[] = [];
  #workerData: Promise<unknown> | undefined;
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
    const tasks = [...this.#threads.flatMap((thread) => thread.tasks), ...this.#queue];
    this.#queue = [];
    for (const { fail } of tasks) fail(error);
    await Promise.all(this.#threads.map(({ worker }) => worker?.terminate()));
  }

  #dispatch(): void {
    const wanted = Math.min(this.#options.threads, Math.ceil(this.#queue.length / TEXTS_PER_THREAD));
    while (this.#threads.length < wanted) void this.#start();
    for (const thread of this.#threads) {
      if (!thread.ready || thread.tasks.length > 0 || this.#queue.length === 0) continue;
      thread.tasks = this.#take();
      thread.worker?.postMessage(thread.tasks.map(({ text }) => text));
    }
    // An idle thread must not hold the process; one with work, or on its way to it, must.
    for (const { worker, ready, tasks } of this.#threads) {
      if (tasks.length > 0 || (!ready && this.#queue.length > 0)) worker?.ref();
      else worker?.unref();
    }
  }

  /** The next text, and those after it that fit along; not so many that another thread would have nothing to do. */
  #take(): Task[] {
    const most = Math.ceil(this.#queue.length / this.#options.threads);
    let count = 0;
    for (let characters = 0; count < most; count++) {
      characters += this.#queue[count].text.length;
      if (count > 0 && characters > CHARACTERS) break;
    }
    return this.#queue.splice(0, count);
  }

  async #start(): Promise<void> {
    const { name, source, cannotStart } = this.#options;
    const thread: Thread = { worker: undefined, ready: false, tasks: [] };
    this.#threads.push(thread);
    const lost = (reason: string, cause?: unknown) =>
      this.close(
        thread.ready
          ? new NearkinError("WORKER_FAILED", `${name}: a thread stopped (${reason}); open a new encoder`, { cause })
          : cannotStart(reason, cause),
      );
    let workerData: unknown;
    try {
      this.#workerData ??= Promise.resolve(this.#options.workerData());
      workerData = await this.#workerData;
    } catch (cause) {
      await lost((cause as Error).message.split("\n")[0], cause);
    }
    if (this.#closed) return;
    const worker = new Worker(source, { eval: true, workerData, name: `nearkin-${name}` });
    thread.worker = worker;
    worker.on("message", ({ vectors, error }: Answer) => {
      if (error !== undefined) {
        void lost(error);
        return;
      }
      const { tasks } = thread;
      thread.ready = true;
      thread.tasks = [];
      if (vectors) {
        const d = vectors.length / tasks.length;
        for (const [i, { done }] of tasks.entries()) done(vectors.subarray(i * d, (i + 1) * d));
      }
      this.#dispatch();
    });
    worker.on("error", (cause: Error) => void lost(cause.message.split("\n")[0], cause));
    worker.on("exit", (code) => void lost(`exit code ${code}`));
  }
}
