import type { Dataset } from "@nearkin/data";
import { expect, test } from "vitest";
import { gatherPaperReport } from "./gather.ts";
import { samplePaperReport } from "./testing/sample-paper-report.ts";

const { result, settings } = samplePaperReport;

/** The name on the page of folds in folders of these names, that came from `files`. */
function nameOn(names: readonly string[], files: string | string[] = "ratings.csv"): string {
  const datasets = names.map((name, i) => {
    const roles = { train: 8, validation: 1, test: 1 };
    const config = { interactions: { files }, split: { by: "random", fraction: 0.1, fold: i + 1 } };
    const counts = { items: 10, users: 5, interactions: 50, roles };
    return {
      manifest: { name, id: name, simulated: false, counts, ratings: {}, channels: {}, config },
    } as unknown as Dataset;
  });
  return gatherPaperReport(datasets, { result, settings, commands: [], environment: {} }).data.name;
}

test("a dataset has its own name, and so have folds that share one", () => {
  expect([nameOn(["films-2024"]), nameOn(["films", "films"])]).toEqual(["films-2024", "films"]);
});

test("folds without a name are called after their source, not after the first of their folders", () => {
  const folds = ["f1", "f2"];
  expect([
    nameOn(folds, "../data/ml-1m/ratings.dat"),
    nameOn(folds, "C:\\data\\films\\ratings.csv"),
    nameOn(folds, ["films/2023.csv", "films/2024.csv"]),
    nameOn(folds, "films/*.csv"),
    nameOn(folds, "./ratings.csv"),
    nameOn(folds, "*.csv"),
    nameOn(folds, ["2023.csv", "2024.csv"]),
    nameOn(folds, ["a/2023.csv", "b/2024.csv"]),
  ]).toEqual(["ml-1m", "films", "films", "films", "ratings.csv", "the dataset", "the dataset", "the dataset"]);
});
