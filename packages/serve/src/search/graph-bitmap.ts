// Sets of rows as bits: row i is bit i & 31 of word i >> 5.

export function hasRow(words: Uint32Array, row: number): boolean {
  return ((words[row >>> 5] >>> (row & 31)) & 1) === 1;
}

/** How many bits are set. */
export function countRows(words: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < words.length; i++) {
    // pairs, nibbles, bytes, then all bytes at once (Warren, Hacker's Delight, §5-1)
    let x = words[i];
    x -= (x >>> 1) & 0x55555555;
    x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
    x = (x + (x >>> 4)) & 0x0f0f0f0f;
    count += Math.imul(x, 0x01010101) >>> 24;
  }
  return count;
}
