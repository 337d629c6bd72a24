// Stopping without dropping anyone: say so, go on for a while, stop accepting, finish what is in flight, close what is behind.
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Lifecycle } from "./lifecycle.ts";

const CUT_MS = 20;

/** Something that is closed once no request is left. */
interface Closing {
  readonly name: string;
  close(): Promise<void> | void;
}

export interface DrainOptions {
  /** How long requests are still served while /readyz says no, so that balancers notice, in ms. @default 5000 */
  graceMs?: number;
  /** How long requests in flight may take after that, in ms; then connections are cut. @default 15000 */
  finishMs?: number;
  /** How long each part behind the server may take to close, in ms. @default 10000 */
  closeMs?: number;
  /** Closed in this order, one after the other: whoever uses another before it. @default [] */
  closings?: readonly Closing[];
}

/** How it went. */
export interface DrainReport {
  /** Connections were cut as requests took too long. */
  readonly cut: boolean;
  /** Parts that failed to close, or took too long. */
  readonly failed: readonly string[];
}

/**
 * While draining, answers ask their connection to close, so that callers come back elsewhere. And once the app is closing, connections
 * on which nothing is being answered are cut: a client may hold one open, never having asked anything, and Node would wait for it.
 */
export function installDraining(app: FastifyInstance, lifecycle: Lifecycle): void {
  let inFlight = 0;
  let cutting: NodeJS.Timeout | undefined;
  app.addHook("onRequest", (_request, reply, done) => {
    inFlight++;
    reply.raw.once("close", () => inFlight--);
    done();
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (lifecycle.draining) reply.header("connection", "close");
    done(null, payload);
  });
  app.addHook("preClose", (done) => {
    cutting = setInterval(() => {
      if (inFlight === 0) app.server.closeAllConnections();
    }, CUT_MS);
    done();
  });
  app.addHook("onClose", (_app, done) => {
    clearInterval(cutting);
    done();
  });
}

/** Stops the server. Never rejects: what went wrong is logged and reported. */
export async function drain(
  app: FastifyInstance,
  lifecycle: Lifecycle,
  { graceMs = 5000, finishMs = 15_000, closeMs = 10_000, closings = [] }: DrainOptions = {},
): Promise<DrainReport> {
  lifecycle.drain();
  app.log.info({ drainMs: graceMs }, "stopping"); // as the setting is called
  await delay(graceMs);

  let cut = false;
  const cutting = setTimeout(() => {
    cut = true;
    app.server.closeAllConnections();
  }, finishMs);
  const failed: string[] = [];
  await attempt("server", () => app.close(), finishMs + closeMs);
  clearTimeout(cutting);
  for (const { name, close } of closings) await attempt(name, close, closeMs);
  app.log.info({ cut, failed }, "stopped");
  return { cut, failed };

  async function attempt(name: string, close: () => Promise<void> | void, limit: number): Promise<void> {
    const timer = new AbortController();
    try {
      const late = delay(limit, undefined, { signal: timer.signal }).then(() => {
        throw new Error("took too long to close");
      });
      late.catch(() => {}); // aborted, where all went well
      await Promise.race([close(), late]);
    } catch (err) {
      failed.push(name);
      app.log.error({ err, part: name }, "not closed");
    } finally {
      timer.abort();
    }
  }
}

type Signal = "SIGTERM" | "SIGINT";

export interface SignalOptions {
  /** Where signals come from. @default process */
  source?: { on(name: Signal, listener: () => void): unknown; off(name: Signal, listener: () => void): unknown };
  /** @default process.exit */
  exit?: (code: number) => void;
}

/** Calls `stop` at the first SIGTERM or SIGINT, then exits; a second one exits at once. Returns how to stop listening. */
export function onSignals(
  stop: (signal: Signal) => Promise<unknown>,
  { source = process, exit = (code) => process.exit(code) }: SignalOptions = {},
): () => void {
  let stopping = false;
  const listeners = (["SIGTERM", "SIGINT"] as const).map((name) => {
    const listener = () => {
      if (stopping) return exit(128 + constants.signals[name]);
      stopping = true;
      stop(name).then(
        () => exit(0),
        () => exit(1),
      );
    };
    source.on(name, listener);
    return () => source.off(name, listener);
  });
  return () => {
    for (const off of listeners) off();
  };
}
