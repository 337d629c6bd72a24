// SHA-256 (FIPS 180-4): the platform's where it has one, which only pages over https or from localhost do; else the one below.

/** 64 hexadecimal digits. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const { subtle } = globalThis.crypto ?? {};
  // subtle takes neither shared memory nor, in Node, 2 GiB at once
  if (!subtle || bytes.byteLength >= 2 ** 31 || !(bytes.buffer instanceof ArrayBuffer)) return plainSha256(bytes);
  const digest = await subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return hex(new Uint8Array(digest));
}

/** The first 32 bits of the fractional parts of ∛ of the first 64 primes, and of √ of the first 8. */
const ROUNDS = fractions(64, Math.cbrt);
const START = fractions(8, Math.sqrt);

export function plainSha256(bytes: Uint8Array): string {
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  const whole = bytes.byteLength - (bytes.byteLength % 64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole; at += 64) compress(state, words, view, at);
  // what is left, a 1 bit, zeros, and the length in bits
  const rest = bytes.byteLength - whole;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(bytes.subarray(whole));
  tail[rest] = 0x80;
  const end = new DataView(tail.buffer);
  end.setUint32(tail.length - 8, Math.floor(bytes.byteLength / 2 ** 29));
  end.setUint32(tail.length - 4, (bytes.byteLength * 8) >>> 0);
  for (let at = 0; at < tail.length; at += 64) compress(state, words, end, at);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => {
    digest.setInt32(4 * i, word);
  });
  return hex(new Uint8Array(digest.buffer));
}

function compress(state: Int32Array, w: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

function fractions(count: number, root: (x: number) => number): Int32Array {
  const words = new Int32Array(count);
  let found = 0;
  for (let n = 2; found < count; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) prime &&= n % d !== 0;
    if (prime) words[found++] = Math.floor((root(n) % 1) * 2 ** 32);
  }
  return words;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
