// A thread that runs a source text: a worker of Node's, or one of the browser's.
import { nodeModule } from "./modules.ts";

const START_LIMIT = 30_000; // ms

/** What becomes of a thread after its first word. */
export interface ThreadEvents {
  /** Every later message. */
  message?(value: unknown): void;
  /** It is gone, though nobody ended it: killed, or out of memory. */
  lost?(reason: string): void;
}

export interface Thread {
  terminate(): unknown;
  /** Keeps the process alive, or no longer; a thread that has started does not. */
  keepAlive(wanted: boolean): void;
}

interface NodeWorker {
  on(event: string, listener: (value: unknown) => void): void;
  postMessage(message: unknown): void;
  terminate(): Promise<number>;
  ref(): void;
  unref(): void;
}

interface NodeWorkerThreads {
  Worker: new (source: string, options: { eval: true; name: string }) => NodeWorker;
}

/** Starts a thread, sends it one message, and resolves when it has answered with its first. */
export async function startThread(
  source: string,
  { name, message, events = {} }: { name: string; message: unknown; events?: ThreadEvents },
): Promise<Thread> {
  const threads = nodeModule<NodeWorkerThreads>("node:worker_threads");
  if (threads) return startInNode(new threads.Worker(source, { eval: true, name }), message, events);
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await startInPage(new Worker(url, { name }), message, events);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function startInNode(worker: NodeWorker, message: unknown, events: ThreadEvents): Promise<Thread> {
  let ended = false;
  const end = () => {
    ended = true;
    return worker.terminate();
  };
  await answered(end, (resolve, reject) => {
    worker.on("message", (value) => {
      if (!resolve()) events.message?.(value);
    });
    let reason = "it ended";
    worker.on("error", (error) => {
      reason = (error as Error).message;
      reject(error as Error);
    });
    worker.on("exit", () => {
      if (!reject(new Error(reason)) && !ended) events.lost?.(reason);
    });
    worker.postMessage(message);
  });
  worker.unref();
  return { terminate: end, keepAlive: (wanted) => (wanted ? worker.ref() : worker.unref()) };
}

async function startInPage(worker: Worker, message: unknown, events: ThreadEvents): Promise<Thread> {
  const end = () => worker.terminate();
  await answered(end, (resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (!resolve()) events.message?.(data);
    };
    worker.onerror = (event) => {
      event.preventDefault(); // it is told to whoever asked for the thread, not to the page
      const reason = event.message || "workers may not start here (worker-src)";
      if (!reject(new Error(reason))) events.lost?.(reason);
    };
    worker.postMessage(message);
  });
  return { terminate: end, keepAlive: () => {} };
}

/** Waits for a thread's first word; what `listen` is given tells whether that was it. Ends a thread whose word does not come in time. */
async function answered(
  end: () => unknown,
  listen: (resolve: () => boolean, reject: (error: Error) => boolean) => void,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting = true;
  const first = () => {
    const was = waiting;
    waiting = false;
    return was;
  };
  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: Error) => {
        reject(error);
        return first();
      };
      timer = setTimeout(() => refuse(new Error(`a worker did not start within ${START_LIMIT / 1000} s`)), START_LIMIT);
      listen(() => {
        resolve();
        return first();
      }, refuse);
    });
  } catch (error) {
    end();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
