// The few 128-bit helpers that every kernel shares. T is f32 (4 lanes) or f64 (2 lanes).

/** The second build (`--enable relaxed-simd`) contracts a·b + c into one rounding; the strict build never does. */
export const RELAXED: bool = ASC_FEATURE_RELAXED_SIMD;

// a·b + c, the one place where the two builds differ
@inline
export function fma<T>(a: v128, b: v128, c: v128): v128 {
  if (RELAXED) return v128.relaxed_madd<T>(a, b, c);
  return v128.add<T>(v128.mul<T>(a, b), c);
}

// c − a·b
@inline
export function fnma<T>(a: v128, b: v128, c: v128): v128 {
  if (RELAXED) return v128.relaxed_nmadd<T>(a, b, c);
  return v128.sub<T>(c, v128.mul<T>(a, b));
}

/** Lanes of one vector. */
@inline
export function lanes<T>(): i32 {
  return <i32>(16 / sizeof<T>());
}

/** Address of element i of a contiguous array. */
@inline
export function at<T>(p: usize, i: i32): usize {
  return p + <usize>i * sizeof<T>();
}

// Lane 0 holds *p, the others zero: tails go through the same vector code as full vectors, so an element's value
// never depends on where a split falls.
@inline
export function loadOne<T>(p: usize): v128 {
  if (sizeof<T>() == 4) return v128.load32_zero(p);
  return v128.load64_zero(p);
}

@inline
export function storeOne<T>(p: usize, x: v128): void {
  if (sizeof<T>() == 4) v128.store32_lane(p, x, 0);
  else v128.store64_lane(p, x, 0);
}

// The last `count` < lanes elements of a row, and zeros; and back. Loops over whole vectors call nothing (a call would keep their
// constants out of registers), so the end of a row goes through the same loop once more, as one vector in the workspace.
export function loadPart<T>(p: usize, count: i32): v128 {
  if (sizeof<T>() == 8 || count == 1) return loadOne<T>(p);
  const two = v128.load64_zero(p);
  return count == 2 ? two : v128.load32_lane(p + 8, two, 2);
}

export function storePart<T>(p: usize, x: v128, count: i32): void {
  if (sizeof<T>() == 8 || count == 1) storeOne<T>(p, x);
  else {
    v128.store64_lane(p, x, 0);
    if (count == 3) v128.store32_lane(p + 8, x, 2);
  }
}

/** Sum of the lanes, always in the same order. */
@inline
export function sumLanes<T>(x: v128): T {
  if (sizeof<T>() == 4)
    return <T>(
      (f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 2) + (f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 3)))
    );
  return <T>(f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1));
}

/** The largest lane; NaN never. */
@inline
export function maxLanes<T>(x: v128): T {
  const y = v128.pmax<T>(x, v128.shuffle<i64>(x, x, 1, 0));
  if (sizeof<T>() == 8) return v128.extract_lane<T>(y, 0);
  return v128.extract_lane<T>(v128.pmax<T>(y, v128.shuffle<i32>(y, y, 1, 0, 3, 2)), 0);
}
