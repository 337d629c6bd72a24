import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poison } from "../../testing/bed.ts";
import { errorOf, expectWithin } from "../../testing/bounds.ts";
import { digest } from "../../testing/program.ts";
import { createEngine } from "../create.ts";
import type { Engine, EngineKind } from "../engine.ts";
import { hostMatrix, type Matrix } from "../matrix.ts";
import { createPlainEngine } from "../plain/engine.ts";
import { Random } from "../random.ts";
import { type Orthonormalized, orthonormalize } from "./orthonormalize.ts";

const oracle = createPlainEngine();

/** Columns of standard normal numbers, then whatever `change` makes of them. */
function columns(n: number, l: number, seed: number, change: (Y: Matrix) => void = () => {}): Matrix {
  const Y = hostMatrix(new Float64Array(n * l), n, l);
  oracle.fillNormal(Y, new Random(seed));
  change(Y);
  return Y;
}

const setColumn = (Y: Matrix, j: number, value: (i: number) => number) => {
  for (let i = 0; i < Y.rows; i++) Y.set(i, j, value(i));
};

/** Runs it in a window of a larger matrix and checks QᵀQ = I, y = Q(Qᵀy) for every column, and that the frame is untouched. */
function run(engine: Engine, Y: Matrix): Orthonormalized & { Q: Float64Array } {
  const { rows: n, cols: l } = Y;
  poison(engine);
  const scope = engine.scope();
  const whole = scope.matrix(n + 2, l + 3).fill(7);
  const window = whole.view(1, n + 1, 2, l + 2).write(Y.read());
  const result = orthonormalize(engine, window);
  const Q = hostMatrix(window.read(), n, l);
  window.fill(7);
  expect(whole.read().every((x) => x === 7)).toBe(true);
  scope.close();

  const identity = hostMatrix(new Float64Array(l * l), l, l);
  oracle.syrk(identity, Q, { transpose: true });
  expectWithin("QᵀQ", identity, unit(l), 1e-14 * Math.sqrt(n));
  const [H, back] = [hostMatrix(new Float64Array(l * l), l, l), hostMatrix(new Float64Array(n * l), n, l)];
  oracle.gemm(H, Q, Y, { transposeA: true });
  oracle.gemm(back, Q, H);
  for (let j = 0; j < l; j++) {
    const top = Math.max(...Array.from({ length: n }, (_, i) => Math.abs(Y.get(i, j))));
    const column = (m: Matrix) => Array.from({ length: n }, (_, i) => m.get(i, j));
    expectWithin(`column ${j} = Q(Qᵀy)`, column(back), column(Y), 1e-12 * top);
    // The span of the first columns is that of the first columns: R is upper triangular
    for (let i = j + 1; i < l; i++) expect(Math.abs(H.get(i, j))).toBeLessThanOrEqual(1e-12 * top * Math.sqrt(n));
  }
  return { ...result, Q: Q.read() };
}

function unit(l: number): Float64Array {
  return Float64Array.from({ length: l * l }, (_, at) => (at % (l + 1) === 0 ? 1 : 0));
}

