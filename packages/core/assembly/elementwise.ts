// Passes over rows [0, rows) of matrices with their own row strides: activations, their derivatives, sums, AdamW.
import { int, num, ptr } from "./job";
import { at, fma, lanes, loadOne, loadPart, storeOne, storePart, sumLanes } from "./simd";
import { exp, logistic, tanh } from "./transcendental";

// Codes shared with the host: 0 exp, 1 tanh, 2 sigmoid, 3 relu. In the loops a function is a type, told apart by its size: a number
// passed as an argument would be a constant only until the optimiser merged the four loops into one that computes everything.
type Exp = u8;
type Tanh = u16;
type Sigmoid = u32;
type Relu = u64;

@inline
function apply<T, F>(x: v128): v128 {
  if (sizeof<F>() == sizeof<Exp>()) return exp<T>(x);
  if (sizeof<F>() == sizeof<Tanh>()) return tanh<T>(x);
  if (sizeof<F>() == sizeof<Sigmoid>()) return logistic<T>(x);
  // x where x > 0, NaN stays NaN
  return v128.max<T>(x, v128.splat<T>(<T>0));
}

// f′ from y = f(x): y, 1 − y², y(1 − y), [y > 0]
@inline
function derivative<T>(f: i32, y: v128): v128 {
  const one = v128.splat<T>(<T>1);
  if (f == 0) return y;
  if (f == 1) return v128.mul<T>(v128.sub<T>(one, y), v128.add<T>(one, y));
  if (f == 2) return v128.mul<T>(y, v128.sub<T>(one, y));
  return v128.and(one, v128.gt<T>(y, v128.splat<T>(<T>0)));
}

// y = f(x + bias), or f(x) where the bias's address is 0 (x + 0 would not be x for −0); n a multiple of the lanes
function activateRow<T, F>(n: i32, x: usize, bias: usize, y: usize): void {
  for (const end = at<T>(x, n); x < end; ) {
    let v = v128.load(x);
    if (bias) {
      v = v128.add<T>(v, v128.load(bias));
      bias += 16;
    }
    v128.store(y, apply<T, F>(v));
    x += 16;
    y += 16;
  }
}

function activateVectors<T>(f: i32, n: i32, x: usize, bias: usize, y: usize): void {
  if (f == 0) activateRow<T, Exp>(n, x, bias, y);
  else if (f == 1) activateRow<T, Tanh>(n, x, bias, y);
  else if (f == 2) activateRow<T, Sigmoid>(n, x, bias, y);
  else activateRow<T, Relu>(n, x, bias, y);
}

// Fields: f · rows cols · x ldx · bias (0 = none) · y ldy · workspace
function activateJob<T>(job: usize): void {
  const f = int(job, 0), rows = int(job, 1), n = int(job, 2), bias = ptr(job, 5), ws = ptr(job, 8);
  const whole = n & -lanes<T>(), rest = n - whole;
  for (let i = 0; i < rows; i++) {
    const x = at<T>(ptr(job, 3), i * int(job, 4)), y = at<T>(ptr(job, 6), i * int(job, 7));
    activateVectors<T>(f, whole, x, bias, y);
    if (!rest) continue;
    v128.store(ws, loadPart<T>(at<T>(x, whole), rest));
    if (bias) v128.store(ws, loadPart<T>(at<T>(bias, whole), rest), 16);
    activateVectors<T>(f, lanes<T>(), ws, bias ? ws + 16 : 0, ws);
    storePart<T>(at<T>(y, whole), v128.load(ws), rest);
  }
}
export function activate_f32(job: usize): void {
  activateJob<f32>(job);
}
export function activate_f64(job: usize): void {
  activateJob<f64>(job);
}

