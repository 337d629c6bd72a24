import type { Personalisation } from "@nearkin/client";
import { expect, test } from "vitest";
import { experimentBands, inWords } from "./experiment.ts";
import { ownFit, pathOf, ratingCounts, refitBands, userBars } from "./personal.ts";

const figure = (mean: number | null, overRuns = 0) => ({ mean, low: mean, high: mean, overRuns });
const compared = (mean: number | null) => ({
  ...figure(mean, 0.01),
  difference: { mean: 0.1, low: 0.05, high: 0.15 },
  test: { better: 9, equal: 0, worse: 1, p: 0.02 },
});
const all = <Value>(value: Value) => ({ "paper HR": value, "paper MRR": value, "paper NDCG": value });
const refit = (start: string, ratings: number | null, step: number | null, mean: number | null) => ({
  start,
  ratings,
  step,
  metrics: all(compared(mean)),
});

const result = {
  base: all(figure(0.2)),
  refits: [
    refit("shared", null, 0, 0.2),
    refit("shared", null, 10, 0.22),
    refit("learned", null, 0, 0.25),
    refit("learned", null, 10, null),
    refit("fit", null, null, 0.3),
    refit("shared", 10, 10, 0.21),
    refit("fit", 5, null, 0.26),
  ],
  shown: [{ ratings: 12, base: all(0.1), personal: all(null) }],
} as unknown as Personalisation;

test("paths are of one start and number of ratings", () => {
  expect(pathOf(result, "shared", null).map(({ step }) => step)).toEqual([0, 10]);
  expect(ownFit(result)?.metrics["paper HR"].mean).toBe(0.3);
  expect(ratingCounts(result)).toEqual([5, 10, null]);
});

test("bands leave out what was not measured", () => {
  expect(refitBands(result, "paper HR")).toEqual({
    curves: [
      {
        name: "from the shared weights",
        points: [
          { step: 0, mean: 0.2, deviation: 0.01 },
          { step: 10, mean: 0.22, deviation: 0.01 },
        ],
      },
      { name: "from the learned weights", points: [{ step: 0, mean: 0.25, deviation: 0.01 }] },
    ],
    levels: [
      { name: "the metric that all share", mean: 0.2, deviation: 0 },
      { name: "the model's own fit", mean: 0.3, deviation: 0.01 },
    ],
  });
});

test("bars have a value for each way", () => {
  expect(userBars(result, "paper MRR")).toEqual([{ ratings: 12, shared: 0.1, own: null }]);
});

test("the paper's curve is SSL by iteration, others are levels", () => {
  const paper = {
    curve: [
      { step: 0, metrics: all({ mean: 0.1, deviation: 0.02 }) },
      { step: 25, metrics: all({ mean: null, deviation: null }) },
    ],
    lines: [{ name: "SPE", metrics: all({ mean: 0.15, deviation: null }) }],
  } as never;
  expect(experimentBands(paper, "paper HR")).toEqual({
    curves: [{ name: "SSL", points: [{ step: 0, mean: 0.1, deviation: 0.02 }] }],
    levels: [{ name: "SPE", mean: 0.15, deviation: 0 }],
  });
});

test("verdicts are told by measure", () => {
  const verdict = (low: number, high: number, better: number, worse: number, p: number) => ({
    difference: { mean: (low + high) / 2, low, high },
    test: { better, equal: 0, worse, p },
  });
  const better = verdict(0.1, 0.2, 20, 0, 1e-6);
  const open = verdict(-0.1, 0.2, 11, 9, 0.8);
  expect(inWords(all(better))).toBe("better on all three");
  expect(inWords({ "paper HR": better, "paper MRR": open, "paper NDCG": better })).toBe(
    "better on HR and NDCG, not clearly different on MRR",
  );
});
