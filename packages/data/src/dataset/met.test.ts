import { expect, test } from "vitest";
import { lastMet } from "./met.ts";

test("an item that was met again counts where it was met last, with the rating it got then", () => {
  expect([...lastMet([3, 1, 3, 2], [5, 4, 1, 2])]).toEqual([
    [1, 4],
    [3, 1],
    [2, 2],
  ]);
});
