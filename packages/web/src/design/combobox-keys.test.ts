import { expect, test } from "vitest";
import { nextActive } from "./combobox-keys.ts";

test.each([
  [-1, 3, "ArrowDown", 0],
  [1, 3, "ArrowDown", 2],
  [2, 3, "ArrowDown", 0],
  [-1, 3, "ArrowUp", 2],
  [0, 3, "ArrowUp", 2],
  [2, 3, "ArrowUp", 1],
  [0, 0, "ArrowDown", -1],
  [-1, 0, "ArrowUp", -1],
] as const)("from %i of %i, %s leads to %i", (active, count, key, expected) => {
  expect(nextActive(active, count, key)).toBe(expected);
});
