// The queue with real threads: what goes together, who comes first, when rows may change, who is refused.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import type { ScanQuery, ScanThreads } from "../linalg/scan-query.ts";
import { openScanThreads } from "../linalg/scan-threads.ts";
import { ScanQueue, type ScanQueueOptions } from "./scan-queue.ts";

const [N, W] = [3000, 8];
let engine: Engine;
let rows: Matrix;
let threads: ScanThreads;
let source: { rows: Matrix; count: number };
const query: ScanQuery = { vector: new Float32Array(W).fill(1), k: 3 };

beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 1 });
  rows = engine.scope().matrix(N, W, "f32");
  threads = await openScanThreads(engine, { threads: 2 });
});
beforeEach(() => {
  rows.fill(1);
  source = { rows, count: N };
});
afterAll(async () => {
  await threads.close();
  await engine.close();
});

const open = (options: ScanQueueOptions = {}) => new ScanQueue(threads, source, options);
const turn = () => new Promise((resolve) => setTimeout(resolve));
const codeOf = (answer: Promise<unknown>) => answer.catch((error) => error.code ?? error.name);

describe("batches", () => {
  test("what is asked in one turn goes together, at most `batch` at once and in the order of asking", async () => {
    const queue = open({ batch: 4 });
    const order: number[] = [];
    await Promise.all(Array.from({ length: 10 }, (_, i) => queue.search(query, { look: () => order.push(i) })));
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(queue.counters).toMatchObject({ batches: 3, queries: 10, waiting: 0, refused: 0, dropped: 0 });
    expect(queue.counters.meanBatch).toBeCloseTo(10 / 3, 12);
    expect(queue.counters.busy).toBeGreaterThan(0);
  });

  test("if more waits than goes together, callers have one query each in turn; the rest is in the order of asking", async () => {
    const queue = open({ batch: 4, limit: 12 });
    const order: string[] = [];
    const ask = (caller: string, count: number) =>
      Array.from({ length: count }, (_, i) => queue.search(query, { caller, look: () => order.push(`${caller}${i}`) }));
    const first = [...ask("a", 7), ...ask("b", 2), ...ask("c", 1)];
    const [more, refused] = ask("a", 2); // four times as many as places are left
    expect(await codeOf(refused)).toBe("BUSY");
    await Promise.all([...first, more]);
    expect(order).toEqual(["a0", "b0", "c0", "a1", "a2", "b1", "a3", "a4", "a5", "a6", "a0"]);
  });

  test("a named caller leaves places for others, however many queries there are; those without a name may take them all", async () => {
    const queue = open({ limit: 10 });
    const ask = (caller: string | undefined, count: number) =>
      Array.from({ length: count }, () => codeOf(queue.search(query, { caller }).then(() => "answered")));
    const greedy = ask("a", 10);
    const others = [...ask("b", 1), ...ask("c", 1)];
    expect((await Promise.all(greedy)).filter((code) => code === "BUSY")).toHaveLength(2);
    expect(await Promise.all(others)).toEqual(["answered", "answered"]);
    expect(await Promise.all(ask(undefined, 11))).toEqual([...Array(10).fill("answered"), "BUSY"]);
  });

  test("what is asked while a batch is under way waits, and goes as the next", async () => {
    const queue = open();
    const first = queue.search(query);
    await Promise.resolve(); // the batch begins; it ends in a later turn
    const others = Array.from({ length: 5 }, () => queue.search(query));
    expect(queue.counters).toMatchObject({ batches: 1, queries: 1, waiting: 5 });
    await Promise.all([first, ...others]);
    expect(queue.counters).toMatchObject({ batches: 2, queries: 6, waiting: 0 });
  });

  test("a full batch does not wait for the one before; a third does, and so does one that is not full", async () => {
    const queue = open({ batch: 4 });
    const first = queue.search(query);
    await Promise.resolve();
    const full = Array.from({ length: 4 }, () => queue.search(query));
    await Promise.resolve();
    expect(queue.counters).toMatchObject({ batches: 2, queries: 5, waiting: 0 });
    const third = Array.from({ length: 4 }, () => queue.search(query));
    await Promise.resolve();
    expect(queue.counters).toMatchObject({ batches: 2, waiting: 4 });
    await Promise.all([first, ...full, ...third]);
    expect(queue.counters).toMatchObject({ batches: 3, queries: 9, waiting: 0 });
  });

  test("every caller gets the answer to their own query", async () => {
    const random = new Random(1);
    for (let i = 0; i < N; i++) for (let j = 0; j < W; j++) rows.set(i, j, random.below(7) - 3);
    const queue = open({ batch: 5 });
    const queries = Array.from({ length: 23 }, (_, i) => ({
      vector: Float32Array.from({ length: W }, () => random.below(7) - 3),
      k: 1 + (i % 7),
    }));
    const alone = await Promise.all(queries.map(async (query) => (await threads.scan(rows, N, [query]))[0]));
    expect(await Promise.all(queries.map((query) => queue.search(query)))).toEqual(alone);
  });
});

