// The table as a whole: names, paths and schemas fit together, and every example is one.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { apiErrors } from "../errors.ts";
import { problemsOf } from "./problems.ts";
import { namedUsers, type Scope } from "./route.ts";
import { allRoutes, routes } from "./routes.ts";

const named = allRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);

/** The scope that a route asks for, by where it is. */
function scopeOf(method: string, path: string): Scope {
  if (path === "/healthz") return "public";
  if (path === "/v1/users" || path.startsWith("/v1/keys")) return "admin"; // of everybody
  if (method === "GET" || path === "/v1/similar" || path === "/v1/predict") return "read";
  return /^\/v1\/(events|feedback|tokens|users\/\{id\}.*)$/.test(path) ? "events" : "admin";
}

test("reading asks for read, what users do for events, all else for admin, and only /healthz for nothing", () => {
  expect(allRoutes.map(({ method, path, scope }) => [method, path, scope])).toEqual(
    allRoutes.map(({ method, path }) => [method, path, scopeOf(method, path)]),
  );
});

test("tokens of users may ask for items, tell what the user did, and read the files of a model that a page runs", () => {
  const open = /^\/v1\/(similar|predict|items|events|feedback|users\/\{id\}|models\/\{id\}\/files)(?![^/])/;
  expect(allRoutes.filter(({ tokens }) => tokens).map(({ name }) => name)).toEqual(
    allRoutes.filter(({ path, scope }) => scope !== "admin" && open.test(path)).map(({ name }) => name),
  );
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
