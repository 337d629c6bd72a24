// A = L·Lᵀ in place, row-major, lower. Right-looking over blocks of NB columns: factor the diagonal block, solve the panel below
// with it, subtract the panel's outer product from what is left. Workers share the last two by rows; only the small diagonal
// block is serial.
import { GEMM_WORKSPACE, gemm } from "./gemm";
import { int, num, ptr } from "./job";
import { at, fma, lanes, sumLanes } from "./simd";
import { solveRight, STRIP_SCRATCH } from "./substitution";

/** Columns of a block. */
export const NB: i32 = 64;

/** A worker's private memory: gemm's, then a strip for substitution. */
export const WORKSPACE: i32 = GEMM_WORKSPACE + STRIP_SCRATCH;
export function stripOf(workspace: usize): usize {
  return workspace + GEMM_WORKSPACE;
}

const BASE: i32 = 16; // below this the recursion stops and scalars take over

/** Σ x_j y_j */
export function dot<T>(n: i32, x: usize, y: usize): T {
  let s = v128.splat<T>(<T>0);
  let j = 0;
  for (; j + lanes<T>() <= n; j += lanes<T>()) {
    s = fma<T>(v128.load(x), v128.load(y), s);
    x += 16;
    y += 16;
  }
  let t = sumLanes<T>(s);
  for (; j < n; j++) {
    t += load<T>(x) * load<T>(y);
    x += sizeof<T>();
    y += sizeof<T>();
  }
  return t;
}

// Half of n, a multiple of 8, so that products stay on full tiles.
function half(n: i32): i32 {
  return ((n >> 1) + 7) & ~7;
}

// Factors a block of at most NB rows, by halves. Returns 0, or the 1-based failing pivot.
function factorBlock<T>(n: i32, A: usize, lda: i32, ws: usize): i32 {
  if (n <= BASE) {
    for (let j = 0; j < n; j++) {
      const aj = at<T>(A, j * lda);
      const pj = at<T>(aj, j);
      const s = load<T>(pj) - dot<T>(j, aj, aj);
      if (!(s > <T>0) || s == <T>Infinity) {
        store<T>(pj, s); // left for the error message
        return j + 1;
      }
      const d = sqrt<T>(s);
      const r = <T>1 / d;
      store<T>(pj, d);
      for (let i = j + 1; i < n; i++) {
        const ai = at<T>(A, i * lda);
        const p = at<T>(ai, j);
        store<T>(p, (load<T>(p) - dot<T>(j, ai, aj)) * r);
      }
    }
    return 0;
  }
  const h = half(n);
  const r = n - h;
  const failed = factorBlock<T>(h, A, lda, ws);
  if (failed) return failed;
  const A21 = at<T>(A, h * lda);
  const A22 = at<T>(A21, h);
  solveRight<T>(true, h, r, A, lda, A21, lda, stripOf(ws)); // L₂₁·L₁₁ᵀ = A₂₁
  gemm<T>(r, r, h, <T>-1, A21, lda, 1, A21, 1, lda, <T>1, A22, lda, ws, 0); // A₂₂ −= L₂₁·L₂₁ᵀ
  const later = factorBlock<T>(r, A22, lda, ws);
  return later ? h + later : 0;
}

// Fields: n · A lda · workspace
function diagonalJob<T>(job: usize): i32 {
  return factorBlock<T>(int(job, 0), ptr(job, 1), int(job, 2), ptr(job, 3));
}
export function cholesky_diagonal_f32(job: usize): i32 {
  return diagonalJob<f32>(job);
}
export function cholesky_diagonal_f64(job: usize): i32 {
  return diagonalJob<f64>(job);
}

// Panel rows [r0, r1): P·Lᵀ = B in place, L the diagonal block. Fields: r0 r1 nb · L · B · lda · workspace
function panelJob<T>(job: usize): void {
  const r0 = int(job, 0);
  const lda = int(job, 5);
  solveRight<T>(true, int(job, 2), int(job, 1) - r0, ptr(job, 3), lda, at<T>(ptr(job, 4), r0 * lda), lda, stripOf(ptr(job, 6)));
}
export function cholesky_panel_f32(job: usize): void {
  panelJob<f32>(job);
}
export function cholesky_panel_f64(job: usize): void {
  panelJob<f64>(job);
}

// Trailing rows [r0, r1), lower part of the first `cols` columns: C −= P·Pᵀ. Fields: r0 r1 cols depth · P ldp · C lda · workspace
function trailingJob<T>(job: usize): void {
  const r0 = int(job, 0);
  const r1 = int(job, 1);
  const P = ptr(job, 4);
  const ldp = int(job, 5);
  const lda = int(job, 7);
  const cols = min(r1, int(job, 2));
  const C = at<T>(ptr(job, 6), r0 * lda);
  gemm<T>(r1 - r0, cols, int(job, 3), <T>-1, at<T>(P, r0 * ldp), ldp, 1, P, 1, ldp, <T>1, C, lda, ptr(job, 8), r0);
}
export function cholesky_trailing_f32(job: usize): void {
  trailingJob<f32>(job);
}
export function cholesky_trailing_f64(job: usize): void {
  trailingJob<f64>(job);
}

// Zeroes the strict upper triangle. Fields: n · A lda
function lowerJob<T>(job: usize): void {
  const n = int(job, 0),
    A = ptr(job, 1),
    lda = int(job, 2);
  for (let i = 0; i < n - 1; i++) memory.fill(at<T>(A, i * lda + i + 1), 0, <usize>(n - 1 - i) * sizeof<T>());
}
export function lower_f32(job: usize): void {
  lowerJob<f32>(job);
}
export function lower_f64(job: usize): void {
  lowerJob<f64>(job);
}

// L′L′ᵀ = LLᵀ + sign·xxᵀ by Givens (hyperbolic when sign < 0) rotations; x is overwritten. Fields: n · L ldl · x · sign
// Returns 0, or the 1-based pivot at which a downdate stops being positive definite.
function updateJob<T>(job: usize): i32 {
  const n = int(job, 0),
    L = ptr(job, 1),
    ldl = int(job, 2),
    x = ptr(job, 3),
    sign = <T>num(job, 4);
  for (let k = 0; k < n; k++) {
    const p = at<T>(L, k * ldl + k),
      l = load<T>(p),
      xk = load<T>(at<T>(x, k));
    const s2 = (l - xk) * (l + xk);
    const d = sign > <T>0 ? l * l + xk * xk : s2;
    if (!(d > <T>0) || d == <T>Infinity) return k + 1;
    const r = sqrt<T>(d),
      c = r / l,
      s = xk / l;
    store<T>(p, r);
    for (let i = k + 1; i < n; i++) {
      const q = at<T>(L, i * ldl + k),
        xi = load<T>(at<T>(x, i));
      const y = (load<T>(q) + sign * s * xi) / c;
      store<T>(q, y);
      store<T>(at<T>(x, i), c * xi - s * y);
    }
  }
  return 0;
}
export function cholesky_update_f32(job: usize): i32 {
  return updateJob<f32>(job);
}
export function cholesky_update_f64(job: usize): i32 {
  return updateJob<f64>(job);
}
