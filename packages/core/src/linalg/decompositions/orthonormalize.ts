// An orthonormal basis of the columns of a tall matrix, in place. The usual case is Cholesky–QR, twice (Yamamoto, Nakatsukasa, Yanagisawa &
// Fukaya, 2015): three products' worth of work at the speed of gemm. Columns that are nearly dependent go through
// Gram–Schmidt, each projected twice (Giraud, Langou, Rozložník & van den Eshof, 2005), which is slower and always works.
// n rows, l columns, n ≥ l.
import { NearkinError, NotPositiveDefiniteError } from "../../errors.ts";
import type { Engine } from "../engine.ts";
import { checkRowMajor, checkShape, type Matrix } from "../matrix.ts";

export interface Orthonormalized {
  /** Columns that were independent. */
  rank: number;
  /** Columns, ascending, that depended on those left of them. Directions orthogonal to all others took their place. */
  replaced: readonly number[];
}

/** A pivot below this part of its column's square leaves too few digits in YᵀY for Cholesky–QR: the condition is above 1e5. */
const SAFE_PIVOT = 1e-10;
/** How far YᵀY may be from I after the first pass: the second then squares it away. */
const SAFE_DEFECT = 1e-3;

/**
 * Y (n, l), f64, becomes Q with QᵀQ = I: column j of Y is a sum of columns up to j of Q, with a positive share of the last unless it
 * depends on those before it. O(n·l²). The same bits for any number of workers.
 */
export function orthonormalize(engine: Engine, Y: Matrix): Orthonormalized {
  const { rows: n, cols: l } = Y;
  checkShape("orthonormalize: Y", Y, n, l, "f64");
  checkRowMajor("orthonormalize: Y", Y);
  if (l > n) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `orthonormalize: Y must have at least as many rows as columns, got (${n}, ${l})`,
    );
  }
  if (l === 0) return { rank: 0, replaced: [] };
  const empty = scaleColumns(Y);
  if (!empty && choleskyQr(engine, Y, SAFE_PIVOT) && choleskyQr(engine, Y, 0, SAFE_DEFECT)) {
    return { rank: l, replaced: [] };
  }
  const replaced = gramSchmidt(engine, Y);
  return { rank: l - replaced.length, replaced };
}

/** Divides each column by its largest magnitude, so that no square overflows; true where a column is all 0. */
function scaleColumns(Y: Matrix): boolean {
  const { rows: n, cols: l, data, offset, rowStride } = Y;
  const top = new Float64Array(l);
  let bad = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0, at = offset + i * rowStride; j < l; j++, at++) {
      const magnitude = Math.abs(data[at]);
      if (!(magnitude < Infinity)) bad++;
      else if (magnitude > top[j]) top[j] = magnitude;
    }
  }
  if (bad > 0) {
    throw new NearkinError("NOT_FINITE", `orthonormalize: ${bad} of ${n * l} entries of Y are NaN or infinite`);
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0, at = offset + i * rowStride; j < l; j++, at++) if (top[j] > 0) data[at] /= top[j];
  }
  return top.includes(0);
}

/** Y ← Y·L⁻ᵀ with LLᵀ = YᵀY; false, Y as it was, where a pivot is too small or YᵀY too far from I. */
function choleskyQr(engine: Engine, Y: Matrix, safePivot: number, safeDefect = Infinity): boolean {
  const l = Y.cols;
  const scope = engine.scope();
  try {
    const G = scope.matrix(l, l);
    engine.syrk(G, Y, { transpose: true });
    const squares = new Float64Array(l);
    for (let i = 0; i < l; i++) {
      squares[i] = G.get(i, i);
      for (let j = 0; j <= i; j++) {
        if (!(Math.abs(G.get(i, j) - (i === j ? 1 : 0)) <= safeDefect)) return false;
      }
    }
    try {
      engine.cholesky(G, { name: "orthonormalize: YᵀY" });
    } catch (error) {
      if (error instanceof NotPositiveDefiniteError) return false;
      throw error;
    }
    for (let i = 0; i < l; i++) if (!(G.get(i, i) * G.get(i, i) >= safePivot * squares[i])) return false;
    engine.solveTriangular(Y, G, { side: "right", transpose: true });
    return true;
  } finally {
    scope.close();
  }
}

/** Column by column; returns those it had to replace. */
function gramSchmidt(engine: Engine, Y: Matrix): number[] {
  const { rows: n, cols: l } = Y;
  const replaced: number[] = [];
  const scope = engine.scope();
  try {
    const y = scope.matrix(n, 1);
    const norms = scope.matrix(n, 1);
    const h = scope.matrix(l, 1);
    // y ← y − Q(Qᵀy) for orthonormal or zero columns of Q, and the length of what is left; twice is enough
    const project = (Q: Matrix): number => {
      const coefficients = h.view(0, Q.cols);
      for (let pass = 0; pass < 2 && Q.cols > 0; pass++) {
        engine.gemv(coefficients, Q, y, { transpose: true });
        engine.gemv(y, Q, coefficients, { alpha: -1, beta: 1 });
      }
      return norm(y);
    };
    const at = (i: number, j: number) => Y.offset + i * Y.rowStride + j;
    const put = (j: number, length: number) => {
      for (let i = 0; i < n; i++) Y.data[at(i, j)] = length > 0 ? y.data[y.offset + i] / length : 0;
    };

    const dependent = n * 2 ** -52; // as numpy's matrix_rank: what rounding leaves of a column that depends on the others
    for (let j = 0; j < l; j++) {
      for (let i = 0; i < n; i++) y.data[y.offset + i] = Y.data[at(i, j)];
      const before = norm(y);
      const length = project(Y.view(0, n, 0, j));
      if (length > dependent * before) put(j, length);
      else {
        replaced.push(j);
        put(j, 0); // nothing, until all independent columns have found their place
      }
    }
    for (const j of replaced) {
      // e_k is the unit vector farthest from the span of Q where row k of Q is shortest; it is at least 1/√n away
      engine.rowNorms(norms, Y);
      let k = 0;
      for (let i = 1; i < n; i++) if (norms.data[norms.offset + i] < norms.data[norms.offset + k]) k = i;
      y.fill(0).set(k, 0, 1);
      put(j, project(Y));
    }
    return replaced;
  } finally {
    scope.close();
  }
}

function norm(y: Matrix): number {
  let s = 0;
  for (let i = 0; i < y.rows; i++) s += y.data[y.offset + i] * y.data[y.offset + i];
  return Math.sqrt(s);
}
