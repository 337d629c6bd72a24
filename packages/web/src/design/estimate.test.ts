import { expect, test } from "vitest";
import { domainOf } from "./estimate.tsx";

test("the domain of a column holds all its intervals", () => {
  const intervals = [{ low: 0.2, high: 0.4 }, undefined, { low: null, high: null }, { low: 0.3, high: 0.6 }];
  expect(domainOf(intervals)).toEqual([0.2, 0.6]);
  expect(domainOf([])).toEqual([0, 1]);
  expect(domainOf([{ low: 0.8, high: 0.8 }])).toEqual([0, 0.8]);
});
