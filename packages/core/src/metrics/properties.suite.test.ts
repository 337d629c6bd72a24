// What holds of the metrics whatever the list: perfect lists score exactly 1, and NDCG is what its definition says, over all orders.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Bed } from "../testing/bed.ts";
import { type Metric, metricFamilies } from "./families.ts";
import { paperNdcg } from "./paper.ts";
import { ndcg } from "./standard.ts";

const bed = new Bed({ runs: 200 });
const { paper, standard } = metricFamilies;

/** A list with hits (true) and misses at these places, the items that it hits, and how many hits it misses. */
const worlds = fc.record({
  places: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
  missed: fc.nat(8),
  k: fc.integer({ min: 1, max: 8 }),
});

function truthOf(places: readonly boolean[], missed: number): Set<number> {
  const hits = places.flatMap((isHit, item) => (isHit ? [item] : []));
  return new Set([...hits, ...Array.from({ length: missed }, (_, i) => 100 + i)]);
}

/** Every order of the items. */
function* orders(items: readonly number[]): Generator<number[]> {
  if (items.length === 0) yield [];
  for (const [at, item] of items.entries()) {
    for (const rest of orders([...items.slice(0, at), ...items.slice(at + 1)])) yield [item, ...rest];
  }
}

/** Σ_{i ≤ k} [x_i ∈ G]·δ(i) */
function gain(list: readonly number[], G: ReadonlySet<number>, k: number, discount: (i: number) => number): number {
  return list.slice(0, k).reduce((sum, item, at) => sum + (G.has(item) ? discount(at + 1) : 0), 0);
}

describe("perfect lists", () => {
  const all: [string, Metric][] = Object.entries(metricFamilies).flatMap(([family, metrics]) =>
    Object.entries(metrics).map(([name, metric]): [string, Metric] => [`${family} ${name}`, metric]),
  );

  test.each(all)("k hits in k places: %s is exactly 1", (_, metric) => {
    for (let k = 1; k <= 20; k++) {
      const list = Array.from({ length: k + 3 }, (_, i) => i);
      expect(metric(list, new Set(list.slice(0, k)), k)).toBe(1); // the truth just fits
      expect(metric(list, new Set([...list, 100, 101]), k)).toBe(1); // there is more of it
    }
  });

  test.each<[string, Metric]>([
    ["paper MRR", paper.MRR],
    ["paper NDCG", paper.NDCG],
    ["standard hit", standard.hit],
    ["standard MRR", standard.MRR],
    ["standard NDCG", standard.NDCG],
  ])("all of a truth that is smaller than k comes first: %s is exactly 1", (_, metric) => {
    for (let size = 1; size < 10; size++) {
      const list = Array.from({ length: 10 }, (_, i) => i);
      expect(metric(list, new Set(list.slice(0, size)), 10)).toBe(1);
    }
  });

  test("HR and precision then are |G|/k, which is their most", () => {
    const list = Array.from({ length: 10 }, (_, i) => i);
    for (let size = 0; size <= 10; size++) {
      const G = new Set(list.slice(0, size));
      expect([paper.HR(list, G, 10), standard.precision(list, G, 10)]).toEqual([size / 10, size / 10]);
    }
  });
});

describe("NDCG by its definition", () => {
  test("the paper's: the gain over the largest gain of any order of the list's first k places", () => {
    const discount = (i: number) => (i === 1 ? 1 : 1 / Math.log2(i));
    bed.check(worlds, ({ places, missed, k }) => {
      const G = truthOf(places, missed);
      const list = [...places.keys()];
      const best = Math.max(...[...orders(list.slice(0, k))].map((order) => gain(order, G, k, discount)));
      const expected = best === 0 ? 0 : gain(list, G, k, discount) / best;
      expect(paperNdcg(list, G, k)).toBeCloseTo(expected, 14);
    });
  });

  test("the standard one: the gain over the largest gain of any list at all", () => {
    const discount = (i: number) => 1 / Math.log2(i + 1);
    const small = fc.record({
      places: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      missed: fc.nat(2),
      k: fc.integer({ min: 1, max: 5 }),
    });
    bed.check(small, ({ places, missed, k }) => {
      const G = truthOf(places, missed);
      const list = [...places.keys()];
      const catalogue = [...new Set([...list, ...G])];
      const best = Math.max(...[...orders(catalogue)].map((order) => gain(order, G, k, discount)));
      const expected = best === 0 ? 0 : gain(list, G, k, discount) / best;
      expect(ndcg(list, G, k)).toBeCloseTo(expected, 14);
    });
  });

  test("the paper's is 1 exactly where no miss stands before a hit, or one hit alone stands at place 2", () => {
    bed.check(worlds, ({ places, missed, k }) => {
      const shown = places.slice(0, k);
      const hits = shown.filter(Boolean).length;
      const sorted = shown.slice(0, hits).every(Boolean) || (hits === 1 && shown[1]);
      expect(paperNdcg([...places.keys()], truthOf(places, missed), k) === 1).toBe(hits > 0 && sorted);
    });
  });
});
