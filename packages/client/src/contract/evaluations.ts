// Results of evaluations, as `nearkin evaluate` and `nearkin report` write them. These are documents: keys that a later version adds are left
// out of answers, and what could not be measured is null.
import { z } from "zod";
import { text, time, total } from "./ids.ts";
import { strict } from "./strict.ts";

export const resultName = text(200).describe("The name of the file in the folder of results, without .json.");

const measured = z.number().nullable();
const interval = { mean: measured, low: measured, high: measured };
const intervalOf = z.object(interval).describe("A mean, and its 95 % interval over queries.");

const signTest = z
  .object({ better: total, equal: total, worse: total, p: z.number() })
  .describe("Query by query: how many are better, equal and worse, and how likely that is by chance, two-sided.");

const evaluatedDataset = z
  .object({
    name: z.string(),
    hash: z.string().describe("Id of the dataset."),
    split: z.string().describe("time, random or users."),
    role: z.enum(["test", "validation"]),
    items: total,
    users: total,
    events: total,
    simulated: z.boolean().describe("Users and ratings are made up: to be said wherever figures are shown."),
    queries: total,
  })
  .meta({ id: "EvaluatedDataset" });

const metricNames = [
  "paper HR",
  "paper MRR",
  "paper NDCG",
  "standard precision",
  "standard hit",
  "standard MRR",
  "standard NDCG",
] as const;

const metricResult = z
  .object({
    ...interval,
    overSeeds: measured.optional().describe("Standard deviation of the mean over seeds; left out with one."),
    against: z
      .object({ difference: intervalOf, test: signTest })
      .optional()
      .describe("Against the base; left out for the base itself."),
  })
  .meta({ id: "MetricResult" });

const paperIntervals = z.object({ "paper HR": intervalOf, "paper MRR": intervalOf, "paper NDCG": intervalOf });

const calibration = z
  .object({
    items: total,
    rmse: z.number(),
    rmseOfMean: z.number().describe("Of the mean over all ratings, which knows nothing of an item."),
    nll: intervalOf,
    nllOfMean: z.number(),
    coverage: z.record(z.string(), z.number()).describe("Share of the items inside, by the share that is promised."),
    byRatings: z.array(
      z.object({ least: total, items: total, rmse: z.number(), rmseOfMean: z.number(), correlation: measured }),
    ),
  })
  .meta({ id: "Calibration", description: "Predicted ratings against actual ones, in units of the ratings." });

const recommender = z
  .object({
    name: z.string(),
    kind: z.enum(["model", "baseline"]),
    seeds: z.array(z.number()).min(1),
    truths: z.record(
      z.string(),
      z.object({
        queries: total,
        metrics: z.record(z.enum(metricNames), metricResult),
        strata: z
          .object({ head: measured, middle: measured, tail: measured })
          .describe("Paper HR within thirds of the truth by popularity."),
        known: z
          .array(
            z.object({
              events: z.string().describe("Training events of the query: 0, 1–4, 5–19, 20–99 or 100+."),
              queries: total.describe("Queries that were answered."),
              metrics: paperIntervals,
              against: z
                .object({
                  queries: total.describe("Queries that the base answers too."),
                  difference: paperIntervals.describe("Less the base, query by query."),
                })
                .optional()
                .describe("Left out for the base itself."),
            }),
          )
          .optional()
          .describe("By how well the query is known; left out in files of version 0.1."),
      }),
    ),
    catalogue: z.object({ coverage: measured, diversity: measured, popularity: measured, ties: measured }),
    settings: z.string().optional().describe("Of baselines that are tuned: what was chosen on validation data."),
    calibration: calibration.optional(),
  })
  .meta({
    id: "RecommenderResult",
    description: "A model or a baseline, measured; a user's own metric ends in personal.",
  });

/** What `nearkin evaluate --out` writes. */
const evaluation = z
  .object({
    format: z.literal("nearkin-evaluation"),
    version: z.literal(1),
    dataset: evaluatedDataset,
    k: total.describe("Places that metrics look at."),
    base: z.string().describe("Name of the one that all others are compared with."),
    truths: z.array(
      z.object({
        name: z.string(),
        queries: total,
        empty: total.describe("Queries without a truth, left out."),
        size: z.object({ mean: z.number(), median: z.number() }),
      }),
    ),
    recommenders: z.array(recommender).min(1),
  })
  .meta({ id: "Evaluation", description: "Models and baselines on what training has not seen." });

