import { expect, test } from "vitest";
import { ratingAt } from "./stars-place.ts";

test.each([
  [-0.2, 0.5],
  [0, 0.5],
  [0.07, 0.5],
  [0.09, 1],
  [0.2, 1.5], // where the second begins
  [0.7, 4], // the middle of the fourth
  [0.99, 5],
  [1.3, 5],
])("%d of the row is %d stars", (place, rating) => {
  expect(ratingAt(place, 5)).toBe(rating);
});
