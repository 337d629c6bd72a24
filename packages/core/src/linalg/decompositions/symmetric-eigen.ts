// Eigenvalues and eigenvectors of a symmetric matrix: Householder reduction to tridiagonal form (Golub & Van Loan, Matrix
// Computations, 4th ed., Algorithm 8.3.1), then QL steps with implicit shifts (Dubrulle, Martin & Wilkinson, "The implicit QL
// algorithm", 1968). Plain loops over contiguous rows, and nothing but + − × ÷ √: the same bits in every JavaScript engine.
// n rows and columns.
import { NearkinError } from "../../errors.ts";
import { fixSign } from "./sign.ts";

export interface SymmetricEigen {
  /** (n), the largest first. */
  values: Float64Array;
  /** (n, n) row-major: row j is the unit eigenvector of values[j], its entry of largest magnitude positive. */
  vectors: Float64Array;
}

const UNIT = 2 ** -53;
const SYMMETRY = 1e-10; // how far two mirror entries may differ, relative to the largest entry
const SWEEPS = 60; // per eigenvalue; two are usual

/** Within this range squares and their sums neither overflow nor underflow; other matrices are scaled by a power of two. */
const LARGE = 2 ** 300;
const SMALL = 2 ** -300;

/**
 * A = VᵀΛV for a symmetric A (n, n), row-major; the mean of each two mirror entries counts. O(n³), about 9n³ operations.
 * Where eigenvalues coincide their vectors are some orthonormal basis, the same one on every machine.
 *
 * @example
 * const { values, vectors } = symmetricEigen(Float64Array.of(3, 0, 0, 5), 2);
 * Array.from(values) // => [5, 3]
 * Array.from(vectors) // => [0, 1, 1, 0]
 */
export function symmetricEigen(A: Float64Array, n: number): SymmetricEigen {
  const { work, scale } = prepare("symmetricEigen", A, n);
  const { diagonal, below, reflectors, factors } = tridiagonalize(work, n);
  const rows = accumulate(reflectors, factors, n);
  implicitQl("symmetricEigen", diagonal, below, rows);
  const order = Array.from(diagonal.keys()).sort((a, b) => diagonal[b] - diagonal[a] || a - b);
  const values = Float64Array.from(order, (j) => diagonal[j] / scale);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    vectors.set(rows.subarray(from * n, (from + 1) * n), to * n);
    fixSign(vectors, to * n, n);
  });
  return { values, vectors };
}

/**
 * λ_min of a symmetric A (n, n): above 0 exactly where A is positive definite. O(n³), a quarter of `symmetricEigen`.
 *
 * @example
 * smallestEigenvalue(Float64Array.of(3, 0, 0, -5), 2) // => -5
 */
export function smallestEigenvalue(A: Float64Array, n: number): number {
  if (n === 0) throw new NearkinError("BAD_ARGUMENT", "smallestEigenvalue: needs at least one row, got (0, 0)");
  const { work, scale } = prepare("smallestEigenvalue", A, n);
  const { diagonal, below } = tridiagonalize(work, n);
  implicitQl("smallestEigenvalue", diagonal, below);
  return diagonal.reduce((a, b) => Math.min(a, b)) / scale;
}

/** A copy to work on, its triangles made equal, times `scale`. */
function prepare(name: string, A: Float64Array, n: number): { work: Float64Array; scale: number } {
  if (!Number.isInteger(n) || n < 0 || A.length !== n * n) {
    throw new NearkinError("SHAPE_MISMATCH", `${name}: (${n}, ${n}) takes ${n * n} numbers, got ${A.length}`);
  }
  let top = 0;
  let bad = 0;
  for (let i = 0; i < A.length; i++) {
    if (Number.isFinite(A[i])) top = Math.max(top, Math.abs(A[i]));
    else bad++;
  }
  if (bad > 0) {
    throw new NearkinError("NOT_FINITE", `${name}: ${bad} of ${n * n} entries are NaN or infinite`);
  }
  let scale = 1;
  while (top * scale > LARGE) scale *= SMALL;
  while (top > 0 && top * scale < SMALL) scale *= LARGE;
  const work = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const lower = A[i * n + j] * scale;
      const upper = A[j * n + i] * scale;
      if (Math.abs(lower - upper) > SYMMETRY * top * scale) {
        throw new NearkinError(
          "BAD_ARGUMENT",
          `${name}: not symmetric, entry (${i}, ${j}) is ${A[i * n + j]} and (${j}, ${i}) is ${A[j * n + i]}; pass (A + Aᵀ)/2 if that is what is meant`,
        );
      }
      work[i * n + j] = work[j * n + i] = 0.5 * (lower + upper);
    }
  }
  return { work, scale };
}

interface Tridiagonal {
  /** (n) */
  diagonal: Float64Array;
  /** (n), below[i] between rows i and i + 1, the last 0 */
  below: Float64Array;
  /** (n, n): row k holds v_k in columns k + 1 … n − 1 */
  reflectors: Float64Array;
  /** (n): τ_k */
  factors: Float64Array;
}

