// Several queries against a range of rows, each with its own k and its own choice of rows. Rows are read once for all queries: two
// queries at a time go through a tile of rows, which stay in the cache for the next two. A dot product is summed as in `rowDot`, lane
// by lane, whatever the company: a query finds the same numbers alone and in a batch.
// n columns of a row
import { allowedOf, offer, RECORD, unfold, vectorOf, worstOf } from "./best";
import { MR } from "./gemm";
import { int, ptr } from "./job";
import { rowDot, STREAMS, tenDots } from "./scan";
import { at, fma, RELAXED } from "./simd";

// In the workspace: addresses of the rows of a tile · their dot products · their last columns · sums of lanes · the queries of a group · rows
const DOTS: usize = 64;
const TAILS: usize = 128;
const LANES: usize = 512;
const GROUP: usize = 1024;
const LIST: usize = 4096;
const ROWS: i32 = 8192; // at most, of the list

// A bitmap that has fewer than one row in so many is gone through by itself, which is cheaper than taking part where all rows are read.
const SPARSE: i32 = 10;

// The rows of a tile against two queries, lanes not yet summed: each row with x, then with y. It ends with the sums in the order of the
// loads, and the module exports it so that it is not inlined: only then V8 keeps all sums in registers (14 against 20 ns a row and query).
export function lane_dots(n: i32, rows: usize, x: usize, y: usize, out: usize): void {
  let a0 = <usize>load<u32>(rows), a1 = <usize>load<u32>(rows, 4), a2 = <usize>load<u32>(rows, 8), a3 = <usize>load<u32>(rows, 12);
  let a4 = <usize>load<u32>(rows, 16), a5 = <usize>load<u32>(rows, 20);
  let x0 = f32x4.splat(0), y0 = x0, x1 = x0, y1 = x0, x2 = x0, y2 = x0, x3 = x0, y3 = x0, x4 = x0, y4 = x0, x5 = x0, y5 = x0;
  const end = x + (<usize>(n & ~3) << 2);
  while (x < end) {
    const p = v128.load(x), q = v128.load(y);
    let a = v128.load(a0);
    x0 = fma<f32>(a, p, x0); y0 = fma<f32>(a, q, y0);
    a = v128.load(a1);
    x1 = fma<f32>(a, p, x1); y1 = fma<f32>(a, q, y1);
    a = v128.load(a2);
    x2 = fma<f32>(a, p, x2); y2 = fma<f32>(a, q, y2);
    a = v128.load(a3);
    x3 = fma<f32>(a, p, x3); y3 = fma<f32>(a, q, y3);
    if (RELAXED) {
      a = v128.load(a4);
      x4 = fma<f32>(a, p, x4); y4 = fma<f32>(a, q, y4);
      a = v128.load(a5);
      x5 = fma<f32>(a, p, x5); y5 = fma<f32>(a, q, y5);
      a4 += 16; a5 += 16;
    }
    a0 += 16; a1 += 16; a2 += 16; a3 += 16;
    x += 16; y += 16;
  }
  v128.store(out, x0); v128.store(out, y0, 16); v128.store(out, x1, 32); v128.store(out, y1, 48);
  v128.store(out, x2, 64); v128.store(out, y2, 80); v128.store(out, x3, 96); v128.store(out, y3, 112);
  if (RELAXED) {
    v128.store(out, x4, 128); v128.store(out, y4, 144); v128.store(out, x5, 160); v128.store(out, y5, 176);
  }
}

