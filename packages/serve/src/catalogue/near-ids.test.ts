import { patience } from "@nearkin/core/testing";
import { expect, test } from "vitest";
import { nearIds } from "./near-ids.ts";

const ids = Array.from({ length: 50_000 }, (_, i) => `tt${String(i * 7).padStart(7, "0")}`);

test("finds what one slip leads to, wherever it is", () => {
  expect(nearIds("tt0000O07", ids)).toContain("tt0000007");
  expect(nearIds("xt0000700", ids)).toContain("tt0000700");
  expect(nearIds("tt000070", ids)).toContain("tt0000700");
  expect(nearIds("TT0000707", ids)[0]).toBe("tt0000707");
});

test("finds longer ids that begin alike, after those a slip away", () => {
  const films = ["alien-1979", "aliens-1986", "the-alien-1999", "alian", "solaris-1972"];
  expect(nearIds("Alien", films)).toEqual(["alian", "alien-1979", "aliens-1986"]);
  expect(nearIds("al", films)).toEqual([]);
});

test("finds nothing near where nothing is", () => {
  expect(nearIds("completely different", ids)).toEqual([]);
  expect(nearIds("x".repeat(500), ids)).toEqual([]);
  expect(nearIds("", ids)).toEqual([]);
});

test("a pass over 160,000 ids holds nobody up", () => {
  const many = Array.from({ length: 160_000 }, (_, i) => `item-${i}`);
  nearIds("item-5x5", many);
  const times = Array.from({ length: 5 }, (_, i) => {
    const started = performance.now();
    nearIds(`item-${i}x5`, many);
    return performance.now() - started;
  });
  expect(Math.min(...times)).toBeLessThan(60 * patience); // some 5 ms on a quiet machine
});
