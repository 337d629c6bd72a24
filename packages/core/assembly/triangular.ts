// Solves with a lower triangle L (n, n), in blocks of NB: substitution within a diagonal block, products for the rest.
// Left solves share B by columns, right solves by rows: no element of B ever meets another worker's.
import { dot, NB, stripOf } from "./cholesky";
import { FULL, gemm } from "./gemm";
import { int, ptr } from "./job";
import { at, lanes } from "./simd";
import { solveLeft, solveRight } from "./substitution";

// op(L)·X = B, B (n, m) overwritten
function left<T>(trans: bool, n: i32, m: i32, L: usize, ldl: i32, B: usize, ldb: i32, ws: usize): void {
  const blocks = (n + NB - 1) / NB;
  for (let s = 0; s < blocks; s++) {
    const k = (trans ? blocks - 1 - s : s) * NB;
    const nb = min(NB, n - k);
    const Bk = at<T>(B, k * ldb);
    solveLeft<T>(trans, nb, m, at<T>(L, k * ldl + k), ldl, Bk, ldb, stripOf(ws));
    const below = k + nb;
    if (trans) {
      if (k > 0) gemm<T>(k, m, nb, <T>-1, at<T>(L, k * ldl), 1, ldl, Bk, ldb, 1, <T>1, B, ldb, ws, FULL);
    } else if (below < n) {
      gemm<T>(n - below, m, nb, <T>-1, at<T>(L, below * ldl + k), ldl, 1, Bk, ldb, 1, <T>1, at<T>(B, below * ldb), ldb, ws, FULL);
    }
  }
}

// X·op(L) = B, B (m, n) overwritten
function right<T>(trans: bool, n: i32, m: i32, L: usize, ldl: i32, B: usize, ldb: i32, ws: usize): void {
  const blocks = (n + NB - 1) / NB;
  for (let s = 0; s < blocks; s++) {
    const k = (trans ? s : blocks - 1 - s) * NB;
    const nb = min(NB, n - k);
    const Bk = at<T>(B, k);
    solveRight<T>(trans, nb, m, at<T>(L, k * ldl + k), ldl, Bk, ldb, stripOf(ws));
    const after = k + nb;
    if (!trans) {
      if (k > 0) gemm<T>(m, k, nb, <T>-1, Bk, ldb, 1, at<T>(L, k * ldl), ldl, 1, <T>1, B, ldb, ws, FULL);
    } else if (after < n) {
      gemm<T>(m, n - after, nb, <T>-1, Bk, ldb, 1, at<T>(L, after * ldl + k), 1, ldl, <T>1, at<T>(B, after), ldb, ws, FULL);
    }
  }
}

// op(L)·x = b for one contiguous x, by substitution: forwards with rows of L as inner products, backwards as updates.
function substitute<T>(trans: bool, n: i32, L: usize, ldl: i32, x: usize): void {
  const W = lanes<T>();
  if (!trans) {
    for (let i = 0; i < n; i++) {
      const l = at<T>(L, i * ldl);
      store<T>(at<T>(x, i), (load<T>(at<T>(x, i)) - dot<T>(i, l, x)) / load<T>(at<T>(l, i)));
    }
    return;
  }
  for (let i = n - 1; i >= 0; i--) {
    const l = at<T>(L, i * ldl);
    const s = load<T>(at<T>(x, i)) / load<T>(at<T>(l, i));
    const v = v128.splat<T>(s);
    store<T>(at<T>(x, i), s);
    let j = 0;
    for (; j + W <= i; j += W) {
      const p = at<T>(x, j);
      v128.store(p, v128.sub<T>(v128.load(p), v128.mul<T>(v, v128.load(at<T>(l, j)))));
    }
    for (; j < i; j++) store<T>(at<T>(x, j), load<T>(at<T>(x, j)) - s * load<T>(at<T>(l, j)));
  }
}

