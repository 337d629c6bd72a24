import { Random } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import { candidateFrequencies, drawNegatives, drawPairs } from "./pairs.ts";

const histories = {
  userIndex: Int32Array.of(0, 2, 3),
  starts: Int32Array.of(0, 4, 5, 7),
  items: Int32Array.of(0, 1, 2, 5, 6, 3, 4),
  ratings: new Float32Array(7),
  times: new Float64Array(7),
};

describe("drawPairs", () => {
  const drawn = (window: number, seed = 1) => {
    const items = new Int32Array(1000);
    const rows = new Int32Array(500);
    drawPairs(items, rows, { histories, window }, new Random(seed));
    return Array.from(rows, (row, i) => `${row}:${items[i]}-${items[500 + i]}`);
  };

  test("an event and one of the next κ of the same history; all such pairs in the long run", () => {
    expect([...new Set(drawn(1))].sort()).toEqual(["0:0-1", "0:1-2", "0:2-5", "2:3-4"]);
    expect([...new Set(drawn(2))].sort()).toEqual(["0:0-1", "0:0-2", "0:1-2", "0:1-5", "0:2-5", "2:3-4"]);
    expect([...new Set(drawn(50))]).toHaveLength(7);
  });

  test("the same stream draws the same pairs", () => {
    expect(drawn(3)).toEqual(drawn(3));
    expect(drawn(3)).not.toEqual(drawn(3, 2));
  });
});

describe("drawNegatives", () => {
  const candidates = Int32Array.of(0, 1, 2, 3, 4, 5);
  test("from all candidates, or from those that are not in the history", () => {
    const rows = Int32Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 0 : 2));
    const out = new Int32Array(200);
    drawNegatives(out, rows, { candidates }, new Random(1));
    expect(new Set(out)).toEqual(new Set(candidates));
    drawNegatives(out, rows, { candidates, histories }, new Random(1));
    out.forEach((item, i) => {
      expect(rows[i] === 0 ? [3, 4] : [0, 1, 2, 5]).toContain(item);
    });
  });

  test("a user who has met everything gets some item", () => {
    const out = new Int32Array(1);
    drawNegatives(out, Int32Array.of(0), { candidates: Int32Array.of(0, 1), histories }, new Random(1));
    expect([0, 1]).toContain(out[0]);
  });
});

test("candidateFrequencies: as often as an item was met, once where it never was", () => {
  const logq = candidateFrequencies(Int32Array.of(4, 0, 1), Math.log);
  expect(Array.from(logq, (x) => Math.round(5 * Math.exp(x)))).toEqual([4, 1, 1]);
});
