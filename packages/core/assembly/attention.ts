// softmax(QKᵀ/√d)·V (Vaswani et al., 2017) for texts that lie one after another: four queries at a time, against all keys of their
// text, so that scores never leave the first cache. Both products are in fixed point (fixed.ts); the softmax between them is f32.
import { putRow, putTile, quantizeRows, stepOf, tile_fixed, wholeNumbers, wordsOf } from "./fixed";
import { int, num, ptr } from "./job";
import { fma, maxLanes, sumLanes } from "./simd";
import { exp } from "./transcendental";

// The columns of V as rows, into slivers: four columns side by side are one, and two rows of V a word of each.
function quantizeColumns(rows: i32, d: i32, V: usize, ld: i32, words: usize, steps: usize): void {
  const row = <usize>ld << 2, count = wordsOf(rows), none = i32x4.splat(0), low = i32x4.splat(0xffff);
  for (let j = 0; j < d; j += 4) {
    let a = f64x2.splat(0), b = a, top = f32x4.splat(0), v = V + (<usize>j << 2);
    for (let i = 0; i < rows; i++) {
      const x = v128.load(v), l = f64x2.promote_low_f32x4(x), h = f64x2.promote_low_f32x4(v128.shuffle<i64>(x, x, 1, 1));
      a = fma<f64>(l, l, a);
      b = fma<f64>(h, h, b);
      top = f32x4.pmax(top, f32x4.abs(x));
      v += row;
    }
    const s0 = stepOf(rows, sqrt<f64>(f64x2.extract_lane(a, 0)), f32x4.extract_lane(top, 0));
    const s1 = stepOf(rows, sqrt<f64>(f64x2.extract_lane(a, 1)), f32x4.extract_lane(top, 1));
    const s2 = stepOf(rows, sqrt<f64>(f64x2.extract_lane(b, 0)), f32x4.extract_lane(top, 2));
    const s3 = stepOf(rows, sqrt<f64>(f64x2.extract_lane(b, 1)), f32x4.extract_lane(top, 3));
    const four = f32x4.replace_lane(f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(s0), 1, s1), 2, s2), 3, s3);
    const inverse = v128.andnot(f32x4.div(f32x4.splat(1), four), f32x4.eq(four, f32x4.splat(0)));
    v128.store(steps, four);
    steps += 16;
    v = V + (<usize>j << 2);
    for (let q = 0; q < count; q++) {
      const even = 2 * q < rows ? wholeNumbers(v128.load(v), inverse) : none;
      const odd = 2 * q + 1 < rows ? wholeNumbers(v128.load(v + row), inverse) : none;
      v128.store(words, v128.or(v128.and(even, low), i32x4.shl(odd, 16)));
      words += 16;
      v += 2 * row;
    }
  }
}

// A row of scores (padded to whole vectors with −∞) to weights e^(x − max), in fixed point; returns step/Σ, so that the weights sum to 1.
function weighRow(n: i32, x: usize, words: usize): f32 {
  const end = x + (<usize>n << 2);
  let tops = f32x4.splat(-Infinity);
  for (let p = x; p < end; p += 16) tops = f32x4.pmax(tops, v128.load(p));
  const top = f32x4.splat(maxLanes<f32>(tops));
  let sum = f32x4.splat(0), squares = sum;
  for (let p = x; p < end; p += 16) {
    const e = exp<f32>(f32x4.sub(v128.load(p), top));
    v128.store(p, e);
    sum = f32x4.add(sum, e);
    squares = fma<f32>(e, e, squares);
  }
  const step = stepOf(n, sqrt<f64>(<f64>sumLanes<f32>(squares)), 1);
  putRow(n, x, step, words);
  return step / sumLanes<f32>(sum);
}

// In the scratch: the sums of a tile, Q and K (n, d), Vᵀ (d, n), four rows of weights, their scores, and the steps of all of them.
// Fields: from to (pairs of text and head) · heads d · QKV ld · starts (i32) · out ldo · scratch · scale; d is a multiple of 4
export function attention(job: usize): void {
  const to = int(job, 1), heads = int(job, 2), d = int(job, 3), ld = int(job, 5), starts = ptr(job, 6), ldo = int(job, 8);
  const width = heads * d, scale = <f32>num(job, 10), depth = wordsOf(d);
  for (let pair = int(job, 0); pair < to; pair++) {
    const text = pair / heads, head = pair % heads, first = load<i32>(starts + (<usize>text << 2));
    const n = load<i32>(starts + (<usize>text << 2), 4) - first, padded = (n + 3) & -4, count = wordsOf(n);
    if (n == 0) continue;
    const X = ptr(job, 4) + (<usize>(first * ld + head * d) << 2), out = ptr(job, 7) + (<usize>(first * ldo + head * d) << 2);
    const sums = ptr(job, 9), query = sums + 128, key = query + (<usize>(padded * depth) << 2);
    const value = key + (<usize>(padded * depth) << 2), weights = value + (<usize>(d * count) << 2), scores = weights + (<usize>count << 4);
    const s = scores + (<usize>padded << 4), t = s + (<usize>padded << 2), u = t + (<usize>padded << 2), w = u + (<usize>d << 2);
    quantizeRows(n, d, X, ld, query, s, scale);
    quantizeRows(n, d, X + (<usize>width << 2), ld, key, t, 1);
    quantizeColumns(n, d, X + (<usize>(2 * width) << 2), ld, value, u);
    const sliver = <usize>depth << 4, column = <usize>count << 4, row = <usize>padded << 2;
    for (let i = 0; i < n; i += 4) {
      const rows = min(4, n - i);
      for (let j = 0; j < n; j += 8) {
        const b = key + <usize>(j >> 2) * sliver;
        tile_fixed(depth, query + <usize>(i >> 2) * sliver, b, n - j > 4 ? b + sliver : b, sums);
        putTile(rows, min(8, n - j), sums, s + (<usize>i << 2), t + (<usize>j << 2), 0, 0, 0, scores + (<usize>j << 2), padded);
      }
      for (let r = 0; r < rows; r++) {
        const x = scores + <usize>r * row;
        for (let j = n; j < padded; j++) store<f32>(x + (<usize>j << 2), -Infinity);
        store<f32>(w + (<usize>r << 2), weighRow(padded, x, weights + (<usize>r << 2)));
      }
      for (let j = 0; j < d; j += 8) {
        const b = value + <usize>(j >> 2) * column;
        tile_fixed(count, weights, b, d - j > 4 ? b + column : b, sums);
        putTile(rows, min(8, d - j), sums, w, u + (<usize>j << 2), 0, 0, 0, out + (<usize>(i * ldo + j) << 2), ldo);
      }
    }
  }
}
