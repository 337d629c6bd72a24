// The way to the graph's thread: calls with answers, and what becomes of them when the thread is closed or lost.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { NearkinError } from "@nearkin/core";
import { type GraphCalls, type GraphThreadData, graphThreadSource } from "./graph-thread.ts";

const INSTALL = "npm install usearch@2.25.3";

/** Where the package `usearch` is. Replaced in tests. */
export type ResolveUsearch = () => string;

const installed: ResolveUsearch = () => createRequire(import.meta.url).resolve("usearch");

interface Pending {
  resolve: (answer: never) => void;
  reject: (error: NearkinError) => void;
}

interface Reply {
  ready?: true;
  id?: number;
  answer?: never;
  error?: string;
}

export class GraphLink {
  readonly #worker: Worker;
  readonly #closing: Int32Array;
  readonly #exited: Promise<unknown>;
  readonly #pending = new Map<number, Pending>();
  #next = 0;
  #closed: NearkinError | undefined;

  private constructor(worker: Worker, closing: Int32Array) {
    this.#worker = worker;
    this.#closing = closing;
    this.#exited = new Promise((resolve) => worker.once("exit", resolve));
  }

  /** Starts the thread. Throws `ENGINE_UNAVAILABLE` where usearch is not installed, or its binary does not load. */
  static async start(
    data: Omit<GraphThreadData, "usearch" | "closing">,
    resolveUsearch: ResolveUsearch = installed,
  ): Promise<GraphLink> {
    let usearch: string;
    try {
      usearch = resolveUsearch();
    } catch (cause) {
      throw unavailable("is not installed", cause);
    }
    const closing = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(graphThreadSource, {
      eval: true,
      workerData: { ...data, usearch, closing } satisfies GraphThreadData,
      name: "nearkin-graph",
    });
    const link = new GraphLink(worker, closing);
    await new Promise<void>((resolve, reject) => {
      let isReady = false;
      worker.on("message", (reply: Reply) => {
        if (reply.ready) {
          isReady = true;
          worker.unref();
          resolve();
        } else link.#settle(reply);
      });
      const lost = (cause: unknown, reason: string) => {
        if (!isReady) reject(unavailable("does not load", cause));
        link.#end(
          new NearkinError("WORKER_FAILED", `graph: its thread stopped (${reason}); open the graph anew`, { cause }),
        );
      };
      worker.on("error", (cause: Error) => lost(cause, firstLine(cause)));
      worker.on("exit", (code) => lost(new Error(`exit code ${code}`), `exit code ${code}`));
    });
    return link;
  }

  /** Why nothing can be asked any more. */
  get closed(): NearkinError | undefined {
    return this.#closed;
  }

  call<K extends keyof GraphCalls>(
    call: K,
    ask: GraphCalls[K]["ask"],
    transfer: ArrayBuffer[] = [],
  ): Promise<GraphCalls[K]["answer"]> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#pending.set(id, { resolve, reject });
      this.#worker.ref(); // an idle thread does not hold the process, one at work does
      this.#worker.postMessage({ id, call, ask }, transfer);
    });
  }

  /**
   * Ends the thread when the call it is at has returned; what waits for an answer is refused. Not by `terminate`: usearch comes back from a
   * call into a thread that may run no more, and takes the whole process down.
   */
  async close(): Promise<void> {
    this.#end(new NearkinError("ENGINE_CLOSED", "graph: it is closed; open a new one"));
    Atomics.store(this.#closing, 0, 1);
    this.#worker.ref();
    this.#worker.postMessage({}); // a thread that waits wakes up
    await this.#exited;
  }

  #settle({ id = -1, answer, error }: Reply): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker.unref();
    if (error === undefined) pending.resolve(answer as never);
    else pending.reject(new NearkinError("WORKER_FAILED", `graph: usearch says "${error}"`));
  }

  #end(error: NearkinError): void {
    this.#closed ??= error;
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of waiting) reject(this.#closed);
  }
}

const firstLine = (cause: unknown): string => (cause as Error).message.split("\n")[0];

function unavailable(what: string, cause: unknown): NearkinError {
  return new NearkinError(
    "ENGINE_UNAVAILABLE",
    `graph: usearch ${what} (${firstLine(cause)}); run ${INSTALL}, or serve by the exact scan alone, which needs nothing`,
    { cause },
  );
}