// dx = dy ∘ f′(y). Fields: f · rows cols · dy lddy · y ldy · dx lddx
function activateBackwardJob<T>(job: usize): void {
  const f = int(job, 0), rows = int(job, 1), n = int(job, 2);
  for (let i = 0; i < rows; i++) {
    let dy = at<T>(ptr(job, 3), i * int(job, 4)), y = at<T>(ptr(job, 5), i * int(job, 6)), dx = at<T>(ptr(job, 7), i * int(job, 8));
    let j = 0;
    for (; j + lanes<T>() <= n; j += lanes<T>()) {
      v128.store(dx, v128.mul<T>(v128.load(dy), derivative<T>(f, v128.load(y))));
      dy += 16;
      y += 16;
      dx += 16;
    }
    for (; j < n; j++) {
      storeOne<T>(dx, v128.mul<T>(loadOne<T>(dy), derivative<T>(f, loadOne<T>(y))));
      dy += sizeof<T>();
      y += sizeof<T>();
      dx += sizeof<T>();
    }
  }
}
export function activate_backward_f32(job: usize): void {
  activateBackwardJob<f32>(job);
}
export function activate_backward_f64(job: usize): void {
  activateBackwardJob<f64>(job);
}

// out_i = plus_i + Σ_j w_j a_ij² (w = 1, plus = 0 where their addresses are 0), one accumulator per lane.
// Fields: rows cols · A lda · w · out · plus
function rowNormsJob<T>(job: usize): void {
  const rows = int(job, 0), n = int(job, 1), w = ptr(job, 4), out = ptr(job, 5), plus = ptr(job, 6);
  const one = v128.splat<T>(<T>1);
  for (let i = 0; i < rows; i++) {
    let a = at<T>(ptr(job, 2), i * int(job, 3)), s = v128.splat<T>(<T>0), j = 0;
    for (; j + lanes<T>() <= n; j += lanes<T>()) {
      const x = v128.load(a);
      s = fma<T>(v128.mul<T>(x, w ? v128.load(at<T>(w, j)) : one), x, s);
      a += 16;
    }
    for (; j < n; j++) {
      const x = loadOne<T>(a);
      s = fma<T>(v128.mul<T>(x, w ? loadOne<T>(at<T>(w, j)) : one), x, s);
      a += sizeof<T>();
    }
    const norm = sumLanes<T>(s);
    store<T>(at<T>(out, i), plus ? norm + load<T>(at<T>(plus, i)) : norm);
  }
}
export function row_norms_f32(job: usize): void {
  rowNormsJob<f32>(job);
}
export function row_norms_f64(job: usize): void {
  rowNormsJob<f64>(job);
}

// y = x ∘ w, w one number per column. Fields: rows cols · x ldx · w · y ldy
function scaleColumnsJob<T>(job: usize): void {
  const rows = int(job, 0), n = int(job, 1), w = ptr(job, 4);
  for (let i = 0; i < rows; i++) {
    let x = at<T>(ptr(job, 2), i * int(job, 3)), y = at<T>(ptr(job, 5), i * int(job, 6)), j = 0;
    for (; j + lanes<T>() <= n; j += lanes<T>()) {
      v128.store(y, v128.mul<T>(v128.load(x), v128.load(at<T>(w, j))));
      x += 16;
      y += 16;
    }
    for (; j < n; j++) {
      store<T>(y, load<T>(x) * load<T>(at<T>(w, j)));
      x += sizeof<T>();
      y += sizeof<T>();
    }
  }
}
export function scale_columns_f32(job: usize): void {
  scaleColumnsJob<f32>(job);
}
export function scale_columns_f64(job: usize): void {
  scaleColumnsJob<f64>(job);
}

// y_i = s_i·x_i, s one number per row. Fields: rows cols · x ldx · s · y ldy
function scaleRowsJob<T>(job: usize): void {
  const rows = int(job, 0), n = int(job, 1);
  for (let i = 0; i < rows; i++) {
    const s = load<T>(at<T>(ptr(job, 4), i)), sv = v128.splat<T>(s);
    let x = at<T>(ptr(job, 2), i * int(job, 3)), y = at<T>(ptr(job, 5), i * int(job, 6)), j = 0;
    for (; j + lanes<T>() <= n; j += lanes<T>()) {
      v128.store(y, v128.mul<T>(v128.load(x), sv));
      x += 16;
      y += 16;
    }
    for (; j < n; j++) {
      store<T>(y, load<T>(x) * s);
      x += sizeof<T>();
      y += sizeof<T>();
    }
  }
}
export function scale_rows_f32(job: usize): void {
  scaleRowsJob<f32>(job);
}
export function scale_rows_f64(job: usize): void {
  scaleRowsJob<f64>(job);
}

