import { expect, test } from "vitest";
import { seedOf } from "./seeds.ts";

const rated = (item: string, rating: number, time: number) => ({ item, title: null, rating, time, changed: time });
const ratings = [rated("a", 5, 1), rated("b", 2, 2), rated("c", 5, 3)];

test.each([
  [null, "c"], // the best, the last of them
  ["b", "b"],
  ["gone", "c"],
])("asked for %s, it is %s", (asked, item) => {
  expect(seedOf(ratings, asked)?.item).toBe(item);
});

test("nothing without ratings", () => {
  expect(seedOf([], "a")).toBeUndefined();
});
