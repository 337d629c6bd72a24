// exp, log, tanh and the logistic function, on vectors, from additions, multiplications and bit patterns only: the same
// result on every machine and in every JavaScript engine, unlike Math.exp. Errors are at most a few units in the last place
// (the property tests hold them to 4 for f64 and 4 for f32).
import { fma } from "./simd";

// e^x, f64: x = n·ln 2 + r, |r| ≤ ½ ln 2; Taylor to r¹³ (remainder below 5e-18); 2ⁿ applied in two halves so that
// subnormal results round once. Below −746 the answer is 0, above 710 it is ∞; NaN passes through (pmin and pmax keep their first
// operand then). Adding 1.5·2⁵² rounds to the nearest whole number, and leaves its low bits as those of the sum: no conversion.
@inline
function exp_f64(x: v128): v128 {
  const magic = f64x2.splat(6755399441055744), c = f64x2.pmax(f64x2.pmin(x, f64x2.splat(710)), f64x2.splat(-746));
  const i = fma<f64>(c, f64x2.splat(1.4426950408889634), magic), n = f64x2.sub(i, magic);
  let r = fma<f64>(n, f64x2.splat(-0.693147180369123816490), c); // high part of ln 2: n·hi is exact
  r = fma<f64>(n, f64x2.splat(-1.90821492927058770002e-10), r);
  const s = f64x2.mul(r, r);
  let even = f64x2.splat(1.0 / 479001600.0), odd = f64x2.splat(1.0 / 6227020800.0);
  even = fma<f64>(even, s, f64x2.splat(1.0 / 3628800.0));
  odd = fma<f64>(odd, s, f64x2.splat(1.0 / 39916800.0));
  even = fma<f64>(even, s, f64x2.splat(1.0 / 40320.0));
  odd = fma<f64>(odd, s, f64x2.splat(1.0 / 362880.0));
  even = fma<f64>(even, s, f64x2.splat(1.0 / 720.0));
  odd = fma<f64>(odd, s, f64x2.splat(1.0 / 5040.0));
  even = fma<f64>(even, s, f64x2.splat(1.0 / 24.0));
  odd = fma<f64>(odd, s, f64x2.splat(1.0 / 120.0));
  even = fma<f64>(even, s, f64x2.splat(0.5));
  odd = fma<f64>(odd, s, f64x2.splat(1.0 / 6.0));
  let p = fma<f64>(fma<f64>(odd, r, even), s, r); // r + r²·(½ + …): the leading 1 is added last, for accuracy
  p = f64x2.add(p, f64x2.splat(1));
  const h = fma<f64>(n, f64x2.splat(0.5), magic), bias = i64x2.splat(1023);
  const low = i64x2.shl(i64x2.add(h, bias), 52), high = i64x2.shl(i64x2.add(i64x2.sub(i, h), bias), 52);
  return f64x2.mul(f64x2.mul(p, low), high);
}

// e^x, f32: the same plan with a polynomial to r⁷ (remainder below 2e-9).
@inline
function exp_f32(x: v128): v128 {
  const magic = f32x4.splat(12582912), c = f32x4.pmax(f32x4.pmin(x, f32x4.splat(89)), f32x4.splat(-104.5));
  const i = fma<f32>(c, f32x4.splat(1.44269504), magic), n = f32x4.sub(i, magic);
  let r = fma<f32>(n, f32x4.splat(-0.693359375), c);
  r = fma<f32>(n, f32x4.splat(2.12194440e-4), r);
  const s = f32x4.mul(r, r);
  let even = f32x4.splat(<f32>(1.0 / 720.0)), odd = f32x4.splat(<f32>(1.0 / 5040.0));
  even = fma<f32>(even, s, f32x4.splat(<f32>(1.0 / 24.0)));
  odd = fma<f32>(odd, s, f32x4.splat(<f32>(1.0 / 120.0)));
  even = fma<f32>(even, s, f32x4.splat(0.5));
  odd = fma<f32>(odd, s, f32x4.splat(<f32>(1.0 / 6.0)));
  let p = fma<f32>(fma<f32>(odd, r, even), s, r);
  p = f32x4.add(p, f32x4.splat(1));
  const h = fma<f32>(n, f32x4.splat(0.5), magic), bias = i32x4.splat(127);
  const low = i32x4.shl(i32x4.add(h, bias), 23), high = i32x4.shl(i32x4.add(i32x4.sub(i, h), bias), 23);
  return f32x4.mul(f32x4.mul(p, low), high);
}