// out_j = Σ_i a_ij over columns [c0, c1), rows in order, sums in f64: in f32 a sum of ones would stop at 2²⁴.
// Fields: rows c0 c1 · A lda · out · workspace
function columnSumsJob<T>(job: usize): void {
  const rows = int(job, 0);
  const c1 = int(job, 2);
  const lda = int(job, 4);
  const sums = ptr(job, 6);
  for (let c = int(job, 1); c < c1; c += 4096) {
    const n = min(4096, c1 - c);
    memory.fill(sums, 0, <usize>n << 3);
    for (let i = 0; i < rows; i++) {
      let a = at<T>(ptr(job, 3), i * lda + c);
      let s = sums;
      let j = 0;
      for (; j + 2 <= n; j += 2) {
        const x = sizeof<T>() == 4 ? f64x2.promote_low_f32x4(v128.load64_zero(a)) : v128.load(a);
        v128.store(s, f64x2.add(v128.load(s), x));
        a += 2 * sizeof<T>();
        s += 16;
      }
      if (j < n) store<f64>(s, load<f64>(s) + <f64>load<T>(a));
    }
    for (let j = 0; j < n; j++) store<T>(at<T>(ptr(job, 5), c + j), <T>load<f64>(at<f64>(sums, j)));
  }
}
export function column_sums_f32(job: usize): void {
  columnSumsJob<f32>(job);
}
export function column_sums_f64(job: usize): void {
  columnSumsJob<f64>(job);
}

@inline
function adamwStep<T>(p: v128, g: v128, m: usize, v: usize, one: bool, job: usize): v128 {
  const b1 = v128.splat<T>(<T>num(job, 5)), c1 = v128.splat<T>(<T>(1 - num(job, 5)));
  const b2 = v128.splat<T>(<T>num(job, 6)), c2 = v128.splat<T>(<T>(1 - num(job, 6)));
  const rate = v128.splat<T>(<T>num(job, 7)), root = v128.splat<T>(<T>num(job, 8));
  const eps = v128.splat<T>(<T>num(job, 9)), keep = v128.splat<T>(<T>num(job, 10));
  const m1 = v128.add<T>(v128.mul<T>(b1, one ? loadOne<T>(m) : v128.load(m)), v128.mul<T>(c1, g));
  const v1 = v128.add<T>(v128.mul<T>(b2, one ? loadOne<T>(v) : v128.load(v)), v128.mul<T>(v128.mul<T>(c2, g), g));
  if (one) {
    storeOne<T>(m, m1);
    storeOne<T>(v, v1);
  } else {
    v128.store(m, m1);
    v128.store(v, v1);
  }
  const denominator = v128.add<T>(v128.mul<T>(v128.sqrt<T>(v1), root), eps);
  return v128.sub<T>(v128.mul<T>(p, keep), v128.div<T>(v128.mul<T>(rate, m1), denominator));
}

// Decoupled decay (Loshchilov & Hutter, 2019): p ← p·keep − rate·m/(√v·root + ε), with keep = 1 − ηλ, rate = η/(1 − β₁ᵗ),
// root = 1/√(1 − β₂ᵗ). Fields: n · p · g · m · v · β₁ β₂ rate root ε keep
function adamwJob<T>(job: usize): void {
  const n = int(job, 0);
  let p = ptr(job, 1), g = ptr(job, 2), m = ptr(job, 3), v = ptr(job, 4), j = 0;
  for (; j + lanes<T>() <= n; j += lanes<T>()) {
    v128.store(p, adamwStep<T>(v128.load(p), v128.load(g), m, v, false, job));
    p += 16;
    g += 16;
    m += 16;
    v += 16;
  }
  for (; j < n; j++) {
    storeOne<T>(p, adamwStep<T>(loadOne<T>(p), loadOne<T>(g), m, v, true, job));
    p += sizeof<T>();
    g += sizeof<T>();
    m += sizeof<T>();
    v += sizeof<T>();
  }
}
export function adamw_f32(job: usize): void {
  adamwJob<f32>(job);
}
export function adamw_f64(job: usize): void {
  adamwJob<f64>(job);
}
