// One query against every row: y = A·x by streaming A once, at the speed of memory. A core's read of one stream stalls at
// every page; ten streams, far apart, overlap those stalls (measured: 18 against 9.5 GB/s). So rows are taken ten at a time,
// one from each tenth of the matrix. Each row's sum runs over its own elements in the same order whatever the company.
import { int, num, ptr } from "./job";
import { at, fma, lanes, sumLanes } from "./simd";

export const STREAMS: i32 = 10; // accumulators that fit into 16 vector registers beside the query and a temporary

// The lanes' sum, then the elements that did not fill a vector.
@inline
function tail<T>(s: v128, n: i32, a: usize, x: usize): T {
  let t = sumLanes<T>(s);
  for (let j = 0; j < n; j++) {
    t += load<T>(a) * load<T>(x);
    a += sizeof<T>();
    x += sizeof<T>();
  }
  return t;
}

export function rowDot<T>(n: i32, a: usize, x: usize): T {
  let s = v128.splat<T>(<T>0);
  let j = 0;
  for (; j + lanes<T>() <= n; j += lanes<T>()) {
    s = fma<T>(v128.load(a), v128.load(x), s);
    a += 16;
    x += 16;
  }
  return tail<T>(s, n - j, a, x);
}

// The same for ten rows, whose addresses stand at `rows`: out_k = row_k·x
export function tenDots<T>(n: i32, rows: usize, x: usize, out: usize): void {
  let s0 = v128.splat<T>(<T>0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let s4 = s0;
  let s5 = s0;
  let s6 = s0;
  let s7 = s0;
  let s8 = s0;
  let s9 = s0;
  let a0 = <usize>load<u32>(rows);
  let a1 = <usize>load<u32>(rows, 4);
  let a2 = <usize>load<u32>(rows, 8);
  let a3 = <usize>load<u32>(rows, 12);
  let a4 = <usize>load<u32>(rows, 16);
  let a5 = <usize>load<u32>(rows, 20);
  let a6 = <usize>load<u32>(rows, 24);
  let a7 = <usize>load<u32>(rows, 28);
  let a8 = <usize>load<u32>(rows, 32);
  let a9 = <usize>load<u32>(rows, 36);
  let j = 0;
  for (; j + lanes<T>() <= n; j += lanes<T>()) {
    const q = v128.load(x);
    s0 = fma<T>(v128.load(a0), q, s0);
    a0 += 16;
    s1 = fma<T>(v128.load(a1), q, s1);
    a1 += 16;
    s2 = fma<T>(v128.load(a2), q, s2);
    a2 += 16;
    s3 = fma<T>(v128.load(a3), q, s3);
    a3 += 16;
    s4 = fma<T>(v128.load(a4), q, s4);
    a4 += 16;
    s5 = fma<T>(v128.load(a5), q, s5);
    a5 += 16;
    s6 = fma<T>(v128.load(a6), q, s6);
    a6 += 16;
    s7 = fma<T>(v128.load(a7), q, s7);
    a7 += 16;
    s8 = fma<T>(v128.load(a8), q, s8);
    a8 += 16;
    s9 = fma<T>(v128.load(a9), q, s9);
    a9 += 16;
    x += 16;
  }
  store<T>(at<T>(out, 0), tail<T>(s0, n - j, a0, x));
  store<T>(at<T>(out, 1), tail<T>(s1, n - j, a1, x));
  store<T>(at<T>(out, 2), tail<T>(s2, n - j, a2, x));
  store<T>(at<T>(out, 3), tail<T>(s3, n - j, a3, x));
  store<T>(at<T>(out, 4), tail<T>(s4, n - j, a4, x));
  store<T>(at<T>(out, 5), tail<T>(s5, n - j, a5, x));
  store<T>(at<T>(out, 6), tail<T>(s6, n - j, a6, x));
  store<T>(at<T>(out, 7), tail<T>(s7, n - j, a7, x));
  store<T>(at<T>(out, 8), tail<T>(s8, n - j, a8, x));
  store<T>(at<T>(out, 9), tail<T>(s9, n - j, a9, x));
}

// Writes the addresses of ten rows, `apart` bytes from one to the next.
@inline
function tenRows(rows: usize, first: usize, apart: usize): void {
  for (let k = 0; k < STREAMS; k++) {
    store<u32>(at<u32>(rows, k), <u32>first);
    first += apart;
  }
}

// y = α·A·x + β·y. Fields: rows cols · A lda · x · y · α β · workspace
function gemvJob<T>(job: usize): void {
  const rows = int(job, 0), cols = int(job, 1), A = ptr(job, 2), lda = int(job, 3), x = ptr(job, 4), y = ptr(job, 5);
  const alpha = <T>num(job, 6), beta = <T>num(job, 7), addresses = ptr(job, 8), dots = addresses + 64, part = rows / STREAMS;
  for (let i = 0; i < part; i++) {
    tenRows(addresses, at<T>(A, i * lda), at<T>(0, part * lda));
    tenDots<T>(cols, addresses, x, dots);
    for (let k = 0; k < STREAMS; k++) put<T>(at<T>(y, k * part + i), alpha * load<T>(at<T>(dots, k)), beta);
  }
  for (let i = part * STREAMS; i < rows; i++) put<T>(at<T>(y, i), alpha * rowDot<T>(cols, at<T>(A, i * lda), x), beta);
}
@inline
function put<T>(p: usize, t: T, beta: T): void {
  store<T>(p, beta == <T>0 ? t : t + beta * load<T>(p));
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

// Puts (t, row) into the sorted list of at most k: scores descending, equal scores by ascending row. Returns its length.
function insert<T>(k: i32, found: i32, scores: usize, rows: usize, t: T, row: i32): i32 {
  let lo = 0, hi = found; // first place that (t, row) beats
  while (lo < hi) {
    const mid = (lo + hi) >> 1, s = load<T>(at<T>(scores, mid));
    if (s > t || (s == t && load<i32>(at<i32>(rows, mid)) < row)) lo = mid + 1;
    else hi = mid;
  }
  if (lo == k) return found;
  if (found < k) found++;
  const moved = <usize>(found - 1 - lo);
  memory.copy(at<T>(scores, lo + 1), at<T>(scores, lo), moved * sizeof<T>());
  memory.copy(at<i32>(rows, lo + 1), at<i32>(rows, lo), moved << 2);
  store<T>(at<T>(scores, lo), t);
  store<i32>(at<i32>(rows, lo), row);
  return found;
}

// The k best rows by A·x. NaN never enters. The expected number of insertions is k·ln(rows/k), each O(k).
// Fields: rows cols · A lda · x · k · scores (k of T) · rows out (k of i32) · first row's number · workspace. Returns how many.
function scanJob<T>(job: usize): i32 {
  const rows = int(job, 0), cols = int(job, 1), A = ptr(job, 2), lda = int(job, 3), x = ptr(job, 4), k = int(job, 5);
  const scores = ptr(job, 6), indices = ptr(job, 7), first = int(job, 8), addresses = ptr(job, 9), dots = addresses + 64, part = rows / STREAMS;
  let found = 0;
  let worst = <T>0;
  for (let i = 0; i < part; i++) {
    tenRows(addresses, at<T>(A, i * lda), at<T>(0, part * lda));
    tenDots<T>(cols, addresses, x, dots);
    for (let s = 0; s < STREAMS; s++) {
      const t = load<T>(at<T>(dots, s));
      if (found == k ? t >= worst : t == t) {
        found = insert<T>(k, found, scores, indices, t, first + s * part + i);
        worst = load<T>(at<T>(scores, found - 1));
      }
    }
  }
  for (let i = part * STREAMS; i < rows; i++) {
    const t = rowDot<T>(cols, at<T>(A, i * lda), x);
    if (found == k ? t >= worst : t == t) {
      found = insert<T>(k, found, scores, indices, t, first + i);
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

// Reads memory and does almost nothing with it, in one stream or in ten: the bound the scan is measured against.
// Fields: p bytes streams · result (16 bytes)
export function read_bytes(job: usize): void {
  const streams = int(job, 2), part = (ptr(job, 1) / <usize>streams) & ~63;
  let p = ptr(job, 0), s = i32x4.splat(0);
  const end = p + part;
  if (streams == 1) {
    while (p < end) {
      s = v128.xor(s, v128.load(p));
      s = v128.xor(s, v128.load(p, 16));
      s = v128.xor(s, v128.load(p, 32));
      s = v128.xor(s, v128.load(p, 48));
      p += 64;
    }
  } else {
    while (p < end) {
      s = v128.xor(s, v128.load(p + 0 * part));
      s = v128.xor(s, v128.load(p + 1 * part));
      s = v128.xor(s, v128.load(p + 2 * part));
      s = v128.xor(s, v128.load(p + 3 * part));
      s = v128.xor(s, v128.load(p + 4 * part));
      s = v128.xor(s, v128.load(p + 5 * part));
      s = v128.xor(s, v128.load(p + 6 * part));
      s = v128.xor(s, v128.load(p + 7 * part));
      s = v128.xor(s, v128.load(p + 8 * part));
      s = v128.xor(s, v128.load(p + 9 * part));
      p += 16;
    }
  }
  v128.store(ptr(job, 3), s);
}
