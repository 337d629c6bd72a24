// What is peculiar to OpenBLAS; the contract of every engine is in engine.test.ts.
import {
  type Accelerate,
  createEngine,
  type Engine,
  type EngineOptions,
  type Matrix,
  type Precision,
} from "@nearkin/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { loadOpenBlas, openBlas } from "./index.ts";
import { openBlasAvailable } from "./testing/available.ts";

const available = await openBlasAvailable();
const plain = await createEngine({ engine: "plain" });
const opened: Engine[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  answers.length = 0;
  await Promise.all(opened.splice(0).map((engine) => engine.close()));
});

/** What `openBlas` said to each product of the current test: taken, or left to the engine. */
const answers: boolean[] = [];

const spied: Accelerate = async (memory, workers) => {
  const accelerator = await openBlas(memory, workers);
  const noted = (answer: boolean) => {
    answers.push(answer);
    return answer;
  };
  return {
    ...accelerator,
    gemm: (...operands) => noted(accelerator.gemm(...operands)),
    syrk: (...operands) => noted(accelerator.syrk(...operands)),
  };
};

async function native(options: EngineOptions = {}): Promise<Engine> {
  const engine = await createEngine({ engine: "native", native: spied, workers: 1, ...options });
  opened.push(engine);
  return engine;
}

/** Whole numbers from −8 to 8: sums of products are exact, so that results can be compared to the bit. */
function whole(m: Matrix, seed: number): Matrix {
  for (let i = 0; i < m.rows; i++)
    for (let j = 0; j < m.cols; j++) m.set(i, j, ((i * 31 + j * 17 + seed * 7) % 17) - 8);
  return m;
}

/** A·B by the plain engine. */
function product(A: Matrix, B: Matrix): number[] {
  const copy = (m: Matrix) => plain.scope().matrix(m.rows, m.cols).write(m.read());
  const C = plain.scope().matrix(A.rows, B.cols);
  plain.gemm(C, copy(A), copy(B));
  return Array.from(C.read());
}

