// exp and log by the four operations alone, which IEEE 754 rounds alike everywhere. Math.exp and Math.log may differ
// between JavaScript engines in the last bit, and one bit is enough to make a simulated user choose another film.

const LN2_HIGH = 0.6931471803691238; // 32 leading bits of ln 2, so that k·LN2_HIGH is exact
const LN2_LOW = 1.9082149292705877e-10;
/** 1/j!, highest first: 13 terms leave less than 1e-16 where |r| ≤ ½ ln 2. */
const SERIES = Array.from({ length: 14 }, (_, k) => {
  let factorial = 1;
  for (let j = 2; j <= 13 - k; j++) factorial *= j;
  return 1 / factorial;
});
const WORDS = new DataView(new ArrayBuffer(8));

/** 2ᵏ for −1022 ≤ k ≤ 1023, from its bits. */
function powerOfTwo(k: number): number {
  WORDS.setUint32(0, (k + 1023) << 20);
  WORDS.setUint32(4, 0);
  return WORDS.getFloat64(0);
}

/** eˣ within 1e-15, relative. With k = round(x / ln 2) and r = x − k·ln 2: eˣ = 2ᵏ·Σ_j rʲ/j!. Below x = −700 it is 0. */
export function portableExp(x: number): number {
  if (x < -700) return 0;
  if (!(x <= 700)) return x > 700 ? Number.POSITIVE_INFINITY : Number.NaN;
  const k = Math.floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 0;
  for (const coefficient of SERIES) sum = sum * r + coefficient;
  return sum * powerOfTwo(k);
}

/** log x within 1e-15, for finite x ≥ 2⁻¹⁰²². With x = 2ᵏ·m, s = (m − 1)/(m + 1): log m = 2·Σ_j s^(2j+1)/(2j+1). */
export function portableLog(x: number): number {
  if (!(x >= 2.2250738585072014e-308 && x < Number.POSITIVE_INFINITY)) return Number.NaN;
  WORDS.setFloat64(0, x);
  const high = WORDS.getUint32(0);
  let k = (high >>> 20) - 1023;
  WORDS.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = WORDS.getFloat64(0); // in [1, 2), moved to [√½, √2) so that |s| < 0.172
  if (m > Math.SQRT2) {
    m /= 2;
    k += 1;
  }
  const s = (m - 1) / (m + 1);
  let sum = 0;
  for (let j = 10; j >= 0; j--) sum = sum * s * s + 1 / (2 * j + 1);
  return k * LN2_HIGH + (2 * s * sum + k * LN2_LOW);
}
