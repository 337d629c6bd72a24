import { describe, expect, test } from "vitest";
import {
  count,
  decimals,
  duration,
  listed,
  percent,
  plural,
  pValue,
  rangeText,
  signed,
  significant,
} from "./numbers.ts";

test.each([
  [0.1734, "0.173"],
  [-0.1234, "−0.123"],
  [-0.0001, "0.000"],
  [1, "1.000"],
  [null, "–"],
  [undefined, "–"],
  [Number.NaN, "–"],
])("decimals of %s are %s", (value, text) => expect(decimals(value)).toBe(text));

test("differences have a sign, but for nothing", () => {
  expect([0.02, -0.02, 0, 0.0001].map((value) => signed(value))).toEqual(["+0.020", "−0.020", "0.000", "0.000"]);
});

test("digits that count", () => {
  expect([0.0012345, 12.345, -3.21, 1e-9].map((value) => significant(value))).toEqual([
    "0.00123",
    "12.3",
    "−3.21",
    "1e−9",
  ]);
});

test("percent has a digit more below ten", () => {
  expect([0, 0.034, 0.4, 1, -0.05].map(percent)).toEqual(
    ["0 %", "3.4 %", "40 %", "100 %", "−5.0 %"].map((text) => text.replace(" ", "\u00a0")),
  );
});

describe("intervals", () => {
  test("stand in brackets", () => expect(rangeText({ low: 0.16, high: 0.187 })).toBe("[0.160,\u00a00.187]"));
  test("of differences have signs", () =>
    expect(rangeText({ low: -0.01, high: 0.02 }, signed)).toBe("[−0.010,\u00a0+0.020]"));
  test("that were not measured are left out", () => expect(rangeText({ low: null, high: 0.2 })).toBe(""));
});

test("p has the digits that decide", () => {
  expect([0.0001, 0.0099, 0.0101, 0.04, 1].map(pValue)).toEqual(
    ["p < 0.001", "p = 0.010", "p = 0.010", "p = 0.04", "p = 1.00"].map((text) => text.replaceAll(" ", "\u00a0")),
  );
});

test.each([
  [0.84, "0.8 s"],
  [34.2, "34 s"],
  [59.7, "1 min"],
  [276, "4 min 36 s"],
  [7199, "2 h"],
  [7500, "2 h 5 min"],
  [null, "–"],
])("%s seconds are %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test("counts and lists", () => {
  expect(count(16158)).toBe("16,158");
  expect(plural(1, "query", "queries")).toBe("1 query");
  expect(plural(2, "item")).toBe("2 items");
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(listed)).toEqual(["", "a", "a and b", "a, b and c"]);
});
