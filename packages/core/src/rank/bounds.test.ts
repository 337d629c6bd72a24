import { describe, expect, test } from "vitest";
import { byBound } from "./bounds.ts";
import { tieHashes } from "./ties.ts";

describe("byBound", () => {
  const predictions = {
    items: Int32Array.of(0, 1, 2, 3),
    mean: Float64Array.of(4, 4.5, 3.5, 4),
    deviation: Float64Array.of(0.25, 1, 1.5, 0.25),
  };
  const hashes = tieHashes(["a", "b", "c", "d"]);
  const [first, second] = hashes[0] < hashes[3] ? [0, 3] : [3, 0];

  test("safe: what is surely good; explore: what may be; mean: what is expected; ties by the hash of the id", () => {
    const order = (kind: "safe" | "explore" | "mean") => byBound(predictions, { order: kind, hashes });
    expect(order("safe").map(({ item }) => item)).toEqual([first, second, 1, 2]);
    expect(order("safe").map(({ score }) => score)).toEqual([3.75, 3.75, 3.5, 2]);
    expect(order("explore").map(({ item }) => item)).toEqual([1, 2, first, second]);
    expect(order("mean").map(({ item }) => item)).toEqual([1, first, second, 2]);
  });

  test("the first k are those of the whole order", () => {
    const all = byBound(predictions, { order: "safe", hashes });
    for (const k of [1, 2, 3, 4, 9]) {
      expect(byBound(predictions, { order: "safe", hashes, k })).toEqual(all.slice(0, k));
    }
    const none = { items: new Int32Array(0), mean: new Float64Array(0), deviation: new Float64Array(0) };
    expect(byBound(none, { order: "safe", hashes })).toEqual([]);
  });
});