describe.skipIf(!available)("on OpenBLAS", () => {
  describe.each<Precision>(["f32", "f64"])("%s", (precision) => {
    test("vectors as rows and columns, alone and in larger matrices", async () => {
      const engine = await native();
      const scope = engine.scope();
      const wide = whole(scope.matrix(5, 9, precision), 1);
      const rows = [wide.view(2, 3), whole(scope.matrix(9, 1, precision), 2).transposed(), wide.view(2, 3, 0, 9)];
      const columns = [whole(scope.matrix(9, 4, precision), 3).view(0, 9, 1, 2), wide.view(1, 2).transposed()];
      for (const row of rows) {
        for (const column of columns) {
          const inner = scope.zeros(3, 3, precision).view(1, 2, 1, 2);
          engine.gemm(inner, row, column);
          expect(Array.from(inner.read())).toEqual(product(row, column));
          const outer = scope.matrix(9, 9, precision).fill(Number.NaN);
          engine.gemm(outer, column, row);
          expect(Array.from(outer.read())).toEqual(product(column, row));
          engine.gemm(outer, row, column, { transposeA: true, transposeB: true });
          expect(Array.from(outer.read())).toEqual(product(row.transposed(), column.transposed()));
        }
      }
      expect(answers).toEqual(Array(12).fill(true)); // the outer products; one row times one column is a stream, and ours
      // Results that are one row or one column of something larger
      const target = scope.matrix(9, 9, precision).fill(1);
      const part = whole(scope.matrix(5, 4, precision), 4);
      const matrix = whole(scope.matrix(9, 9, precision), 5);
      engine.gemm(target.view(3, 4, 2, 6), wide.view(0, 1, 0, 5), part);
      engine.gemm(target.view(0, 9, 8, 9), matrix, columns[0]);
      const expected = scope.matrix(9, 9, precision).fill(1);
      expected.view(3, 4, 2, 6).write(product(wide.view(0, 1, 0, 5), part));
      expected.view(0, 9, 8, 9).write(product(matrix, columns[0]));
      expect(Array.from(target.read())).toEqual(Array.from(expected.read()));
    });

    test("strides that BLAS cannot take go to the engine's own product", async () => {
      const engine = await native();
      const scope = engine.scope();
      const everySecond = whole(scope.matrix(6, 8, precision), 1).view(0, 6, 0, 4);
      everySecond.colStride = 2;
      const B = whole(scope.matrix(4, 5, precision), 2);
      const C = scope.matrix(6, 5, precision);
      engine.gemm(C, everySecond, B);
      expect(Array.from(C.read())).toEqual(product(everySecond, B));
      const S = scope.matrix(6, 6, precision);
      engine.syrk(S, everySecond);
      expect(Array.from(S.read())).toEqual(product(everySecond, everySecond.transposed()));
      expect(answers).toEqual([false, false]);
    });

    test("NaN reaches the result for α = 0, and C's never for β = 0", async () => {
      const engine = await native();
      const scope = engine.scope();
      const A = scope.matrix(3, 3, precision).fill(Number.NaN);
      const C = scope.matrix(3, 3, precision).fill(1);
      engine.gemm(C, A, A, { alpha: 0 });
      expect(Array.from(C.read())).toEqual(Array(9).fill(Number.NaN));
      A.fill(2);
      engine.gemm(C, A, A);
      expect(Array.from(C.read())).toEqual(Array(9).fill(12));
      C.fill(Number.NaN);
      engine.syrk(C, A);
      expect(Array.from(C.read())).toEqual(Array(9).fill(12));
    });

    // 4·I with 6 in a corner: L_11 = 2, L_n1 = 3, so the last pivot is 4 − 9 = −5, exactly.
    const cornered = (engine: Engine, n: number, corner: number) => {
      const A = engine.scope().zeros(n, n, precision);
      for (let i = 0; i < n; i++) {
        A.set(i, i, 4);
        A.view(i, i + 1, i + 1, n).fill(Number.NaN); // the upper triangle is not read
      }
      A.set(n - 1, 0, corner);
      return A;
    };

    test.each([2, 33, 64, 65, 300])("a pivot that is not positive, n = %i: which, and its value", async (n) => {
      for (const workers of [1, 2]) {
        const engine = await native({ workers });
        expect(() => engine.cholesky(cornered(engine, n, 6))).toThrow(
          expect.objectContaining({ code: "NOT_POSITIVE_DEFINITE", pivot: n, value: -5, jitters: [] }),
        );
      }
    });

    test.each([1, 2, 33, 65, 300])("NaN and ∞, n = %i: the first pivot they reach", async (n) => {
      const engine = await native();
      for (const value of [Number.NaN, Infinity]) {
        const A = cornered(engine, n, 4);
        A.set(n - 1, n - 1, value);
        expect(() => engine.cholesky(A, { name: "K" })).toThrow(
          expect.objectContaining({
            code: "NOT_FINITE",
            message: `K (${n}×${n}): ${value} reached pivot ${n}; look for NaN or infinite inputs, or a step that diverged`,
          }),
        );
      }
    });

    test.each([3, 33, 65, 300])("the first of two failures counts, n = %i", async (n) => {
      const engine = await native();
      const A = cornered(engine, n, 6); // row n is indefinite, whatever row 2 holds
      A.set(1, 0, Number.NaN);
      expect(() => engine.cholesky(A)).toThrow(
        expect.objectContaining({ code: "NOT_FINITE", message: expect.stringContaining("NaN reached pivot 2;") }),
      );
    });

    test.each([true, false])("memory that grows stays where it is, shared: %s", async (shared) => {
      const engine = await native({ shared });
      const scope = engine.scope();
      const before = whole(scope.matrix(40, 30, precision), 1);
      const small = scope.matrix(40, 40, precision);
      engine.syrk(small, before);
      const far = scope.matrix(2 ** 21, 3, precision); // beyond the 4 MiB a memory begins with
      const B = whole(far.view(far.rows - 30, far.rows), 2);
      const C = scope.matrix(40, 3, precision);
      engine.gemm(C, before, B);
      expect(Array.from(C.read())).toEqual(product(before, B));
      expect(Array.from(small.read())).toEqual(product(before, before.transposed()));
      expect(answers).toEqual([true, true]);
    });
  });

  test("matrices of another memory are refused", async () => {
    const engine = await native();
    const other = await native();
    const [A, B, C] = [engine, other, engine].map((e) => e.scope().matrix(2, 2).write([2, 0, 1, 2]));
    const outside = { code: "BAD_ARGUMENT", message: expect.stringMatching(/outside this engine's memory/) };
    expect(() => engine.gemm(C, A, B)).toThrow(expect.objectContaining(outside));
    expect(() => engine.syrk(C, B)).toThrow(expect.objectContaining(outside));
    expect(() => engine.cholesky(B)).toThrow(expect.objectContaining(outside));
    expect(() => engine.solveTriangular(B, A)).toThrow(expect.objectContaining(outside));
  });

  test("each engine keeps its own number of threads, though OpenBLAS has one for the process", async () => {
    const blas = await loadOpenBlas();
    const [one, two] = [await native({ workers: 1 }), await native({ workers: 2 })];
    const multiply = (engine: Engine) => {
      const scope = engine.scope();
      engine.gemm(scope.matrix(4, 4), scope.matrix(4, 4), scope.matrix(4, 4));
      return blas.threads;
    };
    expect([one, two, one].map(multiply)).toEqual([1, 2, 1]);
    expect(answers).toEqual([true, true, true]);
  });

  test("what ran is in info", async () => {
    const blas = await loadOpenBlas();
    const { info } = await native({ workers: 2 });
    expect(info).toEqual({
      kind: "native",
      workers: 2,
      sharedMemory: true,
      reproducible: false,
      library: `OpenBLAS ${blas.version} (${blas.core})`,
      notes: [],
    });
  });

  test("auto: chosen by `fastest` only", async () => {
    expect((await native({ engine: "auto", policy: "fastest" })).info.kind).toBe("native");
    expect((await native({ engine: "auto", policy: "reproducible" })).info.kind).toBe("wasm");
    expect((await native({ engine: "auto" })).info.kind).toBe("wasm");
  });
});

test("a NEARKIN_OPENBLAS that does not load: an error for `native`, a note for `auto`", async () => {
  vi.stubEnv("NEARKIN_OPENBLAS", "/nowhere/libopenblas.so");
  const reason = /NEARKIN_OPENBLAS names \/nowhere\/libopenblas\.so, but it does not load/;
  await expect(native()).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE", message: expect.stringMatching(reason) });
  const { info } = await native({ engine: "auto", policy: "fastest" });
  expect(info.kind).toMatch(/^wasm/);
  expect(info.notes).toEqual([expect.stringMatching(reason)]);
});
