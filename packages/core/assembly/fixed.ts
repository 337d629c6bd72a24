// Rows of f32 as 16-bit whole numbers times a step of their own, and inner products of such rows: three times the multiply-adds of f32
// in the same time, and a sum of whole numbers is exact, so it has the same bits in whatever order, on every machine.
// A row is scaled to a norm below √2³¹: by Cauchy and Schwarz no sum of products of two rows, nor any part of it, can leave 32 bits.
// Rows lie in slivers of four, a word (two neighbouring columns) of each row side by side; columns are padded to a multiple of four with
// zeros, and what stands in place of missing rows is computed with and never written anywhere.
import { int, ptr } from "./job";
import { fma, loadPart, maxLanes, storePart } from "./simd";

/** 1.5·2²³: adding it rounds to the nearest whole number, which the low bits then hold. */
const MAGIC: f32 = 12582912;
/** Steps below this would have no reciprocal: such rows count as zero. */
const LEAST_STEP: f32 = 7.52316384526264e-37; // 2⁻¹²⁰
/** Rows that stay in L2 while the weights go by. */
const BLOCK: i32 = 192;

/** Words of a row, an even number. */
@inline
export function wordsOf(cols: i32): i32 {
  return ((cols + 3) >> 2) << 1;
}

/** The step of a row of n numbers, from its norm and largest magnitude. √2³¹ is 46341; rounding adds at most ½√n to a norm. */
@inline
export function stepOf(n: i32, norm: f64, top: f32): f32 {
  const step = <f32>max(norm / (46300 - 0.5 * sqrt<f64>(<f64>n)), <f64>top / 32767);
  return step < LEAST_STEP ? 0 : step;
}

function rowStep(n: i32, x: usize): f32 {
  let low = f64x2.splat(0), high = low, top = f32x4.splat(0);
  for (let j = 0; j < n; j += 4) {
    const v = j + 4 <= n ? v128.load(x) : loadPart<f32>(x, n - j);
    const l = f64x2.promote_low_f32x4(v), h = f64x2.promote_low_f32x4(v128.shuffle<i64>(v, v, 1, 1));
    low = fma<f64>(l, l, low);
    high = fma<f64>(h, h, high);
    top = f32x4.pmax(top, f32x4.abs(v));
    x += 16;
  }
  const squares = f64x2.add(low, high);
  return stepOf(n, sqrt<f64>(f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1)), maxLanes<f32>(top));
}

/** Four numbers in steps, as 32-bit whole numbers. */
@inline
export function wholeNumbers(x: v128, inverse: v128): v128 {
  const magic = f32x4.splat(MAGIC);
  return i32x4.sub(f32x4.add(f32x4.mul(x, inverse), magic), magic);
}

/** Writes row x into its place of a sliver. */
export function putRow(n: i32, x: usize, step: f32, words: usize): void {
  const inverse = f32x4.splat(step == 0 ? 0 : 1 / step);
  for (let j = 0; j < n; j += 4) {
    const v = wholeNumbers(j + 4 <= n ? v128.load(x) : loadPart<f32>(x, n - j), inverse), pairs = i16x8.narrow_i32x4_s(v, v);
    v128.store32_lane(words, pairs, 0);
    v128.store32_lane(words, pairs, 1, 16);
    x += 16;
    words += 32;
  }
}

/** Rows of n numbers, `ldx` apart, into slivers; their steps, times `scale`, into `steps`. */
export function quantizeRows(rows: i32, n: i32, X: usize, ldx: i32, words: usize, steps: usize, scale: f32): void {
  const sliver = <usize>wordsOf(n) << 4;
  for (let i = 0; i < rows; i++) {
    const x = X + (<usize>(i * ldx) << 2), step = rowStep(n, x);
    putRow(n, x, step, words + <usize>(i >> 2) * sliver + (<usize>(i & 3) << 2));
    store<f32>(steps + (<usize>i << 2), step * scale);
  }
}

// Fields: rows cols · x ldx · words · steps
export function quantize(job: usize): void {
  quantizeRows(int(job, 0), int(job, 1), ptr(job, 2), int(job, 3), ptr(job, 4), ptr(job, 5), 1);
}

