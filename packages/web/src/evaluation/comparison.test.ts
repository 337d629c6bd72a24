import type { Evaluation } from "@nearkin/client";
import { describe, expect, test } from "vitest";
import { clearlyBest, directionOf, type Figure, headlineOf, somePoint, verdictOf } from "./comparison.ts";

const compared = (mean: number, [low, high]: [number, number], [better, worse]: [number, number], p: number) => ({
  difference: { mean, low, high },
  test: { better, equal: 0, worse, p },
});

describe("what a test says", () => {
  const better = compared(0.1, [0.05, 0.15], [40, 5], 1e-6);
  test.each([
    ["surely more", better, "better", "better"],
    ["surely less", compared(-0.1, [-0.15, -0.05], [5, 40], 1e-6), "worse", "worse"],
    ["could be chance", compared(0.1, [0.05, 0.15], [6, 1], 0.125), "open", "open"],
    ["mean and items disagree", compared(-0.01, [-0.05, 0.03], [40, 5], 1e-6), "open", "open"],
    ["the interval holds 0", compared(0.02, [-0.01, 0.05], [40, 5], 1e-6), "better", "open"],
    ["p is not below 0.01", compared(0.1, [0.05, 0.15], [40, 5], 0.01), "open", "open"],
  ])("%s", (_, given, direction, verdict) => {
    expect(directionOf(given)).toBe(direction);
    expect(verdictOf(given)).toBe(verdict);
  });

  test("what was not measured stays open", () => {
    const unknown = { ...better, difference: { mean: null, low: null, high: null } };
    expect([directionOf(unknown), verdictOf(unknown)]).toEqual(["open", "open"]);
  });
});

function evaluation(base: string, rows: [string, "model" | "baseline", Figure][]): Evaluation {
  return {
    format: "nearkin-evaluation",
    version: 1,
    dataset: {
      name: "films",
      hash: "h",
      split: "random",
      role: "test",
      items: 1,
      users: 1,
      events: 1,
      simulated: false,
      queries: 20,
    },
    k: 10,
    base,
    truths: [{ name: "affinity", queries: 20, empty: 0, size: { mean: 1, median: 1 } }],
    recommenders: rows.map(([name, kind, figure]) => ({
      name,
      kind,
      seeds: [1],
      truths: { affinity: { queries: 20, metrics: { "paper HR": figure }, strata: { head: 0, middle: 0, tail: 0 } } },
      catalogue: { coverage: 0, diversity: 0, popularity: 0, ties: 0 },
    })) as unknown as Evaluation["recommenders"],
  };
}

const around = (mean: number, against?: Figure["against"]): Figure => ({
  mean,
  low: mean - 0.02,
  high: mean + 0.02,
  ...(against ? { against } : {}),
});
const worse = compared(-0.2, [-0.25, -0.15], [0, 20], 1e-6);
const better = compared(0.2, [0.15, 0.25], [20, 0], 1e-6);
const open = compared(-0.01, [-0.04, 0.02], [9, 11], 0.8);

describe("clearlyBest", () => {
  const best = (given: Evaluation) => clearlyBest(given, "affinity", "paper HR");

  test("the base, where all others are worse by the test", () => {
    const rows = (against: Figure["against"]): [string, "model" | "baseline", Figure][] => [
      ["fast", "model", around(0.6)],
      ["random", "baseline", around(0.1, worse)],
      ["popularity", "baseline", around(0.5, against)],
    ];
    expect(best(evaluation("fast", rows(worse)))).toBe("fast");
    expect(best(evaluation("fast", rows(open)))).toBeUndefined();
    expect(best(evaluation("fast", rows(undefined)))).toBeUndefined();
  });

  test("another, where it is better than the base and above all the rest", () => {
    const rows = (rest: number): [string, "model" | "baseline", Figure][] => [
      ["popularity", "baseline", around(0.3)],
      ["fast", "model", around(0.6, better)],
      ["default", "model", around(rest, better)],
    ];
    expect(best(evaluation("popularity", rows(0.5)))).toBe("fast");
    expect(best(evaluation("popularity", rows(0.58)))).toBeUndefined();
  });

  test("nobody, where there is only one or nothing was measured", () => {
    expect(best(evaluation("fast", [["fast", "model", around(0.6)]]))).toBeUndefined();
    expect(best(evaluation("fast", [["fast", "model", { mean: null, low: null, high: null }]]))).toBeUndefined();
  });
});

test("an interval of queries that are all alike is a point", () => {
  const sure: Figure = { mean: 1, low: 1, high: 1 };
  expect(somePoint([around(0.6), sure])).toBe(true);
  expect(somePoint([around(0.6), undefined, { mean: null, low: null, high: null }])).toBe(false);
});

describe("headlineOf", () => {
  test("holds the model against the best baseline, from the model's side", () => {
    const found = headlineOf(
      evaluation("fast", [
        ["fast", "model", around(0.6)],
        ["random", "baseline", around(0.1, worse)],
        ["popularity", "baseline", around(0.4, worse)],
      ]),
      "affinity",
    );
    expect(found).toMatchObject({
      own: { name: "fast" },
      chance: { mean: 0.1 },
      best: { name: "popularity" },
      verdict: "better",
      advantage: { mean: 0.2, low: 0.15, high: 0.25, p: 1e-6 },
    });
  });

  test("has no verdict where the model is not the base, and no baseline where there is none", () => {
    const alone = evaluation("fast", [["fast", "model", around(0.6)]]);
    expect(headlineOf(alone, "affinity")).toEqual({ own: expect.objectContaining({ name: "fast" }) });
    const other = evaluation("popularity", [
      ["popularity", "baseline", around(0.3)],
      ["fast", "model", around(0.6, better)],
    ]);
    expect(headlineOf(other, "affinity")?.verdict).toBeUndefined();
    expect(headlineOf(other, "unknown")).toBeUndefined();
  });
});
