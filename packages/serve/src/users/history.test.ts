import { expect, test } from "vitest";
import { historyOf } from "./history.ts";

test("each item once, where it was last met, with the rating given last", () => {
  const events = [
    { item: "a", rating: 3, time: 1 },
    { item: "b", rating: null, time: 2 },
    { item: "a", rating: null, time: 3 },
    { item: "c", rating: 2, time: 4 },
    { item: "c", rating: 5, time: 5 },
  ];
  expect(historyOf(events)).toEqual([
    { item: "b", rating: null, time: 2 },
    { item: "a", rating: 3, time: 3 },
    { item: "c", rating: 5, time: 5 },
  ]);
});
