// The document as a whole: every reference leads somewhere, every route is there, and its shape is kept.
import { describe, expect, test } from "vitest";
import { apiErrors } from "../errors.ts";
import { errorsOf, openApi } from "./openapi.ts";
import { allRoutes, routes } from "./routes.ts";

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

test("a key or token travels as a bearer", () => {
  expect(document.components.securitySchemes.bearer).toMatchObject({ type: "http", scheme: "bearer" });
});

test("components have names that a generator of clients can take as they are", () => {
  for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
});

describe.each(operations.map((one) => [one.operation.operationId, one] as const))("%s", (_, { path, operation }) => {
  const route = allRoutes.find(({ name }) => name === operation.operationId);
  if (!route) throw new Error(`no route ${operation.operationId}`);

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

  test("has the keys of its query, each of which may be left out", () => {
    const [inPath, inQuery] = ["path", "query"].map((place) => operation.parameters.filter((one) => one.in === place));
    expect(inQuery.map(({ name }) => name)).toEqual(Object.keys(route.query?.shape ?? {}));
    expect(operation.parameters).toEqual([...inPath, ...inQuery]);
    expect(inPath.map(({ required }) => required)).toEqual(inPath.map(() => true));
    expect(inQuery.map(({ required }) => required)).toEqual(inQuery.map(() => false));
  });

  test("says what it is for, what it needs, and who may call it", () => {
    expect(operation.tags).toEqual([route.tag]);
    expect(operation.summary).toBe(route.summary);
    const [own, access] = operation.description.split("\n\n").slice(-2);
    expect(route.description.endsWith(own)).toBe(true);
    expect(operation.security).toEqual(route.scope === "public" ? [] : [{ bearer: [route.scope] }]);
    expect(access).toContain(route.scope === "public" ? "Needs no key." : `Needs the scope \`${route.scope}\`.`);
    if (route.tokens)
      expect(access).toMatch(route.user ? /A token may call it for its own user\./ : /Tokens may call it\./);
    else expect(access).not.toMatch(/may call/);
    expect(access.includes("Not to be sent again")).toBe(!route.idempotent);
  });

  test("answers 200, and errors by their status", () => {
    expect(operation.responses["200"].description).toBe(route.summary);
    expect(Object.keys(operation.responses["200"].content as object)).toEqual([route.produces ?? "application/json"]);
    const statuses = new Set(errorsOf(route).map((code) => String(apiErrors[code].status)));
    expect(Object.keys(operation.responses)).toEqual(["200", ...[...statuses].sort()]);
    for (const status of statuses) {
      expect(operation.responses[status].content).toEqual({
        "application/json": { schema: { $ref: "#/components/schemas/Error" } },
      });
      const codes = errorsOf(route).filter((code) => String(apiErrors[code].status) === status);
      expect(
        Array.from(String(operation.responses[status].description).matchAll(/`([A-Z_]+)`: \S/g), ([, code]) => code),
      ).toEqual(codes);
    }
  });

  test("its tag is described", () => {
    expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...operation.tags]));
  });
});

test("bodies and answers are components by name", () => {
  const named = (content: unknown) =>
    (content as { "application/json": { schema: { $ref?: string } } })["application/json"].schema.$ref
      ?.split("/")
      .at(-1);
  const of = (path: string, method: string) => {
    const { requestBody, responses } = document.paths[path][method];
    return [requestBody && named(requestBody.content), named(responses["200"].content)];
  };
  expect(of("/v1/items/{id}/similar", "get")).toEqual([undefined, "SimilarItems"]);
  expect(of("/v1/similar", "post")).toEqual(["SimilarRequest", "SimilarItems"]);
  expect(of("/v1/items/{id}/similar/{other}", "get")).toEqual([undefined, "Explanation"]);
  expect(of("/v1/predict", "post")).toEqual(["PredictRequest", "Prediction"]);
  expect(of("/v1/items/{id}", "get")).toEqual([undefined, "Item"]);
  expect(of("/v1/items/{id}", "put")[0]).toBe("ItemContent");
  expect(of("/v1/users/{id}/metric", "put")).toEqual(["Sliders", "UserMetric"]);
  expect(of("/v1/users/{id}", "get")).toEqual([undefined, "User"]);
  expect(of("/v1/models/{id}", "get")).toEqual([undefined, "Model"]);
  expect(of("/v1/evaluations/{name}", "get")).toEqual([undefined, "EvaluationResults"]);
});

test("parameters have the bounds, forms and examples of the contract", () => {
  const { parameters } = document.paths["/v1/items/{id}/similar/{other}"].get;
  const parameter = Object.fromEntries(parameters.map(({ name, ...rest }) => [name, rest]));
  const id = { type: "string", minLength: 1, maxLength: 512 };
  const [example] = routes.explain.examples;
  expect(parameter.id).toMatchObject({ in: "path", schema: id, example: example.params.id });
  expect(parameter.other).toMatchObject({ in: "path", schema: id, example: example.params.other });
  expect(parameter.user.schema).toEqual(id);
  expect(parameter.user.example).toBeUndefined();
  expect(parameter.weights.content).toMatchObject({
    "application/json": {
      schema: { type: "object", additionalProperties: { type: "number", minimum: -1e6, maximum: 1e6 } },
    },
  });
  expect(parameter.popularity.schema).toEqual({
    anyOf: [
      { type: "number", minimum: -10, maximum: 10 },
      { type: "string", const: "calibrated" },
    ],
  });
  expect(parameter.filter.schema).toMatchObject({ type: "string", maxLength: 4000 });
  expect(parameter.exclude.schema).toMatchObject({ type: "array", maxItems: 1000, items: id });
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
