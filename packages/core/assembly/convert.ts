// Copies between precisions and strides. A transpose is copied in squares, so that both sides use whole cache lines.
import { int, ptr } from "./job";
import { at } from "./simd";

// n numbers in a run on both sides
@inline
function run<From, To>(n: i32, x: usize, y: usize): void {
  if (sizeof<From>() == sizeof<To>()) {
    memory.copy(y, x, <usize>n * sizeof<To>());
    return;
  }
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    if (sizeof<From>() == 4) {
      const v = v128.load(x);
      v128.store(y, f64x2.promote_low_f32x4(v));
      v128.store(y, f64x2.promote_low_f32x4(v128.shuffle<i64>(v, v, 1, 1)), 16);
    } else {
      const low = f32x4.demote_f64x2_zero(v128.load(x)), high = f32x4.demote_f64x2_zero(v128.load(x, 16));
      v128.store(y, v128.shuffle<i64>(low, high, 0, 2));
    }
    x += 4 * sizeof<From>();
    y += 4 * sizeof<To>();
  }
  for (; j < n; j++) {
    store<To>(y, <To>load<From>(x));
    x += sizeof<From>();
    y += sizeof<To>();
  }
}

// Fields: rows cols · x row stride, column stride · y row stride, column stride
@inline
function copy<From, To>(job: usize): void {
  const rows = int(job, 0), cols = int(job, 1), x = ptr(job, 2), rsx = int(job, 3), csx = int(job, 4);
  const y = ptr(job, 5), rsy = int(job, 6), csy = int(job, 7), S = 16;
  if (csx == 1 && csy == 1) {
    for (let i = 0; i < rows; i++) run<From, To>(cols, at<From>(x, i * rsx), at<To>(y, i * rsy));
    return;
  }
  for (let ib = 0; ib < rows; ib += S) {
    const i1 = min(ib + S, rows);
    for (let jb = 0; jb < cols; jb += S) {
      const j1 = min(jb + S, cols);
      for (let i = ib; i < i1; i++) {
        for (let j = jb; j < j1; j++) store<To>(at<To>(y, i * rsy + j * csy), <To>load<From>(at<From>(x, i * rsx + j * csx)));
      }
    }
  }
}
/** From f32 and from f64, to the precision in the name. */
export function convert_f32_f32(job: usize): void {
  copy<f32, f32>(job);
}
export function convert_f64_f32(job: usize): void {
  copy<f64, f32>(job);
}
export function convert_f32_f64(job: usize): void {
  copy<f32, f64>(job);
}
export function convert_f64_f64(job: usize): void {
  copy<f64, f64>(job);
}
