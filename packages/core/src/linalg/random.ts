// Randomness is an argument: a stream is a key, its words a pure function of (key, position), and a child stream a pure
// function of (key, label). Order of use elsewhere, and the number of workers, cannot change what a stream yields.
// Philox4x32-10: Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
import { NearkinError } from "../errors.ts";

/** High and low halves of a 32 × 32 bit product, without 64-bit integers. */
function multiplyHigh(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const low = a0 * b0;
  const middle = a1 * b0 + (low >>> 16);
  const other = a0 * b1 + (middle & 0xffff);
  return (a1 * b1 + Math.floor(middle / 65536) + Math.floor(other / 65536)) >>> 0;
}

/** The block of four words at counter (c0, c1, c2, c3) under key (k0, k1), written into `out`. */
export function philox(out: Uint32Array, counter: ArrayLike<number>, key: ArrayLike<number>): void {
  let c0 = counter[0] >>> 0;
  let c1 = counter[1] >>> 0;
  let c2 = counter[2] >>> 0;
  let c3 = counter[3] >>> 0;
  let k0 = key[0] >>> 0;
  let k1 = key[1] >>> 0;
  for (let round = 0; round < 10; round++) {
    const p = Math.imul(0xd2511f53, c0);
    const q = Math.imul(0xcd9e8d57, c2);
    const n0 = multiplyHigh(0xcd9e8d57, c2) ^ c1 ^ k0;
    const n2 = multiplyHigh(0xd2511f53, c0) ^ c3 ^ k1;
    c0 = n0 >>> 0;
    c1 = q >>> 0;
    c2 = n2 >>> 0;
    c3 = p >>> 0;
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

const LABEL = 0x4b494e; // counters of child keys never meet those of numbers, whose upper words are 0

/**
 * A stream of random numbers, the same on every machine for the same seed.
 *
 * @example
 * const a = new Random(7).split("user", 42).uniform();
 * a === new Random(7).split("user", 42).uniform() // => true
 */
export class Random {
  readonly keyLow: number;
  readonly keyHigh: number;
  #block = 0;
  #word = 4;
  readonly #words = new Uint32Array(4);

  /** `seed`: a whole number in [0, 2⁵³). */
  constructor(seed: number, keyHigh?: number) {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new NearkinError("BAD_ARGUMENT", `seed must be a whole number from 0 to 2^53 − 1, got ${seed}`);
    }
    this.keyLow = seed >>> 0;
    this.keyHigh = keyHigh ?? Math.floor(seed / 2 ** 32) >>> 0;
  }

  /** The child stream of these labels: independent of this one's position and of every other child. */
  split(...labels: readonly (string | number)[]): Random {
    if (labels.length === 0) throw new NearkinError("BAD_ARGUMENT", "split: needs at least one label");
    let low = this.keyLow;
    let high = this.keyHigh;
    const words = new Uint32Array(4);
    for (const label of labels) {
      if (typeof label !== "string" && !Number.isFinite(label)) {
        throw new NearkinError("BAD_ARGUMENT", `split: labels are strings or finite numbers, got ${String(label)}`);
      }
      const [a, b] = typeof label === "number" ? numberWords(label) : textWords(label);
      philox(words, [a, b, typeof label === "number" ? 1 : 2, LABEL], [low, high]);
      low = words[0];
      high = words[1];
    }
    return new Random(low, high);
  }

  /** The next 32 bits. */
  uint32(): number {
    if (this.#word === 4) {
      philox(this.#words, [this.#block >>> 0, Math.floor(this.#block / 2 ** 32), 0, 0], [this.keyLow, this.keyHigh]);
      this.#block++;
      this.#word = 0;
    }
    return this.#words[this.#word++];
  }

  /** Uniform in [0, 1), 53 bits. */
  uniform(): number {
    return this.#bits53() * 2 ** -53;
  }

  /** Standard normal. */
  normal(): number {
    return normalQuantile((this.#bits53() + 0.5) * 2 ** -53);
  }

  /** A whole number in [0, n), without bias. */
  below(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) {
      throw new NearkinError("BAD_ARGUMENT", `below: n must be a whole number from 1 to 2^32, got ${n}`);
    }
    const limit = 2 ** 32 - (2 ** 32 % n);
    let x = this.uint32();
    while (x >= limit) x = this.uint32();
    return x % n;
  }

  /** Shuffles in place (Fisher–Yates). */
  shuffle<T extends { length: number; [index: number]: unknown }>(items: T): T {
    const list = items as { length: number; [index: number]: unknown };
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const x = list[i];
      list[i] = list[j];
      list[j] = x;
    }
    return items;
  }

  /**
   * Takes `blocks` whole blocks of four words and returns the number of the first: bulk fills compute them in any order.
   * What was left of the current block is dropped.
   */
  takeBlocks(blocks: number): number {
    const first = this.#block;
    this.#block += blocks;
    this.#word = 4;
    return first;
  }

  #bits53(): number {
    const first = this.uint32();
    return (first >>> 5) * 67108864 + (this.uint32() >>> 6);
  }
}

function numberWords(value: number): [number, number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value + 0); // −0 is 0
  return [view.getUint32(4), view.getUint32(0)];
}

