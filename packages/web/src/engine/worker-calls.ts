// The page's side of the worker: calls as promises, in the order they are made.
import type { Failure, Reply, Request, WorkerCalls } from "./messages.ts";

/** An error of the worker, with the code it had there. */
class WorkerError extends Error {
  readonly code: string;
  constructor({ code, message }: Failure) {
    super(message);
    this.name = "WorkerError";
    this.code = code;
  }
}

/** What of a worker is needed. */
export interface WorkerLike {
  postMessage(message: Request, transfer: Transferable[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent<Reply>) => void): void;
  addEventListener(type: "error", listener: (event: ErrorEvent) => void): void;
  terminate(): void;
}

export interface ModelWorker {
  readonly calls: WorkerCalls;
  /** Resolves with the reason where the worker ends by itself; whoever asks it afterwards is refused. */
  readonly failed: Promise<string>;
  close(): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Opens a model in a worker. The files are handed over: the page has them no longer. */
export async function openInWorker(worker: WorkerLike, files: ReadonlyMap<string, ArrayBuffer>): Promise<ModelWorker> {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let ended: WorkerError | undefined;
  const failed = new Promise<string>((resolve) => {
    worker.addEventListener("error", ({ message = "it could not be started" }) => {
      close(message);
      resolve(message);
    });
  });

  worker.addEventListener("message", ({ data }) => {
    const { resolve, reject } = waiting.get(data.number) as Waiting;
    waiting.delete(data.number);
    if ("failure" in data) reject(new WorkerError(data.failure));
    else resolve(data.value);
  });

  function ask(request: (number: number) => Request, transfer: Transferable[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (ended) throw ended;
      const number = ++last;
      waiting.set(number, { resolve, reject });
      worker.postMessage(request(number), transfer);
    });
  }

  function close(reason = "it was closed"): void {
    worker.terminate();
    ended ??= new WorkerError({ code: "WORKER_FAILED", message: reason });
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  }

  try {
    await ask((number) => ({ number, open: files }), [...files.values()]);
  } catch (error) {
    close();
    throw error;
  }
  const calls = new Proxy({} as WorkerCalls, {
    get:
      (_, call) =>
      (...args: readonly unknown[]) =>
        ask((number) => ({ number, call: call as keyof WorkerCalls, args })),
  });
  return { calls, failed, close };
}
