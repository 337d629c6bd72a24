// Sets of rows, a bit each: bit i mod 32 of word ⌊i/32⌋ is row i.

/** Words that hold the bits of so many rows. */
export function bitmapWords(rows: number): number {
  return Math.ceil(rows / 32);
}

/**
 * The rows that are marked with 1.
 *
 * @example
 * Array.from(bitmapOf(Uint8Array.of(1, 0, 1))) // => [5]
 */
export function bitmapOf(marks: Uint8Array): Uint32Array<ArrayBuffer> {
  const bitmap = new Uint32Array(bitmapWords(marks.length));
  for (let i = 0; i < marks.length; i++) if (marks[i] === 1) bitmap[i >> 5] |= 1 << (i & 31);
  return bitmap;
}

/** 1 for each of the first `rows` rows that is in the set. */
export function marksOf(bitmap: Uint32Array, rows: number): Uint8Array {
  const marks = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) marks[i] = (bitmap[i >> 5] >>> (i & 31)) & 1;
  return marks;
}
