// The fused pass from distances to the Gaussian process's kernel, and back. Shapes: rows a (n), columns b (m), width d.
// Forward, on a slab that holds x = −2·Z_a·H·Z_bᵀ:   t = a²_a + a²_b + x   →   φ(t)   →   k = v·e^{−φ/2}, slope ∂k/∂t = −½φ′k.
// Where a row and a column are the same item, t = 0 exactly.
import { int, num, ptr } from "./job";
import { at, fma, lanes, loadOne, loadPart, storeOne, storePart, sumLanes } from "./simd";
import { exp, logistic } from "./transcendental";

// Links, shared with the host: 0 linear φ = t · 1 saturating φ = 1 − e^{−t} · 2 sigmoid φ = σ(t + b) (Eq. 7) · 3 none, k = t.
// In the loops a link is a type, told apart by its size (see elementwise.ts).
type Linear = u8;
type Saturating = u16;
type Sigmoid = u32;
type None = u64;

// k from x in place, m a multiple of the lanes; −½φ′k into `slope` where its address is not 0
function forwardRow<T, L>(m: i32, na: T, nb: usize, k: usize, slope: usize, floor: v128, offset: v128, variance: v128): void {
  const a = v128.splat<T>(na), minusHalf = v128.splat<T>(<T>-0.5), one = v128.splat<T>(<T>1);
  for (const end = at<T>(k, m); k < end; ) {
    const t = v128.pmax<T>(v128.add<T>(v128.add<T>(a, v128.load(nb)), v128.load(k)), floor); // pmax keeps NaN
    if (sizeof<L>() == sizeof<None>()) v128.store(k, t);
    else {
      let phi = t, half = minusHalf; // half: −½φ′
      if (sizeof<L>() == sizeof<Saturating>()) {
        const e = exp<T>(v128.neg<T>(t));
        half = v128.mul<T>(minusHalf, e);
        phi = v128.sub<T>(one, e);
      } else if (sizeof<L>() == sizeof<Sigmoid>()) {
        phi = logistic<T>(v128.add<T>(t, offset));
        half = v128.mul<T>(minusHalf, v128.mul<T>(phi, v128.sub<T>(one, phi)));
      }
      const x = v128.mul<T>(variance, exp<T>(v128.mul<T>(minusHalf, phi)));
      v128.store(k, x);
      if (slope) {
        v128.store(slope, v128.mul<T>(half, x));
        slope += 16;
      }
    }
    nb += 16;
    k += 16;
  }
}

function forwardVectors<T>(link: i32, m: i32, na: T, nb: usize, k: usize, slope: usize, floor: v128, offset: v128, variance: v128): void {
  if (link == 0) forwardRow<T, Linear>(m, na, nb, k, slope, floor, offset, variance);
  else if (link == 1) forwardRow<T, Saturating>(m, na, nb, k, slope, floor, offset, variance);
  else if (link == 2) forwardRow<T, Sigmoid>(m, na, nb, k, slope, floor, offset, variance);
  else forwardRow<T, None>(m, na, nb, k, slope, floor, offset, variance);
}

