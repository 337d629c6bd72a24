// Cholesky and what follows from it. The host walks the block columns; within each, workers share the panel and the
// trailing update by rows, a solve by columns (left) or rows (right) of its right-hand side.
import { checkInverse, checkSolve, checkSquare, checkUpdate } from "../contract.ts";
import { type Engine, NO_OPTIONS } from "../engine.ts";
import { choleskyWithJitter, downdateFailure, type Factoriser } from "../jitter.ts";
import type { Matrix } from "../matrix.ts";
import { logDeterminant } from "../reductions.ts";
import { cut, type Pool } from "./pool.ts";
import { triangleCut } from "./products.ts";

const PANEL_THRESHOLD = 96; // rows below a block from which sharing it pays
const STRIP = 128; // columns; a multiple of the block size
const SUBSTITUTION = 4; // right-hand sides up to which plain substitution beats inverting the diagonal blocks
const SOLVE_THRESHOLD = 1 << 18; // multiply-adds

export type Factorisations = Pick<
  Engine,
  "cholesky" | "solveTriangular" | "solveCholesky" | "inverseFromCholesky" | "logDeterminant" | "choleskyUpdate"
>;

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
  const inverseDiagonals = pool.kernel("inverse_diagonals");
  const inverse = pool.kernel("inverse");
  const cross = pool.kernel("cross");
  const mirror = pool.kernel("mirror");
  const NB = pool.blockSize;

  // Rows r below (row, col) −= their panel times its transpose, `cols` columns wide.
  function subtract(
    A: Matrix,
    P: Matrix,
    fromRow: number,
    fromCol: number,
    depth: number,
    at: number,
    cols: number,
  ): void {
    const r = A.rows - at;
    const parts = r < PANEL_THRESHOLD ? 1 : pool.workers;
    for (let t = 0; t < parts; t++) {
      pool
        .job(t)
        .put(triangleCut(r, parts, t, pool.tileRows))
        .put(triangleCut(r, parts, t + 1, pool.tileRows));
      pool.put(cols).put(depth).putRows(P, fromRow, fromCol).putRows(A, at, at).put(pool.workspace(t));
    }
    pool.run(trailing[A.precision], parts);
  }

  // Two levels: blocks of NB within strips of STRIP columns. Inside a strip only the strip is updated; the rest of the matrix
  // waits for one deep update per strip, so it passes through the cache a quarter as often.
  function factorBlocks(A: Matrix): number {
    const n = A.rows;
    const scope = pool.arena.open();
    try {
      const X = scope.matrix(NB, NB, A.precision); // inverse of the diagonal block
      const scratch = scope.matrix(NB, NB, A.precision);
      const P = scope.matrix(Math.max(n - NB, 0), NB, A.precision); // the panel, contiguous
      for (let k = 0; k < n; k += NB) {
        const nb = Math.min(NB, n - k);
        pool.job(0).put(nb).putRows(A, k, k).putVector(X).put(pool.workspace(0)).putVector(scratch);
        const failed = pool.run(diagonal[A.precision], 1);
        if (failed > 0) return k + failed;
        const next = k + nb;
        const r = n - next;
        if (r === 0) break;
        const parts = r < PANEL_THRESHOLD ? 1 : pool.workers;
        for (let t = 0; t < parts; t++) {
          pool
            .job(t)
            .put(cut(r, parts, t, pool.tileRows))
            .put(cut(r, parts, t + 1, pool.tileRows))
            .put(nb);
          pool.putRows(A, next, k).putVector(X).putVector(P).put(pool.workspace(t));
        }
        pool.run(panel[A.precision], parts);
        const stripEnd = Math.min(n, (Math.floor(k / STRIP) + 1) * STRIP);
        if (next < stripEnd) subtract(A, P, 0, 0, nb, next, stripEnd - next);
        else subtract(A, A, next, stripEnd - STRIP, STRIP, next, r);
      }
      return 0;
    } finally {
      scope.close();
    }
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
      for (let t = 0; t < parts; t++) {
        const from = cut(m, parts, t, 4);
        const count = cut(m, parts, t + 1, 4) - from;
        const scratch = scope.matrix(few ? n : NB * (NB + Math.max(count, NB)), 1, L.precision);
        pool
          .job(t)
          .put(right ? 1 : 0)
          .put(transpose ? 1 : 0)
          .put(n)
          .put(count)
          .putRows(L);
        pool
          .putRows(B, right ? from : 0, right ? 0 : from)
          .put(pool.workspace(t))
          .putVector(scratch)
          .put(few ? 1 : 0);
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
        const D = scope.matrix(n, NB, L.precision); // inverses of the diagonal blocks
        const M = scope.matrix(n, n, L.precision); // L⁻¹
        const scratch = scope.matrix(NB, NB, L.precision);
        pool.job(0).put(n).putRows(L).putVector(D).put(pool.workspace(0)).putVector(scratch);
        pool.run(inverseDiagonals[L.precision], 1);
        const parts = pool.share(n * n * n, SOLVE_THRESHOLD);
        for (let t = 0; t < parts; t++) {
          // Column j costs (n − j)²: equal thirds of the remaining cube, hence the cube root.
          const from = columnCut(n, parts, t, NB);
          const to = columnCut(n, parts, t + 1, NB);
          const own = scope.matrix(NB, NB, L.precision);
          pool.job(t).put(n).put(from).put(to).putRows(L).putRows(M).putVector(D).put(pool.workspace(t)).putVector(own);
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
      if (failed > 0) throw downdateFailure(L, failed);
    },
  };
}

/** Solves op(L)·X = B or X·op(L) = B in place. */
export type Solve = (B: Matrix, L: Matrix, right: boolean, transpose: boolean) => void;

function columnCut(n: number, parts: number, index: number, quantum: number): number {
  if (index === parts) return n;
  return Math.min(n, Math.ceil((n * (1 - Math.cbrt(1 - index / parts))) / quantum) * quantum);
}
