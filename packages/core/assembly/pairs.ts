// Distances of rows side by side, t_i = Σ_j w_j (a_ij − b_ij)², and their gradient. No products: each row is read once.
import { int, ptr } from "./job";
import { at, fma, lanes, loadOne, storeOne, sumLanes } from "./simd";

// t_i = Σ_j w_j (a_ij − b_ij)² (w = 1 where its address is 0), one accumulator per lane. Fields: rows cols · A lda · B ldb · w · t
function pairsJob<T>(job: usize): void {
  const rows = int(job, 0), n = int(job, 1), w = ptr(job, 6), one = v128.splat<T>(<T>1);
  for (let i = 0; i < rows; i++) {
    const a = at<T>(ptr(job, 2), i * int(job, 3)), b = at<T>(ptr(job, 4), i * int(job, 5));
    let s = v128.splat<T>(<T>0), j = 0;
    for (; j + lanes<T>() <= n; j += lanes<T>()) {
      const x = v128.sub<T>(v128.load(at<T>(a, j)), v128.load(at<T>(b, j)));
      s = fma<T>(v128.mul<T>(x, w ? v128.load(at<T>(w, j)) : one), x, s);
    }
    for (; j < n; j++) {
      const x = v128.sub<T>(loadOne<T>(at<T>(a, j)), loadOne<T>(at<T>(b, j)));
      s = fma<T>(v128.mul<T>(x, w ? loadOne<T>(at<T>(w, j)) : one), x, s);
    }
    store<T>(at<T>(ptr(job, 7), i), sumLanes<T>(s));
  }
}
export function pairs_f32(job: usize): void {
  pairsJob<f32>(job);
}
export function pairs_f64(job: usize): void {
  pairsJob<f64>(job);
}

// One element, or one vector. Addresses of 0 are not wanted; dA and dB may be the same.
@inline
function step<T>(a: usize, b: usize, w: usize, g: v128, dA: usize, dB: usize, dw: usize, one: bool): void {
  const x = v128.sub<T>(one ? loadOne<T>(a) : v128.load(a), one ? loadOne<T>(b) : v128.load(b)), gx = v128.mul<T>(g, x);
  let push = v128.add<T>(gx, gx);
  if (w) push = v128.mul<T>(push, one ? loadOne<T>(w) : v128.load(w));
  if (dA) {
    if (one) storeOne<T>(dA, v128.add<T>(loadOne<T>(dA), push));
    else v128.store(dA, v128.add<T>(v128.load(dA), push));
  }
  if (dB) {
    if (one) storeOne<T>(dB, v128.sub<T>(loadOne<T>(dB), push));
    else v128.store(dB, v128.sub<T>(v128.load(dB), push));
  }
  if (dw) {
    if (one) storeOne<T>(dw, v128.add<T>(loadOne<T>(dw), v128.mul<T>(gx, x)));
    else v128.store(dw, v128.add<T>(v128.load(dw), v128.mul<T>(gx, x)));
  }
}

// ∂ℓ/∂A += 2g(A − B)w, ∂ℓ/∂B −= the same, ∂ℓ/∂w += Σ_i g_i (a_ij − b_ij)² over columns [c0, c1), rows in order.
// Fields: rows c0 c1 · A lda · B ldb · w · g · dA ldda · dB lddb · dw (0 = not wanted)
function pairsBackwardJob<T>(job: usize): void {
  const rows = int(job, 0), c0 = int(job, 1), c1 = int(job, 2), w = ptr(job, 7), dA = ptr(job, 9), dB = ptr(job, 11), dw = ptr(job, 13);
  for (let i = 0; i < rows; i++) {
    const a = at<T>(ptr(job, 3), i * int(job, 4)), b = at<T>(ptr(job, 5), i * int(job, 6));
    const da = dA ? at<T>(dA, i * int(job, 10)) : 0, db = dB ? at<T>(dB, i * int(job, 12)) : 0;
    const g = v128.load_splat<T>(at<T>(ptr(job, 8), i));
    let j = c0;
    for (; j + lanes<T>() <= c1; j += lanes<T>())
      step<T>(at<T>(a, j), at<T>(b, j), w ? at<T>(w, j) : 0, g, da ? at<T>(da, j) : 0, db ? at<T>(db, j) : 0, dw ? at<T>(dw, j) : 0, false);
    for (; j < c1; j++)
      step<T>(at<T>(a, j), at<T>(b, j), w ? at<T>(w, j) : 0, g, da ? at<T>(da, j) : 0, db ? at<T>(db, j) : 0, dw ? at<T>(dw, j) : 0, true);
  }
}
export function pairs_backward_f32(job: usize): void {
  pairsBackwardJob<f32>(job);
}
export function pairs_backward_f64(job: usize): void {
  pairsBackwardJob<f64>(job);
}
