// The fused pass from distances to the Gaussian process's kernel, and back. Shapes: rows a (n), columns b (m), width d.
// Forward, on a slab that holds x = −2·Z_a·H·Z_bᵀ:   t = a²_a + a²_b + x   →   φ(t)   →   k = v·e^{−φ/2}, slope ∂k/∂t = −½φ′k.
// Where a row and a column are the same item, t = 0 exactly.
import { int, num, ptr } from "./job";
import { at, fma, lanes, loadOne, storeOne, sumLanes } from "./simd";
import { exp, logistic } from "./transcendental";

// Links, shared with the host: 0 linear φ = t · 1 saturating φ = 1 − e^{−t} · 2 sigmoid φ = σ(t + b) (Eq. 7) · 3 none, k = t
// Stores k at `k` and −½φ′k at `slope` (0 = not wanted), whole vectors or (`one`) lane 0 only.
@inline
function put<T>(link: i32, t: v128, offset: v128, variance: v128, k: usize, slope: usize, one: bool): void {
  const minusHalf = v128.splat<T>(<T>-0.5);
  const unit = v128.splat<T>(<T>1);
  let phi = t;
  let derivative = unit;
  if (link == 1) {
    derivative = exp<T>(v128.neg<T>(t));
    phi = v128.sub<T>(unit, derivative);
  } else if (link == 2) {
    phi = logistic<T>(v128.add<T>(t, offset));
    derivative = v128.mul<T>(phi, v128.sub<T>(unit, phi));
  }
  const x = link == 3 ? t : v128.mul<T>(variance, exp<T>(v128.mul<T>(minusHalf, phi)));
  const s = v128.mul<T>(v128.mul<T>(minusHalf, derivative), x);
  if (one) {
    storeOne<T>(k, x);
    if (slope) storeOne<T>(slope, s);
  } else {
    v128.store(k, x);
    if (slope) v128.store(slope, s);
  }
}

@inline
function forwardRow<T>(link: i32, m: i32, na: T, nb: usize, k: usize, slope: usize, same: i32, clamp: bool, offset: v128, variance: v128): void {
  const a = v128.splat<T>(na);
  const zero = v128.splat<T>(<T>0);
  const W = lanes<T>();
  let j = 0;
  for (; j + W <= m; j += W) {
    const p = at<T>(k, j);
    let t = v128.add<T>(v128.add<T>(a, v128.load(at<T>(nb, j))), v128.load(p));
    if (clamp) t = v128.max<T>(t, zero);
    put<T>(link, t, offset, variance, p, slope ? at<T>(slope, j) : 0, false);
  }
  for (; j < m; j++) {
    const p = at<T>(k, j);
    let t = v128.add<T>(v128.add<T>(a, loadOne<T>(at<T>(nb, j))), loadOne<T>(p));
    if (clamp) t = v128.max<T>(t, zero);
    put<T>(link, t, offset, variance, p, slope ? at<T>(slope, j) : 0, true);
  }
  if (same >= 0) put<T>(link, zero, offset, variance, at<T>(k, same), slope ? at<T>(slope, same) : 0, true);
}

// Fields: link · rows m · norms a · norms b · K ldk · slope lds (0 = not wanted) · same (i32 per row, 0 = none) · clamp · b v
function forwardJob<T>(job: usize): void {
  const link = int(job, 0), rows = int(job, 1), m = int(job, 2), na = ptr(job, 3), nb = ptr(job, 4);
  const K = ptr(job, 5), ldk = int(job, 6), S = ptr(job, 7), lds = int(job, 8), same = ptr(job, 9), clamp = int(job, 10) != 0;
  const offset = v128.splat<T>(<T>num(job, 11)), variance = v128.splat<T>(<T>num(job, 12));
  for (let i = 0; i < rows; i++) {
    const s = same ? load<i32>(same + (<usize>i << 2)) : -1;
    const k = at<T>(K, i * ldk), slope = S ? at<T>(S, i * lds) : 0, a = load<T>(at<T>(na, i));
    // one branch per row, so that each link's loop carries nothing of the others
    if (link == 0) forwardRow<T>(0, m, a, nb, k, slope, s, clamp, offset, variance);
    else if (link == 1) forwardRow<T>(1, m, a, nb, k, slope, s, clamp, offset, variance);
    else if (link == 2) forwardRow<T>(2, m, a, nb, k, slope, s, clamp, offset, variance);
    else forwardRow<T>(3, m, a, nb, k, slope, s, clamp, offset, variance);
  }
}
export function kernel_forward_f32(job: usize): void {
  forwardJob<f32>(job);
}
export function kernel_forward_f64(job: usize): void {
  forwardJob<f64>(job);
}

