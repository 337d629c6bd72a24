import { expect, test } from "vitest";
import type { Drawn } from "../../experiments/curve.ts";
import { samplePaperReport } from "./testing/sample-paper-report.ts";
import { asThePaperFinds, type Comparison, comparisons, inWords, type Verdict, verdictOf } from "./verdict.ts";

const compared = (low: number, high: number, better: number, p: number) => ({
  difference: { mean: (low + high) / 2, low, high },
  test: { better, equal: 0, worse: 10 - better, p },
});

test("better and worse need an interval on one side of 0, and a sure sign test on the same side", () => {
  expect(
    [
      compared(0.01, 0.03, 9, 0.001),
      compared(-0.03, -0.01, 1, 0.001),
      compared(-0.01, 0.03, 9, 0.001), // the mean may be 0
      compared(0.01, 0.03, 9, 0.01), // chance may explain the counts
      compared(0.01, 0.03, 1, 0.001), // few items gain much, most lose a little
      compared(0.01, 0.03, 9, Number.NaN),
    ].map(verdictOf),
  ).toEqual(["better", "worse", "open", "open", "open", "open"]);
});

const withVerdicts = (...verdicts: Verdict[]): Comparison => ({
  name: "SPE",
  figures: (["paper HR", "paper MRR", "paper NDCG"] as const).map((metric: Drawn, i) => ({
    metric,
    compared: compared(0, 0, 5, 1),
    verdict: verdicts[i],
  })),
});

test("in words", () => {
  expect(inWords(withVerdicts("better", "better", "better"))).toBe("better on all three figures");
  expect(inWords(withVerdicts("open", "better", "better"))).toBe("better on MRR and NDCG, no clear difference on HR");
  expect(inWords(withVerdicts("worse", "open", "worse"))).toBe("worse on HR and NDCG, no clear difference on MRR");
});

test("as the paper finds: all of it, some, or nothing", () => {
  const [all, some, none] = [
    withVerdicts("better", "better", "better"),
    withVerdicts("better", "open", "worse"),
    withVerdicts("open", "open", "worse"),
  ];
  expect([asThePaperFinds([all, all]), asThePaperFinds([all, none]), asThePaperFinds([some])]).toEqual([
    "all",
    "some",
    "some",
  ]);
  expect(asThePaperFinds([none])).toBe("none");
});

test("every row but SSL's own is compared", () => {
  expect(comparisons(samplePaperReport.result).map(({ name, figures }) => [name, figures[0].verdict])).toEqual([
    ["SIAMESE", "better"],
    ["SIAMESE, ratings as a channel", "open"],
    ["SPE", "worse"],
  ]);
});
