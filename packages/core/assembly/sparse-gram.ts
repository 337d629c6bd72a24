// out = Aᵀ(A·X) for a sparse A = diag(r)·S·diag(c), one pass over S. X and the result are held in panels of one cache line (16 columns of
// f32, 8 of f64), each panel's rows one after another: a panel of the whole table is small enough to stay close, an entry touches
// exactly one line of it, and a row's sum fits in four registers between being gathered and being scattered.
// Workers share panels, never entries, so each sum runs over entries in their given order.
import { int, ptr } from "./job";
import { fma } from "./simd";

const LINE: usize = 64;

// P_i = c_i·X_i for the columns of each panel, zeros beyond the last. Fields: n cols panels · X ldx · c (or 0) · P
function packJob<T>(job: usize): void {
  const n = int(job, 0), panels = int(job, 2), ldx = <usize>int(job, 4) * sizeof<T>(), c = ptr(job, 5);
  const width = <i32>(LINE / sizeof<T>());
  let to = ptr(job, 6);
  for (let p = 0; p < panels; p++) {
    const cols = min(width, int(job, 1) - p * width);
    let x = ptr(job, 3) + <usize>p * LINE;
    for (let i = 0; i < n; i++) {
      const s = c ? load<T>(c + <usize>i * sizeof<T>()) : <T>1;
      for (let j = 0; j < width; j++) {
        const at = <usize>j * sizeof<T>();
        store<T>(to + at, j < cols ? s * load<T>(x + at) : <T>0);
      }
      x += ldx;
      to += LINE;
    }
  }
}
export function panel_pack_f32(job: usize): void {
  packJob<f32>(job);
}
export function panel_pack_f64(job: usize): void {
  packJob<f64>(job);
}

// out_i = c_i·P_i. Fields: n cols panels · out ldo · c (or 0) · P
function unpackJob<T>(job: usize): void {
  const n = int(job, 0), panels = int(job, 2), ldo = <usize>int(job, 4) * sizeof<T>(), c = ptr(job, 5);
  const width = <i32>(LINE / sizeof<T>());
  let from = ptr(job, 6);
  for (let p = 0; p < panels; p++) {
    const cols = min(width, int(job, 1) - p * width);
    let out = ptr(job, 3) + <usize>p * LINE;
    for (let i = 0; i < n; i++) {
      const s = c ? load<T>(c + <usize>i * sizeof<T>()) : <T>1;
      for (let j = 0; j < cols; j++) {
        const at = <usize>j * sizeof<T>();
        store<T>(out + at, s * load<T>(from + at));
      }
      out += ldo;
      from += LINE;
    }
  }
}
export function panel_unpack_f32(job: usize): void {
  unpackJob<f32>(job);
}
export function panel_unpack_f64(job: usize): void {
  unpackJob<f64>(job);
}

// V says what S holds: T, values of that type; bool, ones. As a type, not an argument, so that ones cost no multiplication.

// The value of entry e, in all lanes
@inline
function valueOf<T, V>(values: usize, e: usize): v128 {
  if (isFloat<V>()) return v128.splat<T>(load<T>(values + e * sizeof<T>()));
  return v128.splat<T>(1);
}

// v·x + y
@inline
function plus<T, V>(v: v128, x: v128, y: v128): v128 {
  if (isFloat<V>()) return fma<T>(v, x, y);
  return v128.add<T>(x, y);
}

// One panel: for each row u of S, y = r_u²·Σ_e v_e·P[column_e], then Q[column_e] += v_e·y
function panel<T, V>(job: usize, P: usize, Q: usize): void {
  const rows = int(job, 0), starts = ptr(job, 3), base = <u32>int(job, 4), columns = ptr(job, 5), values = ptr(job, 6);
  const r = ptr(job, 7);
  for (let u = 0; u < rows; u++) {
    const first = <usize>(load<u32>(starts + (<usize>u << 2)) - base);
    const end = <usize>(load<u32>(starts + (<usize>(u + 1) << 2)) - base);
    let y0 = v128.splat<T>(0), y1 = y0, y2 = y0, y3 = y0;
    for (let e = first; e < end; e++) {
      const x = P + <usize>load<u32>(columns + (e << 2)) * LINE;
      const v = valueOf<T, V>(values, e);
      y0 = plus<T, V>(v, v128.load(x), y0);
      y1 = plus<T, V>(v, v128.load(x, 16), y1);
      y2 = plus<T, V>(v, v128.load(x, 32), y2);
      y3 = plus<T, V>(v, v128.load(x, 48), y3);
    }
    if (r) {
      const scale = load<T>(r + <usize>u * sizeof<T>()), s = v128.splat<T>(scale * scale);
      y0 = v128.mul<T>(s, y0);
      y1 = v128.mul<T>(s, y1);
      y2 = v128.mul<T>(s, y2);
      y3 = v128.mul<T>(s, y3);
    }
    for (let e = first; e < end; e++) {
      const q = Q + <usize>load<u32>(columns + (e << 2)) * LINE;
      const v = valueOf<T, V>(values, e);
      v128.store(q, plus<T, V>(v, y0, v128.load(q)));
      v128.store(q, plus<T, V>(v, y1, v128.load(q, 16)), 16);
      v128.store(q, plus<T, V>(v, y2, v128.load(q, 32)), 32);
      v128.store(q, plus<T, V>(v, y3, v128.load(q, 48)), 48);
    }
  }
}

// A block of rows of S, panel after panel; entry e of the block is number starts_0 + e of S.
// Fields: rows n panels · starts (rows + 1) starts_0 · columns · values (or 0) · r (or 0) · P Q
function gramJob<T>(job: usize): void {
  const panels = int(job, 2), step = <usize>int(job, 1) * LINE;
  for (let p = 0; p < panels; p++) {
    const P = ptr(job, 8) + <usize>p * step, Q = ptr(job, 9) + <usize>p * step;
    if (ptr(job, 6)) panel<T, T>(job, P, Q);
    else panel<T, bool>(job, P, Q);
  }
}
export function sparse_gram_f32(job: usize): void {
  gramJob<f32>(job);
}
export function sparse_gram_f64(job: usize): void {
  gramJob<f64>(job);
}
