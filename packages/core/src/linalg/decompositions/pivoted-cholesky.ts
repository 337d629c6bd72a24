// A few items that explain all others best: the pivots of a Cholesky factorisation that takes, at each step, the item whose
// variance the items taken so far leave largest. Only the diagonal and the columns of the pivots are ever computed.
// n items, r = rank, K (n, n) ≈ F·Fᵀ with F (n, r).
import { NearkinError } from "../../errors.ts";
import { checkSize } from "../arena.ts";
import type { Engine } from "../engine.ts";
import type { Matrix } from "../matrix.ts";

export interface PivotedCholeskyOptions {
  /** Items. */
  n: number;
  /** The most pivots to take. */
  rank: number;
  /** K's diagonal: each item's variance (n). It is only read. */
  diagonal: Float64Array;
  /** Writes K's column of `item` into `out` (n, 1), f64. */
  column: (item: number, out: Matrix) => void;
  /** Stop when no item is left more than this share of the largest variance of all. @default 1e-10 */
  tolerance?: number;
}

export interface PivotedCholesky {
  /** The items taken, in order; fewer than `rank` where they explain everything. */
  pivots: Int32Array;
  /** After each: the sum of the variances that are left, Σ_i (k_ii − ‖f_i‖²). */
  trace: Float64Array;
}

/**
 * Greedy choice by conditional variance; of equal ones the first. O(n·rank²), and `rank` columns of K. What rounding, or a K that is not
 * positive semi-definite, would leave below 0 counts as 0.
 *
 * @example
 * const diagonal = new Float64Array([1, 4, 4]); // items 1 and 2 are the same
 * const K = [[1, 0, 0], [0, 4, 4], [0, 4, 4]];
 * const engine = await createEngine({ workers: 1 });
 * const { pivots } = pivotedCholesky(engine, { n: 3, rank: 3, diagonal, column: (i, out) => out.write(K[i]) });
 * Array.from(pivots) // => [1, 0]
 */
export function pivotedCholesky(engine: Engine, options: PivotedCholeskyOptions): PivotedCholesky {
  const { n, rank, diagonal, column, tolerance = 1e-10 } = options;
  check(n, rank, diagonal, tolerance);
  const left = Float64Array.from(diagonal); // variances given the items taken
  const pivots: number[] = [];
  const trace: number[] = [];
  const scope = engine.scope();
  try {
    const F = scope.matrix(n, Math.min(rank, n));
    const f = scope.matrix(n, 1);
    const stop = tolerance * left[largest(left)];
    while (pivots.length < F.cols) {
      const item = largest(left);
      if (!(left[item] > stop)) break;
      const k = pivots.length;
      column(item, f);
      // f = (K_·i − F·F_iᵀ)/√left_i
      if (k > 0) engine.gemv(f, F.view(0, n, 0, k), F.view(item, item + 1, 0, k), { alpha: -1, beta: 1 });
      const scale = 1 / Math.sqrt(left[item]);
      const [from, to] = [f.data, F.data];
      let total = 0;
      for (let i = 0; i < n; i++) {
        const value = from[f.offset + i] * scale;
        if (!Number.isFinite(value)) throw notFinite(item, i, value);
        to[F.offset + i * F.rowStride + k] = value;
        left[i] = Math.max(left[i] - value * value, 0);
        if (i === item) left[i] = 0; // taken: rounding must not bring it back
        total += left[i];
      }
      pivots.push(item);
      trace.push(total);
    }
  } finally {
    scope.close();
  }
  return { pivots: Int32Array.from(pivots), trace: Float64Array.from(trace) };
}

/** Where the largest is; of equal ones the first. */
function largest(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

function check(n: number, rank: number, diagonal: Float64Array, tolerance: number): void {
  checkSize("pivotedCholesky: n", n);
  checkSize("pivotedCholesky: rank", rank);
  if (diagonal.length !== n) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `pivotedCholesky: diagonal: expected ${n} numbers, got ${diagonal.length}`,
    );
  }
  if (!(tolerance >= 0 && tolerance < 1)) {
    throw new NearkinError("BAD_ARGUMENT", `pivotedCholesky: tolerance must lie in [0, 1), got ${tolerance}`);
  }
  const bad = diagonal.findIndex((x) => !Number.isFinite(x));
  if (bad >= 0) {
    throw new NearkinError("BAD_ARGUMENT", `pivotedCholesky: diagonal: item ${bad} has variance ${diagonal[bad]}`);
  }
}

function notFinite(item: number, row: number, value: number): NearkinError {
  return new NearkinError("BAD_ARGUMENT", `pivotedCholesky: column ${item} holds ${value} at ${row}`);
}
