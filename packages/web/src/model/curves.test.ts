import type { TrainingStage } from "@nearkin/client";
import { describe, expect, test } from "vitest";
import {
  allPositive,
  curveRows,
  likelihoodPanels,
  linesOf,
  lossPanels,
  rankingPanels,
  spansDecades,
  weightPanels,
} from "./curves.ts";

const siamese: TrainingStage = {
  name: "siamese",
  steps: 400,
  best: 100,
  metrics: { hr: 0.97 },
  seconds: 12,
  curves: {
    every: 2,
    points: [
      { step: 2, loss: 21.5, nll: null, noise: 0.6, weights: { plot: 0.97, taste: null } },
      { step: 4, loss: 15, nll: null, noise: 0.6, weights: { plot: 0.95, taste: null } },
    ],
    validation: [
      { step: 0, hr: 0.86, mrr: 0.96, ndcg: 0.94, holdoutNll: null },
      { step: 100, hr: 0.97, mrr: 1, ndcg: null, holdoutNll: null },
    ],
  },
};

const towers: TrainingStage = {
  name: "ssl",
  steps: 300,
  best: 0,
  metrics: {},
  seconds: null,
  curves: {
    every: 1,
    points: [
      { step: 1, loss: 1.2, nll: 1.1, noise: 0.6, weights: { plot: 0.5, taste: 0.2 } },
      { step: 2, loss: 0.9, nll: -0.2, noise: 0.5, weights: { plot: 0.4, taste: 0.3 } },
    ],
    validation: [{ step: 0, hr: null, mrr: null, ndcg: null, holdoutNll: 1.4 }],
  },
};

const none: TrainingStage = { name: "ssl", steps: 300, best: 150, metrics: {}, seconds: null, curves: null };

describe("panels", () => {
  test("loss: one for each stage with curves, with the kept step and the end of the axis", () => {
    expect(lossPanels({ stages: [siamese, none] })).toEqual([
      {
        stage: "siamese",
        end: 400,
        kept: 100,
        steps: [2, 4],
        dots: false,
        lines: [{ name: "training loss", colour: "var(--accent)", strong: true, values: [21.5, 15] }],
      },
    ]);
  });

  test("ranking: the mean only where all three were measured; a stage without looks has none", () => {
    const [panel, ...more] = rankingPanels({ stages: [siamese, towers] });
    expect(more).toEqual([]);
    expect(panel.lines.map(({ name, values }) => [name, values])).toEqual([
      ["mean of the three", [expect.closeTo(0.92, 12), null]],
      ["HR", [0.86, 0.97]],
      ["MRR", [0.96, 1]],
      ["NDCG", [0.94, null]],
    ]);
    expect(panel.dots).toBe(true);
  });

  test("likelihood: fitted and held out on the steps of both, only where there is one", () => {
    const found = likelihoodPanels({ stages: [siamese, towers] });
    expect(found.map(({ stage, steps, lines }) => [stage, steps, lines.map(({ values }) => values)])).toEqual([
      [
        "ssl",
        [0, 1, 2],
        [
          [null, 1.1, -0.2],
          [1.4, null, null],
        ],
      ],
    ]);
  });

  test("weights: channels that a stage does not have are left out of it", () => {
    const found = weightPanels({ stages: [siamese, towers] }, new Map([["plot", "var(--channel-2)"]]));
    expect(found.map(({ lines }) => lines.map(({ name, colour }) => [name, colour]))).toEqual([
      [["plot", "var(--channel-2)"]],
      [
        ["plot", "var(--channel-2)"],
        ["taste", "var(--ink-soft)"],
      ],
    ]);
    expect(linesOf(found).map(({ name }) => name)).toEqual(["plot", "taste"]);
  });

  test("an old folder has none", () => expect(rankingPanels({ stages: [none] })).toEqual([]));
});

describe("a logarithmic axis", () => {
  const losses = (values: number[]) =>
    lossPanels({
      stages: [
        {
          ...siamese,
          curves: {
            every: 1,
            validation: [],
            points: values.map((loss, i) => ({ step: i + 1, loss, nll: null, noise: null, weights: {} })),
          },
        },
      ],
    });

  test.each([
    ["many times the least", [500, 6], true, true],
    ["close together", [21, 6], false, true],
    ["below 0", [500, -1], false, false],
  ])("%s", (_, values, helps, may) => {
    expect(spansDecades(losses(values))).toBe(helps);
    expect(allPositive(losses(values))).toBe(may);
  });
});

test("the table has every number, and marks the kept step", () => {
  expect(curveRows(rankingPanels({ stages: [siamese] }))[1]).toEqual({
    stage: "siamese",
    step: 100,
    kept: true,
    values: { "mean of the three": null, HR: 0.97, MRR: 1, NDCG: null },
  });
});