// G_t = G ∘ slope in place (slope = −½K where its address is 0: the linear link), ρ_a = Σ_b G_t, and Σ_b G∘K per row.
// Fields: rows m · G ldg · K ldk · slope lds · ρ · Σ G∘K
function backwardJob<T>(job: usize): void {
  const rows = int(job, 0), m = int(job, 1), S = ptr(job, 6), half = v128.splat<T>(<T>-0.5), W = lanes<T>();
  for (let i = 0; i < rows; i++) {
    const g = at<T>(ptr(job, 2), i * int(job, 3)), k = at<T>(ptr(job, 4), i * int(job, 5)), s = S ? at<T>(S, i * int(job, 7)) : 0;
    let sum = v128.splat<T>(<T>0), dot = sum, j = 0;
    for (; j + W <= m; j += W) {
      const x = v128.load(at<T>(g, j)), y = v128.load(at<T>(k, j));
      const t = v128.mul<T>(x, s ? v128.load(at<T>(s, j)) : v128.mul<T>(half, y));
      v128.store(at<T>(g, j), t);
      sum = v128.add<T>(sum, t);
      dot = fma<T>(x, y, dot);
    }
    for (; j < m; j++) {
      const x = loadOne<T>(at<T>(g, j)), y = loadOne<T>(at<T>(k, j));
      const t = v128.mul<T>(x, s ? loadOne<T>(at<T>(s, j)) : v128.mul<T>(half, y));
      storeOne<T>(at<T>(g, j), t);
      sum = v128.add<T>(sum, t);
      dot = fma<T>(x, y, dot);
    }
    store<T>(at<T>(ptr(job, 8), i), sumLanes<T>(sum));
    store<T>(at<T>(ptr(job, 9), i), sumLanes<T>(dot));
  }
}
export function kernel_backward_f32(job: usize): void {
  backwardJob<f32>(job);
}
export function kernel_backward_f64(job: usize): void {
  backwardJob<f64>(job);
}

// One side of the chain to the embeddings, columns [c0, c1), rows in order:
//   ∂ℓ/∂Z += 2(diag(ρ)·Z − W)·H        ∂ℓ/∂h += Σ_a (ρ_a Z² − cross·Z∘W)     (cross = 2 on side a, 0 on side b)
// Fields: rows c0 c1 · Z ldz · W ldw · ρ · h · dZ lddz (0 = not wanted) · dh (0 = not wanted) · cross
function chainJob<T>(job: usize): void {
  const rows = int(job, 0), c0 = int(job, 1), c1 = int(job, 2), h = ptr(job, 8), dZ = ptr(job, 9), dh = ptr(job, 11);
  const cross = <T>num(job, 12);
  for (let i = 0; i < rows; i++) {
    const z = at<T>(ptr(job, 3), i * int(job, 4)), w = at<T>(ptr(job, 5), i * int(job, 6)), d = dZ ? at<T>(dZ, i * int(job, 10)) : 0;
    const r = load<T>(at<T>(ptr(job, 7), i));
    for (let j = c0; j < c1; j++) {
      const x = load<T>(at<T>(z, j)), y = load<T>(at<T>(w, j));
      if (d) {
        const p = at<T>(d, j);
        store<T>(p, load<T>(p) + <T>2 * (r * x - y) * load<T>(at<T>(h, j)));
      }
      if (dh) {
        const p = at<T>(dh, j);
        store<T>(p, load<T>(p) + x * (cross == <T>0 ? r * x : r * x - cross * y)); // W may hold anything where it is not wanted
      }
    }
  }
}
export function kernel_chain_f32(job: usize): void {
  chainJob<f32>(job);
}
export function kernel_chain_f64(job: usize): void {
  chainJob<f64>(job);
}
