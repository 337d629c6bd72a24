import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Bed } from "../testing/bed.ts";
import { type Metric, metricFamilies } from "./families.ts";
import { paperHitRate, paperMrr, paperNdcg } from "./paper.ts";
import { hit, mrr, ndcg, precision } from "./standard.ts";

const bed = new Bed({ runs: 300 });
const log2 = Math.log2;

describe("the paper's family (EV9), by hand", () => {
  test.each([
    // [list, G, k, HR, MRR, NDCG]
    { name: "a hit at rank 1", list: [1, 2, 3], truth: [1], k: 3, hr: 1 / 3, rr: 1, gain: 1 },
    {
      name: "a single hit at rank 2 scores 1 as well",
      list: [1, 2, 3],
      truth: [2],
      k: 3,
      hr: 1 / 3,
      rr: 1 / 2,
      gain: 1,
    },
    { name: "rank 3 is discounted", list: [1, 2, 3], truth: [3], k: 3, hr: 1 / 3, rr: 1 / 3, gain: 1 / log2(3) },
    { name: "no hit", list: [1, 2, 3], truth: [9], k: 3, hr: 0, rr: 0, gain: 0 },
    { name: "an empty list", list: [], truth: [9], k: 10, hr: 0, rr: 0, gain: 0 },
    { name: "an empty G", list: [1, 2], truth: [], k: 10, hr: 0, rr: 0, gain: 0 },
    { name: "a short list still divides by k", list: [7, 8], truth: [7, 8, 9], k: 10, hr: 0.2, rr: 1, gain: 1 },
    {
      name: "three hits of ten",
      list: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      truth: [1, 4, 9, 20, 21],
      k: 10,
      hr: 0.3,
      rr: 1 / 2,
      // (1 + 1/log₂5 + 1/log₂10) / (1 + 1 + 1/log₂3)
      gain: (1 + 1 / log2(5) + 1 / log2(10)) / (2 + 1 / log2(3)),
    },
    { name: "what lies beyond k does not count", list: [1, 2, 3], truth: [3], k: 2, hr: 0, rr: 0, gain: 0 },
  ])("$name", ({ list, truth, k, hr, rr, gain }) => {
    const G = new Set(truth);
    expect(paperHitRate(list, G, k)).toBe(hr);
    expect(paperMrr(list, G, k)).toBe(rr);
    expect(paperNdcg(list, G, k)).toBeCloseTo(gain, 14);
  });
});

describe("the standard family (EV9), by hand", () => {
  test.each([
    { name: "a hit at rank 1", list: [1, 2, 3], truth: [1], k: 3, p: 1 / 3, any: 1, rr: 1, gain: 1 },
    { name: "rank 2 is discounted", list: [1, 2, 3], truth: [2], k: 3, p: 1 / 3, any: 1, rr: 1 / 2, gain: 1 / log2(3) },
    { name: "rank 3 is worth a half", list: [1, 2, 3], truth: [3], k: 3, p: 1 / 3, any: 1, rr: 1 / 3, gain: 0.5 },
    { name: "no hit", list: [1, 2, 3], truth: [9], k: 3, p: 0, any: 0, rr: 0, gain: 0 },
    { name: "an empty list", list: [], truth: [9], k: 10, p: 0, any: 0, rr: 0, gain: 0 },
    { name: "an empty G (EV8: to be left out)", list: [1, 2], truth: [], k: 10, p: 0, any: 0, rr: 0, gain: 0 },
    {
      name: "the ideal counts what the list misses",
      list: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      truth: [1, 4, 9, 20, 21],
      k: 10,
      p: 0.3,
      any: 1,
      rr: 1 / 2,
      // ranks 2, 5, 10 against an ideal of five hits
      gain: (1 / log2(3) + 1 / log2(6) + 1 / log2(11)) / (1 + 1 / log2(3) + 1 / 2 + 1 / log2(5) + 1 / log2(6)),
    },
    {
      name: "the ideal has at most k hits",
      list: [3, 4],
      truth: [3, 4, 5, 6, 7],
      k: 2,
      p: 1,
      any: 1,
      rr: 1,
      gain: 1,
    },
  ])("$name", ({ list, truth, k, p, any, rr, gain }) => {
    const G = new Set(truth);
    expect(precision(list, G, k)).toBe(p);
    expect(hit(list, G, k)).toBe(any);
    expect(mrr(list, G, k)).toBe(rr);
    expect(ndcg(list, G, k)).toBeCloseTo(gain, 14);
  });
});

test("one more hit at the end lowers the paper's NDCG, whose ideal grows with it, and raises the standard one", () => {
  const G = new Set([1, 9]);
  expect(paperNdcg([1, 2, 3], G)).toBe(1);
  expect(paperNdcg([1, 2, 9], G)).toBeCloseTo((1 + 1 / log2(3)) / 2, 14);
  expect(ndcg([1, 2, 9], G)).toBeGreaterThan(ndcg([1, 2, 3], G));
});

const queries = fc.record({
  list: fc.uniqueArray(fc.nat(30), { maxLength: 25 }),
  truth: fc.uniqueArray(fc.nat(30), { maxLength: 20 }),
  k: fc.integer({ min: 1, max: 15 }),
});
const all: [string, Metric][] = Object.entries(metricFamilies).flatMap(([family, metrics]) =>
  Object.entries(metrics).map(([name, metric]): [string, Metric] => [`${family} ${name}`, metric]),
);

describe.each(all)("%s", (_, metric) => {
  test("lies in [0, 1]; is 0 exactly without a hit", () => {
    bed.check(queries, ({ list, truth, k }) => {
      const G = new Set(truth);
      const value = metric(list, G, k);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      expect(value === 0).toBe(!list.slice(0, k).some((item) => G.has(item)));
    });
  });

  test("does not see what comes after k, nor which misses there are", () => {
    bed.check(queries, ({ list, truth, k }) => {
      const G = new Set(truth);
      const renamed = list.slice(0, k).map((item) => (G.has(item) ? item : item + 1000));
      expect(metric(renamed, G, k)).toBe(metric(list, G, k));
    });
  });

  test("typed arrays give the same", () => {
    bed.check(queries, ({ list, truth, k }) => {
      const G = new Set(truth);
      expect(metric(Int32Array.from(list), G, k)).toBe(metric(list, G, k));
    });
  });

  test("is never worse when a hit among the first k moves one place up", () => {
    bed.check(queries, ({ list, truth, k }) => {
      const G = new Set(truth);
      const at = list.findIndex((item, i) => i > 0 && i < k && G.has(item) && !G.has(list[i - 1]));
      if (at < 0) return;
      const better = [...list];
      [better[at - 1], better[at]] = [better[at], better[at - 1]];
      expect(metric(better, G, k)).toBeGreaterThanOrEqual(metric(list, G, k) - 1e-15);
    });
  });

  test("looks at ten by default", () => {
    const list = Array.from({ length: 11 }, (_, i) => i);
    expect(metric(list, new Set([10]))).toBe(0);
    expect(metric(list, new Set([9]))).toBeGreaterThan(0);
  });
});
