import { expect, test } from "vitest";
import { headline, mainTruth } from "./headline.ts";
import { sampleReport } from "./testing/sample-report.ts";

test("the model against the best baseline, and against the best that looks at the query", () => {
  const best = headline(sampleReport);
  expect([best?.truth.name, best?.ownValue.mean, best?.best?.name]).toEqual(["co-interaction 30 d", 0.3, "popularity"]);
  expect(best?.advantage?.mean).toBeCloseTo(-0.05, 12);
  expect(best?.advantage?.low).toBeCloseTo(-0.07, 12);
  const asked = headline(sampleReport, { asked: true });
  expect(asked?.best?.name).toBe("cosine <genres>");
  expect(asked?.advantage?.mean).toBeCloseTo(0.1, 12);
});

test("without baselines, and with another base, it says less", () => {
  const { evaluation } = sampleReport;
  const [own] = evaluation.recommenders;
  const alone = headline({ ...sampleReport, evaluation: { ...evaluation, recommenders: [own] } });
  expect([alone?.ownValue.mean, alone?.best]).toEqual([0.3, undefined]);
  expect(headline({ ...sampleReport, evaluation: { ...evaluation, base: "popularity" } })?.advantage).toBeUndefined();
});

test("the main truth has queries", () => {
  const { evaluation } = sampleReport;
  const truths = evaluation.truths.map((truth, i) => (i === 0 ? { ...truth, queries: 0 } : truth));
  expect(mainTruth({ ...evaluation, truths })?.name).toBe("affinity");
});

test("a difference is clear when the sign test says so and points the same way as the mean", () => {
  const withTest = (better: number, worse: number) =>
    JSON.parse(JSON.stringify(sampleReport), (key, value) =>
      key === "test" ? { better, equal: 0, worse, p: 0.001 } : value,
    ) as typeof sampleReport;
  expect(headline(withTest(40, 2))?.advantage).toMatchObject({ clear: true }); // popularity: .05 better, on more queries
  expect(headline(withTest(2, 40))?.advantage).toMatchObject({ clear: false });
  expect(headline(sampleReport)?.advantage).toMatchObject({ clear: false, p: 0.4 });
});
