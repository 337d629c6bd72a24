import type { Training } from "@nearkin/client";
import { expect, test } from "vitest";
import { summaryRows } from "./training-summary.ts";

const training = (stages: Training["stages"], seconds: number | null): Training => ({
  model: "a".repeat(64),
  folder: "films",
  dataset: { id: "d", name: "films", simulated: false },
  tools: {},
  engine: { kind: "wasm", reproducible: true, library: null },
  settings: {},
  seeds: { train: 1 },
  noise: { variance: 3, perRating: 0, signal: 1 },
  rating: { centre: 3, scale: 1 },
  temperature: 0.2,
  popularity: 0,
  stages,
  warnings: [],
  from: null,
  selection: null,
  timing: seconds === null ? null : { started: 0, seconds, resumed: false, cores: 2 },
  missing: [],
});
const siamese = { name: "siamese", steps: 400, best: 250, metrics: { hr: 0.9, mrr: 1 }, curves: null, seconds: null };
const ssl = { name: "ssl", steps: 1500, best: 0, metrics: { hr: 0.91 }, curves: null, seconds: null };

test("stages stand side by side by their name; what is missing is a dash", () => {
  expect(
    summaryRows(training([siamese], 34), training([siamese, ssl], null)).map(({ name, a, b }) => [name, a, b]),
  ).toEqual([
    ["siamese: step kept, of all", "250 of 400", "250 of 400"],
    ["siamese: HR", "0.900", "0.900"],
    ["siamese: MRR", "1.000", "1.000"],
    ["siamese: NDCG", "–", "–"],
    ["ssl: step kept, of all", "–", "0 of 1,500"],
    ["ssl: HR", "–", "0.910"],
    ["ssl: MRR", "–", "–"],
    ["ssl: NDCG", "–", "–"],
    ["Explained by the metric", "25\u00a0%", "25\u00a0%"],
    ["Warnings", "0", "0"],
    ["Took", "34 s", "–"],
  ]);
});
