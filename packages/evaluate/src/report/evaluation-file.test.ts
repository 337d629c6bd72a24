import { expect, test } from "vitest";
import { parseEvaluation } from "./evaluation-file.ts";
import { sampleReport } from "./testing/sample-report.ts";

const { evaluation } = sampleReport;
const [model, ...baselines] = evaluation.recommenders;

const problem = (content: object) => {
  try {
    parseEvaluation(JSON.stringify({ ...evaluation, ...content }), "films.json");
    return "accepted";
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
};

test("what was written is read again; figures that could not be measured are null", () => {
  expect(parseEvaluation(JSON.stringify(evaluation), "films.json")).toEqual(evaluation);
  const nothing = { mean: null, low: null, high: null };
  const { affinity } = model.truths;
  const metrics = { ...affinity.metrics, "paper HR": nothing };
  const strata = { head: null, middle: null, tail: null };
  const unmeasured = { ...model, truths: { ...model.truths, affinity: { ...affinity, metrics, strata } } };
  expect(problem({ recommenders: [unmeasured, ...baselines] })).toBe("accepted");
});

test("a damaged file is named, with the first place that is wrong", () => {
  const { catalogue: _, ...bare } = model;
  const { metrics } = model.truths.affinity;
  const withMetric = (value: unknown) => ({
    ...model,
    truths: { affinity: { ...model.truths.affinity, metrics: { ...metrics, "standard NDCG": value } } },
  });
  expect(
    [
      problem({ dataset: {} }),
      problem({ dataset: null }),
      problem({ dataset: { ...evaluation.dataset, role: "train" } }),
      problem({ dataset: { ...evaluation.dataset, role: undefined } }),
      problem({ k: "ten" }),
      problem({ truths: {} }),
      problem({ truths: [{ ...evaluation.truths[0], size: 3 }] }),
      problem({ recommenders: [] }),
      problem({ recommenders: [model, null] }),
      problem({ recommenders: [bare] }),
      problem({ recommenders: [{ ...model, kind: "modle" }] }),
      problem({ recommenders: [{ ...model, seeds: [] }] }),
      problem({ recommenders: [{ ...model, truths: [] }] }),
      problem({ recommenders: [withMetric(undefined)] }),
      problem({ recommenders: [withMetric({ mean: "a text that goes on and on and on and on", low: 0, high: 1 })] }),
      problem({ recommenders: [{ ...model, calibration: { ...model.calibration, byRatings: null } }] }),
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "BAD_FILE: films.json: dataset.name: expected a text, got nothing; evaluate again
    BAD_FILE: films.json: dataset: expected keys and values, got null; evaluate again
    BAD_FILE: films.json: dataset.role: expected "test" or "validation", got "train"; evaluate again
    BAD_FILE: films.json: dataset.role: expected "test" or "validation", got nothing; evaluate again
    BAD_FILE: films.json: k: expected a whole number of at least 0, got "ten"; evaluate again
    BAD_FILE: films.json: truths: expected a list, got keys and values; evaluate again
    BAD_FILE: films.json: truths[0].size: expected keys and values, got 3; evaluate again
    BAD_FILE: films.json: recommenders: expected a list of at least 1, got 0; evaluate again
    BAD_FILE: films.json: recommenders[1]: expected keys and values, got null; evaluate again
    BAD_FILE: films.json: recommenders[0].catalogue: expected keys and values, got nothing; evaluate again
    BAD_FILE: films.json: recommenders[0].kind: expected "model" or "baseline", got "modle"; evaluate again
    BAD_FILE: films.json: recommenders[0].seeds: expected a list of at least 1, got 0; evaluate again
    BAD_FILE: films.json: recommenders[0].truths: expected keys and values, got a list; evaluate again
    BAD_FILE: films.json: recommenders[0].truths.affinity.metrics["standard NDCG"]: expected keys and values, got nothing; evaluate again
    BAD_FILE: films.json: recommenders[0].truths.affinity.metrics["standard NDCG"].mean: expected a number or null, got "a text that goes on and on and on and…; evaluate again
    BAD_FILE: films.json: recommenders[0].calibration.byRatings: expected a list, got null; evaluate again"
  `);
});
