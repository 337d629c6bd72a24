// The document as a whole: every reference leads somewhere, every route is there, and its shape is kept.
import { describe, expect, test } from "vitest";
import { apiErrors } from "../errors.ts";
import { errorsOf, openApi } from "./openapi.ts";
import { allRoutes } from "./routes.ts";

const document = openApi({ version: "1.2.3", servers: ["https://similar.example.org"] });
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test("is JSON, and the same each time", () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  expect(openApi({ version: "1.2.3", servers: ["https://similar.example.org"] })).toEqual(document);
});

test("has every route once, under its name", () => {
  expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(
    allRoutes.map(({ name }) => name).sort(),
  );
  for (const { name, method, path } of allRoutes) {
    expect(document.paths[path][method.toLowerCase()].operationId).toBe(name);
  }
});

test("every reference leads to a component, and every component is referred to", () => {
  const referred = new Set(
    Array.from(JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g), ([, ref]) => {
      expect(ref).toMatch(/^#\/components\/schemas\/\w+$/);
      return ref.split("/")[3];
    }),
  );
  expect([...referred].sort()).toEqual(Object.keys(document.components.schemas));
});

test("the components are these", () => {
  expect(Object.keys(document.components.schemas).join(" ")).toMatchInlineSnapshot(
    `"BecauseRow Calibration Cell Contribution CurvePoint Draft Error EvaluatedDataset Evaluation EvaluationResults Event Evidence Explanation Feedback Filter Health Index Item ItemContent Key ListedEvaluation ListedItem ListedUser MetricFit MetricResult MissingChannel Model ModelFile ModelFiles NewItem PaperExperiment PersonalPrediction Personalisation PredictRequest Predicted Prediction PutItem Question Ready RecommenderResult Selection SimilarItem SimilarItems SimilarRequest Sliders StageCurves StoredEvent Training TrainingStage TrainingTime TrainingWarning UsedMetric User UserMetric UserRating ValidationPoint"`,
  );
});

describe.each(operations.map((one) => [one.operation.operationId, one] as const))("%s", (_, { path, operation }) => {
  test("declares the parameters of its path, each parameter once, with a description", () => {
    const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const parameter of operation.parameters) {
      expect(parameter.description).toEqual(expect.stringMatching(/\.$/));
      expect(Boolean(parameter.schema) !== Boolean(parameter.content)).toBe(true);
    }
  });

  test("answers 200, and errors by their status", () => {
    const route = allRoutes.find(({ name }) => name === operation.operationId);
    if (!route) throw new Error("no such route");
    const statuses = new Set(errorsOf(route).map((code) => String(apiErrors[code].status)));
    expect(Object.keys(operation.responses)).toEqual(["200", ...[...statuses].sort()]);
    for (const status of statuses) {
      expect(operation.responses[status].content).toEqual({
        "application/json": { schema: { $ref: "#/components/schemas/Error" } },
      });
    }
  });

  test("its tag is described", () => {
    expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...operation.tags]));
  });
});

