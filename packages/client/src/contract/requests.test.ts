// What each route takes, with its defaults, and what it says to mistakes: whole messages, with their place.
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { Filter } from "../filter/filter.ts";
import { describeProblems, problemsOf } from "./problems.ts";
import type { Route } from "./route.ts";
import { allRoutes, type RouteInput, type RouteName, routes } from "./routes.ts";
import type { Cell, SimilarOptions } from "./types.ts";

function failures(schema: z.ZodType, values: readonly unknown[]): string[] {
  return values.map((value) => {
    const { error } = schema.safeParse(value);
    if (!error) throw new Error(`${JSON.stringify(value)} is taken`);
    return describeProblems(error).message;
  });
}

describe("ids", () => {
  const { params } = routes.getItem;

  test("are any text of 1 to 512 characters that stores keep", () => {
    for (const id of ["a", "x".repeat(512), "17", " ", "a/b?c#d", "é", "😀", "\n", ".."]) {
      expect(params.parse({ id })).toEqual({ id });
    }
  });

  test("of other kinds are refused", () => {
    const values = ["", "x".repeat(513), "a\0b", "\ud83d", 17, null, ["a"]].map((id) => ({ id }));
    expect(failures(params, values)).toMatchInlineSnapshot(`
      [
        "id: expected at least 1 character",
        "id: expected at most 512 characters",
        "id: holds NUL, or half of a character: no store would keep it as it is",
        "id: holds NUL, or half of a character: no store would keep it as it is",
        "id: expected a text, got a number",
        "id: expected a text, got null",
        "id: expected a text, got a list",
      ]
    `);
  });
});

