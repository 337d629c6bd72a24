// Scan threads answer every query of a batch with the beginning of a full sort of the rows it may return. Entries are small whole numbers,
// so sums are exact and ties are frequent.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import type { ScanQuery, ScanThreads } from "../linalg/scan-query.ts";
import { openScanThreads, type ScanThreadsOptions } from "../linalg/scan-threads.ts";
import { TopK } from "../linalg/top-k.ts";
import { relaxedAvailable } from "../linalg/wasm/modules.ts";
import { bitmapOf } from "../rank/bitmap.ts";
import { type Bed, poison, seed, size } from "./bed.ts";

const FILTERS = ["none", "all", "half", "few", "one", "empty", "shared half", "shared few"] as const;
type Filter = (typeof FILTERS)[number];

interface Asked {
  k: number;
  filter: Filter;
  least: boolean;
}

interface Case {
  rows: number;
  beyond: number;
  d: number;
  queries: Asked[];
  odd: boolean;
  seed: number;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  k: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(100, 1_000_000)),
  filter: fc.constantFrom(...FILTERS),
  least: fc.boolean(),
});

const cases: fc.Arbitrary<Case> = fc.record({
  rows: fc.oneof(size, fc.integer({ min: 1, max: 3000 })),
  beyond: fc.integer({ min: 0, max: 40 }),
  d: size,
  queries: fc.array(asked, { maxLength: 9 }),
  odd: fc.boolean(),
  seed,
});

/** Small whole numbers, here and there NaN or an infinity; rows beyond `count` would be better than all others. */
function placeRows(scope: Scope, drawn: Case, random: Random): Matrix {
  const { rows, beyond, d, odd } = drawn;
  const view = scope
    .matrix(rows + beyond, d + 2, "f32")
    .fill(Number.NaN)
    .view(0, rows + beyond, 1, d + 1);
  for (let i = 0; i < rows + beyond; i++) {
    for (let j = 0; j < d; j++) view.set(i, j, i < rows ? random.below(5) - 2 : Number.POSITIVE_INFINITY);
    if (i < rows && odd && d > 0 && random.below(4) === 0) {
      view.set(i, random.below(d), [Number.NaN, Infinity, -Infinity][random.below(3)]);
    }
  }
  return view;
}

/** Beyond the rows all bits are set, and there are more words than needed. */
function drawBitmap(filter: Filter, rows: number, random: Random): Uint32Array {
  const chosen = random.below(Math.max(1, rows));
  const marks = Uint8Array.from({ length: (rows | 31) + 33 }, (_, i) => {
    if (i >= rows || filter === "all") return 1;
    if (filter.endsWith("half")) return random.below(2);
    if (filter.endsWith("few")) return random.below(50) === 0 ? 1 : 0;
    return filter === "one" && i === chosen ? 1 : 0;
  });
  return bitmapOf(marks);
}

/** (score, row) of the allowed rows, best first. */
function fullSort(rows: Matrix, count: number, { vector, allowed, least = -Infinity }: ScanQuery): [number, number][] {
  const all: [number, number][] = [];
  for (let i = 0; i < count; i++) {
    if (allowed && ((allowed[i >> 5] >>> (i & 31)) & 1) === 0) continue;
    let score = 0;
    for (let j = 0; j < vector.length; j++) score += rows.get(i, j) * vector[j];
    if (score >= least) all.push([score, i]);
  }
  return all.sort(([a, i], [b, j]) => (a === b ? i - j : b > a ? 1 : -1));
}

const found = (top: TopK) => Array.from({ length: top.count }, (_, i) => [top.scores[i], top.rows[i]]);

function drawQueries(drawn: Case, random: Random): ScanQuery[] {
  const shared = new Map<Filter, Uint32Array>();
  return drawn.queries.map(({ k, filter, least }) => {
    const bitmap = shared.get(filter) ?? drawBitmap(filter, drawn.rows, random);
    if (filter.startsWith("shared")) shared.set(filter, bitmap);
    return {
      vector: Float32Array.from({ length: drawn.d }, () => random.below(5) - 2),
      k,
      ...(filter !== "none" && { allowed: bitmap }),
      ...(least && { least: random.below(9) - 4.5 }),
    };
  });
}

