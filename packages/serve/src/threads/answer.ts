// The other end of calls.ts: answers calls by kind, in the thread.
import { type MessagePort, parentPort } from "node:worker_threads";
import { NearkinError } from "@nearkin/core";
import type { Answer } from "./calls.ts";

/** Answers calls one after the other, by the function of their kind. */
export function answerCalls<Calls extends Record<string, (payload: never) => unknown>>(calls: Calls): void {
  const port = parentPort as MessagePort;
  let last = Promise.resolve();
  port.on("message", ({ call, kind, payload }: { call: number; kind: keyof Calls; payload: never }) => {
    last = last.then(async () => {
      try {
        port.postMessage({ call, value: await calls[kind](payload) } satisfies Answer);
      } catch (error) {
        const { message } = error as Error;
        const code = error instanceof NearkinError ? error.code : "WORKER_FAILED";
        port.postMessage({ call, error: { code, message } } satisfies Answer);
      }
    });
  });
}
