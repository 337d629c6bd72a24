import { expect, test } from "vitest";
import { itemIds, scoresOf } from "./events-world.ts";
import { recentPopularity } from "./popularity.ts";

const DAY = 86_400;

test("an event counts half after a half-life, and the last one wholly", () => {
  const histories = { items: Int32Array.of(0, 1, 1, 2), times: Float64Array.of(0, 0, 20 * DAY, 10 * DAY) };
  const scores = scoresOf(recentPopularity(histories, { ids: itemIds(4), halfLife: 10 }), 3, 4);
  expect(scores).toEqual([0.25, 1.25, 0.5, -Infinity]);
});

test("refuses a half-life of 0", () => {
  const histories = { items: Int32Array.of(), times: Float64Array.of() };
  expect(() => recentPopularity(histories, { ids: [], halfLife: 0 })).toThrow(
    "recent popularity: halfLife must be above 0, got 0",
  );
});
