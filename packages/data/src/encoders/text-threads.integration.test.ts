import { NearkinError } from "@nearkin/core";
import { expect, test } from "vitest";
import { TextThreads } from "./text-threads.ts";

/** A thread that answers with the length of each text and how many came with it, or does as the first text says. */
const SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
if (workerData.broken) throw new Error("no weights\\nat line 1");
parentPort.on("message", (texts) => {
  const [text] = texts;
  if (text === "exit") process.exit(3);
  if (text === "trap") return parentPort.postMessage({ error: "unreachable" });
  if (text === "forever") return;
  parentPort.postMessage({ vectors: Float32Array.from(texts.flatMap(({ length }) => [length, texts.length])) });
});
parentPort.postMessage({});
`;

const pool = (threads: number, workerData: () => unknown = () => ({})) =>
  new TextThreads({
    name: "toy",
    source: SOURCE,
    workerData,
    threads,
    cannotStart: (reason) => new NearkinError("ENCODER_UNAVAILABLE", `toy: ${reason}`),
  });

async function answers(threads: TextThreads, texts: string[], options = {}): Promise<number[][]> {
  const out: number[][] = [];
  const write = (i: number, vector: Float32Array) => {
    out[i] = [...vector];
  };
  await threads.run(texts, write, options);
  return out;
}

const lengths = async (...args: Parameters<typeof answers>) => (await answers(...args)).map(([length]) => length);

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

test("short texts go together, up to a thousand characters, and no thread takes another's share", async () => {
  const one = pool(1);
  const texts = [2000, 990, 10, 600, 400, 300].map((length) => "x".repeat(length));
  expect(await answers(one, texts)).toEqual([
    [2000, 1],
    [990, 1],
    [10, 2],
    [600, 2],
    [400, 2],
    [300, 2],
  ]);
  await one.close();
  const two = pool(2);
  await Promise.all([answers(two, ["a"]), answers(two, Array(16).fill("a"))]); // both have started
  const shared = await answers(two, Array(16).fill("abc"));
  expect(Math.max(...shared.map(([, together]) => together))).toBe(8);
  await two.close();
});

test("what threads are given is asked for once, with the first text", async () => {
  let asked = 0;
  const threads = pool(3, async () => ({ asked: ++asked }));
  expect(asked).toBe(0);
  await lengths(threads, texts);
  expect([asked, threads.started]).toEqual([1, 3]);
  await threads.close();
  const failing = pool(2, () => Promise.reject(new Error("no file\nat all")));
  await expect(lengths(failing, texts)).rejects.toThrowErrorMatchingInlineSnapshot(`[NearkinError: toy: no file]`);
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
  const threads = pool(2, () => ({ broken: true }));
  await expect(lengths(threads, texts)).rejects.toThrowErrorMatchingInlineSnapshot(`[NearkinError: toy: no weights]`);
});

test("closing fails what is under way", async () => {
  const threads = pool(1);
  await lengths(threads, ["a"]); // the thread has started: what comes next is sent to it at once
  const call = lengths(threads, ["forever", "a"]);
  void threads.close();
  await expect(call).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: toy: the encoder is closed; open a new one]`,
  );
});