const kinds: EngineKind[] = ["plain", "wasm", "wasm-relaxed"];
describe.each(kinds)("%s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, ...(kind !== "plain" && { workers: 2 }) });
  });
  afterAll(() => engine.close());

  test("independent columns", () => {
    for (const [n, l] of [
      [1, 1],
      [7, 7],
      [300, 75],
    ]) {
      expect(run(engine, columns(n, l, n))).toMatchObject({ rank: l, replaced: [] });
    }
  });

  test("columns of very different lengths are independent all the same", () => {
    const Y = columns(50, 4, 2, (Y) => {
      [1e-200, 1, 1e-9, 1e140].forEach((scale, j) => {
        setColumn(Y, j, (i) => scale * Y.get(i, j));
      });
    });
    expect(run(engine, Y)).toMatchObject({ rank: 4, replaced: [] });
  });

  test.each([1e-3, 1e-6, 1e-9, 1e-11])("nearly dependent columns, %d apart", (apart) => {
    const Y = columns(200, 12, 3, (Y) => {
      setColumn(Y, 5, (i) => Y.get(i, 1) + apart * Y.get(i, 5));
      setColumn(Y, 11, (i) => Y.get(i, 0) - Y.get(i, 7) + apart * Y.get(i, 11));
    });
    expect(run(engine, Y)).toMatchObject({ rank: 12, replaced: [] });
  });

  test("dependent columns are named, and replaced by directions of their own", () => {
    const Y = columns(40, 8, 4, (Y) => {
      setColumn(Y, 2, () => 0);
      setColumn(Y, 4, (i) => -3 * Y.get(i, 0));
      setColumn(Y, 7, (i) => Y.get(i, 1) + Y.get(i, 3));
    });
    expect(run(engine, Y)).toMatchObject({ rank: 5, replaced: [2, 4, 7] });
  });

  test("nothing at all becomes unit vectors, even in a square", () => {
    const Y = hostMatrix(new Float64Array(25), 5, 5);
    const { rank, replaced, Q } = run(engine, Y);
    expect([rank, replaced]).toEqual([0, [0, 1, 2, 3, 4]]);
    expect(Array.from(Q)).toEqual(Array.from(unit(5)));
  });

  test("any rank", () => {
    fc.assert(
      fc.property(
        fc.record({
          l: fc.integer({ min: 1, max: 20 }),
          more: fc.integer({ min: 0, max: 30 }),
          rank: fc.nat(20),
          seed: fc.nat(),
        }),
        ({ l, more, rank, seed }) => {
          const kept = Math.min(rank, l);
          // the last columns are sums of two of the first ones, in whole numbers: exactly dependent
          const stream = new Random(seed);
          const Y = hostMatrix(
            Float64Array.from({ length: (l + more) * l }, () => stream.below(2001) - 1000),
            l + more,
            l,
          );
          for (let j = kept; j < l; j++) {
            const [a, b] = kept === 0 ? [0, 0] : [stream.below(kept), stream.below(kept)];
            setColumn(Y, j, (i) => (kept === 0 ? 0 : Y.get(i, a) + 2 * Y.get(i, b)));
          }
          expect(run(engine, Y).rank).toBe(kept);
        },
      ),
      { seed: 20220328, numRuns: 25 },
    );
  });
});

test("the same bits for 1, 2 and 3 workers, in Node and in the browser, by either way", async () => {
  const digests: string[] = [];
  for (const workers of [1, 2, 3]) {
    await using engine = await createEngine({ engine: "wasm", workers });
    using scope = engine.scope();
    const Y = scope.matrix(4000, 33);
    engine.fillNormal(Y, new Random(8));
    orthonormalize(engine, Y);
    const fast = digest([Y]);
    engine.fillNormal(Y, new Random(9));
    for (let i = 0; i < 4000; i++) Y.set(i, 20, Y.get(i, 3));
    expect(orthonormalize(engine, Y).replaced).toEqual([20]);
    digests.push(`${fast} ${digest([Y])}`);
  }
  expect(new Set(digests).size).toBe(1);
  expect(digests[0]).toMatchInlineSnapshot(`"81898b9899e91ed2 0ede70caa71d82fc"`);
});

test("mistakes", () => {
  const bad = columns(4, 2, 1);
  bad.set(1, 1, Number.NaN);
  bad.set(2, 0, -Infinity);
  expect([
    errorOf(() => orthonormalize(oracle, columns(2, 3, 1))),
    errorOf(() => orthonormalize(oracle, bad)),
    errorOf(() => orthonormalize(oracle, columns(3, 3, 1).transposed())),
    errorOf(() => orthonormalize(oracle, hostMatrix(new Float32Array(6), 3, 2))),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "SHAPE_MISMATCH",
        "message": "orthonormalize: Y must have at least as many rows as columns, got (2, 3)",
      },
      {
        "code": "NOT_FINITE",
        "message": "orthonormalize: 2 of 8 entries of Y are NaN or infinite",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "orthonormalize: Y: must be row-major (column stride 1, got 3); copy the transposed view first",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "orthonormalize: Y: expected f64 like the other operands, got f32",
      },
    ]
  `);
});