/** The sums of 4 rows of one sliver with the 8 of two others, to `out`; `count` is even. Never inlined, for its registers' sake. */
export function tile_fixed(count: i32, a: usize, b: usize, c: usize, out: usize): void {
  let c00 = i32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  for (const end = a + (<usize>count << 4); a < end; ) {
    let b0 = v128.load(b), b1 = v128.load(c);
    let w = v128.load32_splat(a);
    c00 = i32x4.add(c00, i32x4.dot_i16x8_s(w, b0)); c01 = i32x4.add(c01, i32x4.dot_i16x8_s(w, b1));
    w = v128.load32_splat(a, 4);
    c10 = i32x4.add(c10, i32x4.dot_i16x8_s(w, b0)); c11 = i32x4.add(c11, i32x4.dot_i16x8_s(w, b1));
    w = v128.load32_splat(a, 8);
    c20 = i32x4.add(c20, i32x4.dot_i16x8_s(w, b0)); c21 = i32x4.add(c21, i32x4.dot_i16x8_s(w, b1));
    w = v128.load32_splat(a, 12);
    c30 = i32x4.add(c30, i32x4.dot_i16x8_s(w, b0)); c31 = i32x4.add(c31, i32x4.dot_i16x8_s(w, b1));
    b0 = v128.load(b, 16); b1 = v128.load(c, 16);
    w = v128.load32_splat(a, 16);
    c00 = i32x4.add(c00, i32x4.dot_i16x8_s(w, b0)); c01 = i32x4.add(c01, i32x4.dot_i16x8_s(w, b1));
    w = v128.load32_splat(a, 20);
    c10 = i32x4.add(c10, i32x4.dot_i16x8_s(w, b0)); c11 = i32x4.add(c11, i32x4.dot_i16x8_s(w, b1));
    w = v128.load32_splat(a, 24);
    c20 = i32x4.add(c20, i32x4.dot_i16x8_s(w, b0)); c21 = i32x4.add(c21, i32x4.dot_i16x8_s(w, b1));
    w = v128.load32_splat(a, 28);
    c30 = i32x4.add(c30, i32x4.dot_i16x8_s(w, b0)); c31 = i32x4.add(c31, i32x4.dot_i16x8_s(w, b1));
    a += 32;
    b += 32;
    c += 32;
  }
  v128.store(out, c00); v128.store(out, c01, 16); v128.store(out, c10, 32); v128.store(out, c11, 48);
  v128.store(out, c20, 64); v128.store(out, c21, 80); v128.store(out, c30, 96); v128.store(out, c31, 112);
}

/** c_rj = sum_rj·(s_r·t_j) + bias_j + plus_rj for the first rows and columns of a tile; bias and plus may be 0, for none. */
export function putTile(rows: i32, cols: i32, sums: usize, s: usize, t: usize, bias: usize, plus: usize, ldp: i32, c: usize, ldc: i32): void {
  for (let r = 0; r < rows; r++) {
    const step = v128.load32_splat(s + (<usize>r << 2));
    for (let j = 0; j < cols; j += 4) {
      const rest = cols - j, whole = rest >= 4, at = <usize>j << 2;
      const steps = whole ? v128.load(t + at) : loadPart<f32>(t + at, rest);
      let x = f32x4.mul(f32x4.convert_i32x4_s(v128.load(sums + at)), f32x4.mul(step, steps));
      if (bias) x = f32x4.add(x, whole ? v128.load(bias + at) : loadPart<f32>(bias + at, rest));
      if (plus) x = f32x4.add(x, whole ? v128.load(plus + at) : loadPart<f32>(plus + at, rest));
      if (whole) v128.store(c + at, x);
      else storePart<f32>(c + at, x, rest);
    }
    sums += 32;
    c += <usize>ldc << 2;
    if (plus) plus += <usize>ldp << 2;
  }
}

// C = A·Bᵀ + 1·biasᵀ + plus. Fields: rows cols words · A steps · B steps · bias (0 = none) · plus ldp (0 = none) · C ldc · workspace
export function multiply_fixed(job: usize): void {
  const m = int(job, 0), n = int(job, 1), count = int(job, 2), A = ptr(job, 3), s = ptr(job, 4), B = ptr(job, 5), t = ptr(job, 6);
  const bias = ptr(job, 7), plus = ptr(job, 8), ldp = int(job, 9), C = ptr(job, 10), ldc = int(job, 11), ws = ptr(job, 12);
  const sliver = <usize>count << 4;
  for (let block = 0; block < m; block += BLOCK) {
    const end = min(block + BLOCK, m);
    for (let j = 0; j < n; j += 8) {
      const b = B + <usize>(j >> 2) * sliver, c = n - j > 4 ? b + sliver : b, column = <usize>j << 2;
      for (let i = block; i < end; i += 4) {
        tile_fixed(count, A + <usize>(i >> 2) * sliver, b, c, ws);
        putTile(
          min(4, m - i), min(8, n - j), ws, s + (<usize>i << 2), t + column, bias ? bias + column : 0,
          plus ? plus + (<usize>(i * ldp) << 2) + column : 0, ldp, C + (<usize>(i * ldc) << 2) + column, ldc,
        );
      }
    }
  }
}
