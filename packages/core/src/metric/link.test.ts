// The table of links: D = φ(t), its slope by differences, and the same D as the engine's kernel makes of it.
import { expect, test } from "vitest";
import type { Link } from "../linalg/engine.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { applyLink, linkSlope } from "./link.ts";

const LINKS: readonly Link[] = ["linear", "saturating", "sigmoid"];

test.each(LINKS)("%s: slope by central differences", (link) => {
  for (const t of [0, 1e-6, 0.3, 1, 2.5, 8, -0.7]) {
    const step = 1e-5;
    const numeric = (applyLink(link, t + step, -0.4) - applyLink(link, t - step, -0.4)) / (2 * step);
    expect(Math.abs(linkSlope(link, t, -0.4) - numeric)).toBeLessThan(1e-9);
  }
});

test.each(LINKS)("%s: the engine's kernel is e^(−½D)", (link) => {
  const engine = createPlainEngine();
  const scope = engine.scope();
  const points = [0, 0.01, 0.6, 1.4, 3];
  const Z = scope.matrix(points.length, 1).write(points);
  const K = scope.matrix(points.length, points.length);
  engine.kernel(K, Z, Z, { link, offset: link === "sigmoid" ? 0.3 : 0 });
  points.forEach((x, i) => {
    points.forEach((y, j) => {
      expect(-2 * Math.log(K.get(i, j))).toBeCloseTo(applyLink(link, (x - y) ** 2, 0.3), 14);
    });
  });
});

test("saturating keeps the digits of small distances, and 0 is 0", () => {
  expect(applyLink("saturating", 1e-12)).toBe(1e-12 - 0.5e-24);
  expect(Object.is(applyLink("saturating", 0), 0)).toBe(true);
});