describe("POST /v1/similar", () => {
  const { body } = routes.similar;

  test("has its defaults", () => {
    expect(body.parse({ items: ["a"] })).toEqual({
      items: ["a"],
      k: 10,
      diversity: 0,
      history: 1,
      explain: false,
      predict: false,
      order: "similar",
      exact: false,
    });
  });

  test("takes drafts of every kind of value", () => {
    const draft = {
      year: 1921,
      released: "1921-02-06",
      genres: ["Comedy", "Drama"],
      plot: "A tramp finds a child.",
      poster: [0.1, -2, 3e-5],
      place: { latitude: 34.1, longitude: -118.3 },
      director: null,
      none: [],
    };
    expect(body.parse({ items: [{ draft }, "a"] }).items).toEqual([{ draft }, "a"]);
    expectTypeOf<Cell>().toEqualTypeOf<
      string | number | string[] | number[] | { latitude: number; longitude: number } | null
    >();
  });

  test("mistakes", () => {
    const items = ["a"];
    expect(
      failures(body, [
        undefined,
        [],
        {},
        { items: [] },
        { items: Array(51).fill("a") },
        { items: "a" },
        { items: [""] },
        { items: [3] },
        { items: [{}] },
        { items: [{ draft: { year: true } }] },
        { items: [{ draft: { year: [1, "a"] } }] },
        { items: [{ draft: { place: { latitude: 91, longitude: 0 } } }] },
        { items: [{ draft: { place: { lat: 1, lng: 2 } } }] },
        { items: [{ draft: { year: { value: 3 } } }] },
        { items: [{ draft: {}, weights: {} }] },
        { items: [{ darft: {} }] },
        { items, k: "10" },
        { items, k: 0 },
        { items, k: 2.5 },
        { items, weights: { genres: "2" } },
        { items, weights: { genres: 1e7 } },
        { items, weights: [1, 2] },
        { items, weights: { "": 1 } },
        { items, weights: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`c${i}`, 1])) },
        { items, popularity: "lots" },
        { items, popularity: 10.5 },
        { items, diversity: -0.1 },
        { items, order: "best" },
        { items, exclude: Array(1001).fill("a") },
        { items, exclude: "a" },
        { items, filter: { field: "year", atleast: 3 } },
        { items, explain: "true" },
        { items, cursor: "" },
        { items, limit: 3 },
        { items, user: "", k: 0, order: 3, explain: 1, predict: 1, exact: 1 },
      ]),
    ).toMatchInlineSnapshot(`
      [
        "the body: missing; expected an object",
        "the body: expected an object, got a list",
        "items: missing; expected a list",
        "items: expected at least 1 entry",
        "items: expected at most 50 entries",
        "items: expected a list, got a text",
        "items[0]: expected at least 1 character",
        "items[0]: expected an item's id, or { draft: { … } } with values by channel",
        "items[0].draft: missing; expected an object",
        "items[0].draft.year: expected a number, a text, a list of texts, a list of numbers, { latitude, longitude } or null",
        "items[0].draft.year: expected a number, a text, a list of texts, a list of numbers, { latitude, longitude } or null",
        "items[0].draft.place.latitude: expected at most 90",
        "items[0].draft.place.latitude: missing; expected a number; items[0].draft.place.longitude: missing; expected a number; items[0].draft.place.lat: unknown key "lat"; known are latitude, longitude; unknown key "lng"; known are latitude, longitude",
        "items[0].draft.year.latitude: missing; expected a number; items[0].draft.year.longitude: missing; expected a number; items[0].draft.year.value: unknown key "value"; known are latitude, longitude",
        "items[0].weights: unknown key "weights"; known are draft",
        "items[0].draft: missing; expected an object; items[0].darft: unknown key "darft"; did you mean "draft"?",
        "k: expected a number, got a text",
        "k: expected at least 1",
        "k: expected a whole number, got a fraction",
        "weights.genres: expected a number, got a text",
        "weights.genres: expected at most 1000000",
        "weights: expected an object, got a list",
        "weights[""]: expected at least 1 character",
        "weights: at most 256 entries",
        "popularity: expected a number from -10 to 10, or "calibrated"",
        "popularity: expected at most 10",
        "diversity: expected at least 0",
        "order: expected "similar" or "safe" or "explore"",
        "exclude: expected at most 1000 entries",
        "exclude: expected a list, got a text",
        "filter: unknown key "atleast"; did you mean "atLeast"?",
        "explain: expected true or false, got a text",
        "cursor: expected at least 1 character",
        "limit: unknown key "limit"; known are items, user, weights, popularity, history, met, k, cursor, diversity, filter, exclude, explain, predict, order, exact",
        "user: expected at least 1 character; k: expected at least 1; explain: expected true or false, got a number; predict: expected true or false, got a number; order: expected "similar" or "safe" or "explore"; and 1 more",
      ]
    `);
  });
});

test("PUT /v1/items: mistakes", () => {
  const item = { id: "a", channels: {} };
  expect(routes.putItems.body.parse({ items: [item] })).toEqual({ items: [item] });
  expect(
    failures(routes.putItems.body, [
      { items: [] },
      { items: [{ id: "a" }] },
      { items: [item, item] },
      { items: [{ ...item, title: "" }] },
      { items: [{ ...item, fields: { year: { from: 1 } } }] },
      { items: [{ ...item, fields: { tags: [1] } }] },
      { items: [{ ...item, channel: {} }] },
      { items: [{ ...item, channels: { plot: "x".repeat(100_001) } }] },
    ]),
  ).toMatchInlineSnapshot(`
    [
      "items: expected at least 1 entry",
      "items[0].channels: missing; expected an object",
      "items[1].id: stands at 0 already; give each item once",
      "items[0].title: expected at least 1 character",
      "items[0].fields.year: expected a text, a number, true, false, a list of texts or null",
      "items[0].fields.tags[0]: expected a text, got a number",
      "items[0].channel: unknown key "channel"; did you mean "channels"?",
      "items[0].channels.plot: expected at most 100000 characters",
    ]
  `);
});

