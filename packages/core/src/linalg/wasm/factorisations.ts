// Cholesky and what follows from it. The host walks the block columns; within each, workers share the panel and the
// trailing update by rows, a solve by columns (left) or rows (right) of its right-hand side.
import { checkInverse, checkSolve, checkSquare, checkUpdate } from "../contract.ts";
import { type Factorisations, NO_OPTIONS } from "../engine.ts";
import { choleskyWithJitter, type Factoriser, updateFailure } from "../jitter.ts";
import type { Matrix } from "../matrix.ts";
import { logDeterminant } from "../reductions.ts";
import { cut, type Pool } from "./pool.ts";
import { triangleCut } from "./products.ts";

const PANEL_THRESHOLD = 96; // rows below a block from which sharing it pays
const STRIP = 128; // columns; a multiple of the block size
const SUBSTITUTION = 4; // right-hand sides up to which substitution one by one beats strips of them
const SOLVE_THRESHOLD = 1 << 18; // multiply-adds

/** `factor` can be another library's: it must leave L below, anything above, and return the failing pivot or 0. */
export function factorisations(
  pool: Pool,
  own: { factor?: (A: Matrix) => number; solve?: Solve } = {},
): Factorisations {
  const diagonal = pool.kernel("cholesky_diagonal");
  const panel = pool.kernel("cholesky_panel");
  const trailing = pool.kernel("cholesky_trailing");
  const lower = pool.kernel("lower");
  const update = pool.kernel("cholesky_update");
  const solveKernel = pool.kernel("solve");
  const inverse = pool.kernel("inverse");
  const cross = pool.kernel("cross");
  const mirror = pool.kernel("mirror");
  const NB = pool.blockSize;

  // What lies right of and below column `at` −= its `depth` columns before `at`, times their transpose; `cols` columns wide.
  function subtract(A: Matrix, at: number, depth: number, cols: number): void {
    const r = A.rows - at;
    const parts = r < PANEL_THRESHOLD ? 1 : pool.workers;
    for (let t = 0; t < parts; t++) {
      pool
        .job(t)
        .put(triangleCut(r, parts, t, pool.tileRows))
        .put(triangleCut(r, parts, t + 1, pool.tileRows));
      pool
        .put(cols)
        .put(depth)
        .putRows(A, at, at - depth)
        .putRows(A, at, at)
        .put(pool.workspace(t));
    }
    pool.run(trailing[A.precision], parts);
  }

  // Two levels: blocks of NB within strips of STRIP columns. Inside a strip only the strip is updated; the rest of the matrix
  // waits for one deeper update per strip, so it passes through the cache half as often.
  function factorBlocks(A: Matrix): number {
    const n = A.rows;
    for (let k = 0; k < n; k += NB) {
      const nb = Math.min(NB, n - k);
      pool.job(0).put(nb).putRows(A, k, k).put(pool.workspace(0));
      const failed = pool.run(diagonal[A.precision], 1);
      if (failed > 0) return k + failed;
      const next = k + nb;
      const r = n - next;
      if (r === 0) break;
      const parts = r < PANEL_THRESHOLD ? 1 : pool.workers;
      for (let t = 0; t < parts; t++) {
        pool
          .job(t)
          .put(cut(r, parts, t, 8))
          .put(cut(r, parts, t + 1, 8))
          .put(nb);
        pool
          .put(pool.address(A, k, k))
          .putRows(A, next, k)
          .put(pool.workspace(t));
      }
      pool.run(panel[A.precision], parts);
      const stripEnd = Math.min(n, (Math.floor(k / STRIP) + 1) * STRIP);
      if (next < stripEnd) subtract(A, next, nb, stripEnd - next);
      else subtract(A, next, STRIP, r);
    }
    return 0;
  }

  const factor = own.factor ?? factorBlocks;
  const factoriser: Factoriser = {
    scope: () => pool.arena.open(),
    factor(A) {
      pool.checkOpen();
      const failed = factor(A);
      if (failed === 0) {
        pool.job(0).put(A.rows).putRows(A);
        pool.run(lower[A.precision], 1);
      }
      return failed;
    },
  };

  function solve(B: Matrix, L: Matrix, right: boolean, transpose: boolean): void {
    pool.checkOpen();
    if (own.solve) own.solve(B, L, right, transpose);
    else solveBlocks(B, L, right, transpose);
  }

  function solveBlocks(B: Matrix, L: Matrix, right: boolean, transpose: boolean): void {
    const n = L.rows;
    const m = right ? B.rows : B.cols; // independent right-hand sides
    const few = m <= SUBSTITUTION; // decided by all of them, not by one thread's share: the bits must not depend on it
    const parts = few ? 1 : pool.share(n * n * m, SOLVE_THRESHOLD);
    const scope = pool.arena.open();
    try {
      const scratch = few ? scope.matrix(n, 1, L.precision) : undefined;
      for (let t = 0; t < parts; t++) {
        const from = cut(m, parts, t, 4);
        pool
          .job(t)
          .put(right ? 1 : 0)
          .put(transpose ? 1 : 0)
          .put(n)
          .put(cut(m, parts, t + 1, 4) - from)
          .putRows(L);
        pool
          .putRows(B, right ? from : 0, right ? 0 : from)
          .put(pool.workspace(t))
          .put(few ? 1 : 0)
          .putVector(scratch);
      }
      pool.run(solveKernel[L.precision], parts);
    } finally {
      scope.close();
    }
  }

  return {
    cholesky(A, options = NO_OPTIONS) {
      checkSquare(options.name ?? "cholesky", A);
      return A.rows === 0 ? 0 : choleskyWithJitter(factoriser, A, options);
    },

    solveTriangular(B, L, options = NO_OPTIONS) {
      const { side = "left", transpose = false } = options;
      checkSolve(B, L, side);
      if (B.rows > 0 && B.cols > 0) solve(B, L, side === "right", transpose);
    },

    solveCholesky(B, L) {
      checkSolve(B, L, "left");
      if (B.rows === 0 || B.cols === 0) return;
      solve(B, L, false, false);
      solve(B, L, false, true);
    },

    inverseFromCholesky(out, L) {
      checkInverse(out, L);
      const n = L.rows;
      if (n === 0) return;
      const scope = pool.arena.open();
      try {
        const M = scope.matrix(n, n, L.precision); // L⁻¹
        const parts = pool.share(n * n * n, SOLVE_THRESHOLD);
        for (let t = 0; t < parts; t++) {
          // Column j costs (n − j)²: equal parts of the cube that remains, hence the cube root.
          pool
            .job(t)
            .put(n)
            .put(columnCut(n, parts, t, NB))
            .put(columnCut(n, parts, t + 1, NB));
          pool.putRows(L).putRows(M).put(pool.workspace(t));
        }
        pool.run(inverse[L.precision], parts);
        for (let t = 0; t < parts; t++) {
          // (LLᵀ)⁻¹ = MᵀM; row block i costs i·(n − i), symmetric about the middle
          pool
            .job(t)
            .put(n)
            .put(cut(n, parts, t, NB))
            .put(cut(n, parts, t + 1, NB))
            .putRows(M)
            .putRows(out)
            .put(pool.workspace(t));
        }
        pool.run(cross[L.precision], parts);
        pool.job(0).put(n).putRows(out);
        pool.run(mirror[L.precision], 1);
      } finally {
        scope.close();
      }
    },

    logDeterminant(L) {
      checkSquare("logDeterminant: L", L);
      return logDeterminant(L);
    },

    choleskyUpdate(L, x, sign = 1) {
      checkUpdate(L, x, sign);
      pool.job(0).put(L.rows).putRows(L).putVector(x).put(sign);
      const failed = pool.run(update[L.precision], 1);
      if (failed > 0) throw updateFailure(L, x, failed, sign);
    },
  };
}

/** Solves op(L)·X = B or X·op(L) = B in place. */
export type Solve = (B: Matrix, L: Matrix, right: boolean, transpose: boolean) => void;

function columnCut(n: number, parts: number, index: number, quantum: number): number {
  if (index === parts) return n;
  return Math.min(n, Math.ceil((n * (1 - Math.cbrt(1 - index / parts))) / quantum) * quantum);
}
