import { expect, test } from "vitest";
import { carryOver } from "./carry-over.ts";

test("a channel that counted twice for a user counts twice under the next model; new channels count as for all", () => {
  const own = { genres: 2, year: 0.5, gone: 3 };
  const base = { genres: 1, year: 1, gone: 1 };
  expect([...carryOver(own, base, { year: 4, genres: 10, plot: 7 })]).toEqual([2, 20, 7]);
});

test("a shared weight of 0 has no ratio", () => {
  expect([...carryOver({ a: 0, b: 2 }, { a: 0, b: 0 }, { a: 5, b: 5 })]).toEqual([5, 2]);
});

test("names of an object's own are no channels", () => {
  expect([...carryOver({}, {}, { constructor: 3 })]).toEqual([3]);
});