// Sums of the lanes of four vectors, each in the order of sumLanes: (0 + 2) + (1 + 3)
@inline
function sumFour(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

// From lanes to dot products: each row with x, then with y. Returns whether any of them is not below its query's worst.
function pairDots(n: i32, x: usize, y: usize, worst: v128, ws: usize): bool {
  const end = x + (<usize>n << 2), whole = <usize>(n & ~3) << 2;
  let lanes = ws + LANES, tails = ws + TAILS, out = ws + DOTS, any = i32x4.splat(0);
  for (let r = 0; r < MR; r += 2) {
    let s = sumFour(v128.load(lanes), v128.load(lanes, 16), v128.load(lanes, 32), v128.load(lanes, 48));
    for (let p = x + whole, q = y + whole, tail = tails; p < end; p += 4) {
      const both = v128.shuffle<f32>(v128.load32_splat(p), v128.load32_splat(q), 0, 4, 0, 4);
      s = f32x4.add(s, f32x4.mul(v128.load(tail), both));
      q += 4;
      tail += 48;
    }
    v128.store(out, s);
    any = v128.or(any, f32x4.ge(s, worst));
    lanes += 64;
    tails += 16;
    out += 16;
  }
  return v128.any_true(any);
}

// The last n mod 4 columns of a tile's rows, column by column, each number twice: for x and for y.
function packTails(n: i32, rows: usize, tails: usize): void {
  const columns = n & 3, whole = <usize>(n - columns) << 2;
  for (let r = 0; r < MR; r++) {
    let a = <usize>load<u32>(at<u32>(rows, r)) + whole, p = at<f32>(tails, 2 * r);
    for (let j = 0; j < columns; j++) {
      const t = load<f32>(a);
      store<f32>(p, t);
      store<f32>(p, t, 4);
      a += 4;
      p += 48;
    }
  }
}

// Address of the i-th row of the list.
@inline
function addressAt(list: usize, i: i32, A: usize, stride: usize): u32 {
  return <u32>(A + <usize>load<u32>(at<u32>(list, i)) * stride);
}

// One query against the listed rows, in the ten streams of a scan.
function scanAlone(n: i32, A: usize, stride: usize, count: i32, ws: usize): void {
  const record = <usize>load<u32>(ws, GROUP), x = vectorOf(record), list = ws + LIST, dots = ws + DOTS, part = count / STREAMS;
  for (let i = 0; i < part; i++) {
    for (let s = 0; s < STREAMS; s++) store<u32>(at<u32>(ws, s), addressAt(list, s * part + i, A, stride));
    tenDots<f32>(n, ws, x, dots);
    for (let s = 0; s < STREAMS; s++) {
      const t = load<f32>(at<f32>(dots, s));
      if (t >= worstOf(record)) offer(record, t, load<i32>(at<i32>(list, s * part + i)));
    }
  }
  for (let i = part * STREAMS; i < count; i++) {
    const row = load<i32>(at<i32>(list, i)), t = rowDot<f32>(n, A + <usize>row * stride, x);
    if (t >= worstOf(record)) offer(record, t, row);
  }
}

// Several queries against the listed rows. The rows of a tile lie in as many streams, for the same reason; where these run out, the last row
// stands in, and is not offered. Without a partner, the last query is its own.
function scanTogether(n: i32, A: usize, stride: usize, count: i32, members: i32, ws: usize): void {
  const group = ws + GROUP, list = ws + LIST, part = (count + MR - 1) / MR;
  for (let i = 0; i < part; i++) {
    for (let r = 0; r < MR; r++) store<u32>(at<u32>(ws, r), addressAt(list, min(r * part + i, count - 1), A, stride));
    packTails(n, ws, ws + TAILS);
    for (let m = 0; m < members; m += 2) {
      const first = <usize>load<u32>(at<u32>(group, m)), second = <usize>load<u32>(at<u32>(group, min(m + 1, members - 1)));
      const x = vectorOf(first), y = vectorOf(second);
      lane_dots(n, ws, x, y, ws + LANES);
      const worst = v128.shuffle<f32>(f32x4.splat(worstOf(first)), f32x4.splat(worstOf(second)), 0, 4, 0, 4);
      if (!pairDots(n, x, y, worst, ws)) continue;
      for (let r = 0; r < MR; r++) {
        const place = r * part + i;
        if (place >= count) break;
        const row = load<i32>(at<i32>(list, place)), p = at<f32>(ws, 2 * r), t = load<f32>(p, DOTS), u = load<f32>(p, DOTS + 4);
        if (t >= worstOf(first)) offer(first, t, row);
        if (second != first && u >= worstOf(second)) offer(second, u, row);
      }
    }
  }
}

// The bits of the 32 rows from `row` on, without those of rows from `to` on.
@inline
function bitsAt(allowed: usize, row: i32, to: i32): i32 {
  const bits = load<i32>(at<u32>(allowed, row >> 5));
  return to - row < 32 ? bits & ((1 << (to - row)) - 1) : bits;
}

function countRows(allowed: usize, from: i32, to: i32): i32 {
  let count = 0;
  for (let row = from; row < to; row += 32) count += popcnt<i32>(bitsAt(allowed, row, to));
  return count;
}

// Rows [from, to) whose bit is set; all of them without a bitmap. Returns how many.
function listRows(allowed: usize, from: i32, to: i32, list: usize): i32 {
  if (allowed == 0) {
    let four = i32x4.add(i32x4.splat(from), i32x4(0, 1, 2, 3));
    for (let p = list, end = at<i32>(list, to - from); p < end; p += 16) {
      v128.store(p, four);
      four = i32x4.add(four, i32x4.splat(4));
    }
    return to - from;
  }
  let p = list;
  for (let row = from; row < to; row += 32) {
    for (let bits = bitsAt(allowed, row, to); bits != 0; bits &= bits - 1) {
      store<i32>(p, row + ctz<i32>(bits));
      p += 4;
    }
  }
  return <i32>((p - list) >> 2);
}

// The queries of the group against those of the rows that `allowed` has.
function scanGroup(from: i32, to: i32, n: i32, A: usize, stride: usize, allowed: usize, members: i32, ws: usize): void {
  const count = listRows(allowed, from, to, ws + LIST);
  if (count == 0) return;
  if (members == 1) scanAlone(n, A, stride, count, ws);
  else scanTogether(n, A, stride, count, members, ws);
}

function scanPart(from: i32, to: i32, n: i32, A: usize, stride: usize, records: usize, end: usize, ws: usize): void {
  const group = ws + GROUP;
  let members = 0, common: usize = 0;
  for (let record = records; record < end; record += RECORD) {
    const allowed = allowedOf(record);
    if (allowed != 0 && countRows(allowed, from, to) * SPARSE < to - from) continue;
    common = members == 0 || common == allowed ? allowed : 0; // one bitmap for all of them, or all rows
    store<u32>(at<u32>(group, members++), <u32>record);
  }
  if (members > 0) scanGroup(from, to, n, A, stride, common, members, ws);
  for (let record = records; record < end; record += RECORD) {
    const allowed = allowedOf(record);
    if (allowed == 0 || countRows(allowed, from, to) * SPARSE >= to - from) continue;
    let earlier = records;
    while (earlier < record && allowedOf(earlier) != allowed) earlier += RECORD;
    if (earlier < record) continue; // it was in the group of that one
    members = 0;
    for (let other = record; other < end; other += RECORD) {
      if (allowedOf(other) == allowed) store<u32>(at<u32>(group, members++), <u32>other);
    }
    scanGroup(from, to, n, A, stride, allowed, members, ws);
  }
}

// One query against all rows [from, to): no list is needed, and the streams lie as far apart as they can.
function scanAll(from: i32, to: i32, n: i32, A: usize, stride: usize, record: usize, ws: usize): void {
  const x = vectorOf(record), dots = ws + DOTS, part = (to - from) / STREAMS, apart = <usize>part * stride;
  let first = A + <usize>from * stride;
  for (let i = 0; i < part; i++) {
    for (let s = 0, row = first; s < STREAMS; s++) {
      store<u32>(at<u32>(ws, s), <u32>row);
      row += apart;
    }
    first += stride;
    tenDots<f32>(n, ws, x, dots);
    for (let s = 0; s < STREAMS; s++) {
      const t = load<f32>(at<f32>(dots, s));
      if (t >= worstOf(record)) offer(record, t, from + s * part + i);
    }
  }
  for (let row = from + part * STREAMS; row < to; row++) {
    const t = rowDot<f32>(n, A + <usize>row * stride, x);
    if (t >= worstOf(record)) offer(record, t, row);
  }
}

// Offers rows [from, to) to each query. Fields: from to · n · A (row 0) lda · records count · workspace. `from` is a multiple of 32.
export function scan_batch(job: usize): void {
  const from = int(job, 0), to = int(job, 1), n = int(job, 2), A = ptr(job, 3), stride = <usize>int(job, 4) << 2;
  const records = ptr(job, 5), end = records + <usize>int(job, 6) * RECORD, ws = ptr(job, 7);
  if (end - records == RECORD && allowedOf(records) == 0) {
    scanAll(from, to, n, A, stride, records, ws);
    return;
  }
  for (let row = from; row < to; row += ROWS) scanPart(row, min(to, row + ROWS), n, A, stride, records, end, ws);
}

// Leaves what each query has found as a list, best first. Fields as above.
export function scan_batch_end(job: usize): void {
  const records = ptr(job, 5), end = records + <usize>int(job, 6) * RECORD;
  for (let record = records; record < end; record += RECORD) unfold(record);
}
