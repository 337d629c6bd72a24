import type { Dataset } from "@nearkin/data";
import { expect, test } from "vitest";
import { checkFolds } from "./folds.ts";

interface Parts {
  sha256?: string;
  encoder?: string;
  seed?: number;
  split?: object;
}

const random = { by: "random", fraction: 0.2, fold: 1 };
const dataset = (folder: string, { sha256 = "a", seed = 1, split = random, encoder = "minilm" }: Parts) =>
  ({
    folder,
    manifest: {
      inputs: [{ name: "ratings.csv", bytes: 1, sha256 }],
      config: { name: "films", seed, split },
      tools: { "@nearkin/data": "1" },
      channels: { plot: { transform: { type: "text", encoder: { kind: encoder } } }, year: { transform: {} } },
    },
  }) as unknown as Dataset;

const fold = (k: number, more: Parts = {}) =>
  dataset(`fold-${k}`, { split: { by: "random", fraction: 0.2, fold: k }, ...more });

const problem = (...datasets: Dataset[]) => {
  try {
    checkFolds(datasets);
    return "accepted";
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
};

test("folds of one dataset differ in the fold alone", () => {
  expect([problem(), problem(fold(1)), problem(fold(1), fold(2), fold(5))]).toEqual([
    "accepted",
    "accepted",
    "accepted",
  ]);
});

test("all else is named", () => {
  expect(
    [
      problem(fold(1), fold(2, { sha256: "b" })),
      problem(fold(1), fold(2, { seed: 2 })),
      problem(fold(1), fold(2, { encoder: "lsa" })),
      problem(fold(1), dataset("half", { split: { by: "random", fraction: 0.1, fold: 2 } })),
      problem(fold(1), fold(2), fold(2)),
      problem(dataset("first", { split: { by: "random", fraction: 0.2 } }), fold(1)), // no fold is the first
      problem(dataset("a", { split: { by: "time" } }), dataset("b", { split: { by: "time" } })),
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "BAD_ARGUMENT: fold-2 is no fold of fold-1: it was made from other files
    BAD_ARGUMENT: fold-2 is no fold of fold-1: it was prepared with another seed; folds differ in split.fold alone
    BAD_ARGUMENT: fold-2 is no fold of fold-1: it was prepared with another encoder; folds differ in split.fold alone
    BAD_ARGUMENT: half is no fold of fold-1: it was prepared with another split; folds differ in split.fold alone
    BAD_ARGUMENT: fold-2 and fold-2 have the same test items; folds are prepared with split.by: random, and split.fold: 1, 2, … in turn
    BAD_ARGUMENT: first and fold-1 have the same test items; folds are prepared with split.by: random, and split.fold: 1, 2, … in turn
    BAD_ARGUMENT: a and b have the same test items; folds are prepared with split.by: random, and split.fold: 1, 2, … in turn"
  `);
});
