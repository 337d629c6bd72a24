import { exampleModel, exampleWeights } from "../examples.ts";
import { givenModel } from "../model-files.ts";
import {
  activatedAnswer,
  indexAnswer,
  measureAnswer,
  measureBody,
  modelInfo,
  modelsAnswer,
  validatedAnswer,
} from "../models.ts";
import { route } from "../route.ts";
import { strict } from "../strict.ts";

const params = strict({ id: givenModel });

const before = "1b7a0c44d2e95f3386c7f0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5";
const marquee = {
  id: exampleModel,
  folder: "marquee-model",
  name: "marquee",
  active: true,
  items: 360,
  channels: [
    { name: "genres", type: "categories", weight: exampleWeights.genres },
    { name: "plot", type: "text", weight: exampleWeights.plot },
  ],
  fields: ["year", "genres"],
  unreadable: 0,
  personalizes: true,
  predictsRatings: true,
  dataset: { id: "c41f", name: "marquee", simulated: true },
  problems: [],
};

export const modelRoutes = {
  listModels: route({
    method: "GET",
    path: "/v1/models",
    scope: "read",
    tokens: false,
    idempotent: true,
    tag: "models",
    summary: "Models at hand",
    description: "Every model folder that the server knows, those included that it could not serve, with the reason.",
    response: modelsAnswer,
    errors: [],
    examples: [{ summary: "One model", response: { models: [marquee], active: exampleModel, previous: null } }],
  }),

  getModel: route({
    method: "GET",
    path: "/v1/models/{id}",
    scope: "read",
    tokens: false,
    idempotent: true,
    tag: "models",
    summary: "One model",
    description: "Its channels with their learned weights, its data, and what it can do.",
    params,
    response: modelInfo,
    errors: ["UNKNOWN_MODEL"],
    examples: [{ summary: "By its folder", params: { id: "marquee-model" }, response: marquee }],
  }),

  activateModel: route({
    method: "POST",
    path: "/v1/models/{id}/activate",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "models",
    summary: "Change to a model",
    description:
      "Loads it beside the one that answers, checks it, and changes over between two requests; requests under way end with the model they began with. " +
      "Users' metrics move over, and items put at run time are embedded anew.",
    params,
    response: activatedAnswer,
    errors: ["UNKNOWN_MODEL", "BAD_MODEL", "CONFLICT"],
    examples: [
      { summary: "By its folder", params: { id: "marquee-model" }, response: { model: marquee, previous: before } },
    ],
  }),

  rollbackModel: route({
    method: "POST",
    path: "/v1/models/rollback",
    scope: "admin",
    tokens: false,
    idempotent: false,
    tag: "models",
    summary: "Go back to the model before",
    description: "Once more, and it goes forward again: the two change places.",
    response: activatedAnswer,
    errors: ["BAD_MODEL", "CONFLICT"],
    examples: [{ summary: "Back", response: { model: marquee, previous: before } }],
  }),

  validateModel: route({
    method: "POST",
    path: "/v1/models/{id}/validate",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "models",
    summary: "Check a model without changing to it",
    description: "Everything that `activate` checks, and what the active model has that this one lacks.",
    params,
    response: validatedAnswer,
    errors: ["UNKNOWN_MODEL", "CONFLICT"],
    examples: [
      {
        summary: "It could be activated",
        params: { id: "marquee-model" },
        response: { id: exampleModel, folder: "marquee-model", valid: true, problems: [], warnings: [] },
      },
    ],
  }),

  getIndex: route({
    method: "GET",
    path: "/v1/index",
    scope: "read",
    tokens: false,
    idempotent: true,
    tag: "models",
    summary: "What is searched with",
    description: "Whether every item is compared or a graph proposes candidates, and how large it is.",
    response: indexAnswer,
    errors: [],
    examples: [
      {
        summary: "A small catalogue needs no graph",
        response: { kind: "exact", items: 361, added: 1, pending: 1, building: false, graph: null },
      },
    ],
  }),

  measureIndex: route({
    method: "POST",
    path: "/v1/index/measure",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "models",
    summary: "Measure the graph against the exact scan",
    description:
      "How much of the exact lists the graph finds, and how long each takes. Where no graph is used the answer says exact, and a recall of 1.",
    body: measureBody,
    response: measureAnswer,
    errors: ["CONFLICT"],
    examples: [
      {
        summary: "Of an exact scan",
        body: { queries: 100, k: 10 },
        response: { kind: "exact", queries: 100, k: 10, recall: 1, exact: { median: 0.08, p95: 0.11 }, graph: null },
      },
    ],
  }),
} as const;
