import { expect, test } from "vitest";
import type { Reply, Request } from "./messages.ts";
import { openInWorker, type WorkerLike } from "./worker-calls.ts";

/** A worker whose answers are given by hand. */
function handMade(answer: (request: Request) => Omit<Reply, "number"> | undefined) {
  let reply: (event: MessageEvent<Reply>) => void = () => {};
  let fail: (event: ErrorEvent) => void = () => {};
  const worker: WorkerLike & { ended: boolean; crash: (message: string) => void } = {
    ended: false,
    postMessage(request) {
      const answered = answer(request);
      if (answered)
        queueMicrotask(() => reply({ data: { number: request.number, ...answered } } as MessageEvent<Reply>));
    },
    addEventListener(type: string, listener: never) {
      if (type === "message") reply = listener;
      else fail = listener;
    },
    terminate() {
      worker.ended = true;
    },
    crash: (message) => fail({ message } as ErrorEvent),
  };
  return worker;
}

const files = new Map([["model.json", new ArrayBuffer(2)]]);

test("calls go by name, and their answers come back", async () => {
  const worker = handMade((request) => ({ value: "call" in request ? [request.call, ...request.args] : undefined }));
  const { calls } = await openInWorker(worker, files);
  expect(await Promise.all([calls.search("alien", 3), calls.item("a")])).toEqual([
    ["search", "alien", 3],
    ["item", "a"],
  ]);
});

test("an error keeps its code", async () => {
  const failure = { code: "UNKNOWN_ITEM", message: 'no item has the id "x"' };
  const worker = handMade((request) => ("call" in request ? { failure } : { value: undefined }));
  const { calls } = await openInWorker(worker, files);
  await expect(calls.item("x")).rejects.toMatchObject(failure);
});

test("a model that cannot be opened ends the worker", async () => {
  const failure = { code: "BAD_MODEL", message: "model.json is damaged" };
  const worker = handMade(() => ({ failure }));
  await expect(openInWorker(worker, files)).rejects.toMatchObject(failure);
  expect(worker.ended).toBe(true);
});

test("a worker that dies fails what waits for it", async () => {
  const worker = handMade((request) => ("open" in request ? { value: undefined } : undefined));
  const { calls, failed } = await openInWorker(worker, files);
  const waiting = calls.shelves();
  worker.crash("out of memory");
  const died = { code: "WORKER_FAILED", message: "out of memory" };
  await expect(waiting).rejects.toMatchObject(died);
  expect(await failed).toBe("out of memory");
  await expect(calls.shelves()).rejects.toMatchObject(died); // rather than waiting for ever
});
