import { expect, test } from "vitest";
import { type Calibration, coverageOf, errorRows, errorVerdict, reliabilityVerdict } from "./calibration.ts";
import { strataDots, strataRows } from "./strata.ts";

const calibration = (items: number, coverage: Record<string, number>): Calibration => ({
  items,
  rmse: 0.4,
  rmseOfMean: 0.5,
  nll: { mean: 1, low: 0.9, high: 1.1 },
  nllOfMean: 1.2,
  coverage,
  byRatings: [],
});

test("coverage is in the order of what is promised", () => {
  expect(coverageOf(calibration(10, { "0.95": 0.9, "0.5": 0.4 }))).toEqual([
    { promised: 0.5, actual: 0.4 },
    { promised: 0.95, actual: 0.9 },
  ]);
});

test.each([
  ["kept", 1000, { "0.5": 0.52, "0.95": 0.94 }, /keep what they promise/],
  ["too narrow", 1000, { "0.5": 0.4, "0.95": 0.94 }, /too narrow: the model is surer/],
  ["too wide", 1000, { "0.5": 0.6, "0.95": 0.97 }, /wider than/],
  ["both", 1000, { "0.5": 0.3, "0.8": 0.9 }, /not normal/],
  ["too few items to tell", 18, { "0.5": 0.35 }, /as far as 18 items can tell/],
])("intervals: %s", (_, items, coverage, words) => {
  expect(reliabilityVerdict(calibration(items, coverage))).toMatch(words);
});

test("rows of the same items are one", () => {
  const row = (least: number, items: number) => ({ least, items, rmse: 0.4, rmseOfMean: 0.5, correlation: 0.1 });
  const byRatings = [row(1, 18), row(3, 18), row(10, 12), row(30, 12)];
  expect(errorRows({ byRatings }).map(({ least }) => least)).toEqual([1, 10]);
});

test.each([
  [0.4, 0.5, "the model errs less"],
  [0.5, 0.4, "the model errs more"],
  [0.495, 0.5, "about the same"],
])("an error of %d against %d: %s", (rmse, rmseOfMean, words) => {
  expect(errorVerdict({ rmse, rmseOfMean })).toBe(words);
});

test("rows without any third are left out, thirds without a figure have no dot", () => {
  const recommender = (name: string, head: number | null, tail: number | null) => ({
    name,
    kind: "model" as const,
    seeds: [1],
    catalogue: { coverage: null, diversity: null, popularity: null, ties: null },
    truths: { affinity: { queries: 1, metrics: {} as never, strata: { head, middle: null, tail } } },
  });
  const rows = strataRows({ recommenders: [recommender("a", null, null), recommender("b", 0.5, 0.1)] }, "affinity");
  expect(rows.map(({ name }) => name)).toEqual(["b"]);
  expect(strataDots(rows)).toEqual([
    { row: 0, series: 0, stratum: "head", value: 0.5 },
    { row: 0, series: 2, stratum: "tail", value: 0.1 },
  ]);
});