describe("POST /v1/events", () => {
  const { body } = routes.addEvents;
  const event = { user: "u", item: "a" };

  test("times become milliseconds", () => {
    const times = [0, -1, 1772396100000.5, "2026-03-01", "2026-03-01T20:15:00Z", "2026-03-01T21:15:00.250+01:00"];
    const events = body.parse({ events: times.map((time) => ({ ...event, time })) }).events;
    expect(events.map(({ time }) => time)).toEqual([
      0, -1, 1772396100000.5, 1772323200000, 1772396100000, 1772396100250,
    ]);
    expect(body.parse({ events: [event] })).toEqual({ events: [event] });
    expect(body.parse({ events: [{ ...event, rating: null, type: "view" }] }).events[0].rating).toBeNull();
  });

  test("mistakes", () => {
    expect(
      failures(body, [
        { events: [] },
        { events: Array(1001).fill(event) },
        { events: [{ item: "a" }] },
        { events: [{ ...event, rating: "5" }] },
        { events: [{ ...event, rating: 1e10 }] },
        { events: [{ ...event, time: "yesterday" }] },
        { events: [{ ...event, time: "2026-02-30" }] },
        { events: [{ ...event, time: "2026-03-01T20:15:00" }] },
        { events: [{ ...event, time: 1e17 }] },
        { events: [{ ...event, type: "x".repeat(65) }] },
        { events: [{ ...event, id: "" }] },
        { events: [event, { ...event, userId: "u" }] },
        [event],
      ]),
    ).toMatchInlineSnapshot(`
      [
        "events: expected at least 1 entry",
        "events: expected at most 1000 entries",
        "events[0].user: missing; expected a text",
        "events[0].rating: expected a number, got a text",
        "events[0].rating: expected at most 1000000000",
        "events[0].time: expected milliseconds since 1970, or ISO 8601 such as "2026-03-01T20:15:00Z"",
        "events[0].time: expected milliseconds since 1970, or ISO 8601 such as "2026-03-01T20:15:00Z"",
        "events[0].time: expected milliseconds since 1970, or ISO 8601 such as "2026-03-01T20:15:00Z"",
        "events[0].time: expected at most 8640000000000000",
        "events[0].type: expected at most 64 characters",
        "events[0].id: expected at least 1 character",
        "events[1].userId: unknown key "userId"; did you mean "user"?",
        "the body: expected an object, got a list",
      ]
    `);
  });
});

test("other bodies: defaults and mistakes", () => {
  expect(routes.predict.body.parse({ item: "a" })).toEqual({ item: "a", evidence: 10 });
  expect(routes.createToken.body.parse({ user: "u" })).toEqual({ user: "u", seconds: 900, scopes: ["read", "events"] });
  expect(routes.personalize.body.parse(undefined)).toEqual({});
  expect(routes.personalize.body.parse(null)).toEqual({});
  expect(routes.measureIndex.body.parse(undefined)).toEqual({ queries: 100, k: 10 });
  const feedback = { recommendation: "r", item: "a", action: "clicked" };
  const cases: [RouteName, unknown][] = [
    ["predict", { item: { year: 3 } }],
    ["predict", { item: "a", evidence: 1001 }],
    ["putItem", { id: "a", channels: {} }],
    ["deleteItems", { ids: [] }],
    ["addFeedback", { feedback: [{ ...feedback, action: "" }] }],
    ["addFeedback", { feedback: [{ ...feedback, position: 0 }] }],
    ["putMetric", {}],
    ["putMetric", { weights: { genres: null } }],
    ["personalize", { ratings: [{ item: "a", rating: "4" }] }],
    ["createToken", { user: "u", seconds: 86_401 }],
    ["createToken", { user: "u", scopes: ["admin"] }],
    ["createToken", { user: "u", scopes: [] }],
    ["createKey", { name: "n", scopes: ["write"] }],
    ["measureIndex", { k: 201 }],
  ];
  const messages = cases.map(([name, value]) => `${name}: ${failures(routes[name as "predict"].body, [value])}`);
  expect(messages).toMatchInlineSnapshot(`
    [
      "predict: item.draft: missing; expected an object; item.year: unknown key "year"; known are draft",
      "predict: evidence: expected at most 1000",
      "putItem: id: unknown key "id"; known are title, channels, fields",
      "deleteItems: ids: expected at least 1 entry",
      "addFeedback: feedback[0].action: expected at least 1 character",
      "addFeedback: feedback[0].position: expected at least 1",
      "putMetric: weights: missing; expected an object",
      "putMetric: weights.genres: expected a number, got null",
      "personalize: ratings[0].rating: expected a number, got a text",
      "createToken: seconds: expected at most 86400",
      "createToken: scopes[0]: expected "read" or "events"",
      "createToken: scopes: expected at least 1 entry",
      "createKey: scopes[0]: expected "read" or "events" or "admin"",
      "measureIndex: k: expected at most 200",
    ]
  `);
});

