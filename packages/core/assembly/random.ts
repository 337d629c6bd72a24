// Philox4x32-10 (Salmon, Moraes, Dror & Shaw, 2011): word w of a stream is a pure function of (key, w), so any worker can
// fill any part. Element i takes words 2i and 2i + 1 from the block the host names. `src/linalg/random.ts` is the same in
// plain TypeScript; a test holds the two equal bit for bit.
import { int, num, ptr } from "./job";
import { at } from "./simd";
import { log } from "./transcendental";

// z with P(Z ≤ z) = p: Wichura's algorithm AS 241 (PPND16), relative accuracy about 1e-16
function quantile(p: f64): f64 {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (
      (q *
        (((((((r * 2509.0809287301226727 + 33430.575583588128105) * r + 67265.770927008700853) * r + 45921.953931549871457) * r + 13731.693765509461125) * r + 1971.5909503065514427) * r + 133.14166789178437745) * r + 3.387132872796366608)) /
      (((((((r * 5226.495278852545925 + 28729.085735721942674) * r + 39307.89580009271061) * r + 21213.794301586595867) * r + 5394.1960214247511077) * r + 687.1870074920579083) * r + 42.313330701600911252) * r + 1)
    );
  }
  let r = sqrt<f64>(-log(q < 0 ? p : 1 - p)), z: f64;
  if (r <= 5) {
    r -= 1.6;
    z =
      (((((((r * 7.7454501427834140764e-4 + 0.0227238449892691845833) * r + 0.24178072517745061177) * r + 1.27045825245236838258) * r + 3.64784832476320460504) * r + 5.7694972214606914055) * r + 4.6303378461565452959) * r + 1.42343711074968357734) /
      (((((((r * 1.05075007164441684324e-9 + 5.475938084995344946e-4) * r + 0.0151986665636164571966) * r + 0.14810397642748007459) * r + 0.68976733498510000455) * r + 1.6763848301838038494) * r + 2.05319162663775882187) * r + 1);
  } else {
    r -= 5;
    z =
      (((((((r * 2.01033439929228813265e-7 + 2.71155556874348757815e-5) * r + 0.0012426609473880784386) * r + 0.026532189526576123093) * r + 0.29656057182850489123) * r + 1.7848265399172913358) * r + 5.4637849111641143699) * r + 6.6579046435011037772) /
      (((((((r * 2.04426310338993978564e-15 + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4) * r + 0.0148753612908506148525) * r + 0.13692988092273580531) * r + 0.59983220655588793769) * r + 1);
  }
  return q < 0 ? -z : z;
}

// Element `i` of `out` from its two words.
@inline
function put<T>(out: usize, i: i32, first: u32, second: u32, normal: bool): void {
  const bits = <f64>(((<u64>first >> 5) << 26) | (<u64>second >> 6)); // 27 bits of the first word, 26 of the second
  if (normal) store<T>(at<T>(out, i), <T>quantile((bits + 0.5) * 1.1102230246251565e-16));
  else if (sizeof<T>() == 4) store<T>(at<T>(out, i), <T>(<f64>(first >> 8) * 5.9604644775390625e-8)); // 24 bits: never 1
  else store<T>(at<T>(out, i), <T>(bits * 1.1102230246251565e-16));
}

// Elements [first, first + count), two to a block.
// Fields: first count · out (address of element 0) · key low, key high · block low, block high · kind (0 uniform in [0, 1), 1 normal)
function randomJob<T>(job: usize): void {
  const first = int(job, 0);
  const end = first + int(job, 1);
  const out = ptr(job, 2);
  const normal = int(job, 7) == 1;
  const block = (<u64>(<u32>num(job, 6)) << 32) | <u64>(<u32>num(job, 5));
  for (let pair = first >> 1; pair << 1 < end; pair++) {
    const counter = block + <u64>pair;
    let c0 = <u32>counter;
    let c1 = <u32>(counter >> 32);
    let c2: u32 = 0;
    let c3: u32 = 0;
    let k0 = <u32>num(job, 3);
    let k1 = <u32>num(job, 4);
    for (let r = 0; r < 10; r++) {
      const p = <u64>0xd2511f53 * <u64>c0;
      const q = <u64>0xcd9e8d57 * <u64>c2;
      c0 = <u32>(q >> 32) ^ c1 ^ k0;
      c2 = <u32>(p >> 32) ^ c3 ^ k1;
      c1 = <u32>q;
      c3 = <u32>p;
      k0 += 0x9e3779b9;
      k1 += 0xbb67ae85;
    }
    const i = pair << 1;
    if (i >= first) put<T>(out, i, c0, c1, normal);
    if (i + 1 < end) put<T>(out, i + 1, c2, c3, normal);
  }
}
export function random_f32(job: usize): void {
  randomJob<f32>(job);
}
export function random_f64(job: usize): void {
  randomJob<f64>(job);
}
