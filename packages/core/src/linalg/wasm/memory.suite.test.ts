// One linear memory: whose matrices an engine takes, how it grows, and what it says when there is no more, or no engine any more.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorOf } from "../../testing/bounds.ts";
import { createEngine } from "../create.ts";
import type { Engine } from "../engine.ts";
import { hostIndices, hostMatrix } from "../matrix.ts";
import { Random } from "../random.ts";
import { TopK } from "../top-k.ts";

describe.each([true, false])("shared memory: %s", (shared) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: "wasm", workers: 1, shared, maxPages: 512 });
  });
  afterAll(() => engine.close());

  test("asking for more than there is says how much; the engine lives on", () => {
    const scope = engine.scope();
    const error = errorOf(() => scope.matrix(3000, 3000));
    expect(error.code).toBe("OUT_OF_MEMORY");
    expect(error.message).toMatch(
      /^matrix: asked for 68\.7 MiB, with \d+\.\d MiB in use of at most 32\.0 MiB; work in smaller batches, or in several shards$/,
    );
    expect(errorOf(() => scope.indices(1e7)).message).toMatch(/^indices: asked for 38\.1 MiB, /);
    const A = scope.matrix(2, 2).fill(1);
    engine.gemm(scope.matrix(2, 2), A, A);
    scope.close();
  });

  test("numbers stay where they are when memory grows", () => {
    const scope = engine.scope();
    const A = scope.matrix(3, 3).write([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const before = A.data.buffer.byteLength;
    const large = scope.zeros(1400, 1400);
    expect(A.data.buffer.byteLength).toBeGreaterThan(before);
    engine.gemm(large.view(0, 3, 0, 3), A, A);
    expect([...large.view(0, 3, 0, 3).read()]).toEqual([30, 36, 42, 66, 81, 96, 102, 126, 150]);
    expect([...A.read()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    scope.close();
  });

  test("an operation that finds no room for its workspace fails the same way and gives back what it took", () => {
    const scope = engine.scope();
    const L = scope.zeros(1200, 1200);
    const out = scope.matrix(1200, 1200);
    for (let i = 0; i < 1200; i++) L.set(i, i, 1);
    for (let i = 0; i < 3; i++) expect(errorOf(() => engine.inverseFromCholesky(out, L)).code).toBe("OUT_OF_MEMORY");
    expect(scope.matrix(10, 10).rows).toBe(10);
    scope.close();
  });

  test("scopes close in the reverse order of opening", () => {
    const outer = engine.scope();
    const inner = engine.scope();
    expect(errorOf(() => outer.close())).toEqual({
      code: "SCOPE_CLOSED",
      message: "close: an inner scope is still open; close scopes in the reverse order of opening",
    });
    inner.close();
    outer.close();
    expect(errorOf(() => outer.matrix(1, 1))).toEqual({
      code: "SCOPE_CLOSED",
      message: "matrix: this scope is closed; open a new one",
    });
  });

  test("a scope starts where the last one did: memory is reused", () => {
    const addresses = Array.from({ length: 3 }, () => {
      const scope = engine.scope();
      const { offset } = scope.matrix(10, 10);
      scope.close();
      return offset;
    });
    expect(new Set(addresses).size).toBe(1);
  });
});

describe("matrices of other memories", () => {
  const foreign = {
    code: "BAD_ARGUMENT",
    message:
      "a matrix lies outside this engine's memory; allocate it from this engine's scope(), or copy rows in with gatherRows",
  };

  test("are refused, wherever they come in", async () => {
    const [engine, other] = [await createEngine({ workers: 1 }), await createEngine({ workers: 1 })];
    const [mine, theirs] = [engine.scope(), other.scope()];
    const host = hostMatrix(new Float64Array(4), 2, 2);
    const own = () => mine.matrix(2, 2).fill(1);
    expect(errorOf(() => engine.gemm(own(), own(), theirs.matrix(2, 2)))).toEqual(foreign);
    expect(errorOf(() => engine.gemm(host, own(), own()))).toEqual(foreign);
    expect(errorOf(() => engine.cholesky(theirs.matrix(2, 2)))).toEqual(foreign);
    expect(errorOf(() => engine.solveTriangular(own(), host))).toEqual(foreign);
    expect(errorOf(() => engine.activate(host, host, "exp"))).toEqual(foreign);
    expect(errorOf(() => engine.fillUniform(host, new Random(1)))).toEqual(foreign);
    expect(errorOf(() => engine.scatterAddRows(own(), own(), hostIndices(new Int32Array(2))))).toEqual(foreign);
    expect(errorOf(() => engine.scan(new TopK(1), [host], mine.matrix(2, 1)))).toEqual(foreign);
    await engine.close();
    await other.close();
  });
});

describe("a closed engine", () => {
  test.each([1, 2])("computes nothing more, and closes again in peace (%d workers)", async (workers) => {
    const engine = await createEngine({ workers });
    const scope = engine.scope();
    const A = scope.matrix(80, 80).fill(1);
    const C = scope.matrix(80, 80);
    await engine.close();
    const closed = { code: "ENGINE_CLOSED", message: "this engine is closed; open a new one" };
    expect(errorOf(() => engine.gemm(C, A, A))).toEqual(closed);
    expect(errorOf(() => engine.cholesky(A))).toEqual(closed);
    expect(errorOf(() => engine.activate(A, A, "exp"))).toEqual(closed);
    expect(errorOf(() => engine.scope())).toEqual(closed);
    await engine.close();
  });
});
