import fc from "fast-check";
import { expect, test } from "vitest";
import { Bed } from "../testing/bed.ts";
import { BestLists } from "./best-lists.ts";

const bed = new Bed({ runs: 200 });

// Few different scores and hashes: ties of both.
const offers = fc.array(fc.record({ score: fc.integer({ min: -2, max: 2 }), hash: fc.integer({ min: 0, max: 3 }) }), {
  maxLength: 60,
});

test("a list is the beginning of a full sort, for any order of offers", () => {
  bed.check(fc.record({ offers, size: fc.integer({ min: 1, max: 70 }) }), ({ offers, size }) => {
    const entries = offers.map((offer, item) => ({ ...offer, item }));
    const sorted = [...entries].sort((a, b) => b.score - a.score || a.hash - b.hash || a.item - b.item);
    const lists = new BestLists(
      2,
      size,
      Uint32Array.from(offers, ({ hash }) => hash),
    );
    for (const order of [entries, [...entries].reverse()]) {
      lists.clear(1);
      for (const { item, score } of order) {
        const last = lists.worst(1);
        if (lists.offer(1, item, score)) expect(score).toBeGreaterThanOrEqual(last);
      }
      expect(lists.worst(1)).toBe(sorted[size - 1]?.score ?? Number.NEGATIVE_INFINITY);
      lists.sort(1);
      const kept = sorted.slice(0, size);
      const row = [size, size + lists.counts[1]] as const;
      expect(Array.from(lists.items.subarray(...row))).toEqual(kept.map(({ item }) => item));
      expect(Array.from(lists.scores.subarray(...row))).toEqual(kept.map(({ score }) => score));
    }
    expect(lists.counts[0]).toBe(0); // lists do not see each other
  });
});
