// The sigmoid link's kernel is not positive definite (method: Eq. 7 in Eq. 5). What it lacks is measured, added to the diagonal and
// reported; it is no rounding, and jitter must not hide it. m inducing items.
import { NearkinError } from "../errors.ts";
import { smallestEigenvalue, symmetricEigen } from "../linalg/decompositions/symmetric-eigen.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkRowMajor, checkShape, type Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";

export interface MeasuredShift {
  /** λ_min, never below the true one but by rounding; above it by at most `error` as a rule. */
  smallest: number;
  /** How far `smallest` may be from an eigenvalue; 0 where it was computed rather than estimated. */
  error: number;
  /** What to add to the diagonal; 0 where K is positive semi-definite up to the jitter. */
  shift: number;
}

export interface MeasureShiftOptions {
  /** All eigenvalues instead of an estimate: O(m³) without the engine, 140 ms at m = 512. @default false */
  exact?: boolean;
}

const STEPS = [16, 32, 48, 64, 96]; // of Lanczos, after which to look; no more than there are rows
const ENOUGH = 1e-3; // error relative to λ_min with which to stop: it is added to the shift
const EXHAUSTED = 1e-12; // of ‖K‖: a remainder that is rounding says that the space holds all it can reach
const TOLERANCE = 1e-6; // relative to the mean of the diagonal: less than that is for jitter to mend

/**
 * λ_min of K (m, m) and the shift that makes K + shift·I positive definite, certified by a factorisation. By default an estimate (Lanczos
 * with a fixed start, so that the same K has the same shift), cheap enough for every training step: some 5 % of what all eigenvalues cost.
 *
 * @example
 * const engine = await createEngine({ workers: 1 });
 * const K = engine.scope().matrix(2, 2).write([1, 3, 3, 1]);
 * const { smallest, shift } = measureShift(engine, K);
 * smallest.toFixed(9) // => "-2.000000000"
 * shift >= 2 && shift < 2.0001 // => true
 */
export function measureShift(engine: Engine, K: Matrix, options: MeasureShiftOptions = {}): MeasuredShift {
  const m = K.rows;
  checkShape("measureShift: K", K, m, m, "f64");
  checkRowMajor("measureShift: K", K);
  if (m < 1) throw new NearkinError("BAD_ARGUMENT", "measureShift: needs at least one row");
  let trace = 0;
  for (let i = 0; i < m; i++) trace += Math.abs(K.data[K.offset + i * (K.rowStride + 1)]);
  const tolerance = (TOLERANCE * trace) / m;
  if (!options.exact) {
    const { smallest, error } = lanczos(engine, K);
    const shift = shiftFor(smallest, tolerance, error);
    if (factors(engine, K, shift + tolerance)) return { smallest, error, shift };
  }
  const smallest = smallestEigenvalue(K.read(), m);
  return { smallest, error: 0, shift: shiftFor(smallest, tolerance, 0) };
}

function shiftFor(smallest: number, tolerance: number, error: number): number {
  return smallest < -tolerance ? error - smallest + tolerance : 0;
}

function factors(engine: Engine, K: Matrix, shift: number): boolean {
  const scope = engine.scope();
  try {
    const L = scope.matrix(K.rows, K.rows);
    engine.convert(L, K);
    for (let i = 0; i < L.rows; i++) L.data[L.offset + i * (L.rows + 1)] += shift;
    engine.cholesky(L, { name: "measureShift: K" });
    return true;
  } catch (error) {
    if (error instanceof NearkinError && error.code === "NOT_POSITIVE_DEFINITE") return false;
    throw error;
  } finally {
    scope.close();
  }
}

// Lanczos' iteration with full reorthogonalisation (Golub & Van Loan, Matrix Computations, 4th ed., §10.1–10.3). The least Ritz value is
// never below λ_min, and within |β_j·s_j| of an eigenvalue, s_j the last entry of its vector in the Krylov basis.
function lanczos(engine: Engine, K: Matrix): { smallest: number; error: number } {
  const m = K.rows;
  const most = Math.min(m, STEPS[STEPS.length - 1]);
  const scope = engine.scope();
  try {
    const Q = scope.matrix(most + 1, m); // rows: the basis
    const h = scope.matrix(most, 1);
    const T = new Float64Array(most * most); // QKQᵀ, tridiagonal
    engine.fillNormal(Q.view(0, 1), new Random(1));
    normalize(engine, Q.view(0, 1), h);
    let norm = 0;
    for (let j = 0; ; j++) {
      const w = Q.view(j + 1, j + 2);
      engine.gemv(w, K, Q.view(j, j + 1));
      let diagonal = 0;
      for (let round = 0; round < 2; round++) {
        const basis = Q.view(0, j + 1);
        const part = h.view(0, j + 1);
        engine.gemv(part, basis, w);
        engine.gemv(w, basis, part, { transpose: true, alpha: -1, beta: 1 });
        diagonal += part.get(j, 0);
      }
      if (!Number.isFinite(diagonal)) throw notFinite(K);
      T[j * most + j] = diagonal;
      const below = normalize(engine, w, h);
      norm = Math.max(norm, Math.abs(diagonal) + below);
      const end = j + 1 === most || !(below > EXHAUSTED * norm);
      if (end || STEPS.includes(j + 1)) {
        const ritz = leastRitz(T, j + 1, most);
        const error = Math.abs(below * ritz.last);
        if (end || error <= ENOUGH * Math.abs(ritz.value)) return { smallest: ritz.value, error };
      }
      T[j * most + j + 1] = below;
      T[(j + 1) * most + j] = below;
    }
  } finally {
    scope.close();
  }
}

function notFinite(K: Matrix): NearkinError {
  const bad = K.read().reduce((count, x) => count + (Number.isFinite(x) ? 0 : 1), 0);
  return new NearkinError("NOT_FINITE", `measureShift: ${bad} of ${K.rows * K.cols} entries of K are NaN or infinite`);
}

/** w ← w/‖w‖; returns ‖w‖. */
function normalize(engine: Engine, w: Matrix, scratch: Matrix): number {
  const norm = scratch.view(0, 1);
  engine.rowNorms(norm, w);
  const length = Math.sqrt(norm.get(0, 0));
  norm.set(0, 0, length > 0 ? 1 / length : 0);
  engine.scaleRows(w, w, norm);
  return length;
}

function leastRitz(T: Float64Array, size: number, stride: number): { value: number; last: number } {
  const corner = new Float64Array(size * size);
  for (let i = 0; i < size; i++) corner.set(T.subarray(i * stride, i * stride + size), i * size);
  const { values, vectors } = symmetricEigen(corner, size);
  return { value: values[size - 1], last: vectors[size * size - 1] };
}
