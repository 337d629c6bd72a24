// Which items stand for all, and which go together.
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, EngineKind, KernelOptions, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { blocksByNearest } from "./blocks.ts";
import { selectInducing, selfKernel } from "./inducing.ts";

const kinds: EngineKind[] = ["plain", "wasm"];
describe.each(kinds)("%s", (kind) => {
  let engine: Engine;
  let scope: Scope;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, ...(kind === "wasm" && { workers: 2 }) });
  });
  afterAll(() => engine.close());
  beforeEach(() => {
    scope = engine.scope();
  });
  afterEach(() => scope.close());

  const items = (n: number, d: number, seed: number): Matrix => {
    const Z = scope.matrix(n, d);
    engine.fillNormal(Z, new Random(seed));
    return Z;
  };

  /** Conditional variances k_ii − q_ii given `chosen`, from the definition. */
  function conditional(Z: Matrix, chosen: readonly number[], options: KernelOptions): Float64Array {
    const n = Z.rows;
    const K = scope.matrix(n, n);
    const same = scope.indices(n).write(Array.from({ length: n }, (_, i) => i));
    const lengths = options.rowLengths && { columnLengths: options.rowLengths };
    engine.kernel(K, Z, Z, { ...options, ...lengths, same });
    const left = new Float64Array(n).fill(selfKernel(options));
    if (chosen.length === 0) return left;
    const take = (rows: readonly number[]) => rows.flatMap((i) => chosen.map((j) => K.get(i, j)));
    const L = scope.matrix(chosen.length, chosen.length).write(take(chosen));
    engine.cholesky(L);
    const V = scope.matrix(n, chosen.length).write(take(Array.from({ length: n }, (_, i) => i)));
    engine.solveTriangular(V, L, { side: "right", transpose: true });
    return left.map((k, i) => k - chosen.reduce((sum, _, j) => sum + V.get(i, j) ** 2, 0));
  }

  test.each<[Link, boolean]>([
    ["linear", false],
    ["saturating", false],
    ["linear", true],
  ])("each choice is the item about which the ones before say least: %s, lengths of their own: %s", (link, own) => {
    const Z = items(30, 3, 5);
    const rowLengths = scope.matrix(30, 1).write(Array.from({ length: 30 }, (_, i) => (i % 4 === 0 ? 0.1 * i : 0)));
    const weights = scope.matrix(3, 1).write([0.5, 1, 0.2]);
    const options = { link, variance: 1.7, weights, ...(own && { rowLengths }) };
    const chosen = Array.from(selectInducing(engine, { Z, count: 8, options }));
    expect(new Set(chosen).size).toBe(8);
    chosen.forEach((item, step) => {
      const left = conditional(Z, chosen.slice(0, step), options);
      expect(left[item]).toBeGreaterThanOrEqual(Math.max(...left) - 1e-12);
    });
  });

  test("duplicates are not chosen: there are fewer inducing items then", () => {
    const Z = scope.matrix(6, 2).write([0, 0, 3, 0, 0, 0, 3, 0, 0, 4, 0, 0]);
    expect(Array.from(selectInducing(engine, { Z, count: 6 })).sort()).toEqual([0, 1, 4]);
  });

  test("unknown is never identical: lengths of their own keep items apart", () => {
    const Z = scope.matrix(3, 1).write([0, 0, 0]);
    const rowLengths = scope.matrix(3, 1).write([0, 1, 1]);
    expect(Array.from(selectInducing(engine, { Z, count: 3, options: { rowLengths } }))).toEqual([0, 1, 2]);
  });

  test("an indefinite kernel: as many as can be had", () => {
    const Z = items(40, 3, 6);
    const options = { link: "sigmoid" as const, offset: -1, weights: scope.matrix(3, 1).write([1, -0.7, 0.5]) };
    const chosen = selectInducing(engine, { Z, count: 10, options });
    expect(chosen.length).toBeGreaterThan(0);
    expect(new Set(chosen).size).toBe(chosen.length);
  });

  test("k_ii of each link is the kernel of an item with itself", () => {
    const Z = items(1, 2, 7);
    const K = scope.matrix(1, 1);
    for (const link of ["linear", "saturating", "sigmoid"] as const) {
      const options = { link, variance: 2.5, offset: link === "sigmoid" ? 0.7 : 0 };
      engine.kernel(K, Z, Z, { ...options, same: scope.indices(1).write([0]) });
      expect(selfKernel(options)).toBeCloseTo(K.get(0, 0), 14);
    }
  });

  test("blocks: every item once, with its nearest inducing item, at most so many", () => {
    const arbitrary = fc.record({
      n: fc.integer({ min: 1, max: 60 }),
      m: fc.integer({ min: 1, max: 8 }),
      limit: fc.integer({ min: 1, max: 20 }),
      seed: fc.nat(1e6),
    });
    const property = fc.property(arbitrary, ({ n, m, limit, seed }) => {
      const [Z, inducing] = [items(n, 2, seed), items(m, 2, seed + 1)];
      const weights = scope.matrix(2, 1).write([1, 0.3]);
      const { order, starts } = blocksByNearest(engine, { Z, inducing, options: { weights }, limit });
      expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
      expect([starts[0], starts[starts.length - 1]]).toEqual([0, n]);
      const distance = (i: number, j: number) =>
        (Z.get(i, 0) - inducing.get(j, 0)) ** 2 + 0.3 * (Z.get(i, 1) - inducing.get(j, 1)) ** 2;
      const nearest = (i: number) => {
        const all = Array.from({ length: m }, (_, j) => distance(i, j));
        return all.indexOf(Math.min(...all));
      };
      let before = -1;
      for (let b = 0; b + 1 < starts.length; b++) {
        const block = Array.from(order.slice(starts[b], starts[b + 1]));
        expect(block.length).toBeGreaterThan(0);
        expect(block.length).toBeLessThanOrEqual(limit);
        const owners = new Set(block.map(nearest));
        expect(owners.size).toBe(1);
        const [owner] = owners;
        expect(owner).toBeGreaterThanOrEqual(before);
        before = owner;
      }
    });
    fc.assert(property, { seed: 20220328, numRuns: 40 });
  });

  test("blocks: cut into equal parts, and more rows than fit at once", () => {
    const Z = scope.matrix(2100, 1).write(Float64Array.from({ length: 2100 }, (_, i) => (i % 3 === 0 ? 10 : 0)));
    const inducing = scope.matrix(2, 1).write([0, 10]);
    const { order, starts } = blocksByNearest(engine, { Z, inducing });
    expect(Array.from(starts)).toEqual([0, 467, 933, 1400, 1750, 2100]);
    expect(Array.from(order.subarray(0, 3))).toEqual([1, 2, 4]);
    expect(Array.from(order.subarray(1400, 1403))).toEqual([0, 3, 6]);
  });

  test("blocks: an inducing item with a length of its own is nearest to itself", () => {
    const Z = scope.matrix(2, 1).write([0, 0.1]);
    const rowLengths = scope.matrix(2, 1).write([5, 0]);
    const columnLengths = scope.matrix(2, 1).write([5, 0]);
    const same = scope.indices(2).write([0, 1]);
    const options = { rowLengths, columnLengths, same };
    expect(Array.from(blocksByNearest(engine, { Z, inducing: Z, options }).starts)).toEqual([0, 1, 2]);
  });
});
