// The table as a whole: names, paths and schemas fit together, and every example is one.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { apiErrors } from "../errors.ts";
import { problemsOf } from "./problems.ts";
import { namedUsers } from "./route.ts";
import { allRoutes, routes } from "./routes.ts";

const named = allRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);

test("the routes are these", () => {
  expect(
    allRoutes.map(({ method, path, scope, tokens }) => `${method} ${path} ${scope}${tokens ? ", tokens" : ""}`),
  ).toMatchInlineSnapshot(`
    [
      "GET /v1/items/{id}/similar read, tokens",
      "POST /v1/similar read, tokens",
      "GET /v1/items/{id}/similar/{other} read, tokens",
      "POST /v1/predict read, tokens",
      "GET /v1/items read, tokens",
      "GET /v1/items/{id} read, tokens",
      "PUT /v1/items admin",
      "PUT /v1/items/{id} admin",
      "DELETE /v1/items/{id} admin",
      "POST /v1/items/delete admin",
      "POST /v1/events events, tokens",
      "POST /v1/feedback events, tokens",
      "GET /v1/users admin",
      "GET /v1/users/{id} read, tokens",
      "DELETE /v1/users/{id} events, tokens",
      "GET /v1/users/{id}/events read, tokens",
      "GET /v1/users/{id}/metric read, tokens",
      "PUT /v1/users/{id}/metric events, tokens",
      "DELETE /v1/users/{id}/metric events, tokens",
      "POST /v1/users/{id}/personalize events, tokens",
      "GET /v1/users/{id}/next-question read, tokens",
      "GET /v1/users/{id}/because read, tokens",
      "GET /v1/models read",
      "GET /v1/models/{id} read",
      "POST /v1/models/{id}/activate admin",
      "POST /v1/models/rollback admin",
      "POST /v1/models/{id}/validate admin",
      "GET /v1/index read",
      "POST /v1/index/measure admin",
      "GET /v1/models/{id}/files read, tokens",
      "GET /v1/models/{id}/files/{name} read, tokens",
      "GET /v1/models/{id}/training read",
      "GET /v1/evaluations read",
      "GET /v1/evaluations/{name} read",
      "GET /reports/{name} read",
      "POST /v1/tokens events",
      "GET /v1/keys admin",
      "POST /v1/keys admin",
      "DELETE /v1/keys/{id} admin",
      "GET /healthz public",
      "GET /readyz read",
      "GET /metrics read",
      "GET /openapi.json read",
      "GET /docs read",
    ]
  `);
});

test("each method and path stands there once, and none hides another", () => {
  expect(new Set(named.map(([key]) => key)).size).toBe(named.length);
  const shadows = allRoutes.flatMap((a) =>
    allRoutes.filter((b) => a !== b && a.method === b.method && matches(a.path, b.path)).map((b) => [a.path, b.path]),
  );
  expect(shadows).toEqual([]);
});

describe.each(named)("%s", (_, route) => {
  test("has a schema for exactly the parameters of its path", () => {
    const inPath = Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    expect(Object.keys(route.params?.shape ?? {})).toEqual(inPath);
  });

  test("takes a body unless it only reads or deletes", () => {
    if (route.method === "GET" || route.method === "DELETE") expect(route.body).toBeUndefined();
    if (route.method === "PUT") expect(route.body).toBeDefined();
    if (route.method !== "POST") expect(route.idempotent).toBe(true);
  });

  test("says where the user stands if there is one, and tokens can be held to it", () => {
    const { user } = route;
    if (user === "params.id") expect(route.params?.shape).toHaveProperty("id");
    if (user === "query.user") expect(route.query?.shape).toHaveProperty("user");
    if (route.path.startsWith("/v1/users/{id}")) expect(user).toBe("params.id");
    if (route.tokens) expect(["read", "events"]).toContain(route.scope);
  });

  test("its examples are what it takes and answers", () => {
    if (route.produces === undefined && route.name !== "openApi") expect(route.examples.length).toBeGreaterThan(0);
    for (const example of route.examples) {
      check(route.params, example.params);
      check(route.query, example.query ?? (route.query ? {} : undefined));
      if (route.body || example.body !== undefined) check(route.body, example.body);
      check(route.response, example.response);
    }
  });

  test("its errors are known, each once", () => {
    expect(new Set(route.errors).size).toBe(route.errors.length);
    for (const code of route.errors) expect(apiErrors).toHaveProperty(code);
  });

  test("every field of what it takes says what it is", () => {
    const undescribed = [route.params, route.query, route.body].flatMap((schema) =>
      schema ? bare(z.toJSONSchema(schema, { io: "input" }) as Json, "") : [],
    );
    expect(undescribed).toEqual([]);
  });
});

test("users are found wherever a route names them", () => {
  expect(namedUsers(routes.listItems, { query: {} })).toEqual([]);
  expect(namedUsers(routes.getUser, { params: { id: "u" } })).toEqual(["u"]);
  expect(namedUsers(routes.similarToItem, { query: { user: "u" } })).toEqual(["u"]);
  expect(namedUsers(routes.similarToItem, { query: {} })).toEqual([undefined]);
  expect(namedUsers(routes.predict, { body: { item: "x", user: "u" } })).toEqual(["u"]);
  expect(namedUsers(routes.addEvents, { body: { events: [{ user: "a" }, { user: "b" }] } })).toEqual(["a", "b"]);
  expect(namedUsers(routes.addFeedback, { body: { feedback: [{ user: "a" }, {}] } })).toEqual(["a", undefined]);
});

function check(schema: z.ZodType | undefined, value: unknown): void {
  if (!schema) {
    expect(value).toBeUndefined();
    return;
  }
  const { error } = schema.safeParse(value);
  expect(error ? problemsOf(error) : []).toEqual([]);
}

function matches(pattern: string, path: string): boolean {
  const [steps, others] = [pattern.split("/"), path.split("/")];
  return steps.length === others.length && steps.every((step, i) => step.startsWith("{") || step === others[i]);
}

interface Json {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly $defs?: Readonly<Record<string, Json>>;
  readonly description?: string;
  readonly $ref?: string;
}

/** Keys without a description of their own or of what they refer to. */
function bare(schema: Json, path: string): string[] {
  const properties = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => [
    ...(value.description === undefined && value.$ref === undefined ? [`${path}.${key}`] : []),
    ...bare(value, `${path}.${key}`),
  ]);
  return [...properties, ...Object.entries(schema.$defs ?? {}).flatMap(([name, value]) => bare(value, name))];
}
