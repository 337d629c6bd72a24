import fc from "fast-check";
import { expect, test } from "vitest";
import { countRows, hasRow } from "./graph-bitmap.ts";

test("bits of rows, counted and looked up", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(500)), (rows) => {
      const words = new Uint32Array(16);
      for (const row of rows) words[row >> 5] |= 1 << (row & 31);
      expect(countRows(words)).toBe(rows.length);
      const found = Array.from({ length: 512 }, (_, row) => row).filter((row) => hasRow(words, row));
      expect(found).toEqual([...rows].sort((a, b) => a - b));
    }),
  );
  expect(countRows(new Uint32Array(3).fill(0xffffffff))).toBe(96);
  expect(hasRow(new Uint32Array(1).fill(0xffffffff), 32)).toBe(false); // beyond the last word
});
