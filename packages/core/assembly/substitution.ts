// Substitution with a small triangle, many right-hand sides at once. Multiplying by an inverse would be simpler and all
// products, but its error grows with the condition of the block; substitution's does not, and smooth kernels are ill-conditioned
// in every block. A strip holds STRIP vectors of right-hand sides; lane by lane each is solved alone, in the same order of
// operations wherever it stands.
import { at, fnma, lanes } from "./simd";

const STRIP: i32 = 8; // vectors: accumulators enough to hide the latency of an addition

/** Right-hand sides of a strip: 16 in f64, 32 in f32. */
@inline
function width<T>(): i32 {
  return STRIP * lanes<T>();
}

/** Bytes of scratch that the functions below need, for triangles of at most 64 rows. */
export const STRIP_SCRATCH: i32 = 64 * STRIP * 16;

// x_j ← (x_j − Σ_p c_jp x_p)/c_jj for p before j (`backward`: after j). c_jp at L + j·rs + p·cs; x_j is row j of X, one strip wide.
function strip<T>(n: i32, L: usize, rs: i32, cs: i32, backward: bool, X: usize, ldx: i32): void {
  for (let step = 0; step < n; step++) {
    const j = backward ? n - 1 - step : step;
    const xj = at<T>(X, j * ldx);
    let s0 = v128.load(xj), s1 = v128.load(xj, 16), s2 = v128.load(xj, 32), s3 = v128.load(xj, 48);
    let s4 = v128.load(xj, 64), s5 = v128.load(xj, 80), s6 = v128.load(xj, 96), s7 = v128.load(xj, 112);
    const first = backward ? j + 1 : 0;
    const count = backward ? n - first : j;
    let c = at<T>(L, j * rs + first * cs);
    let x = at<T>(X, first * ldx);
    for (let p = 0; p < count; p++) {
      const l = v128.load_splat<T>(c);
      s0 = fnma<T>(l, v128.load(x), s0);
      s1 = fnma<T>(l, v128.load(x, 16), s1);
      s2 = fnma<T>(l, v128.load(x, 32), s2);
      s3 = fnma<T>(l, v128.load(x, 48), s3);
      s4 = fnma<T>(l, v128.load(x, 64), s4);
      s5 = fnma<T>(l, v128.load(x, 80), s5);
      s6 = fnma<T>(l, v128.load(x, 96), s6);
      s7 = fnma<T>(l, v128.load(x, 112), s7);
      c = at<T>(c, cs);
      x = at<T>(x, ldx);
    }
    const r = v128.splat<T>(<T>1 / load<T>(at<T>(L, j * (rs + cs))));
    v128.store(xj, v128.mul<T>(s0, r), 0);
    v128.store(xj, v128.mul<T>(s1, r), 16);
    v128.store(xj, v128.mul<T>(s2, r), 32);
    v128.store(xj, v128.mul<T>(s3, r), 48);
    v128.store(xj, v128.mul<T>(s4, r), 64);
    v128.store(xj, v128.mul<T>(s5, r), 80);
    v128.store(xj, v128.mul<T>(s6, r), 96);
    v128.store(xj, v128.mul<T>(s7, r), 112);
  }
}

/** op(L)·X = B in place, L (n, n) lower with n ≤ 64, B (n, m). */
export function solveLeft<T>(trans: bool, n: i32, m: i32, L: usize, ldl: i32, B: usize, ldb: i32, scratch: usize): void {
  const W = width<T>();
  const rs = trans ? 1 : ldl;
  const cs = trans ? ldl : 1;
  let c = 0;
  for (; c + W <= m; c += W) strip<T>(n, L, rs, cs, trans, at<T>(B, c), ldb);
  if (c == m) return;
  const bytes = <usize>(m - c) * sizeof<T>();
  memory.fill(scratch, 0, <usize>(n * W) * sizeof<T>());
  for (let i = 0; i < n; i++) memory.copy(at<T>(scratch, i * W), at<T>(B, i * ldb + c), bytes);
  strip<T>(n, L, rs, cs, trans, scratch, W);
  for (let i = 0; i < n; i++) memory.copy(at<T>(B, i * ldb + c), at<T>(scratch, i * W), bytes);
}

/** X·op(L) = B in place, L (n, n) lower with n ≤ 64, B (m, n): op(L)ᵀ·Xᵀ = Bᵀ on transposed strips. */
export function solveRight<T>(trans: bool, n: i32, m: i32, L: usize, ldl: i32, B: usize, ldb: i32, scratch: usize): void {
  const W = width<T>();
  const rs = trans ? ldl : 1;
  const cs = trans ? 1 : ldl;
  for (let r = 0; r < m; r += W) {
    const rows = min(W, m - r);
    if (rows < W) memory.fill(scratch, 0, <usize>(n * W) * sizeof<T>());
    for (let i = 0; i < rows; i++) {
      const b = at<T>(B, (r + i) * ldb);
      for (let j = 0; j < n; j++) store<T>(at<T>(scratch, j * W + i), load<T>(at<T>(b, j)));
    }
    strip<T>(n, L, rs, cs, !trans, scratch, W);
    for (let i = 0; i < rows; i++) {
      const b = at<T>(B, (r + i) * ldb);
      for (let j = 0; j < n; j++) store<T>(at<T>(b, j), load<T>(at<T>(scratch, j * W + i)));
    }
  }
}
