// Scan threads in Node: the caller is not held up, idle threads do nothing, nothing grows, and threads that go wrong are replaced.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as threads from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { patience } from "../../testing/patience.ts";
import { createEngine } from "../create.ts";
import type { Engine } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import { Random } from "../random.ts";
import type { ScanQuery, ScanThreads } from "../scan-query.ts";
import { openScanThreads } from "../scan-threads.ts";
import * as layout from "./scan-layout.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const [N, W] = [40_000, 128];
const workers: threads.Worker[] = [];
const ready: Promise<unknown>[] = []; // their first words
let slots: Int32Array[]; // control words of the batches that can be handed out at the same time
let engine: Engine;
let rows: Matrix;
let scans: ScanThreads;
const query: ScanQuery = { vector: new Float32Array(W).fill(1), k: 5 };

beforeEach(async () => {
  class Recorded extends threads.Worker {
    constructor(...args: ConstructorParameters<typeof threads.Worker>) {
      super(...args);
      workers.push(this);
      ready.push(once(this, "message"));
    }
    override postMessage(message: { memory: WebAssembly.Memory; slots: { control: number }[] }): void {
      slots = message.slots.map(({ control }) => new Int32Array(message.memory.buffer, control, layout.CHUNKS + 1));
      super.postMessage(message);
    }
  }
  const builtin = process.getBuiltinModule.bind(process);
  vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) =>
    name === "node:worker_threads" ? { ...threads, Worker: Recorded } : builtin(name),
  );
  engine = await createEngine({ workers: 1 });
  rows = engine.scope().matrix(N, W, "f32");
  engine.fillNormal(rows, new Random(1));
  scans = await openScanThreads(engine, { threads: 2 });
});

afterEach(async () => {
  await scans.close();
  await engine.close();
  workers.length = 0;
  ready.length = 0;
  vi.restoreAllMocks();
});

/** Of each batch that was handed out, whether all of its chunks are finished. */
const areScanned = () =>
  slots.map((words) => words[layout.CHUNKS] > 0 && Atomics.load(words, layout.DONE) === words[layout.CHUNKS]);

/** The rows found, one batch of `queries` after the other. */
const rowsFound = async (queries = [query]) => (await scans.scan(rows, N, queries)).map((top) => top.rows.join());

test("the caller's thread goes on while rows are read", async () => {
  const queries = Array.from({ length: 64 }, () => query); // takes some 100 ms
  const turnsMeanwhile = async () => {
    let turns = 0;
    const count = () => {
      if (areScanned().every(Boolean)) return;
      turns++;
      setImmediate(count);
    };
    const answers = [scans.scan(rows, N, queries), scans.scan(rows, N, queries)];
    setImmediate(count);
    await Promise.all(answers);
    return turns;
  };
  await expect.poll(turnsMeanwhile).toBeGreaterThan(100); // of one attempt: a busy machine may leave us none in another
});

test("threads go on to the next scan while the caller has not yet looked at the first", async () => {
  const many = Array.from({ length: 64 }, () => query);
  const both = Promise.all([scans.scan(rows, N, many), scans.scan(rows, N, many)]);
  const end = performance.now() + 30_000 * patience;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  while (areScanned().includes(false) && performance.now() < end) Atomics.wait(sleeper, 0, 0, 1); // nothing that threads say arrives meanwhile
  const done = areScanned();
  await both;
  expect(done).toEqual([true, true]);
});

test("scans that overlap get the answers to their own queries, in the order of asking", async () => {
  const random = new Random(7);
  const batches = Array.from({ length: 60 }, () =>
    Array.from({ length: 1 + random.below(5) }, () => ({
      vector: Float32Array.from({ length: W }, () => random.normal()),
      k: 1 + random.below(9),
    })),
  );
  const counts = batches.map(() => 1 + random.below(N));
  const alone: string[][] = [];
  for (const [i, queries] of batches.entries()) {
    alone.push((await scans.scan(rows, counts[i], queries)).map((top) => top.rows.join()));
  }
  const order: number[] = [];
  const together = await Promise.all(
    batches.map(async (queries, i) => {
      const found = await scans.scan(rows, counts[i], queries);
      order.push(i);
      return found.map((top) => top.rows.join());
    }),
  );
  expect(together).toEqual(alone);
  expect(order).toEqual(batches.map((_, i) => i));
});

test("idle threads take no time", async () => {
  await rowsFound();
  const shares: number[] = [];
  for (let window = 0; window < 5; window++) {
    const [before, started] = [process.cpuUsage(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 100)); // time in which nothing is asked: the share says as much of a longer one
    const { user, system } = process.cpuUsage(before);
    shares.push((user + system) / 1000 / (performance.now() - started));
  }
  expect(Math.min(...shares)).toBeLessThan(0.2); // two threads that spin would take 2 in every window, and 0.8 beside two busy programs
});