// Inlined: in a loop its constants then stay where they are, instead of being put together anew for every vector.
@inline
export function exp<T>(x: v128): v128 {
  if (sizeof<T>() == 4) return exp_f32(x);
  return exp_f64(x);
}

/** 1 / (1 + e^−x). */
@inline
export function logistic<T>(x: v128): v128 {
  const one = v128.splat<T>(<T>1);
  return v128.div<T>(one, v128.add<T>(one, exp<T>(v128.neg<T>(x))));
}

// tanh x = 1 − 2/(e^{2|x|} + 1) with x's sign; near zero that cancels, so |x| < 0.625 takes x + x³·P(x²)/Q(x²)
// (Cephes' coefficients), odd and accurate to the last place. One division serves both.
@inline
export function tanh<T>(x: v128): v128 {
  const a = v128.abs<T>(x), z = v128.mul<T>(x, x), one = v128.splat<T>(<T>1), isSmall = v128.lt<T>(a, v128.splat<T>(<T>0.625));
  let up = v128.splat<T>(<T>2), down = v128.add<T>(exp<T>(v128.add<T>(a, a)), one), p: v128, ratio: v128;
  if (sizeof<T>() == 4) {
    p = f32x4.splat(-5.70498872745e-3);
    p = fma<f32>(p, z, f32x4.splat(2.06390887954e-2));
    p = fma<f32>(p, z, f32x4.splat(-5.37397155531e-2));
    p = fma<f32>(p, z, f32x4.splat(1.33314422036e-1));
    p = fma<f32>(p, z, f32x4.splat(-3.33332819422e-1));
    ratio = v128.div<T>(up, down);
  } else {
    p = f64x2.splat(-9.64399179425052238628e-1);
    p = fma<f64>(p, z, f64x2.splat(-9.92877231001918586564e1));
    p = fma<f64>(p, z, f64x2.splat(-1.61468768441708447952e3));
    let q = f64x2.add(z, f64x2.splat(1.12811678491632931402e2));
    q = fma<f64>(q, z, f64x2.splat(2.2354883906010044658e3));
    q = fma<f64>(q, z, f64x2.splat(4.84406305325125486048e3));
    up = v128.bitselect(p, up, isSmall);
    down = v128.bitselect(q, down, isSmall);
    p = ratio = f64x2.div(up, down);
  }
  const small = fma<T>(v128.mul<T>(p, z), x, x), big = v128.sub<T>(one, ratio), sign = v128.and(x, v128.splat<T>(<T>-0.0));
  return v128.or(v128.bitselect(small, big, isSmall), sign); // −0 stays −0
}

// ln x, scalar: x = 2ᵏ·m, m in [√½, √2), f = m − 1, s = f/(2 + f); ln m = f − f²/2 + s·(f²/2 + R(s²)) with fdlibm's R.
export function log(x: f64): f64 {
  if (!(x > 0)) return x == 0 ? -Infinity : NaN;
  if (x == Infinity) return x;
  let k = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984; // 2⁵⁴
    k = -54;
  }
  const bits = reinterpret<u64>(x);
  k += <i32>(bits >> 52) - 1023;
  let m = reinterpret<f64>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    k += 1;
  }
  const f = m - 1, s = f / (2 + f), z = s * s, w = z * z;
  const t1 = w * (0.3999999999940941908 + w * (0.2222219843214978396 + w * 0.1531383769920937332));
  const t2 = z * (0.6666666666666735130 + w * (0.2857142874366239149 + w * (0.1818357216161805012 + w * 0.1479819860511658591)));
  const r = t2 + t1, h = 0.5 * f * f, d = <f64>k;
  return d * 6.93147180369123816490e-1 - (h - (s * (h + r) + d * 1.90821492927058770002e-10) - f);
}
