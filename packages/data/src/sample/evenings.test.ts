import { Random } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import { drawEvenings } from "./evenings.ts";
import { PARAMETERS } from "./parameters.ts";

const { opening, closing, activity } = PARAMETERS;
const users = Array.from({ length: 400 }, (_, u) => drawEvenings(new Random(11).split(u)));

describe("drawEvenings", () => {
  test("times ascend strictly, between opening and closing", () => {
    for (const evenings of users) {
      const times = evenings.flat();
      expect(times.every((time, k) => Number.isInteger(time) && (k === 0 || time > times[k - 1]))).toBe(true);
      expect(times[0]).toBeGreaterThanOrEqual(opening);
      expect(times[times.length - 1]).toBeLessThan(closing);
    }
  });

  test("an evening lies between 18:00 and midnight", () => {
    const hours = users.flat(2).map((time) => (time % 86_400) / 3600);
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(18);
    expect(Math.max(...hours)).toBeLessThan(24);
  });

  test("counts are within their bounds, and skewed", () => {
    const counts = users.map((evenings) => evenings.flat().length).sort((a, b) => a - b);
    expect(counts[0]).toBeGreaterThanOrEqual(activity.least);
    expect(counts[counts.length - 1]).toBeLessThanOrEqual(activity.most);
    const mean = counts.reduce((sum, x) => sum + x) / counts.length;
    expect(mean / counts[200]).toBeGreaterThan(1.1);
  });

  test("weeks lie between most evenings", () => {
    const gaps = users.flatMap((evenings) => evenings.slice(1).map((e, k) => (e[0] - evenings[k][0]) / 86_400));
    gaps.sort((a, b) => a - b);
    expect(gaps[gaps.length >> 1]).toBeGreaterThan(7);
    expect(gaps[gaps.length >> 1]).toBeLessThan(42);
  });

  test("some users are there in the last month, most are not", () => {
    const share =
      users.filter((evenings) => evenings[evenings.length - 1][0] > closing - 31 * 86_400).length / users.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.3);
  });
});
