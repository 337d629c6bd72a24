import { expect, test } from "vitest";
import { stageCurves } from "./curves.ts";

const row = (step: number, more = {}) => ({
  stage: "siamese",
  step,
  loss: step,
  nll: null,
  "weight.plot": 2 * step,
  ...more,
});

test("short histories are kept as they are, with the looks at validation items", () => {
  const history = [row(1), row(2, { hr: 0.1, mrr: 0.2, ndcg: 0.3 }), { ...row(1), stage: "ssl" }];
  expect(stageCurves(history, "siamese", 60)).toEqual({
    every: 1,
    points: [
      { step: 1, loss: 1, nll: null, noise: null, weights: { plot: 2 } },
      { step: 2, loss: 2, nll: null, noise: null, weights: { plot: 4 } },
    ],
    validation: [{ step: 2, hr: 0.1, mrr: 0.2, ndcg: 0.3, holdoutNll: null }],
  });
});

test("long ones are thinned: means of losses, the last weights; no look is lost", () => {
  const history = Array.from({ length: 150 }, (_, i) => row(i + 1, i % 7 === 0 ? { hr: 0.5 } : {}));
  const curves = stageCurves(history, "siamese", 60);
  expect(curves).toMatchObject({ every: 3 });
  expect(curves?.points).toHaveLength(50);
  expect(curves?.points[0]).toMatchObject({ step: 3, loss: 2, weights: { plot: 6 } });
  expect(curves?.validation).toHaveLength(22);
});

test("a stage that did not run has none", () => {
  expect(stageCurves([row(1)], "ssl", 60)).toBeUndefined();
});
