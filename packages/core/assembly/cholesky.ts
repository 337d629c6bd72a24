// A = L·Lᵀ in place, row-major, lower. Right-looking over blocks of NB columns: factor the diagonal block and invert it,
// multiply the panel below by that inverse, subtract the panel's outer product from what is left. The last two are products
// that workers share by rows; only the small diagonal block is serial.
import { B_UPPER, FULL, gemm } from "./gemm";
import { int, num, ptr } from "./job";
import { at, fma, lanes, sumLanes } from "./simd";

/** Columns of a block. */
export const NB: i32 = 64;
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

// X = L⁻¹ (n ≤ BASE) by forward substitution on the identity; the upper part of X is set to zero.
function invertSmall<T>(n: i32, L: usize, ldl: i32, X: usize, ldx: i32): void {
  for (let i = 0; i < n; i++) {
    const xi = at<T>(X, i * ldx),
      li = at<T>(L, i * ldl),
      r = <T>1 / load<T>(at<T>(li, i));
    for (let j = 0; j < n; j++) store<T>(at<T>(xi, j), <T>0);
    for (let p = 0; p < i; p++) {
      const l = load<T>(at<T>(li, p)),
        xp = at<T>(X, p * ldx);
      for (let j = 0; j <= p; j++) store<T>(at<T>(xi, j), load<T>(at<T>(xi, j)) - l * load<T>(at<T>(xp, j)));
    }
    for (let j = 0; j < i; j++) store<T>(at<T>(xi, j), load<T>(at<T>(xi, j)) * r);
    store<T>(at<T>(xi, i), r);
  }
}

// Half of n, a multiple of 8, so that products stay on full tiles.
function half(n: i32): i32 {
  return ((n >> 1) + 7) & ~7;
}

/** X = L⁻¹ for a lower triangle of at most NB rows. `ws`: a gemm workspace, then NB·NB elements. */
export function invert<T>(n: i32, L: usize, ldl: i32, X: usize, ldx: i32, ws: usize, scratch: usize): void {
  if (n <= BASE) {
    invertSmall<T>(n, L, ldl, X, ldx);
    return;
  }
  const h = half(n),
    r = n - h;
  invert<T>(h, L, ldl, X, ldx, ws, scratch);
  invert<T>(r, at<T>(L, h * ldl + h), ldl, at<T>(X, h * ldx + h), ldx, ws, scratch);
  offDiagonal<T>(h, r, L, ldl, X, ldx, ws, scratch);
}

// [L₁ 0; L₂₁ L₂]⁻¹ = [X₁ 0; −X₂·L₂₁·X₁ X₂], X₁ (h, h) and X₂ (r, r) known
function offDiagonal<T>(h: i32, r: i32, L: usize, ldl: i32, X: usize, ldx: i32, ws: usize, scratch: usize): void {
  gemm<T>(r, h, h, <T>1, at<T>(L, h * ldl), ldl, 1, X, ldx, 1, <T>0, scratch, NB, ws, FULL);
  gemm<T>(r, h, r, <T>-1, at<T>(X, h * ldx + h), ldx, 1, scratch, NB, 1, <T>0, at<T>(X, h * ldx), ldx, ws, FULL);
  for (let i = 0; i < h; i++) memory.fill(at<T>(X, i * ldx + h), 0, <usize>r * sizeof<T>());
}

// Factors a block of at most NB rows and inverts its factor on the way. Returns 0, or the 1-based failing pivot.
function factorBlock<T>(n: i32, A: usize, lda: i32, X: usize, ldx: i32, ws: usize, scratch: usize): i32 {
  if (n <= BASE) {
    for (let j = 0; j < n; j++) {
      const aj = at<T>(A, j * lda),
        pj = at<T>(aj, j);
      const s = load<T>(pj) - dot<T>(j, aj, aj);
      if (!(s > <T>0) || s == <T>Infinity) {
        store<T>(pj, s); // left for the error message
        return j + 1;
      }
      const d = sqrt<T>(s),
        r = <T>1 / d;
      store<T>(pj, d);
      for (let i = j + 1; i < n; i++) {
        const ai = at<T>(A, i * lda),
          p = at<T>(ai, j);
        store<T>(p, (load<T>(p) - dot<T>(j, ai, aj)) * r);
      }
    }
    invertSmall<T>(n, A, lda, X, ldx);
    return 0;
  }
  const h = half(n),
    r = n - h;
  const e = factorBlock<T>(h, A, lda, X, ldx, ws, scratch);
  if (e) return e;
  const A21 = at<T>(A, h * lda),
    A22 = at<T>(A21, h);
  gemm<T>(r, h, h, <T>1, A21, lda, 1, X, 1, ldx, <T>0, scratch, NB, ws, B_UPPER); // L₂₁ = A₂₁·L₁₁⁻ᵀ
  for (let i = 0; i < r; i++) memory.copy(at<T>(A21, i * lda), at<T>(scratch, i * NB), <usize>h * sizeof<T>());
  gemm<T>(r, r, h, <T>-1, A21, lda, 1, A21, 1, lda, <T>1, A22, lda, ws, 0); // A₂₂ −= L₂₁·L₂₁ᵀ
  const f = factorBlock<T>(r, A22, lda, at<T>(X, h * ldx + h), ldx, ws, scratch);
  if (f) return h + f;
  offDiagonal<T>(h, r, A, lda, X, ldx, ws, scratch);
  return 0;
}

// Fields: n · A lda · X (NB·NB) · workspace · scratch (NB·NB)
function diagonalJob<T>(job: usize): i32 {
  return factorBlock<T>(int(job, 0), ptr(job, 1), int(job, 2), ptr(job, 3), NB, ptr(job, 4), ptr(job, 5));
}
export function cholesky_diagonal_f32(job: usize): i32 {
  return diagonalJob<f32>(job);
}
export function cholesky_diagonal_f64(job: usize): i32 {
  return diagonalJob<f64>(job);
}

// Panel rows [r0, r1): P = B·Xᵀ, copied back into B. Fields: r0 r1 nb · B lda · X · P · workspace
function panelJob<T>(job: usize): void {
  const r0 = int(job, 0),
    rows = int(job, 1) - r0,
    nb = int(job, 2),
    lda = int(job, 4);
  const b = at<T>(ptr(job, 3), r0 * lda),
    p = at<T>(ptr(job, 6), r0 * NB);
  gemm<T>(rows, nb, nb, <T>1, b, lda, 1, ptr(job, 5), 1, NB, <T>0, p, NB, ptr(job, 7), B_UPPER);
  for (let i = 0; i < rows; i++) memory.copy(at<T>(b, i * lda), at<T>(p, i * NB), <usize>nb * sizeof<T>());
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
    if (!(d > <T>0)) return k + 1;
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
