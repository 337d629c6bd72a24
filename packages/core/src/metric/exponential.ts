// e^x and its relatives, with the same bits in every JavaScript engine: Math.exp may differ in the last bit, and weights that were
// trained through it would too. Only sums, products and quotients of float64 are used.
import { portableLog } from "../linalg/random.ts";

const LOG2_E = Math.LOG2E;
const LN2_HIGH = 0.6931471803691238; // its last 21 bits are 0, so that k·LN2_HIGH is exact
const LN2_LOW = 1.9082149292705877e-10;

/** 1/n!, n = 1 … 13: for |r| ≤ ½·ln 2 the first term left out is below 1e-17 of the sum. */
const INVERSE_FACTORIALS: number[] = [1];
for (let n = 2; n <= 13; n++) INVERSE_FACTORIALS.push(INVERSE_FACTORIALS[n - 2] / n);
const [, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13] = INVERSE_FACTORIALS;

/** e^r − 1 for small r, by the power series: written out, it is three times as fast as a loop. */
function series(r: number): number {
  const high = (((((F13 * r + F12) * r + F11) * r + F10) * r + F9) * r + F8) * r + F7;
  return ((((((high * r + F6) * r + F5) * r + F4) * r + F3) * r + F2) * r + 1) * r;
}

const LEAST_POWER = -1022;
/** 2^k, −1022 ≤ k ≤ 1023, by doubling and halving: exact everywhere. */
const POWERS = new Float64Array(2046);
POWERS[-LEAST_POWER] = 1;
for (let i = 1 - LEAST_POWER; i < POWERS.length; i++) POWERS[i] = 2 * POWERS[i - 1];
for (let i = -LEAST_POWER - 1; i >= 0; i--) POWERS[i] = POWERS[i + 1] / 2;

const powerOfTwo = (k: number): number => POWERS[k - LEAST_POWER];

/** e^x */
export function exp(x: number): number {
  if (!(x < 709.782712893384)) return x > 709.782712893384 ? Infinity : x; // NaN stays NaN
  if (x < -745.2) return 0;
  const k = Math.round(x * LOG2_E);
  const y = 1 + series(x - k * LN2_HIGH - k * LN2_LOW);
  if (k > 1023) return y * 2 * powerOfTwo(k - 1);
  return k < -1022 ? y * powerOfTwo(k + 54) * 2 ** -54 : y * powerOfTwo(k);
}

/** e^x − 1, without cancellation where x is small. */
export function expm1(x: number): number {
  return Math.abs(x) < 0.35 ? series(x) : exp(x) - 1;
}

/** σ(x) = 1/(1 + e^−x) */
export function logistic(x: number): number {
  if (x >= 0) return 1 / (1 + exp(-x));
  const e = exp(x);
  return e / (1 + e);
}

/** log(1 + e^x) */
export function softplus(x: number): number {
  const e = exp(-Math.abs(x));
  const y = 1 + e;
  const log1p = y === 1 ? e : (portableLog(y) * e) / (y - 1); // the ratio undoes the rounding of 1 + e
  return Math.max(x, 0) + log1p;
}

/** θ with softplus(θ) = h, h > 0. */
export function inverseSoftplus(h: number): number {
  return h > 40 ? h : portableLog(expm1(h)); // beyond 40, softplus(h) is h
}