const drawn = z.enum(["paper HR", "paper MRR", "paper NDCG"]);
const refitFigure = { ...interval, overRuns: measured };

/** What `nearkin report users` measures. */
const personalisation = z
  .object({
    format: z.literal("nearkin-personalisation"),
    version: z.literal(1),
    dataset: evaluatedDataset,
    model: z.object({
      label: z.string(),
      target: z.string(),
      fit: z.string(),
      mean: z.string(),
      items: total,
      rate: z.number(),
      iterations: total,
      learnedFrom: total,
    }),
    seeds: z.array(z.number()),
    users: total,
    base: z.record(drawn, z.object(refitFigure)).describe("Of the metric that all share."),
    refits: z.array(
      z.object({
        start: z.string().describe("Which weights a fit starts from."),
        ratings: total.nullable().describe("A user's ratings that count, at most; null: all."),
        step: total.nullable().describe("Gradient steps; null: the model's own way."),
        metrics: z.record(drawn, z.object({ ...refitFigure, difference: intervalOf, test: signTest })),
      }),
    ),
    shown: z.array(z.object({ ratings: total, base: z.record(drawn, measured), personal: z.record(drawn, measured) })),
    shownTests: z.record(drawn, signTest),
  })
  .meta({ id: "Personalisation", description: "Users' own metrics against the one that all share (Figs. 3 to 5)." });

const band = z.object({ mean: measured, deviation: measured }).describe("Over runs.");

/** What `nearkin report paper` measures. */
const paper = z
  .object({
    format: z.literal("nearkin-paper"),
    version: z.literal(1),
    datasets: z.array(evaluatedDataset).min(1),
    truth: z.string(),
    queries: total,
    seeds: z.array(z.number()),
    curve: z.array(z.object({ step: total, metrics: z.record(drawn, band) })),
    lines: z.array(z.object({ name: z.string(), metrics: z.record(drawn, band) })),
    table: z.array(
      z.object({
        name: z.string(),
        metrics: z.record(drawn, intervalOf),
        ssl: z.record(drawn, z.object({ difference: intervalOf, test: signTest })).optional(),
      }),
    ),
    chosen: z.array(
      z.object({
        seed: z.number(),
        dataset: z.string(),
        fold: total,
        ssl: total,
        spe: z.object({ step: total, standOff: z.boolean() }),
      }),
    ),
  })
  .meta({ id: "PaperExperiment", description: "SSL by iteration, with SIAMESE and SPE as lines (Figs. 1 and 2)." });

const kind = z
  .enum(["evaluation", "model", "users", "paper"])
  .describe(
    "evaluation: of nearkin evaluate; model, users, paper: of nearkin report, whose model has an evaluation and whose paper may have users.",
  );

const about = {
  name: resultName,
  kind: kind.nullable(),
  time: time.describe("When the file was written, in milliseconds since 1970."),
  bytes: total,
  report: z
    .string()
    .nullable()
    .describe("Path of the page beside it, such as /reports/films; null where there is none."),
};

export const evaluationsAnswer = strict({
  evaluations: z
    .array(
      strict({
        ...about,
        dataset: evaluatedDataset.nullable(),
        model: z.string().nullable().describe("Id of the model of a report."),
        problem: z.string().nullable().describe("Why it cannot be read; null where it can."),
      }).meta({ id: "ListedEvaluation" }),
    )
    .describe("The newest first."),
  folder: z.boolean().describe("Whether the server was given a folder of results."),
});

export const evaluationAnswer = strict({
  ...about,
  kind,
  model: z.string().nullable().describe("Id of the model of a report."),
  simulated: z.boolean().describe("Users and ratings are made up: to be said wherever figures are shown."),
  evaluation: evaluation.nullable(),
  users: personalisation.nullable(),
  paper: paper.nullable(),
}).meta({ id: "EvaluationResults", description: "Results of one file; those it does not have are null." });
