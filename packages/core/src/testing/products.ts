// gemm, syrk, syr2k, gemv. Bound, element by element: 2(k + 4)·u·(|α||A||B| + |β||C|), engine and oracle together.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { atLeastOne, type Bed, oracle, precision, seed, size, UNIT } from "./bed.ts";
import { expectWithin } from "./bounds.ts";
import { LAYOUTS, mapped, type Operands } from "./operands.ts";

const layout = fc.constantFrom(...LAYOUTS);
const rowMajor = fc.constantFrom("tight" as const, "window" as const);
const alpha = fc.constantFrom(1, -1, 0.75, 0, -2.5);
const beta = fc.constantFrom(0, 0, 1, -0.5);
const common = { alpha, beta, precision, seed };

/** |M|, for bounds. */
const absolute = (m: Matrix) => mapped(m, Math.abs);

/** C's old contents: numbers if they count, NaN if they must not be read. */
const before = (o: Operands, count: number, beta: number) => (beta === 0 ? o.nothing(count) : o.draws(count));

/** |C| where it counts, 0 where not. */
const weight = (C: Matrix, beta: number) =>
  beta === 0 ? hostMatrix(new Float64Array(C.rows * C.cols), C.rows, C.cols) : absolute(C);

export function describeProducts(bed: Bed): void {
  describe("products", () => {
    test("gemm: shapes, views, transposes, α and β", () => {
      const cases = fc
        .record({
          m: size,
          n: size,
          k: size,
          ...common,
          layoutA: layout,
          layoutB: layout,
          layoutC: rowMajor,
          transposeA: fc.boolean(),
          transposeB: fc.boolean(),
        })
        .filter(({ m, n, k }) => m * n * k <= 2e6);
      const plain = {
        alpha: 1,
        beta: 0,
        precision: "f64",
        seed: 1,
        layoutA: "tight",
        layoutB: "tight",
        layoutC: "tight",
        transposeA: false,
        transposeB: false,
      } as const;
      bed.check(
        cases,
        ({ m, n, k, precision, seed, layoutA, layoutB, layoutC, ...options }) => {
          bed.with(precision, seed, (o) => {
            const A = options.transposeA ? o.input(k, m, layoutA) : o.input(m, k, layoutA);
            const B = options.transposeB ? o.input(n, k, layoutB) : o.input(k, n, layoutB);
            const C = o.output(m, n, layoutC, before(o, m * n, options.beta));
            const bound = weight(C.oracle, options.beta);
            const { alpha, beta } = options;
            oracle.gemm(bound, absolute(A.oracle), absolute(B.oracle), {
              ...options,
              alpha: Math.abs(alpha),
              beta: Math.abs(beta),
            });
            bed.engine.gemm(C.own, A.own, B.own, options);
            oracle.gemm(C.oracle, A.oracle, B.oracle, options);
            const unit = 2 * (k + 4) * UNIT[precision] * bed.slack;
            expectWithin("C", C.own, C.oracle, (i) => unit * bound.data[i]);
          });
        },
        [
          // deeper than a panel of 256, more rows than a block of 96, more columns than a block of 1024
          { ...plain, m: 100, n: 37, k: 515 },
          {
            ...plain,
            m: 130,
            n: 65,
            k: 257,
            precision: "f32",
            layoutA: "transposed",
            layoutB: "window",
            transposeB: true,
          },
          { ...plain, m: 6, n: 1030, k: 261, beta: 1, layoutC: "window", transposeA: true },
          { ...plain, m: 193, n: 5, k: 260, precision: "f32", beta: -0.5, layoutB: "transposed" },
          { ...plain, m: 5, n: 7, k: 0 },
          { ...plain, m: 5, n: 7, k: 0, beta: -0.5, precision: "f32" },
          { ...plain, m: 0, n: 7, k: 3 },
          { ...plain, m: 1, n: 1, k: 1 },
          // one row or one column: matrix times vector, in every position
          { ...plain, m: 1, n: 65, k: 130, layoutC: "window", beta: -0.5 },
          { ...plain, m: 1, n: 65, k: 130, layoutA: "transposed", layoutB: "transposed", precision: "f32" },
          { ...plain, m: 65, n: 1, k: 130, layoutC: "window", beta: 1, precision: "f32" },
          { ...plain, m: 65, n: 1, k: 130, layoutA: "window", transposeA: true, transposeB: true },
          { ...plain, m: 300, n: 1, k: 257, layoutB: "window", alpha: -2.5 },
          { ...plain, m: 1, n: 300, k: 257, layoutB: "window", transposeA: true },
        ],
      );
    });

    test("syrk and syr2k: both triangles, equal to the bit; only the lower one is read", () => {
      const cases = fc
        .record({
          n: size,
          k: size,
          ...common,
          layoutA: layout,
          layoutC: rowMajor,
          transpose: fc.boolean(),
          two: fc.boolean(),
        })
        .filter(({ n, k }) => n * n * k <= 2e6);
      const plain = {
        alpha: 1,
        beta: 0,
        precision: "f64",
        seed: 2,
        layoutA: "tight",
        layoutC: "tight",
        transpose: false,
        two: false,
      } as const;
      bed.check(
        cases,
        ({ n, k, precision, seed, layoutA, layoutC, two, ...options }) => {
          bed.with(precision, seed, (o) => {
            const [rows, cols] = options.transpose ? [k, n] : [n, k];
            const A = o.input(rows, cols, layoutA);
            const B = o.input(rows, cols, layoutA);
            const old = before(o, n * n, options.beta);
            for (let i = 0; i < n; i++) old.fill(Number.NaN, i * n + i + 1, (i + 1) * n);
            const C = o.output(n, n, layoutC, old);
            mirror(C.oracle); // what the lower triangle means
            const bound = weight(C.oracle, options.beta);
            const { alpha, beta } = options;
            const positive = { ...options, alpha: Math.abs(alpha), beta: Math.abs(beta) };
            if (two) {
              oracle.syr2k(bound, absolute(A.oracle), absolute(B.oracle), positive);
              bed.engine.syr2k(C.own, A.own, B.own, options);
              oracle.syr2k(C.oracle, A.oracle, B.oracle, options);
            } else {
              oracle.syrk(bound, absolute(A.oracle), positive);
              bed.engine.syrk(C.own, A.own, options);
              oracle.syrk(C.oracle, A.oracle, options);
            }
            const unit = 2 * (2 * k + 5) * UNIT[precision] * bed.slack;
            expectWithin("C", C.own, C.oracle, (i) => unit * bound.data[i]);
            for (let i = 0; i < n; i++)
              for (let j = 0; j < i; j++)
                if (C.own.get(i, j) !== C.own.get(j, i)) expect.fail(`C (${i}, ${j}) is not C (${j}, ${i})`);
          });
        },
        [
          { ...plain, n: 130, k: 37, layoutC: "window" },
          { ...plain, n: 97, k: 260, precision: "f32", transpose: true, two: true },
          { ...plain, n: 131, k: 66, beta: -0.5, layoutA: "window", two: true },
          { ...plain, n: 9, k: 0, beta: -0.5 },
        ],
      );
    });

    test("gemv: both directions", () => {
      const cases = fc.record({ m: size, n: size, ...common, layoutA: rowMajor, transpose: fc.boolean() });
      const plain = { alpha: 1, beta: 0, precision: "f64", seed: 3, layoutA: "window", transpose: false } as const;
      bed.check(
        cases,
        ({ m, n, precision, seed, layoutA, ...options }) => {
          bed.with(precision, seed, (o) => {
            const A = o.input(m, n, layoutA);
            const [long, short] = options.transpose ? [m, n] : [n, m];
            const x = o.vector(long);
            const y = o.outputVector(short, before(o, short, options.beta));
            const bound = weight(y.oracle, options.beta);
            const { alpha, beta } = options;
            oracle.gemv(bound, absolute(A.oracle), absolute(x.oracle), {
              ...options,
              alpha: Math.abs(alpha),
              beta: Math.abs(beta),
            });
            bed.engine.gemv(y.own, A.own, x.own, options);
            oracle.gemv(y.oracle, A.oracle, x.oracle, options);
            const unit = 2 * (long + 4) * UNIT[precision] * bed.slack;
            expectWithin("y", y.own, y.oracle, (i) => unit * bound.data[i]);
          });
        },
        [
          { ...plain, m: 300, n: 257 }, // above the threshold of sharing
          { ...plain, m: 257, n: 300, transpose: true, precision: "f32" },
        ],
      );
    });

    test("columnSums keeps counting past 2²⁴ in f32", () => {
      const scope = bed.engine.scope();
      const A = scope.matrix(3 * 2 ** 12, 3, "f32").fill(2 ** 12 + 1); // each partial sum above 2²⁴ loses its last bit in f32
      const sums = scope.matrix(3, 1, "f32");
      bed.engine.columnSums(sums, A);
      expect(Array.from(sums.read())).toEqual(Array(3).fill(Math.fround(3 * 2 ** 12 * (2 ** 12 + 1))));
      scope.close();
    });

    test("rowNorms, with weights and without, and columnSums", () => {
      const cases = fc.record({ m: size, n: atLeastOne, precision, seed, layoutA: rowMajor, weighted: fc.boolean() });
      bed.check(cases, ({ m, n, precision, seed, layoutA, weighted }) => {
        bed.with(precision, seed, (o) => {
          const A = o.input(m, n, layoutA);
          const w = weighted ? o.vector(n) : undefined;
          const norms = o.outputVector(m);
          const sums = o.outputVector(n);
          bed.engine.rowNorms(norms.own, A.own, w?.own);
          bed.engine.columnSums(sums.own, A.own);
          oracle.rowNorms(norms.oracle, A.oracle, w?.oracle);
          oracle.columnSums(sums.oracle, A.oracle);
          const unit = UNIT[precision] * bed.slack; // entries lie in [−1, 1), so a sum of n terms is off by at most n²u
          expectWithin("norms", norms.own, norms.oracle, 2 * (n + 3) * n * unit);
          expectWithin("sums", sums.own, sums.oracle, 2 * (m + 1) * m * unit);
        });
      });
    });
  });
}

function mirror(C: Matrix): void {
  for (let i = 0; i < C.rows; i++) for (let j = 0; j < i; j++) C.set(j, i, C.get(i, j));
}
