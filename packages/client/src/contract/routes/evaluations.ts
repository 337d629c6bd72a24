import { z } from "zod";
import { evaluationAnswer, evaluationsAnswer, resultName } from "../evaluations.ts";
import { exampleModel } from "../examples.ts";
import { type RouteSpec, route } from "../route.ts";
import { strict } from "../strict.ts";

const params = strict({ name: resultName });

/** What all of these have in common. */
const evaluations = {
  method: "GET",
  scope: "read",
  tokens: false,
  idempotent: true,
  tag: "evaluations",
} as const satisfies Partial<RouteSpec>;

const films = {
  name: "films",
  kind: "evaluation",
  time: Date.UTC(2026, 2, 1),
  bytes: 51_208,
  report: "/reports/films",
  model: null,
};

const dataset = {
  name: "marquee",
  hash: "c41f",
  split: "random",
  role: "test",
  items: 360,
  users: 400,
  events: 18_204,
  simulated: true,
  queries: 36,
};

const half = { mean: 0.5, low: 0.4, high: 0.6 };

export const evaluationRoutes = {
  listEvaluations: route({
    ...evaluations,
    path: "/v1/evaluations",
    summary: "Results of evaluations",
    description:
      "What is in the folder of results that the server was given (`--results`): files of `nearkin evaluate --out` and of `nearkin report`. One that cannot be read is listed with its problem.",
    response: evaluationsAnswer,
    errors: [],
    examples: [
      {
        summary: "One, and one that broke off",
        response: {
          evaluations: [
            { ...films, dataset, problem: null },
            {
              ...films,
              name: "broken",
              kind: null,
              report: null,
              dataset: null,
              problem: "broken.json: not JSON",
            },
          ],
          folder: true,
        },
      },
    ],
  }),

  getEvaluation: route({
    ...evaluations,
    path: "/v1/evaluations/{name}",
    summary: "Results of one evaluation",
    description:
      "Every figure of a file, with intervals, tests, popularity strata and calibration; of a report on the paper or on users, their experiments.",
    params,
    response: evaluationAnswer,
    errors: ["UNKNOWN_RESULT", "BAD_RESULT"],
    examples: [
      {
        summary: "One recommender, in short",
        params: { name: "films" },
        response: {
          ...films,
          model: exampleModel,
          kind: "model",
          simulated: true,
          evaluation: {
            format: "nearkin-evaluation",
            version: 1,
            dataset,
            k: 10,
            base: "fast",
            truths: [{ name: "co-interaction 30 d", queries: 36, empty: 0, size: { mean: 40, median: 38 } }],
            recommenders: [
              {
                name: "fast",
                kind: "model",
                seeds: [1],
                truths: {
                  "co-interaction 30 d": {
                    queries: 36,
                    metrics: {
                      "paper HR": half,
                      "paper MRR": half,
                      "paper NDCG": half,
                      "standard precision": half,
                      "standard hit": half,
                      "standard MRR": half,
                      "standard NDCG": half,
                    },
                    strata: { head: 0.4, middle: 0.1, tail: null },
                  },
                },
                catalogue: { coverage: 0.4, diversity: 0.3, popularity: 0.6, ties: 0 },
              },
            ],
          },
          users: null,
          paper: null,
        },
      },
    ],
  }),

  getReport: route({
    ...evaluations,
    path: "/reports/{name}",
    summary: "The page beside a result",
    description:
      "The report that `nearkin report` wrote, for people: one page that fetches nothing and runs no script. Needs no key where the setting `open` has reports.",
    params,
    response: z.string(),
    produces: "text/html; charset=utf-8",
    errors: ["UNKNOWN_RESULT", "BAD_RESULT"],
    examples: [],
  }),
} as const;