// Fields: link · rows m · norms a · norms b · K ldk · slope lds (0 = not wanted) · same (i32 per row, 0 = none) · clamp · b v · workspace
function forwardJob<T>(job: usize): void {
  const link = int(job, 0), rows = int(job, 1), m = int(job, 2), na = ptr(job, 3), nb = ptr(job, 4);
  const K = ptr(job, 5), ldk = int(job, 6), S = ptr(job, 7), lds = int(job, 8), same = ptr(job, 9), ws = ptr(job, 13);
  const floor = v128.splat<T>(int(job, 10) ? <T>0 : -<T>Infinity);
  const offset = v128.splat<T>(<T>num(job, 11)), variance = v128.splat<T>(<T>num(job, 12));
  const whole = m & -lanes<T>(), rest = m - whole;
  // an item with itself: the same loop at t = 0, once
  v128.store(ws, v128.splat<T>(<T>0), 48);
  v128.store(ws, v128.splat<T>(<T>0), 64);
  forwardVectors<T>(link, lanes<T>(), <T>0, ws + 48, ws + 64, S ? ws + 80 : 0, floor, offset, variance);
  for (let i = 0; i < rows; i++) {
    const k = at<T>(K, i * ldk), slope = S ? at<T>(S, i * lds) : 0, a = load<T>(at<T>(na, i));
    forwardVectors<T>(link, whole, a, nb, k, slope, floor, offset, variance);
    if (rest) {
      v128.store(ws, loadPart<T>(at<T>(nb, whole), rest));
      v128.store(ws, loadPart<T>(at<T>(k, whole), rest), 16);
      forwardVectors<T>(link, lanes<T>(), a, ws, ws + 16, S ? ws + 32 : 0, floor, offset, variance);
      storePart<T>(at<T>(k, whole), v128.load(ws, 16), rest);
      if (slope) storePart<T>(at<T>(slope, whole), v128.load(ws, 32), rest);
    }
    const b = same ? load<i32>(same + (<usize>i << 2)) : -1;
    if (b < 0) continue;
    store<T>(at<T>(k, b), load<T>(ws, 64));
    if (slope) store<T>(at<T>(slope, b), load<T>(ws, 80));
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

// One element, or one vector, of the chain: dZ += 2(ρ·z − w)·h and dh += z(ρ·z − cross·w).
@inline
function chainStep<T>(z: usize, w: usize, r: v128, h: usize, dZ: usize, dh: usize, cross: v128, crossed: bool, one: bool): void {
  const x = one ? loadOne<T>(z) : v128.load(z), y = one ? loadOne<T>(w) : v128.load(w), rx = v128.mul<T>(r, x);
  if (dZ) {
    const push = v128.mul<T>(v128.mul<T>(v128.splat<T>(<T>2), v128.sub<T>(rx, y)), one ? loadOne<T>(h) : v128.load(h));
    if (one) storeOne<T>(dZ, v128.add<T>(loadOne<T>(dZ), push));
    else v128.store(dZ, v128.add<T>(v128.load(dZ), push));
  }
  if (dh) {
    // W may hold anything where it is not wanted
    const push = v128.mul<T>(x, crossed ? v128.sub<T>(rx, v128.mul<T>(cross, y)) : rx);
    if (one) storeOne<T>(dh, v128.add<T>(loadOne<T>(dh), push));
    else v128.store(dh, v128.add<T>(v128.load(dh), push));
  }
}

// One side of the chain to the embeddings, columns [c0, c1), rows in order:
//   ∂ℓ/∂Z += 2(diag(ρ)·Z − W)·H        ∂ℓ/∂h += Σ_a (ρ_a Z² − cross·Z∘W)     (cross = 2 on side a, 0 on side b)
// Fields: rows c0 c1 · Z ldz · W ldw · ρ · h · dZ lddz (0 = not wanted) · dh (0 = not wanted) · cross
function chainJob<T>(job: usize): void {
  const rows = int(job, 0), c0 = int(job, 1), c1 = int(job, 2), h = ptr(job, 8), dZ = ptr(job, 9), dh = ptr(job, 11);
  const cross = <T>num(job, 12), cv = v128.splat<T>(cross), crossed = cross != <T>0;
  for (let i = 0; i < rows; i++) {
    const z = at<T>(ptr(job, 3), i * int(job, 4)), w = at<T>(ptr(job, 5), i * int(job, 6)), d = dZ ? at<T>(dZ, i * int(job, 10)) : 0;
    const r = v128.load_splat<T>(at<T>(ptr(job, 7), i));
    let j = c0;
    for (; j + lanes<T>() <= c1; j += lanes<T>())
      chainStep<T>(at<T>(z, j), at<T>(w, j), r, at<T>(h, j), d ? at<T>(d, j) : 0, dh ? at<T>(dh, j) : 0, cv, crossed, false);
    for (; j < c1; j++)
      chainStep<T>(at<T>(z, j), at<T>(w, j), r, at<T>(h, j), d ? at<T>(d, j) : 0, dh ? at<T>(dh, j) : 0, cv, crossed, true);
  }
}
export function kernel_chain_f32(job: usize): void {
  chainJob<f32>(job);
}
export function kernel_chain_f64(job: usize): void {
  chainJob<f64>(job);
}