test("nothing grows with the number of scans", async () => {
  const allowed = new Uint32Array(Math.ceil(N / 32)).fill(0x01010101);
  const queries = [query, { ...query, k: 300 }, { ...query, allowed }];
  const run = async (times: number) => {
    for (let i = 0; i < times; i++) await scans.scan(rows, 2000, queries);
    for (let i = 0; i < 3; i++) collect();
    return process.memoryUsage().heapUsed;
  };
  const bytes = rows.storage.f32.byteLength;
  await run(300);
  const before = await run(300);
  const after = await run(2000);
  expect(rows.storage.f32.byteLength).toBe(bytes);
  expect(after - before).toBeLessThan(2000 * 200); // an answer that was kept would be 4 kB
});

test("memory may grow while threads run", async () => {
  const expected = await rowsFound();
  const answer = rowsFound();
  const bytes = rows.storage.f32.byteLength;
  const scope = engine.scope();
  scope.matrix(bytes / 4, 1, "f32").fill(1);
  expect(rows.storage.f32.byteLength).toBeGreaterThan(bytes);
  expect(await answer).toEqual(expected);
  expect(await rowsFound()).toEqual(expected);
  scope.close();
});

describe("a lost thread", () => {
  const lost = {
    code: "WORKER_FAILED",
    message: "a scan thread was lost (it ended); ask again, the threads are starting anew",
  };

  test("fails the scan under way; those after it are answered by new threads", async () => {
    const expected = await rowsFound();
    const many = Array.from({ length: 64 }, () => query);
    const underWay = scans.scan(rows, N, many);
    const waiting = rowsFound();
    const failed = expect(underWay).rejects.toMatchObject(lost);
    await workers[0].terminate();
    await failed;
    expect(await waiting).toEqual(expected);
    expect(await rowsFound()).toEqual(expected);
    expect(workers).toHaveLength(4);
  });

  test("while nothing is asked is replaced before anyone learns of it", async () => {
    const expected = await rowsFound();
    for (let round = 1; round <= 5; round++) {
      await workers.at(-1)?.terminate();
      expect(await rowsFound()).toEqual(expected);
      expect(workers).toHaveLength(2 * (round + 1));
    }
  });

  test("again and again, without an answer in between, is an error from then on", async () => {
    for (let round = 1; round <= 4; round++) {
      await Promise.all(ready); // the new ones have started
      await workers.at(-1)?.terminate();
      if (round < 4) await expect.poll(() => workers.length).toBe(2 * (round + 1));
    }
    await expect(rowsFound()).rejects.toMatchObject({
      code: "WORKER_FAILED",
      message: "a scan thread was lost (it ended), and again after each new start; open new ones",
    });
    expect(workers).toHaveLength(8);
  });
});

test("a trap fails its scan alone", async () => {
  const bad = rows.view(0, N);
  bad.offset = 2 ** 30 - N * W; // beyond the memory
  for (let i = 0; i < 3; i++) {
    await expect(scans.scan(bad, N, [query])).rejects.toMatchObject({
      code: "WORKER_FAILED",
      message: "scan: memory access out of bounds",
    });
    expect(await rowsFound()).toHaveLength(1);
  }
  expect(workers).toHaveLength(2);
});

test("closing rejects what is under way and what waits, and gives the memory back", async () => {
  const closed = { code: "ENGINE_CLOSED", message: "the scan threads are closed; open new ones" };
  const many = Array.from({ length: 64 }, () => query);
  const answers = [scans.scan(rows, N, many), scans.scan(rows, N, [query])].map((answer) =>
    expect(answer).rejects.toMatchObject(closed),
  );
  await scans.close();
  await Promise.all(answers);
  const at = engine.scope().matrix(1, 1).offset;
  await scans.close(); // again
  const again = await openScanThreads(engine, { threads: 1 });
  expect(at * 8).toBeLessThan((rows.offset + N * W) * 4 + 256);
  await again.close();
});

test("closing under a later scope says so, and can be repeated", async () => {
  const scope = engine.scope();
  await expect(scans.close()).rejects.toMatchObject({ code: "SCOPE_CLOSED" });
  scope.close();
  await scans.close();
});

test("threads do not keep a process alive, but a scan does", async () => {
  const index = fileURLToPath(new URL("../../index.ts", import.meta.url));
  const program = `
    const { createEngine, openScanThreads } = await import(${JSON.stringify(index)});
    const engine = await createEngine({ workers: 1 });
    const rows = engine.scope().matrix(100000, 100, "f32").fill(1);
    const scans = await openScanThreads(engine, { threads: 2 });
    const [top] = await scans.scan(rows, 100000, [{ vector: new Float32Array(100), k: 3 }]);
    console.log(top.count);
  `;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once("close", resolve)); // never, if it were kept alive
  expect({ code, count: output }).toEqual({ code: 0, count: "3\n" });
});
