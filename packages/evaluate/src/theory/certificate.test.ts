import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { certifiedGap, certifyDistances, certifyKernels } from "./certificate.ts";

const distance = fc.double({ min: -5, max: 60, noNaN: true });
const pairs = fc.array(fc.tuple(distance, distance), { minLength: 1, maxLength: 20 });
const near = fc.array(
  fc.tuple(distance, fc.double({ min: -1.3, max: 1.3, noNaN: true })).map(([D, by]) => [D, D + by] as const),
  { minLength: 1, maxLength: 20 },
);

describe("Lemma 2", () => {
  test("a ratio within 1 ± ε keeps distances within 2·log(1/(1 − ε)), and at 1 − ε no closer", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 0.999, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (epsilon, place) => {
          const gap = certifiedGap(epsilon) as number;
          const difference = -2 * Math.log1p(place * epsilon); // D₂ − D₁ = −2·log(k₂/k₁)
          expect(Math.abs(difference)).toBeLessThanOrEqual(gap * (1 + 1e-12));
          expect(-2 * Math.log1p(-epsilon)).toBe(gap);
        },
      ),
    );
  });

  test("nothing from ε = 1 on", () => {
    expect(certifiedGap(0)).toBe(0);
    expect(certifiedGap(0.5)).toBeCloseTo(2 * Math.log(2), 15);
    expect([certifiedGap(1), certifiedGap(7)]).toEqual([null, null]);
    expect(() => certifiedGap(-0.1)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: epsilon must be at least 0, got -0.1]`,
    );
  });
});

describe("Lemma 3", () => {
  test("the certificate is never below what is measured, and there is one exactly where no kernel value doubles: ε < 1", () => {
    fc.assert(
      fc.property(fc.oneof(pairs, near), (own) => {
        const { pairs: count, epsilon, bound, gap } = certifyDistances(own);
        expect(count).toBe(own.length);
        expect(gap).toBe(Math.max(0, ...own.map(([a, b]) => Math.abs(b - a))));
        const ratios = own.map(([a, b]) => Math.abs(Math.expm1(-0.5 * (b - a))));
        expect(epsilon).toBeCloseTo(Math.max(0, ...ratios), 9);
        expect(bound === null).toBe(own.some(([a, b]) => Math.expm1(0.5 * (a - b)) >= 1));
        if (bound === null) expect(epsilon).toBeGreaterThanOrEqual(1);
        else {
          expect(epsilon).toBeLessThanOrEqual(1); // 1 by rounding
          expect(bound).toBeGreaterThanOrEqual(gap);
          if (epsilon < 0.99) expect(bound).toBeCloseTo(certifiedGap(epsilon) as number, 9);
        }
      }),
    );
  });

  test("a distance that grew by a lot is certified to the last digit: ε is below 1, though by less than a double can say", () => {
    expect(certifyDistances([[1, 101]])).toEqual({ pairs: 1, epsilon: 1, bound: 100, gap: 100, widest: 0 });
    expect(certifyDistances([[101, 1]])).toMatchObject({ bound: null, gap: 100 });
    const { epsilon, bound, gap } = certifyKernels([1, 0.5], [Math.exp(-50), 0.5]); // the same of kernels
    expect(epsilon).toBe(1);
    expect(bound).toBeCloseTo(100, 12);
    expect(gap).toBeCloseTo(100, 12);
    expect(certifyKernels([1e-200], [1e200])).toMatchObject({ epsilon: Infinity, bound: null });
    expect(certifyKernels([1e200], [1e-200]).bound).toBeCloseTo(800 * Math.log(10), 9);
  });

  test("k₂ = 2k₁ is where it ends: ε = 1", () => {
    expect(certifyKernels([0.25], [0.5])).toMatchObject({ bound: null });
    expect(certifyKernels([0.25], [0.4999]).bound).toBeGreaterThan(15);
    expect(certifyDistances([[2 * Math.LN2 + 1e-9, 0]])).toMatchObject({ bound: null });
    expect(certifyDistances([[2 * Math.LN2 - 1e-9, 0]]).bound).toBeGreaterThan(40);
  });

  test("of no pair nothing is certified", () => {
    for (const empty of [() => certifyDistances([]), () => certifyKernels([], [])]) {
      expect(empty).toThrowErrorMatchingInlineSnapshot(
        `[NearkinError: certificate: no pairs; it takes one to say something about]`,
      );
    }
  });

  test("names the pair that is farthest off", () => {
    expect(
      certifyDistances([
        [1, 1],
        [2, 2.5],
        [3, 2.8],
      ]),
    ).toMatchObject({ widest: 1, gap: 0.5 });
    expect(certifyDistances([[4, 4]])).toEqual({ pairs: 1, epsilon: 0, bound: 0, gap: 0, widest: -1 });
  });

  test("two kernels with variances of their own: the ratio of these is added", () => {
    const variance = fc.double({ min: 0.8, max: 1.25, noNaN: true });
    fc.assert(
      fc.property(near, variance, variance, (own, first, second) => {
        const of = (v: number, at: 0 | 1) => own.map((pair) => v * Math.exp(-0.5 * pair[at]));
        const { bound, gap, offset } = certifyKernels(of(first, 0), of(second, 1), { first, second });
        expect(gap).toBeCloseTo(certifyDistances(own).gap, 9);
        expect(offset).toBeCloseTo(2 * Math.abs(Math.log(second / first)), 12);
        if (bound !== null) expect(bound).toBeGreaterThanOrEqual(gap);
      }),
    );
    const alone = certifyKernels([0.5, 0.2], [0.4, 0.21]);
    expect(alone).toMatchObject({ pairs: 2, widest: 0, offset: 0 });
    expect(alone.epsilon).toBeCloseTo(0.2, 15);
    expect(alone.bound).toBeCloseTo(-2 * Math.log(0.8), 14);
  });

  test("without the variances the lemma would be wrong: equal kernels of different variance are different distances", () => {
    const [k, first, second] = [[0.3, 0.6], 1, 2];
    const { epsilon, bound, gap } = certifyKernels(k, k, { first, second });
    expect(epsilon).toBe(0);
    expect(gap).toBeCloseTo(2 * Math.log(2), 14);
    expect(bound).toBeGreaterThanOrEqual(gap);
  });

  test("what is no kernel is refused", () => {
    expect(() => certifyKernels([0.5], [0.5, 0.4])).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: certificate: as many values of the second kernel as of the first, 1, got 2; compare the same pairs]`,
    );
    expect(() => certifyKernels([0.5, 0], [0.5, 0.4])).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: certificate: kernel value 1 must be above 0 and finite, got 0]`,
    );
    expect(() => certifyDistances([[1, Number.NaN]])).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: certificate: pair 0 has the distances 1 and NaN]`,
    );
  });
});
