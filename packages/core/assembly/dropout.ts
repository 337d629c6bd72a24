// Elements set to 0 at random, the others scaled up. Element i is dropped where half-word i of a Philox4x32-10 stream (random.ts) is
// below a limit, low halves first: eight elements to a block, since the generator is the cost. Four blocks are computed at once, one
// in each lane, and then turned so that halves lie in the order of the elements.
import { int, num, ptr } from "./job";
import { at, lanes } from "./simd";

const GROUP: i32 = 32; // elements of four blocks
const CHUNK: i32 = 2048; // masks made at a time: 4 KiB of the workspace

// Low and high halves of four 64-bit products
@inline
function lowWords(p: v128, q: v128): v128 {
  return v128.shuffle<i32>(p, q, 0, 2, 4, 6);
}
@inline
function highWords(p: v128, q: v128): v128 {
  return v128.shuffle<i32>(p, q, 1, 3, 5, 7);
}

// GROUP masks of 16 bits from the four blocks from `block` on: all ones where a half-word is below the limit.
function putMasks(out: usize, block: u64, keyLow: u32, keyHigh: u32, limit: v128): void {
  const m0 = i32x4.splat(0xd2511f53), m1 = i32x4.splat(0xcd9e8d57), w0 = i32x4.splat(0x9e3779b9), w1 = i32x4.splat(0xbb67ae85);
  const first = i32x4.splat(<u32>block);
  let c0 = i32x4.add(first, i32x4(0, 1, 2, 3));
  let c1 = i32x4.sub(i32x4.splat(<u32>(block >> 32)), i32x4.lt_u(c0, first)); // the carry
  let c2 = i32x4.splat(0), c3 = c2, k0 = i32x4.splat(keyLow), k1 = i32x4.splat(keyHigh);
  for (let r = 0; r < 10; r++) {
    const pl = i64x2.extmul_low_i32x4_u(c0, m0), ph = i64x2.extmul_high_i32x4_u(c0, m0);
    const ql = i64x2.extmul_low_i32x4_u(c2, m1), qh = i64x2.extmul_high_i32x4_u(c2, m1);
    c0 = v128.xor(v128.xor(highWords(ql, qh), c1), k0);
    c2 = v128.xor(v128.xor(highWords(pl, ph), c3), k1);
    c1 = lowWords(ql, qh);
    c3 = lowWords(pl, ph);
    k0 = i32x4.add(k0, w0);
    k1 = i32x4.add(k1, w1);
  }
  // lane b of c_w is word w of block b; block b's four words make one vector
  const a01 = v128.shuffle<i32>(c0, c1, 0, 4, 1, 5), a23 = v128.shuffle<i32>(c2, c3, 0, 4, 1, 5);
  const b01 = v128.shuffle<i32>(c0, c1, 2, 6, 3, 7), b23 = v128.shuffle<i32>(c2, c3, 2, 6, 3, 7);
  v128.store(out, i16x8.lt_u(v128.shuffle<i64>(a01, a23, 0, 2), limit));
  v128.store(out, i16x8.lt_u(v128.shuffle<i64>(a01, a23, 1, 3), limit), 16);
  v128.store(out, i16x8.lt_u(v128.shuffle<i64>(b01, b23, 0, 2), limit), 32);
  v128.store(out, i16x8.lt_u(v128.shuffle<i64>(b01, b23, 1, 3), limit), 48);
}

// y = x·scale, or 0 where the mask is all ones (also for NaN and ∞)
function apply<T>(n: i32, x: usize, y: usize, mask: usize, scale: T): void {
  const s = v128.splat<T>(scale);
  let j = 0;
  for (; j + lanes<T>() <= n; j += lanes<T>()) {
    const m = sizeof<T>() == 4 ? v128.load16x4_s(mask) : i64x2.extend_low_i32x4_s(i32x4.extend_low_i16x8_s(v128.load32_zero(mask)));
    v128.store(y, v128.andnot(v128.mul<T>(v128.load(x), s), m));
    x += 16;
    y += 16;
    mask += 2 * <usize>lanes<T>();
  }
  for (; j < n; j++) {
    store<T>(y, load<i16>(mask) ? <T>0 : load<T>(x) * scale);
    x += sizeof<T>();
    y += sizeof<T>();
    mask += 2;
  }
}

// Rows of `cols` elements, the first of them number `first` of the stream that begins at the block the host names.
// Fields: first · rows cols · x ldx · y ldy · key low, key high · block low, block high · limit · scale · workspace
function dropoutJob<T>(job: usize): void {
  const rows = int(job, 1), cols = int(job, 2), buffer = ptr(job, 13), limit = i16x8.splat(<i16>int(job, 11)), scale = <T>num(job, 12);
  const keyLow = <u32>num(job, 7), keyHigh = <u32>num(job, 8);
  const start = (<u64>(<u32>num(job, 10)) << 32) | <u64>(<u32>num(job, 9));
  let e = int(job, 0), base = 0, end = 0; // masks of elements [base, end) are in the buffer
  const last = e + rows * cols;
  for (let i = 0; i < rows; i++) {
    const x = at<T>(ptr(job, 3), i * int(job, 4)), y = at<T>(ptr(job, 5), i * int(job, 6));
    let j = 0;
    while (j < cols) {
      if (e >= end) {
        base = e & ~(GROUP - 1);
        end = min(base + CHUNK, last);
        for (let g = base; g < end; g += GROUP) putMasks(buffer + (<usize>(g - base) << 1), start + <u64>(g >> 3), keyLow, keyHigh, limit);
      }
      const n = min(cols - j, end - e);
      apply<T>(n, at<T>(x, j), at<T>(y, j), buffer + (<usize>(e - base) << 1), scale);
      j += n;
      e += n;
    }
  }
}
export function dropout_f32(job: usize): void {
  dropoutJob<f32>(job);
}
export function dropout_f64(job: usize): void {
  dropoutJob<f64>(job);
}