test("a route in full", () => {
  const { responses, ...request } = document.paths["/v1/items/{id}/similar/{other}"].get;
  expect(request).toMatchInlineSnapshot(`
    {
      "description": "Where \`other\` stands in the list of \`id\`, every channel's contribution to their distance, and where it would stand without that channel.

    Needs the scope \`read\`. A token may call it for its own user.",
      "operationId": "explain",
      "parameters": [
        {
          "description": "An item's id: 1 to 512 characters, without NUL.",
          "example": "the-kid-1921",
          "in": "path",
          "name": "id",
          "required": true,
          "schema": {
            "maxLength": 512,
            "minLength": 1,
            "type": "string",
          },
        },
        {
          "description": "An item's id: 1 to 512 characters, without NUL.",
          "example": "the-circus-1928",
          "in": "path",
          "name": "other",
          "required": true,
          "schema": {
            "maxLength": 512,
            "minLength": 1,
            "type": "string",
          },
        },
        {
          "description": "A user's id: 1 to 512 characters, without NUL. Yours, and opaque to the server.",
          "in": "query",
          "name": "user",
          "required": false,
          "schema": {
            "maxLength": 512,
            "minLength": 1,
            "type": "string",
          },
        },
        {
          "content": {
            "application/json": {
              "schema": {
                "additionalProperties": {
                  "maximum": 1000000,
                  "minimum": -1000000,
                  "type": "number",
                },
                "propertyNames": {
                  "description": "A channel's name.",
                  "maxLength": 128,
                  "minLength": 1,
                  "type": "string",
                },
                "type": "object",
              },
            },
          },
          "description": "Weight h of each channel, in place of the user's or the learned one; channels left out keep theirs. 1 weighs a typical random pair as 1, below 0 the unlike comes first. Not all 0. In a query string as JSON, or as genres:2,plot:0.5.",
          "in": "query",
          "name": "weights",
          "required": false,
        },
        {
          "description": "β, −10 to 10: how much popularity counts; "calibrated" is the β that ranked validation items best. Default: the user's own, or 0, pure similarity.",
          "in": "query",
          "name": "popularity",
          "required": false,
          "schema": {
            "anyOf": [
              {
                "maximum": 10,
                "minimum": -10,
                "type": "number",
              },
              {
                "const": "calibrated",
                "type": "string",
              },
            ],
          },
        },
        {
          "description": "Which items may be recommended, as JSON or as a text of the filter language. Default: all.",
          "in": "query",
          "name": "filter",
          "required": false,
          "schema": {
            "description": "The filter language, such as: genres has "Comedy" and year >= 1990 and not seen",
            "maxLength": 4000,
            "type": "string",
          },
        },
        {
          "description": "Ids never to return, besides the query's own; at most 1,000. In a query string the key repeated, or a JSON list.",
          "in": "query",
          "name": "exclude",
          "required": false,
          "schema": {
            "items": {
              "description": "An item's id: 1 to 512 characters, without NUL.",
              "maxLength": 512,
              "minLength": 1,
              "type": "string",
            },
            "maxItems": 1000,
            "type": "array",
          },
        },
      ],
      "security": [
        {
          "bearer": [
            "read",
          ],
        },
      ],
      "summary": "Why an item is similar to another",
      "tags": [
        "similar",
      ],
    }
  `);
  expect(
    Object.fromEntries(Object.entries(responses).map(([status, { description }]) => [status, description])),
  ).toMatchInlineSnapshot(`
    {
      "200": "Why an item is similar to another",
      "400": "\`BAD_REQUEST\`: a parameter, a key or a value of the request is not what the contract says, or the active model has no such channel.",
      "401": "\`UNAUTHENTICATED\`: there is no key or token, or it is unknown, revoked or expired.",
      "403": "\`FORBIDDEN\`: the key or token has not the scope of the route, the token is of another user, or the page's origin is not allowed; without keys also if the request came through a proxy, or asks for a key or a token.",
      "404": "\`UNKNOWN_ITEM\`: no item has this id; \`nearest\` lists items that may have been meant.",
      "414": "\`URI_TOO_LONG\`: the address is longer than the server takes.",
      "429": "\`TOO_MANY_REQUESTS\`: this caller has used up its rate.",
      "500": "\`INTERNAL\`: the server made a mistake; its log has the reason under the request's id.",
      "503": "\`BUSY\`: too many requests are waiting already. \`NOT_READY\`: the server is starting, has no model yet, or is shutting down.",
    }
  `);
});

test("a body that may be left out says so", () => {
  expect(document.paths["/v1/users/{id}/personalize"].post.requestBody?.required).toBe(false);
  expect(document.paths["/v1/events"].post.requestBody?.required).toBe(true);
});

test("defaults, bounds and names of shared schemas are kept", () => {
  const { SimilarRequest, NewItem, Filter } = document.components.schemas;
  expect(SimilarRequest).toMatchObject({
    type: "object",
    required: ["items"],
    additionalProperties: false,
    properties: {
      items: { minItems: 1, maxItems: 50 },
      k: { type: "integer", minimum: 1, maximum: 200, default: 10 },
      filter: { anyOf: [{ type: "string", maxLength: 4000 }, { $ref: "#/components/schemas/Filter" }] },
    },
  });
  expect(NewItem).toMatchObject({
    required: ["id", "channels"],
    properties: {
      id: { minLength: 1, maxLength: 512 },
      channels: { additionalProperties: { $ref: "#/components/schemas/Cell" } },
    },
  });
  expect(Filter.anyOf).toHaveLength(17);
});

test("a part of the routes has the tags and components of these alone", () => {
  const part = openApi({ routes: allRoutes.filter(({ tag }) => tag === "system") });
  expect(part.tags.map(({ name }) => name)).toEqual(["system"]);
  expect(Object.keys(part.components.schemas)).toEqual(["Error", "Health", "Ready"]);
});
