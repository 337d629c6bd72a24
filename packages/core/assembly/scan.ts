// One query against every row: y = A·x by streaming A once, a row at a time, at the speed of memory. Four accumulators hide
// the latency of the additions; more rows at once would only confuse the prefetcher (measured: three times slower).
import { int, num, ptr } from "./job";
import { at, fma, lanes, sumLanes } from "./simd";

@inline
function rowDot<T>(n: i32, a: usize, x: usize): T {
  let s0 = v128.splat<T>(<T>0);
  let s1 = s0, s2 = s0, s3 = s0;
  const W = lanes<T>();
  let j = 0;
  for (; j + 4 * W <= n; j += 4 * W) {
    s0 = fma<T>(v128.load(a), v128.load(x), s0);
    s1 = fma<T>(v128.load(a, 16), v128.load(x, 16), s1);
    s2 = fma<T>(v128.load(a, 32), v128.load(x, 32), s2);
    s3 = fma<T>(v128.load(a, 48), v128.load(x, 48), s3);
    a += 64;
    x += 64;
  }
  for (; j + W <= n; j += W) {
    s0 = fma<T>(v128.load(a), v128.load(x), s0);
    a += 16;
    x += 16;
  }
  let t = sumLanes<T>(v128.add<T>(v128.add<T>(s0, s1), v128.add<T>(s2, s3)));
  for (; j < n; j++) {
    t += load<T>(a) * load<T>(x);
    a += sizeof<T>();
    x += sizeof<T>();
  }
  return t;
}

// y = α·A·x + β·y. Fields: rows cols · A lda · x · y · α β
function gemvJob<T>(job: usize): void {
  const rows = int(job, 0), cols = int(job, 1), lda = int(job, 3), x = ptr(job, 4);
  const alpha = <T>num(job, 6), beta = <T>num(job, 7);
  let a = ptr(job, 2), y = ptr(job, 5);
  for (let i = 0; i < rows; i++) {
    const t = alpha * rowDot<T>(cols, a, x);
    store<T>(y, beta == <T>0 ? t : t + beta * load<T>(y));
    a = at<T>(a, lda);
    y += sizeof<T>();
  }
}
export function gemv_f32(job: usize): void {
  gemvJob<f32>(job);
}
export function gemv_f64(job: usize): void {
  gemvJob<f64>(job);
}

// y = α·Aᵀ·x + β·y over columns [c0, c1), still reading A row by row. Fields: rows c0 c1 · A lda · x · y · α β
function gemvTransposedJob<T>(job: usize): void {
  const rows = int(job, 0), c0 = int(job, 1), w = int(job, 2) - c0, lda = int(job, 4), x = ptr(job, 5);
  const alpha = <T>num(job, 7), beta = <T>num(job, 8);
  const a0 = at<T>(ptr(job, 3), c0), y = at<T>(ptr(job, 6), c0), W = lanes<T>();
  for (let j = 0; j < w; j++) {
    const p = at<T>(y, j);
    store<T>(p, beta == <T>0 ? <T>0 : beta * load<T>(p));
  }
  for (let i = 0; i < rows; i++) {
    const s = alpha * load<T>(at<T>(x, i)), sv = v128.splat<T>(s);
    let a = at<T>(a0, i * lda), p = y, j = 0;
    for (; j + W <= w; j += W) {
      v128.store(p, v128.add<T>(v128.mul<T>(sv, v128.load(a)), v128.load(p)));
      a += 16;
      p += 16;
    }
    for (; j < w; j++) {
      store<T>(p, s * load<T>(a) + load<T>(p));
      a += sizeof<T>();
      p += sizeof<T>();
    }
  }
}
export function gemv_transposed_f32(job: usize): void {
  gemvTransposedJob<f32>(job);
}
export function gemv_transposed_f64(job: usize): void {
  gemvTransposedJob<f64>(job);
}

// The k best rows by A·x: scores descending, equal scores by ascending row (rows come in order, so a later equal never wins).
// NaN never enters. Keeps a sorted list; the expected number of insertions is k·ln(rows/k), each O(k).
// Fields: rows cols · A lda · x · k · scores (k of T) · rows out (k of i32) · first row's number. Returns how many were found.
function scanJob<T>(job: usize): i32 {
  const rows = int(job, 0), cols = int(job, 1), lda = int(job, 3), x = ptr(job, 4), k = int(job, 5);
  const scores = ptr(job, 6), indices = ptr(job, 7), first = int(job, 8);
  let a = ptr(job, 2), found = 0;
  let worst = <T>0;
  for (let i = 0; i < rows; i++) {
    const t = rowDot<T>(cols, a, x);
    a = at<T>(a, lda);
    if (found == k ? t > worst : t == t) {
      let lo = 0, hi = found; // first place whose score is lower than t
      while (lo < hi) {
        const mid = (lo + hi) >> 1;
        if (load<T>(at<T>(scores, mid)) >= t) lo = mid + 1;
        else hi = mid;
      }
      if (found < k) found++;
      const moved = <usize>(found - 1 - lo);
      memory.copy(at<T>(scores, lo + 1), at<T>(scores, lo), moved * sizeof<T>());
      memory.copy(indices + (<usize>(lo + 1) << 2), indices + (<usize>lo << 2), moved << 2);
      store<T>(at<T>(scores, lo), t);
      store<i32>(indices + (<usize>lo << 2), first + i);
      worst = load<T>(at<T>(scores, found - 1));
    }
  }
  return found;
}
export function scan_f32(job: usize): i32 {
  return scanJob<f32>(job);
}
export function scan_f64(job: usize): i32 {
  return scanJob<f64>(job);
}

// Reads memory and does almost nothing with it: the bound the scan is measured against. Fields: p bytes · result
export function read_bytes(job: usize): void {
  let p = ptr(job, 0);
  const end = p + (ptr(job, 1) & ~127);
  let s0 = i32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  while (p < end) {
    s0 = v128.xor(s0, v128.load(p));
    s1 = v128.xor(s1, v128.load(p, 16));
    s2 = v128.xor(s2, v128.load(p, 32));
    s3 = v128.xor(s3, v128.load(p, 48));
    s0 = v128.xor(s0, v128.load(p, 64));
    s1 = v128.xor(s1, v128.load(p, 80));
    s2 = v128.xor(s2, v128.load(p, 96));
    s3 = v128.xor(s3, v128.load(p, 112));
    p += 128;
  }
  v128.store(ptr(job, 2), v128.xor(v128.xor(s0, s1), v128.xor(s2, s3)));
}
