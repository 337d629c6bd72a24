import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Bitmap,
  bitmapOf,
  clearBit,
  complement,
  countBits,
  fullBitmap,
  grown,
  hasBit,
  intersect,
  setBit,
  unite,
} from "./bitmap.ts";

const worlds = fc
  .integer({ min: 1, max: 200 })
  .chain((n) => fc.record({ n: fc.constant(n), a: fc.uniqueArray(fc.nat(n - 1)), b: fc.uniqueArray(fc.nat(n - 1)) }));

const bitmap = (n: number, rows: readonly number[]): Bitmap => {
  const words = bitmapOf(n);
  for (const row of rows) setBit(words, row);
  return words;
};
const rowsOf = (n: number, words: Bitmap) => Array.from({ length: n }, (_, i) => i).filter((i) => hasBit(words, i));

test("sets of rows behave as sets", () => {
  fc.assert(
    fc.property(worlds, ({ n, a, b }) => {
      const [A, B] = [new Set(a), new Set(b)];
      const all = Array.from({ length: n }, (_, i) => i);
      expect(rowsOf(n, intersect(bitmap(n, a), bitmap(n, b)))).toEqual(all.filter((i) => A.has(i) && B.has(i)));
      expect(rowsOf(n, unite(bitmap(n, a), bitmap(n, b)))).toEqual(all.filter((i) => A.has(i) || B.has(i)));
      const others = complement(bitmap(n, a), n);
      expect(rowsOf(n, others)).toEqual(all.filter((i) => !A.has(i)));
      expect(countBits(others)).toBe(n - a.length);
      expect(countBits(fullBitmap(n))).toBe(n);
      expect(rowsOf(n, grown(bitmap(n, a), n + 77))).toEqual([...a].sort((x, y) => x - y));
      if (a.length > 0) {
        const less = bitmap(n, a);
        clearBit(less, a[0]);
        expect(countBits(less)).toBe(a.length - 1);
      }
    }),
  );
});
