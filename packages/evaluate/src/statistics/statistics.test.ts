import { Random } from "@nearkin/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bootstrapMean, differences, percentile } from "./bootstrap.ts";
import { directionOf, signTest } from "./sign-test.ts";

test("a bootstrap interval has the width that the normal approximation gives", () => {
  const random = new Random(3);
  const values = Array.from({ length: 400 }, () => random.normal());
  const { mean, low, high } = bootstrapMean(values);
  const deviation = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length);
  expect((high - low) / 2).toBeCloseTo((1.96 * deviation) / 20, 2);
  expect((high + low) / 2).toBeCloseTo(mean, 2);
});

test("95 % intervals hold the true mean about 95 times in 100", () => {
  let held = 0;
  for (let trial = 0; trial < 200; trial++) {
    const random = new Random(trial);
    const values = Array.from({ length: 60 }, () => (random.uniform() < 0.3 ? 1 : 0));
    const { low, high } = bootstrapMean(values, { resamples: 400, seed: trial });
    if (low <= 0.3 && 0.3 <= high) held++;
  }
  expect(held).toBeGreaterThan(180);
  expect(held).toBeLessThan(200);
});

test("the same seed gives the same interval, another one another", () => {
  const values = [0, 1, 0, 0, 1, 1, 0, 1, 0.5];
  expect(bootstrapMean(values)).toEqual(bootstrapMean(values));
  expect(bootstrapMean(values, { seed: 2 })).not.toEqual(bootstrapMean(values));
});

test("no values, no interval", () => {
  expect(bootstrapMean([])).toEqual({ mean: Number.NaN, low: Number.NaN, high: Number.NaN });
});

test("percentiles lie between their neighbours", () => {
  expect(percentile([1, 2, 4], 0.5)).toBe(2);
  expect(percentile([1, 2, 4], 0.75)).toBe(3);
  expect(percentile([7], 0.975)).toBe(7);
});

test("only the same items can be compared", () => {
  expect(() => differences([1, 2], [1])).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: differences: 2 values against 1; compare the same items]`,
  );
});

// Binomial tails from tables: 2·P(X ≤ k), n coins.
test.each([
  [10, 0, 0.001953125],
  [9, 1, 0.021484375],
  [8, 2, 0.109375],
  [5, 5, 1],
  [17, 3, 0.0025768280029296875],
])("%i better and %i worse is p = %f", (better, worse, p) => {
  const a = [...Array(better).fill(1), ...Array(worse).fill(0), 0.5];
  const b = [...Array(better).fill(0), ...Array(worse).fill(1), 0.5];
  const result = signTest(a, b);
  expect(result).toMatchObject({ better, worse, equal: 1 });
  expect(result.p).toBeCloseTo(p, 12);
});

test("thousands of items neither overflow nor vanish", () => {
  const a = Array.from({ length: 20_000 }, (_, i) => (i < 10_200 ? 1 : 0));
  const { p } = signTest(
    a,
    a.map((value) => 1 - value),
  );
  expect(p).toBeCloseTo(0.00479, 4); // 2Φ(−(200 − ½)/√5000)
});

test("what differs by rounding alone counts as equal", () => {
  expect(signTest([0.1 + 0.2], [0.3])).toEqual({ better: 0, equal: 1, worse: 0, p: 1 });
});

test("swapping the sides swaps better and worse, and keeps p", () => {
  const values = fc.array(fc.tuple(fc.double({ min: 0, max: 1 }), fc.double({ min: 0, max: 1 })), { maxLength: 30 });
  fc.assert(
    fc.property(values, (pairs) => {
      const a = pairs.map(([x]) => x);
      const b = pairs.map(([, y]) => y);
      const one = signTest(a, b);
      const other = signTest(b, a);
      expect([other.worse, other.better, other.p]).toEqual([one.better, one.worse, one.p]);
      expect(one.p).toBeGreaterThanOrEqual(0);
      expect(one.p).toBeLessThanOrEqual(1);
    }),
  );
});

test("a direction needs the mean and most items on one side", () => {
  const test = { better: 10, equal: 0, worse: 30, p: 0.002 };
  expect(directionOf({ difference: { mean: 0.175 }, test })).toBe("open"); // a few much better, most a little worse
  expect(directionOf({ difference: { mean: -0.1 }, test })).toBe("worse");
  expect(directionOf({ difference: { mean: 0.1 }, test: { ...test, better: 30, worse: 10 } })).toBe("better");
  expect(directionOf({ difference: { mean: -0.1 }, test: { ...test, p: 0.02 } })).toBe("open");
});
