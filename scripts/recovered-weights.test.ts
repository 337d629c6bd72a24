// docs/personalisation.md and its drawing are what was measured: npm run recovered-weights -- --draw.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { correlation } from "./recovered-weights.ts";
import { type RecoveredWeights, recoveredDrawing, recoveredTable } from "./recovered-weights-page.ts";

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", "docs", path), "utf8");
const recovered = JSON.parse(read("results/recovered-weights.json")) as RecoveredWeights;

test("the recovered weights in docs/personalisation.md are those in docs/results/recovered-weights.json", () => {
  const block = read("personalisation.md").match(/<!-- recovered -->\n([\s\S]*?)\n<!-- \/recovered -->/)?.[1];
  expect(block).toBe(recoveredTable(recovered));
});

test("the drawing has the same figures, in words too", () => {
  const drawing = read("results/recovered-weights.svg");
  expect(drawing).toBe(recoveredDrawing(recovered));
  expect(drawing).toMatch(/<title [^>]*>[^<]+<\/title><desc [^>]*>choice, 100: \.\d\d at 5,/);
});

test("what users share does not count as recovered", () => {
  const pairs = [
    { fitted: [1, 7], truth: [10, -5] },
    { fitted: [2, 6], truth: [12, -7] },
    { fitted: [3, 5], truth: [14, -9] },
  ];
  expect(correlation(pairs)).toBeCloseTo(1, 12);
  expect(correlation(pairs.map(({ fitted, truth }) => ({ fitted, truth: truth.map((t) => -t) })))).toBeCloseTo(-1, 12);
});
