import { Random } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import { candidateFrequencies, drawNegatives, drawPairs, historyRows } from "./pairs.ts";

const histories = {
  userIndex: Int32Array.of(0, 2),
  starts: Int32Array.of(0, 3, 5),
  items: Int32Array.of(0, 1, 2, 3, 4),
  ratings: new Float32Array(5),
  times: new Float64Array(5),
};
const pairs = { user: Int32Array.of(0, 0, 2), anchor: Int32Array.of(0, 1, 3), positive: Int32Array.of(1, 2, 4) };

describe("drawPairs", () => {
  test("draws whole pairs, all of them in the long run, the same for the same stream", () => {
    const items = new Int32Array(600);
    const users = new Int32Array(300);
    drawPairs(items, users, pairs, new Random(1));
    const seen = new Set(Array.from(users, (user, i) => `${user}:${items[i]}-${items[300 + i]}`));
    expect([...seen].sort()).toEqual(["0:0-1", "0:1-2", "2:3-4"]);
    const again = new Int32Array(600);
    drawPairs(again, users, pairs, new Random(1));
    expect(again).toEqual(items);
  });
});

describe("drawNegatives", () => {
  const candidates = Int32Array.of(0, 1, 2, 3, 4);
  const rows = historyRows(histories, 3);
  test("from all candidates, or from those the user has not met", () => {
    const users = Int32Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 0 : 2));
    const out = new Int32Array(200);
    drawNegatives(out, users, { candidates, rows }, new Random(1));
    expect(new Set(out)).toEqual(new Set(candidates));
    drawNegatives(out, users, { candidates, rows, histories }, new Random(1));
    out.forEach((item, i) => {
      expect(users[i] === 0 ? [3, 4] : [0, 1, 2]).toContain(item);
    });
  });

  test("a user without training events has met nothing; one who has met everything gets some item", () => {
    expect(Array.from(rows)).toEqual([0, -1, 1]);
    const out = new Int32Array(1);
    drawNegatives(out, Int32Array.of(1), { candidates, rows, histories }, new Random(1));
    drawNegatives(out, Int32Array.of(0), { candidates: Int32Array.of(0, 1), rows, histories }, new Random(1));
    expect([0, 1]).toContain(out[0]);
  });
});

test("candidateFrequencies: how often an item is second in a pair, one more counted for each", () => {
  const logq = candidateFrequencies(pairs, 6, Math.log);
  expect(Array.from(logq, (x) => Math.round(9 * Math.exp(x)))).toEqual([1, 2, 2, 1, 2, 1]);
});