// Two independent 32-bit FNV-1a hashes of the text's code units; Philox mixes them afterwards.
function textWords(text: string): [number, number] {
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x01000193);
    b = Math.imul(b ^ (c + 0x9e37), 0x0100019d);
  }
  return [a >>> 0, b >>> 0];
}

const horner = (r: number, coefficients: readonly number[]): number => {
  let s = coefficients[0];
  for (let i = 1; i < coefficients.length; i++) s = s * r + coefficients[i];
  return s;
};

// Wichura's algorithm AS 241 (PPND16): three regions, each a ratio of polynomials, highest power first.
const CENTRE_P = [
  2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
  133.14166789178438, 3.3871328727963665,
];
const CENTRE_Q = [
  5226.495278852546, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
  42.31333070160091, 1,
];
const MIDDLE_P = [
  0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
  5.769497221460691, 4.630337846156546, 1.4234371107496835,
];
const MIDDLE_Q = [
  1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
  1.6763848301838038, 2.053191626637759, 1,
];
const TAIL_P = [
  2.0103343992922881e-7, 0.000027115555687434876, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
  1.7848265399172913, 5.463784911164114, 6.657904643501103,
];
const TAIL_Q = [
  2.0442631033899397e-15, 1.421511758316446e-7, 0.000018463183175100548, 0.0007868691311456133, 0.014875361290850615,
  0.1369298809227358, 0.599832206555888, 1,
];

/** z with P(Z ≤ z) = p for a standard normal Z, to about 1e-16 relative. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : Number.NaN;
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * horner(r, CENTRE_P)) / horner(r, CENTRE_Q);
  }
  const r = Math.sqrt(-portableLog(q < 0 ? p : 1 - p));
  const z =
    r <= 5 ? horner(r - 1.6, MIDDLE_P) / horner(r - 1.6, MIDDLE_Q) : horner(r - 5, TAIL_P) / horner(r - 5, TAIL_Q);
  return q < 0 ? -z : z;
}

const DOUBLE = new DataView(new ArrayBuffer(8));

// Math.log may differ between JavaScript engines in the last bit; a seed must not. The same steps as assembly/transcendental.ts.
export function portableLog(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : Number.NaN;
  if (x === Infinity) return x;
  let k = 0;
  let y = x;
  if (y < 2.2250738585072014e-308) {
    y *= 18014398509481984;
    k = -54;
  }
  DOUBLE.setFloat64(0, y);
  const high = DOUBLE.getUint32(0);
  k += (high >>> 20) - 1023;
  DOUBLE.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = DOUBLE.getFloat64(0);
  if (m > Math.SQRT2) {
    m *= 0.5;
    k += 1;
  }
  const f = m - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const t1 = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const t2 = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  const h = 0.5 * f * f;
  return k * 0.6931471803691238 - (h - (s * (h + (t2 + t1)) + k * 1.9082149292705877e-10) - f);
}