export function describeScanThreads(bed: Bed): void {
  describe("scan threads", () => {
    const kinds: ScanThreadsOptions[] = [
      { threads: 1, simd: "strict" },
      { threads: 3, simd: "strict" },
      ...(relaxedAvailable() ? [{ threads: 2, simd: "relaxed" } as const] : []),
    ];
    let opened: ScanThreads[] = [];
    beforeAll(async () => {
      for (const options of kinds) opened.push(await openScanThreads(bed.engine, options));
    });
    afterAll(async () => {
      for (const scans of opened.reverse()) await scans.close();
      opened = [];
    });

    test("say how many they are; none without shared memory", () => {
      const shared = bed.engine.info.sharedMemory;
      expect(opened.map(({ threads }) => threads)).toEqual(kinds.map(({ threads }) => (shared ? threads : 0)));
    });

    test("equal a full sort of the rows that a query may return, whatever the batch", async () => {
      await bed.checkAsync(
        cases,
        async (drawn) => {
          poison(bed.engine);
          const random = new Random(drawn.seed);
          const scope = bed.engine.scope();
          try {
            const rows = placeRows(scope, drawn, random);
            const queries = drawQueries(drawn, random);
            const expected = queries.map((query) => fullSort(rows, drawn.rows, query).slice(0, query.k));
            const answers = await Promise.all(opened.map((scans) => scans.scan(rows, drawn.rows, queries)));
            for (const tops of answers) expect(tops.map(found)).toEqual(expected);
          } finally {
            scope.close();
          }
        },
        [
          { rows: 3000, beyond: 1, d: 235, queries: batchOf(2, "none"), odd: false, seed: 1 }, // in several chunks
          { rows: 2999, beyond: 0, d: 31, queries: batchOf(7, "shared few"), odd: true, seed: 2 },
          { rows: 1500, beyond: 3, d: 5, queries: batchOf(70, "shared half"), odd: false, seed: 3 }, // more than go together
          { rows: 0, beyond: 3, d: 2, queries: batchOf(2, "all"), odd: false, seed: 4 },
          { rows: 40, beyond: 0, d: 0, queries: batchOf(3, "half"), odd: false, seed: 5 },
        ],
      );
    });

    test("a query finds the same bits alone and in a batch; strict ones those of the engine's own scan", async () => {
      const scope = bed.engine.scope();
      const [n, d] = [5000, 59];
      const rows = scope.matrix(n, d, "f32");
      const random = new Random(6);
      bed.engine.fillNormal(rows, random);
      const queries = Array.from({ length: 5 }, () => ({
        vector: Float32Array.from({ length: d }, () => random.normal()),
        k: 50,
      }));
      const own = queries.map(({ vector, k }) => {
        const top = new TopK(k);
        bed.engine.scan(top, [rows], hostMatrix(vector, d, 1));
        return found(top);
      });
      for (const [i, scans] of opened.entries()) {
        const together = (await scans.scan(rows, n, queries)).map(found);
        for (const [q, query] of queries.entries()) {
          expect((await scans.scan(rows, n, [query])).map(found)).toEqual([together[q]]);
        }
        const sameBuild =
          scans.threads === 0 || (kinds[i].simd === "strict") === (bed.engine.info.kind !== "wasm-relaxed");
        if (sameBuild) expect(together).toEqual(own);
      }
      scope.close();
    });

    test("a bitmap may lie in the engine's memory", async () => {
      const scope = bed.engine.scope();
      const rows = scope.matrix(100, 1, "f32").write(Array.from({ length: 100 }, (_, i) => i));
      const bits = scope.indices(4).write([0b1010, 0, 1, 0]);
      const allowed = new Uint32Array(bits.data.buffer, bits.data.byteOffset + bits.offset * 4, 4);
      for (const scans of opened) {
        const [top] = await scans.scan(rows, 100, [{ vector: Float32Array.of(1), k: 3, allowed }]);
        expect(found(top)).toEqual([
          [64, 64],
          [3, 3],
          [1, 1],
        ]);
      }
      scope.close();
    });
  });
}

function batchOf(queries: number, filter: Filter): Asked[] {
  return Array.from({ length: queries }, (_, i) => ({ k: 3 + i, filter, least: i % 3 === 1 }));
}
