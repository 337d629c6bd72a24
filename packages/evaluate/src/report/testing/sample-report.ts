// A report made by hand: small enough to be read in the snapshot, with markup wherever data may have text.
import type { MetricName } from "../../protocol/measure.ts";
import type { MetricResult, RecommenderResult, TruthResult } from "../../result.ts";
import type { ExampleContribution, ModelReport, NeighbourExample } from "../model-report.ts";

/** A title that would run if it were not escaped. */
export const EVIL = `<script>alert("${"title"}")</script>`;

const interval = (mean: number) => ({ mean, low: mean - 0.02, high: mean + 0.02 });

const byPaperMetric = <T>(value: T) => ({ "paper HR": value, "paper MRR": value, "paper NDCG": value });

function truthResult(hr: number, against?: number): TruthResult {
  const metric = (mean: number): MetricResult => ({
    ...interval(mean),
    ...(against === undefined
      ? {}
      : {
          against: {
            difference: interval(mean - against),
            test: { better: 2, equal: 5, worse: 40, p: Math.abs(mean - against) > 0.05 ? 0.0001 : 0.4 },
          },
        }),
  });
  const names = [
    "paper HR",
    "paper MRR",
    "paper NDCG",
    "standard precision",
    "standard hit",
    "standard MRR",
    "standard NDCG",
  ];
  return {
    queries: 50,
    metrics: Object.fromEntries(names.map((name, i) => [name, metric(hr + i / 100)])) as Record<
      MetricName,
      MetricResult
    >,
    strata: { head: hr, middle: hr / 2, tail: hr / 4 },
    known: ["0", "20–99"].map((events, s) => ({
      events,
      queries: 40 - 30 * s,
      metrics: byPaperMetric(interval(hr + s / 10)),
      ...(against === undefined
        ? {}
        : { against: { queries: 30 - 10 * s, difference: byPaperMetric(interval(hr - against)) } }),
    })),
  };
}

const recommender = (
  name: string,
  kind: RecommenderResult["kind"],
  hr: number,
  against?: number,
): RecommenderResult => ({
  name,
  kind,
  seeds: [1],
  truths: { "co-interaction 30 d": truthResult(hr, against), affinity: truthResult(hr / 2, against && against / 2) },
  catalogue: { coverage: 0.4, diversity: 0.2, popularity: 0.6, ties: 0 },
});

const contributions = (...values: [string, number, ExampleContribution["unknown"]?][]): ExampleContribution[] =>
  values.map(([channel, contribution, unknown = null]) => ({ channel, contribution, unknown }));

const example = (kind: NeighbourExample["kind"], title: string): NeighbourExample => ({
  id: `id of ${title}`,
  title,
  kind,
  why: "chosen by hand",
  ratings: kind === "warm" ? 12 : 0,
  predicted: { mean: 3.4, deviation: 0.3 },
  ...(kind === "warm" ? {} : { actual: { ratings: 4, mean: 3.25 } }),
  typical: 1.5,
  neighbours: [
    {
      id: "a",
      title: EVIL,
      rank: 1,
      distance: 0.75,
      contributions: contributions(["genres & <b>more</b>", 0.25], ["year", 0.5, kind === "warm" ? null : "query"]),
    },
    {
      id: "b <i>",
      title: null,
      rank: 2,
      distance: 1.25,
      contributions: contributions(["genres & <b>more</b>", 1], ["year", 0.25, "item"]),
    },
  ],
});