describe("changes of the rows", () => {
  test("are made at once where nothing is under way", async () => {
    const queue = open();
    let written = false;
    const answer = queue.exclusively(() => {
      written = true;
      return 7;
    });
    expect(written).toBe(true);
    expect(await answer).toBe(7);
    await expect(
      queue.exclusively(() => {
        throw new RangeError("no");
      }),
    ).rejects.toThrow(RangeError);
  });

  test("come between batches, and after the answers of the batch before: no answer is of half a change", async () => {
    const queue = open({ batch: 3 });
    const random = new Random(2);
    let version = 1;
    let asked = 0;
    const write = () => {
      version++;
      source.count = 1000 + random.below(N - 1000);
      rows.fill(version);
    };
    const look = ({ scores, count }: { scores: Float64Array; count: number }) => {
      asked++;
      expect(count).toBe(source.count);
      expect(new Set(scores.subarray(0, count))).toEqual(new Set([W * version]));
    };
    const tasks: Promise<unknown>[] = [];
    for (let i = 0; i < 300; i++) {
      if (random.below(3) === 0) tasks.push(queue.exclusively(write));
      else tasks.push(queue.search({ ...query, k: N }, { look }));
      if (random.below(4) === 0) await turn();
    }
    await Promise.all(tasks);
    expect(asked).toBeGreaterThan(100);
    expect(version).toBeGreaterThan(50);
    expect(queue.counters.batches).toBeGreaterThan(20);
  });

  test("asked for while answers are made wait for all of these", async () => {
    const queue = open();
    const seen: string[] = [];
    const look = (name: string) => () => {
      seen.push(name);
      if (name === "first") void queue.exclusively(() => seen.push("change"));
    };
    await Promise.all([queue.search(query, { look: look("first") }), queue.search(query, { look: look("second") })]);
    await queue.search(query, { look: look("third") });
    expect(seen).toEqual(["first", "second", "change", "third"]);
  });
});

test("too many that wait are refused", async () => {
  const queue = open({ limit: 2 });
  const answers = [queue.search(query), queue.search(query)];
  await expect(queue.search(query)).rejects.toMatchObject({
    code: "BUSY",
    message: "2 searches are waiting already; ask again later",
  });
  await Promise.resolve(); // two are under way, none waits
  answers.push(queue.search(query), queue.search(query));
  expect(await codeOf(queue.search(query))).toBe("BUSY");
  expect(await Promise.all(answers)).toHaveLength(4);
  expect(queue.counters).toMatchObject({ queries: 4, refused: 2 });
});

test("a search that an answer needs is never refused, and closing waits for it", async () => {
  const queue = open({ limit: 1, batch: 1 });
  const again = () => queue.search({ ...query, k: 5 }, { look: ({ count }) => `then ${count}` });
  const first = queue.search(query, { look: again });
  await Promise.resolve();
  const second = queue.search(query); // as many as may wait
  const closing = queue.close().then(() => queue.counters.queries);
  expect(await Promise.all([first, second.then(({ count }) => count), closing])).toEqual(["then 5", 3, 3]);
});

test("a caller who left is not searched for", async () => {
  const queue = open();
  const [gone, leaves, leavesLate] = [AbortSignal.abort(), new AbortController(), new AbortController()];
  const late = queue.search(query, { signal: leavesLate.signal, look: () => expect.unreachable() });
  await Promise.resolve(); // under way
  const answers = [
    queue.search(query, { signal: gone }),
    queue.search(query, { signal: leaves.signal }),
    queue.search(query, { signal: new AbortController().signal }).then(({ count }) => count),
  ];
  expect(queue.counters.waiting).toBe(2);
  leaves.abort();
  leavesLate.abort(new RangeError("bored"));
  expect(queue.counters).toMatchObject({ waiting: 1, dropped: 1 });
  await expect(late).rejects.toThrow("bored");
  expect(await Promise.all(answers.map(codeOf))).toEqual([20, 20, 3]); // 20: DOMException.ABORT_ERR
  expect(queue.counters).toMatchObject({ batches: 2, queries: 2 });
});

test("a query that cannot be asked, or an answer that cannot be made, is its caller's alone", async () => {
  const queue = open();
  const fails = () => {
    throw new RangeError("look");
  };
  const answers = [
    queue.search(query).then(({ count }) => count),
    queue.search({ ...query, vector: new Float32Array(W + 1) }),
    queue.search({ ...query, k: 0 }),
    queue.search(query, { look: fails }),
    queue.search({ ...query, k: 5 }).then(({ count }) => count),
  ];
  expect(await Promise.all(answers.map(codeOf))).toEqual([3, "SHAPE_MISMATCH", "BAD_ARGUMENT", "RangeError", 5]);
});

test("closing answers those that wait, then is done; closed threads are everybody's error", async () => {
  const queue = open({ batch: 2 });
  const answers = Array.from({ length: 5 }, () => queue.search(query));
  const closing = queue.close();
  expect(await codeOf(queue.search(query))).toBe("ENGINE_CLOSED");
  let isDone = false;
  void closing.then(() => {
    isDone = true;
  });
  await Promise.all(answers);
  await turn();
  expect(isDone).toBe(true);
  expect(queue.close()).toBe(closing);
  await open().close(); // nothing to wait for

  const own = await openScanThreads(engine, { threads: 1 });
  const other = new ScanQueue(own, source);
  const lost = [other.search(query), other.search(query)].map(codeOf);
  await Promise.resolve();
  await own.close();
  expect(await Promise.all(lost)).toEqual(["ENGINE_CLOSED", "ENGINE_CLOSED"]);
  expect(await codeOf(other.search(query))).toBe("ENGINE_CLOSED");
});

test.each([{ batch: 0 }, { limit: 1.5 }])("options are checked: %o", (options) => {
  expect(() => open(options)).toThrow(/^scan queue: (batch|limit) must be a whole number of at least 1/);
});
