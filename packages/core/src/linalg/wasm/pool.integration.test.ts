// Threads that go wrong: a trap on a worker, a worker that is killed, an engine that nobody closes.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as threads from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import { errorOf } from "../../testing/bounds.ts";
import { patience } from "../../testing/patience.ts";
import { createEngine } from "../create.ts";
import { Pool } from "./pool.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A job of rowNorms for each of two threads: `address` is where the second one's matrix is said to lie. */
function rowNorms(pool: Pool, address: number): void {
  const scope = pool.arena.open();
  const A = scope.matrix(2, 3).fill(2);
  const out = scope.matrix(2, 1);
  for (let t = 0; t < 2; t++) {
    pool.job(t).put(1).put(3);
    pool
      .put(t === 1 && address ? address : pool.address(A, t))
      .put(3)
      .put(0)
      .put(pool.address(out, t));
  }
  try {
    pool.run(pool.kernel("row_norms").f64, 2);
    expect([...out.read()]).toEqual([12, 12]);
  } finally {
    scope.close();
  }
}

test("a worker that traps gives WORKER_FAILED, and the pool stays usable", async () => {
  const pool = await Pool.create({ simd: "strict", shared: true, workers: 2 });
  rowNorms(pool, 0);
  for (let i = 0; i < 3; i++) {
    expect(errorOf(() => rowNorms(pool, 2 ** 32 - 64))).toEqual({
      code: "WORKER_FAILED",
      message: "worker 1: memory access out of bounds",
    });
    rowNorms(pool, 0);
  }
  await pool.close();
});

test("a trap on the caller's own thread ends the round before it is thrown", async () => {
  const pool = await Pool.create({ simd: "strict", shared: true, workers: 2 });
  const kernel = pool.kernel("row_norms").f64;
  for (let t = 0; t < 2; t++)
    pool
      .job(t)
      .put(1)
      .put(3)
      .put(2 ** 32 - 64)
      .put(3)
      .put(0)
      .put(2 ** 32 - 64);
  expect(() => pool.run(kernel, 2)).toThrow(WebAssembly.RuntimeError);
  rowNorms(pool, 0);
  await pool.close();
});

test("a worker that is gone is noticed, and the engine says so from then on", async () => {
  const workers: threads.Worker[] = [];
  class Recorded extends threads.Worker {
    constructor(...args: ConstructorParameters<typeof threads.Worker>) {
      super(...args);
      workers.push(this);
    }
  }
  const builtin = process.getBuiltinModule.bind(process);
  vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) =>
    name === "node:worker_threads" ? { ...threads, Worker: Recorded } : builtin(name),
  );
  const engine = await createEngine({ workers: 2, timeout: 2000 * patience });
  const scope = engine.scope();
  const A = scope.matrix(100, 100).fill(1);
  const C = scope.matrix(100, 100);
  engine.gemm(C, A, A);
  expect(workers).toHaveLength(1);
  await workers[0].terminate();
  const lost = {
    code: "WORKER_FAILED",
    message: `a worker gave no answer for ${2 * patience} s (killed, or out of memory?); create a new engine`,
  };
  expect(errorOf(() => engine.gemm(C, A, A))).toEqual(lost);
  expect(errorOf(() => engine.gemm(C.view(0, 1), A.view(0, 1), A))).toEqual(lost);
  await engine.close();
});

test("a worker that cannot start leaves one thread, and a note", async () => {
  const builtin = process.getBuiltinModule.bind(process);
  class Refused extends threads.Worker {
    constructor() {
      super("throw new Error('no threads today')", { eval: true });
    }
  }
  vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) =>
    name === "node:worker_threads" ? { ...threads, Worker: Refused } : builtin(name),
  );
  const engine = await createEngine({ workers: 3 });
  expect(engine.info).toMatchObject({ workers: 1, notes: ["one thread only: no threads today"] });
  await engine.close();
});

test("an engine that nobody closes does not keep its process alive", async () => {
  const index = fileURLToPath(new URL("../../index.ts", import.meta.url));
  const program = `
    const { createEngine } = await import(${JSON.stringify(index)});
    const engine = await createEngine({ workers: 2 });
    const A = engine.scope().matrix(200, 200).fill(1);
    engine.gemm(engine.scope().matrix(200, 200), A, A);
    console.log(engine.info.workers);
  `;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once("close", resolve)); // never, if it were kept alive
  expect({ code, workers: output }).toEqual({ code: 0, workers: "2\n" });
});