test("whatever comes to whatever route: taken, or refused with a place and a message", () => {
  const keys = [...new Set(allRoutes.flatMap(({ body, query }) => Object.keys({ ...shapeOf(body), ...query?.shape })))];
  const key = fc.oneof(fc.constantFrom(...keys, "draft", "channels", "__proto__", "constructor"), fc.string());
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  })).value;
  const schemas = allRoutes.flatMap(({ params, query, querystring, body }: Route) =>
    [params, query, querystring as z.ZodType | undefined, body].filter((schema) => schema !== undefined),
  );
  fc.assert(
    fc.property(fc.constantFrom(...schemas), value, (schema, given) => {
      const { error } = schema.safeParse(given);
      if (!error) return;
      const problems = problemsOf(error);
      expect(problems.length).toBeGreaterThan(0);
      for (const { message } of problems) expect(message).not.toBe("");
      expect(describeProblems(error).message.length).toBeLessThan(5000);
    }),
    { numRuns: 600 },
  );
});

test("many problems are told in one message, the first five in full", () => {
  const { error } = routes.similar.body.safeParse({ k: 0, order: 3, explain: 1, predict: 1, exact: 1, diversity: 2 });
  if (!error) throw new Error("expected an error");
  expect(problemsOf(error).length).toBe(7);
  expect(describeProblems(error).field).toBe("items");
  expect(describeProblems(error).message).toMatch(/; and 2 more$/);
});

test("types: what a handler gets, and what a caller may give", () => {
  expectTypeOf<RouteInput<"similarToItem">["params"]>().toEqualTypeOf<{ id: string }>();
  expectTypeOf<RouteInput<"similarToItem">["query"]["k"]>().toEqualTypeOf<number>();
  expectTypeOf<RouteInput<"similarToItem">["query"]["filter"]>().toEqualTypeOf<Filter | undefined>();
  expectTypeOf<RouteInput<"similarToItem">["body"]>().toEqualTypeOf<undefined>();
  expectTypeOf<RouteInput<"addEvents">["body"]["events"][number]["time"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<SimilarOptions["k"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<SimilarOptions["filter"]>().toEqualTypeOf<Filter | string | undefined>();
});

function shapeOf(schema: z.ZodType | undefined): object {
  return schema && "shape" in schema ? (schema.shape as object) : {};
}

test("entries are counted before any of them is validated", () => {
  let read = 0;
  const counted = (count: number) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`c${i}`, { enumerable: true, get: () => ++read, configurable: true }]),
      ),
    );
  const message = (count: number) => failures(routes.similar.body, [{ items: [{ draft: counted(count) }] }])[0];
  expect(message(5000)).toBe("items[0].draft: at most 256 entries");
  expect(read).toBe(0);
  expect(routes.similar.body.safeParse({ items: [{ draft: counted(256) }] }).success).toBe(true);
});
