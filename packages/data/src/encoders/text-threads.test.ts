import { NearkinError } from "@nearkin/core";
import { expect, test } from "vitest";
import { TextThreads } from "./text-threads.ts";

/** A thread that answers with the length of a text, or does as the text says. */
const SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
if (workerData.broken) throw new Error("no weights\\nat line 1");
parentPort.on("message", (text) => {
  if (text === "exit") process.exit(3);
  if (text === "trap") return parentPort.postMessage({ error: "unreachable" });
  if (text === "forever") return;
  parentPort.postMessage({ vector: Float32Array.of(text.length) });
});
parentPort.postMessage({});
`;

const pool = (threads: number, workerData: object = {}) =>
  new TextThreads({
    name: "toy",
    source: SOURCE,
    workerData,
    threads,
    cannotStart: (reason) => new NearkinError("ENCODER_UNAVAILABLE", `toy: ${reason}`),
  });

async function lengths(threads: TextThreads, texts: string[], options = {}): Promise<number[]> {
  const out: number[] = [];
  const write = (i: number, vector: Float32Array) => {
    out[i] = vector[0];
  };
  await threads.run(texts, write, options);
  return out;
}

const texts = Array.from({ length: 20 }, (_, i) => "x".repeat((i * 7) % 20));

test("answers find their text; a thread starts for every eight that wait", async () => {
  const threads = pool(3);
  expect(await lengths(threads, ["a", "bbb", "cc"])).toEqual([1, 3, 2]);
  expect(threads.started).toBe(1);
  expect(await lengths(threads, texts)).toEqual(texts.map((text) => text.length));
  expect(threads.started).toBe(3);
  const calls = await Promise.all([lengths(threads, texts), lengths(threads, ["a"]), lengths(threads, [])]);
  expect(calls).toEqual([texts.map((text) => text.length), [1], []]);
  await threads.close();
});

test("one call can stop without the others", async () => {
  const threads = pool(1);
  const controller = new AbortController();
  const stopped = lengths(threads, texts, { signal: controller.signal });
  const other = lengths(threads, ["abc"]);
  controller.abort(new Error("enough"));
  await expect(stopped).rejects.toThrow("enough");
  expect(await other).toEqual([3]);
  await expect(lengths(threads, ["a"], { signal: controller.signal })).rejects.toThrow("enough");
  await threads.close();
});

test("a thread that stops fails every call, now and later", async () => {
  for (const [text, reason] of [
    ["exit", "exit code 3"],
    ["trap", "unreachable"],
  ]) {
    const threads = pool(1);
    const failed = Promise.allSettled([lengths(threads, [text]), lengths(threads, ["a", "b"])]);
    const message = `toy: a thread stopped (${reason}); open a new encoder`;
    for (const result of await failed) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "WORKER_FAILED", message } });
    }
    await expect(lengths(threads, ["c"])).rejects.toThrow(message);
  }
});

test("a thread that cannot start", async () => {
  const threads = pool(2, { broken: true });
  await expect(lengths(threads, texts)).rejects.toThrowErrorMatchingInlineSnapshot(`[NearkinError: toy: no weights]`);
});

test("closing fails what is under way", async () => {
  const threads = pool(1);
  const call = lengths(threads, ["forever", "a"]);
  setTimeout(() => threads.close(), 100);
  await expect(call).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: toy: the encoder is closed; open a new one]`,
  );
});
