// Cholesky, solves, inverse, log-determinant and rank-one updates, on A = MMᵀ/n + I: its eigenvalues lie in about [1, 5], so
// forward errors are small too. Bound on all of them: 8(n + 8)·u relative to the largest entry; f64 counts twice for the oracle.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SolveOptions } from "../linalg/engine.ts";
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { atLeastOne, type Bed, oracle, precision, seed, size, UNIT } from "./bed.ts";
import { expectWithin, largest } from "./bounds.ts";
import type { Layout, Operands, Pair } from "./operands.ts";

const rowMajor = fc.constantFrom<Layout>("tight", "window");
const order = atLeastOne.filter((n) => n <= 200);

/** MMᵀ/n + I, rounded to the operands' precision. */
function covariance(o: Operands, n: number): Float64Array {
  const M = hostMatrix(o.draws(n * n, -1.7, 1.7), n, n);
  const A = hostMatrix(new Float64Array(n * n), n, n);
  oracle.syrk(A, M, { alpha: 1 / Math.max(n, 1) });
  for (let i = 0; i < n; i++) A.set(i, i, A.get(i, i) + 1);
  return A.read().map((x) => o.round(x));
}

/** A lower factor of such a matrix; NaN above the diagonal, where nobody may look. */
function factor(o: Operands, n: number, layout: Layout): Pair {
  const L = hostMatrix(covariance(o, n), n, n);
  oracle.cholesky(L);
  const values = L.read().map((x, i) => (i % n > Math.floor(i / n) ? Number.NaN : o.round(x)));
  return o.input(n, n, layout, values);
}

/** The matrix whose factor L is, from the lower triangle. */
function square(L: Matrix): Matrix {
  const lower = hostMatrix(
    L.read().map((x, i) => (i % L.cols > Math.floor(i / L.cols) ? 0 : x)),
    L.rows,
    L.cols,
  );
  const A = hostMatrix(new Float64Array(L.rows * L.rows), L.rows, L.rows);
  oracle.syrk(A, lower);
  return A;
}