// T = QᵀAQ with Q = H_0 H_1 … H_{n−3}, H_k = I − τ_k v_k v_kᵀ. Row k of A, not needed once it is reduced, keeps v_k.
function tridiagonalize(A: Float64Array, n: number): Tridiagonal {
  const diagonal = new Float64Array(n);
  const below = new Float64Array(n);
  const factors = new Float64Array(n);
  const w = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const row = k * n;
    diagonal[k] = A[row + k];
    if (k + 2 >= n) {
      if (k + 1 < n) below[k] = A[row + k + 1];
      continue;
    }
    // v = x ∓ ‖x‖e₁, with the sign that adds: no cancellation (Alg. 5.1.1)
    let tail = 0;
    for (let i = k + 2; i < n; i++) tail += A[row + i] * A[row + i];
    const x0 = A[row + k + 1];
    if (tail === 0) {
      below[k] = x0;
      mirrorRow(A, n, k + 1);
      continue;
    }
    const norm = Math.sqrt(x0 * x0 + tail);
    const v0 = x0 > 0 ? x0 + norm : x0 - norm;
    below[k] = x0 > 0 ? -norm : norm;
    for (let i = k + 2; i < n; i++) A[row + i] /= v0;
    A[row + k + 1] = 1;
    const tau = (2 * v0 * v0) / (v0 * v0 + tail);
    factors[k] = tau;

    // p = τA₂₂v from the lower triangle alone; w = p − ½τ(pᵀv)v
    w.fill(0, k + 1);
    for (let i = k + 1; i < n; i++) {
      const at = i * n;
      const vi = A[row + i];
      let sum = 0;
      for (let j = k + 1; j < i; j++) {
        const a = A[at + j];
        sum += a * A[row + j];
        w[j] += a * vi;
      }
      w[i] += sum + A[at + i] * vi;
    }
    let dot = 0;
    for (let i = k + 1; i < n; i++) {
      w[i] *= tau;
      dot += w[i] * A[row + i];
    }
    const half = 0.5 * tau * dot;
    for (let i = k + 1; i < n; i++) w[i] -= half * A[row + i];

    // A₂₂ ← A₂₂ − vwᵀ − wvᵀ, lower triangle
    for (let i = k + 1; i < n; i++) {
      const at = i * n;
      const vi = A[row + i];
      const wi = w[i];
      for (let j = k + 1; j <= i; j++) A[at + j] -= vi * w[j] + wi * A[row + j];
    }
    mirrorRow(A, n, k + 1);
  }
  return { diagonal, below, reflectors: A, factors };
}

/** Only the lower triangle is kept up to date, and a row is read from the diagonal on: its mirror image. */
function mirrorRow(A: Float64Array, n: number, row: number): void {
  for (let i = row + 1; i < n; i++) A[row * n + i] = A[i * n + row];
}

// Qᵀ = H_{n−3} … H_1 H_0, built backwards so that row and column k stay those of I until H_{k−1} (G. & V. L. §5.1.6)
function accumulate(reflectors: Float64Array, factors: Float64Array, n: number): Float64Array {
  const Qt = new Float64Array(n * n);
  for (let i = 0; i < n; i++) Qt[i * n + i] = 1;
  for (let k = n - 3; k >= 0; k--) {
    const tau = factors[k];
    if (tau === 0) continue;
    const v = k * n;
    for (let i = k + 1; i < n; i++) {
      const row = i * n;
      let dot = 0;
      for (let j = k + 1; j < n; j++) dot += Qt[row + j] * reflectors[v + j];
      if (dot === 0) continue;
      const s = tau * dot;
      for (let j = k + 1; j < n; j++) Qt[row + j] -= s * reflectors[v + j];
    }
  }
  return Qt;
}

// Diagonal d, subdiagonal e → eigenvalues in d. Rotations of planes (i, i + 1) act on the rows of Z, where there is one.
function implicitQl(name: string, d: Float64Array, e: Float64Array, Z?: Float64Array): void {
  const n = d.length;
  let top = 0;
  for (let i = 0; i < n; i++) top = Math.max(top, Math.abs(d[i]) + Math.abs(e[i]));
  const nothing = UNIT * top; // rounding has already done as much to e; where A has not full rank, no more can be asked for
  for (let l = 0; l < n; l++) {
    for (let sweep = 0; ; sweep++) {
      // the block from l on ends at the first negligible e
      let m = l;
      while (m < n - 1 && Math.abs(e[m]) > Math.max(nothing, UNIT * (Math.abs(d[m]) + Math.abs(d[m + 1])))) m++;
      if (m < n - 1) e[m] = 0;
      if (m === l) break;
      if (sweep === SWEEPS) {
        throw new NearkinError("BAD_ARGUMENT", `${name}: no convergence after ${SWEEPS} sweeps for eigenvalue ${l}`);
      }
      // Wilkinson's shift: the eigenvalue of the leading 2 × 2 block nearer to d_l
      const half = (d[l + 1] - d[l]) / (2 * e[l]);
      const root = radius(half, 1);
      let g = d[m] - d[l] + e[l] / (half + (half < 0 ? -root : root));
      let s = 1;
      let c = 1;
      let p = 0;
      let i = m - 1;
      for (; i >= l; i--) {
        const f = s * e[i];
        const b = c * e[i];
        const r = radius(f, g);
        e[i + 1] = r;
        if (r === 0) {
          // the block falls apart of itself
          d[i + 1] -= p;
          e[m] = 0;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        if (Z) rotate(Z, n, i, c, s);
      }
      if (i >= l) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
}

// Rows i and i + 1 of Z: (z_i, z_{i+1}) ← (c·z_i − s·z_{i+1}, s·z_i + c·z_{i+1})
function rotate(Z: Float64Array, n: number, i: number, c: number, s: number): void {
  const upper = i * n;
  const lower = upper + n;
  for (let k = 0; k < n; k++) {
    const a = Z[upper + k];
    const b = Z[lower + k];
    Z[upper + k] = c * a - s * b;
    Z[lower + k] = s * a + c * b;
  }
}

/** √(a² + b²) without overflow. Math.hypot may round differently from one JavaScript engine to the next. */
function radius(a: number, b: number): number {
  const x = Math.max(Math.abs(a), Math.abs(b));
  const y = Math.min(Math.abs(a), Math.abs(b));
  if (x === 0) return 0;
  const ratio = y / x;
  return x * Math.sqrt(1 + ratio * ratio);
}