export const sampleReport: ModelReport = {
  format: "nearkin-model-report",
  version: 1,
  simulated: true,
  model: {
    name: "hand-made <em>films</em>",
    id: "0123456789abcdef",
    label: "default",
    preset: "default",
    seed: 1,
    engine: "wasm",
    items: 100,
    temperature: 0.2,
    popularity: 0.1,
    predictsRatings: true,
    from: null,
  },
  data: {
    name: "films & more",
    id: "fedcba9876543210",
    items: 100,
    users: 40,
    events: 900,
    training: { items: 80, users: 39, events: 700 },
    roles: { train: 80, validation: 10, test: 10, unseen: 0 },
    userRoles: { train: 40, validation: 0, test: 0 },
    split: "time",
    time: { from: 978_307_200, to: 1_009_843_200, cut: 1_009_843_260 },
    ratings: { kind: "explicit", mean: 3.5, least: 1, most: 5 },
    channels: [
      { name: "genres & <b>more</b>", type: "categories", present: 90, trainingPresent: 76 },
      { name: "year", type: "number", present: 100, trainingPresent: 80 },
      { name: "taste", type: "surrogate", present: null, trainingPresent: null },
    ],
  },
  training: {
    stages: [
      {
        name: "siamese",
        steps: 20,
        best: 10,
        metrics: { hr: 0.2, mrr: 0.3, ndcg: 0.35, queries: 10 },
        curves: {
          every: 10,
          points: [
            { step: 10, loss: 2, nll: null, noise: 0.6, weights: { "genres & <b>more</b>": 0.8, year: 0.7 } },
            { step: 20, loss: 1.5, nll: null, noise: 0.6, weights: { "genres & <b>more</b>": 0.9, year: 0.6 } },
          ],
          validation: [
            { step: 10, hr: 0.2, mrr: 0.3, ndcg: 0.35, holdoutNll: null },
            { step: 20, hr: 0.19, mrr: 0.28, ndcg: 0.34, holdoutNll: null },
          ],
        },
      },
      {
        name: "ssl",
        steps: 8,
        best: 8,
        metrics: { hr: 0.22, mrr: 0.31, ndcg: 0.36, holdoutNll: 1.2 },
        curves: {
          every: 4,
          points: [
            { step: 4, loss: 1.4, nll: 1.5, noise: 0.6, weights: { "genres & <b>more</b>": 0.9, year: 0.6 } },
            { step: 8, loss: 1.3, nll: 1.3, noise: 0.5, weights: { "genres & <b>more</b>": 1, year: 0.5 } },
          ],
          validation: [{ step: 8, hr: 0.22, mrr: 0.31, ndcg: 0.36, holdoutNll: 1.2 }],
        },
      },
    ],
    warnings: [{ code: "COLLAPSE", text: "channel <year> says little", stage: "ssl", step: 4 }],
  },
  weights: [
    { channel: "genres & <b>more</b>", type: "categories", weight: 1, share: 2 / 3 },
    { channel: "year", type: "number", weight: 0.5, share: 1 / 3 },
  ],
  evaluation: {
    format: "nearkin-evaluation",
    version: 1,
    dataset: {
      name: "films & more",
      hash: "fedcba9876543210",
      split: "time",
      items: 100,
      users: 40,
      events: 900,
      role: "test",
      queries: 52,
      simulated: true,
    },
    k: 10,
    base: "default",
    truths: [
      { name: "co-interaction 30 d", queries: 50, empty: 2, size: { mean: 20.5, median: 18 } },
      { name: "affinity", queries: 50, empty: 2, size: { mean: 49.5, median: 50 } },
    ],
    recommenders: [
      {
        ...recommender("default", "model", 0.3),
        calibration: {
          items: 48,
          rmse: 0.8,
          rmseOfMean: 0.9,
          nll: interval(1.1),
          nllOfMean: 1.3,
          coverage: { "0.5": 0.4, "0.8": 0.7, "0.95": 0.9 },
          byRatings: [
            { least: 1, items: 48, rmse: 0.8, rmseOfMean: 0.9, correlation: 0.3 },
            { least: 3, items: 20, rmse: 0.5, rmseOfMean: 0.7, correlation: null },
          ],
        },
      },
      recommender("popularity", "baseline", 0.35, 0.3),
      recommender("cosine <genres>", "baseline", 0.2, 0.3),
    ],
  },
  examples: [example("warm", `A & B: ${EVIL}`), example("never seen", "New film")],
  reproduce: {
    commands: [{ does: "Write this report", command: "nearkin report model 'a <model>' --dataset films" }],
    config: { train: { preset: "default", note: "</code><script>" } },
  },
  environment: { Written: "2026-01-01T00:00:00Z", Node: "v20" },
};