export function describeFactorisations(bed: Bed): void {
  const tolerance = (o: Operands, n: number, scale: number) => 8 * (n + 8) * UNIT[o.precision] * bed.slack * scale;

  describe("factorisations", () => {
    // A smooth kernel is ill-conditioned in every block: multiplying by inverses of blocks would lose the digits kept here.
    test.each([
      ["f64", 1e-8],
      ["f64", 1e-12],
      ["f32", 1e-3],
      ["f32", 1e-5],
    ] as const)("backward stable on a smooth kernel, %s, noise %s", (precision, noise) => {
      for (const n of [64, 65, 200, 300]) {
        bed.with(precision, n, (o) => {
          const values = Float64Array.from({ length: n * n }, (_, at) => {
            const [i, j] = [Math.floor(at / n), at % n];
            return o.round(Math.exp(-0.5 * ((i - j) / 20) ** 2) + (i === j ? noise : 0));
          });
          const A = hostMatrix(values, n, n);
          const L = o.output(n, n, "tight", values).own;
          expect(bed.engine.cholesky(L)).toBe(0);
          expectWithin("LLᵀ", square(L).read(), values, tolerance(o, n, 1));
          // Residual of a solve, relative to ‖A‖·‖x‖, from both sides
          const B = Float64Array.from({ length: n * 8 }, (_, i) => o.round(Math.sin(i)));
          const X = o.output(n, 8, "tight", B).own;
          bed.engine.solveCholesky(X, L);
          const residual = hostMatrix(new Float64Array(n * 8), n, 8);
          oracle.gemm(residual, A, hostMatrix(X.read(), n, 8));
          const scale = largest(X.read()) * 50; // ‖A‖∞ of this kernel
          expectWithin("A·X", residual.read(), B, tolerance(o, n, scale));
        });
      }
    });

    test("cholesky: the oracle's L, zeros above, LLᵀ = A, and its log-determinant", () => {
      bed.check(
        fc.record({ n: size.filter((n) => n <= 200), precision, seed, layout: rowMajor }),
        ({ n, precision, seed, layout }) => {
          bed.with(precision, seed, (o) => {
            const values = covariance(o, n);
            for (let i = 0; i < n; i++) values.fill(Number.NaN, i * n + i + 1, (i + 1) * n); // only the lower triangle counts
            const A = o.output(n, n, layout, values);
            expect(bed.engine.cholesky(A.own)).toBe(0);
            oracle.cholesky(A.oracle);
            expectWithin("L", A.own, A.oracle, tolerance(o, n, 3));
            const back = square(A.own).read();
            for (let i = 0; i < n * n; i++) if (i % n > Math.floor(i / n)) back[i] = Number.NaN;
            expectWithin("LLᵀ", back, values, tolerance(o, n, 3));
            const logdet = bed.engine.logDeterminant(A.own);
            expect(Math.abs(logdet - oracle.logDeterminant(A.oracle))).toBeLessThanOrEqual(tolerance(o, n, n));
          });
        },
        [
          { n: 0, precision: "f64", seed: 1, layout: "tight" },
          { n: 1, precision: "f32", seed: 1, layout: "window" },
          { n: 300, precision: "f64", seed: 1, layout: "window" }, // several blocks and strips, shared by workers
          { n: 193, precision: "f32", seed: 1, layout: "tight" },
        ],
      );
    });

    test("solveTriangular: both sides, both directions; solveCholesky", () => {
      const sides: (SolveOptions | "both")[] = [
        { side: "left" },
        { side: "left", transpose: true },
        { side: "right" },
        { side: "right", transpose: true },
        "both",
      ];
      bed.check(
        fc
          .record({
            n: order,
            m: size,
            precision,
            seed,
            layoutL: rowMajor,
            layoutB: rowMajor,
            how: fc.constantFrom(...sides),
          })
          .filter(({ n, m }) => n * n * m <= 1e6),
        ({ n, m, precision, seed, layoutL, layoutB, how }) => {
          bed.with(precision, seed, (o) => {
            const L = factor(o, n, layoutL);
            const right = how !== "both" && how.side === "right";
            const B = right ? o.output(m, n, layoutB, o.draws(n * m)) : o.output(n, m, layoutB, o.draws(n * m));
            if (how === "both") {
              bed.engine.solveCholesky(B.own, L.own);
              oracle.solveCholesky(B.oracle, L.oracle);
            } else {
              bed.engine.solveTriangular(B.own, L.own, how);
              oracle.solveTriangular(B.oracle, L.oracle, how);
            }
            expectWithin("X", B.own, B.oracle, tolerance(o, n, Math.max(1, largest(B.oracle))));
          });
        },
        sides.flatMap((how) => [
          { n: 130, m: 65, precision: "f64", seed: 3, layoutL: "window", layoutB: "window", how } as const,
          { n: 65, m: 130, precision: "f32", seed: 4, layoutL: "tight", layoutB: "tight", how } as const,
          { n: 130, m: 3, precision: "f32", seed: 5, layoutL: "window", layoutB: "window", how } as const, // few sides
        ]),
      );
    });

    test("inverseFromCholesky: the oracle's inverse, both triangles", () => {
      bed.check(
        fc.record({ n: order.filter((n) => n <= 130), precision, seed, layoutL: rowMajor, layout: rowMajor }),
        ({ n, precision, seed, layoutL, layout }) => {
          bed.with(precision, seed, (o) => {
            const L = factor(o, n, layoutL);
            const out = o.output(n, n, layout);
            bed.engine.inverseFromCholesky(out.own, L.own);
            oracle.inverseFromCholesky(out.oracle, L.oracle);
            expectWithin("inverse", out.own, out.oracle, tolerance(o, n, 1));
          });
        },
        [{ n: 150, precision: "f64", seed: 5, layoutL: "window", layout: "window" }],
      );
    });

    test("choleskyUpdate: up, and down again", () => {
      bed.check(fc.record({ n: order, precision, seed, layout: rowMajor }), ({ n, precision, seed, layout }) => {
        bed.with(precision, seed, (o) => {
          const values = factor(o, n, "tight").oracle.read();
          const L = o.output(n, n, layout, values);
          const x = o.draws(n, -0.5, 0.5);
          const up = o.outputVector(n, x);
          bed.engine.choleskyUpdate(L.own, up.own);
          oracle.choleskyUpdate(L.oracle, up.oracle, 1);
          expectWithin("L + xxᵀ", L.own, L.oracle, tolerance(o, n, 4));
          const down = o.outputVector(n, x);
          bed.engine.choleskyUpdate(L.own, down.own, -1);
          expectWithin("L again", L.own, values, tolerance(o, n, 16));
        });
      });
    });
  });
}
