// Sets of rows, one bit each: bit i of the set is bit i mod 32 of word ⌊i/32⌋. Filters are made of them, and scans take them as they are.

/** Bit i is 1 where row i belongs. Bits from the number of rows on are 0. */
export type Bitmap = Uint32Array<ArrayBuffer>;

export const bitmapOf = (rows: number): Bitmap => new Uint32Array((rows + 31) >>> 5);

/** All of the first `rows`. */
export function fullBitmap(rows: number): Bitmap {
  const words = bitmapOf(rows).fill(0xffffffff);
  if ((rows & 31) !== 0) words[words.length - 1] = (1 << (rows & 31)) - 1;
  return words;
}

export const hasBit = (words: Bitmap, row: number): boolean => ((words[row >>> 5] >>> (row & 31)) & 1) === 1;

export function setBit(words: Bitmap, row: number): void {
  words[row >>> 5] |= 1 << (row & 31);
}

export function clearBit(words: Bitmap, row: number): void {
  words[row >>> 5] &= ~(1 << (row & 31));
}

/** a ∩ b, into a. */
export function intersect(a: Bitmap, b: Bitmap): Bitmap {
  for (let w = 0; w < a.length; w++) a[w] &= b[w];
  return a;
}

/** a ∪ b, into a. */
export function unite(a: Bitmap, b: Bitmap): Bitmap {
  for (let w = 0; w < a.length; w++) a[w] |= b[w];
  return a;
}

/** The other ones of the first `rows`, in place. */
export function complement(a: Bitmap, rows: number): Bitmap {
  for (let w = 0; w < a.length; w++) a[w] = ~a[w];
  if ((rows & 31) !== 0) a[a.length - 1] &= (1 << (rows & 31)) - 1;
  return a;
}

/** How many rows belong. */
export function countBits(words: Bitmap): number {
  let count = 0;
  for (let w = 0; w < words.length; w++) {
    let v = words[w];
    v -= (v >>> 1) & 0x55555555;
    v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
    count += Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** The same bits in a set for more rows. */
export function grown(words: Bitmap, rows: number): Bitmap {
  const out = bitmapOf(rows);
  out.set(words);
  return out;
}

/** A byte for each of the first `rows`: 1 where the row belongs. */
export function bytesOf(words: Bitmap, rows: number): Uint8Array {
  const bytes = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) bytes[row] = (words[row >>> 5] >>> (row & 31)) & 1;
  return bytes;
}