// The few right-hand sides of B one by one. X·op(L) = B is op(L)ᵀ·Xᵀ = Bᵀ, row by row.
function solveFew<T>(right: bool, trans: bool, n: i32, m: i32, L: usize, ldl: i32, B: usize, ldb: i32, x: usize): void {
  const step = right ? 1 : ldb;
  for (let c = 0; c < m; c++) {
    const b = at<T>(B, right ? c * ldb : c);
    for (let i = 0; i < n; i++) store<T>(at<T>(x, i), load<T>(at<T>(b, i * step)));
    substitute<T>(right ? !trans : trans, n, L, ldl, x);
    for (let i = 0; i < n; i++) store<T>(at<T>(b, i * step), load<T>(at<T>(x, i)));
  }
}

// Fields: side (0 left, 1 right) · trans · n m · L ldl · B ldb · workspace · few · scratch (n elements when few)
function solveJob<T>(job: usize): void {
  const fromRight = int(job, 0) == 1;
  const trans = int(job, 1) != 0;
  const n = int(job, 2);
  const m = int(job, 3);
  const L = ptr(job, 4);
  const ldl = int(job, 5);
  const B = ptr(job, 6);
  const ldb = int(job, 7);
  if (int(job, 9) == 1) solveFew<T>(fromRight, trans, n, m, L, ldl, B, ldb, ptr(job, 10));
  else if (fromRight) right<T>(trans, n, m, L, ldl, B, ldb, ptr(job, 8));
  else left<T>(trans, n, m, L, ldl, B, ldb, ptr(job, 8));
}
export function solve_f32(job: usize): void {
  solveJob<f32>(job);
}
export function solve_f64(job: usize): void {
  solveJob<f64>(job);
}

// M = L⁻¹, lower, into its own matrix, for the columns [c0, c1), c0 a multiple of NB. Block column by block column:
// L_kk·M_kk = I, then downwards L_ii·M_ik = −Σ_{k≤j<i} L_ij M_jk. The blocks are the same however columns are shared out.
// Fields: n c0 c1 · L ldl · M ldm · workspace
function inverseJob<T>(job: usize): void {
  const n = int(job, 0);
  const c1 = int(job, 2);
  const L = ptr(job, 3);
  const ldl = int(job, 4);
  const M = ptr(job, 5);
  const ldm = int(job, 6);
  const ws = ptr(job, 7);
  for (let k = int(job, 1); k < c1; k += NB) {
    const w = min(NB, n - k);
    for (let i = 0; i < k + w; i++) memory.fill(at<T>(M, i * ldm + k), 0, <usize>w * sizeof<T>());
    for (let i = k; i < k + w; i++) store<T>(at<T>(M, i * ldm + i), <T>1);
    solveLeft<T>(false, w, w, at<T>(L, k * ldl + k), ldl, at<T>(M, k * ldm + k), ldm, stripOf(ws));
    for (let i = k + NB; i < n; i += NB) {
      const nb = min(NB, n - i);
      const Mik = at<T>(M, i * ldm + k);
      gemm<T>(nb, w, i - k, <T>-1, at<T>(L, i * ldl + k), ldl, 1, at<T>(M, k * ldm + k), ldm, 1, <T>0, Mik, ldm, ws, FULL);
      solveLeft<T>(false, nb, w, at<T>(L, i * ldl + i), ldl, Mik, ldm, stripOf(ws));
    }
  }
}
export function inverse_f32(job: usize): void {
  inverseJob<f32>(job);
}
export function inverse_f64(job: usize): void {
  inverseJob<f64>(job);
}

// Rows [r0, r1) (multiples of NB) of the lower triangle of MᵀM, M lower: row block i needs rows k ≥ i of M only.
// Fields: n r0 r1 · M ldm · C ldc · workspace
function crossJob<T>(job: usize): void {
  const n = int(job, 0),
    r1 = int(job, 2),
    M = ptr(job, 3),
    ldm = int(job, 4),
    C = ptr(job, 5),
    ldc = int(job, 6),
    ws = ptr(job, 7);
  for (let i = int(job, 1); i < r1; i += NB) {
    const nb = min(NB, n - i),
      Mi = at<T>(M, i * ldm);
    gemm<T>(nb, i + nb, n - i, <T>1, at<T>(Mi, i), 1, ldm, Mi, ldm, 1, <T>0, at<T>(C, i * ldc), ldc, ws, i);
  }
}
export function cross_f32(job: usize): void {
  crossJob<f32>(job);
}
export function cross_f64(job: usize): void {
  crossJob<f64>(job);
}
