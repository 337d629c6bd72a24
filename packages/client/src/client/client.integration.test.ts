// The client against real servers: that it says what the contract takes, and what becomes of answers, errors and silence.
import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { failing, type Received, type Reply, readRequest, routeOf, serve } from "../../test/server.ts";
import type { Route } from "../contract/route.ts";
import { allRoutes, routes } from "../contract/routes.ts";
import type { SimilarItems } from "../contract/types.ts";
import { validateAnswer } from "../contract/validate.ts";
import { all, not, seen, where } from "../filter/build.ts";
import { createClient, type NearkinClient } from "./client.ts";
import type { NearkinApiError } from "./error.ts";

/** The first example's answer of whatever route is asked. */
function byContract(request: Received): Reply {
  const { route } = readRequest(request);
  if (route.name === "openApi") return { json: { openapi: "3.1.0" } };
  if (route.examples.length > 0) return { json: route.examples[0].response };
  return { text: "nearkin_up 1\n", headers: { "content-type": route.produces ?? "text/html" } };
}

/** Every method, with arguments. */
const calls: Record<string, (client: NearkinClient) => Promise<unknown>> = {
  similarToItem: (client) => client.items.similar("the-kid-1921", { user: "u0001", k: 3, filter: not(seen()) }),
  similar: (client) =>
    client.similar(["a", { draft: { year: 1921, genres: ["Comedy"], where: { latitude: 1, longitude: 2 } } }]),
  explain: (client) => client.items.explain("a", "b", { weights: { genres: 2 } }),
  predict: (client) => client.predict("a", { user: "u" }),
  listItems: (client) => client.items.list({ search: "kid" }),
  getItem: (client) => client.items.get("a"),
  putItems: (client) => client.items.put([{ id: "a", title: null, channels: { year: 1 }, fields: { tags: ["x"] } }]),
  putItem: (client) => client.items.putOne("a", { channels: {} }),
  deleteItem: (client) => client.items.delete("a"),
  deleteItems: (client) => client.items.deleteMany(["a", "b"]),
  addEvents: (client) => client.events.add([{ user: "u", item: "a", rating: 4, time: "2026-03-01" }]),
  addFeedback: (client) => client.feedback.add([{ recommendation: "r", item: "a", action: "clicked" }]),
  listUsers: (client) => client.users.list({ limit: 2 }),
  getUser: (client) => client.users.get("u"),
  deleteUser: (client) => client.users.delete("u"),
  getUserEvents: (client) => client.users.events("u", { limit: 10 }),
  getMetric: (client) => client.users.metric.get("u"),
  putMetric: (client) => client.users.metric.put("u", { weights: { genres: 2 }, popularity: "calibrated" }),
  deleteMetric: (client) => client.users.metric.delete("u"),
  personalize: (client) => client.users.personalize("u", { ratings: [{ item: "a", rating: 4 }] }),
  nextQuestion: (client) => client.users.nextQuestion("u", { k: 2 }),
  because: (client) => client.users.because("u", { rows: 2, explain: true }),
  listModels: (client) => client.models.list(),
  getModel: (client) => client.models.get("m"),
  activateModel: (client) => client.models.activate("m"),
  rollbackModel: (client) => client.models.rollback(),
  validateModel: (client) => client.models.validate("m"),
  listModelFiles: (client) => client.models.files("m"),
  getModelFile: (client) => client.models.file("m", "weights.safetensors"),
  getTraining: (client) => client.models.training("m"),
  listEvaluations: (client) => client.evaluations.list(),
  getEvaluation: (client) => client.evaluations.get("films"),
  getReport: (client) => client.evaluations.report("films"),
  getIndex: (client) => client.index.get(),
  measureIndex: (client) => client.index.measure({ k: 5 }),
  createToken: (client) => client.tokens.create({ user: "u" }),
  listKeys: (client) => client.keys.list(),
  createKey: (client) => client.keys.create({ name: "n", scopes: ["read"] }),
  deleteKey: (client) => client.keys.delete("k"),
  health: (client) => client.health(),
  ready: (client) => client.ready(),
  metrics: (client) => client.metrics(),
  openApi: (client) => client.openApi(),
};

test("every route but the page of documentation has a method", () => {
  expect(Object.keys(calls).sort()).toEqual(
    Object.keys(routes)
      .filter((name) => name !== "docs")
      .sort(),
  );
});

test.each(Object.entries(calls))("%s says what the contract takes, and gives what it answers", async (name, call) => {
  await using server = await serve(byContract);
  const answer = await call(createClient({ url: server.url, key: "k", validate: validateAnswer }));
  expect(server.requests.map((request) => routeOf(request).name)).toEqual([name]);
  expect(server.requests[0].headers.authorization).toBe("Bearer k");
  const route = allRoutes.find((one) => one.name === name);
  if (route?.examples.length) expect(answer).toEqual(route.examples[0].response);
});

test("all are sent again where no answer came, but those that are not idempotent", async () => {
  const outcomes = await Promise.all(
    Object.entries(calls).map(async ([name, call]) => {
      await using server = await serve((request, place) => (place === 0 ? "cut" : byContract(request)));
      const outcome = await call(createClient({ url: server.url })).then(
        () => "answered",
        (error: NearkinApiError) => error.code,
      );
      const [first, second] = server.requests.map(({ method, url, body }) => ({ method, url, body }));
      if (second) expect(second).toEqual(first);
      return [name, outcome, server.requests.length];
    }),
  );
  const expected = Object.keys(calls).map((name) => {
    const { idempotent } = allRoutes.find((route) => route.name === name) as Route;
    return idempotent ? [name, "answered", 2] : [name, "UNREACHABLE", 1];
  });
  expect(outcomes).toEqual(expected);
});

test("without arguments, the defaults are the server's", async () => {
  await using server = await serve(byContract);
  const client = createClient({ url: `${server.url}/` });
  await client.items.similar("a");
  await client.users.personalize("u");
  await client.index.measure();
  expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toMatchInlineSnapshot(`
    [
      "GET /v1/items/a/similar ",
      "POST /v1/users/u/personalize {}",
      "POST /v1/index/measure {}",
    ]
  `);
  expect(server.requests[0].headers).toMatchObject({ accept: "application/json" });
  expect(server.requests[0].headers).not.toHaveProperty("authorization");
  expect(server.requests[0].headers).not.toHaveProperty("content-type");
});

test("a path before the API, and headers for all requests, are kept", async () => {
  await using server = await serve(() => ({ json: routes.health.examples[0].response }));
  await createClient({ url: new URL(`${server.url}/api/?x#y`), headers: { "x-tenant": "t" } }).health();
  expect(server.requests[0]).toMatchObject({ url: "/api/healthz", headers: { "x-tenant": "t" } });
});

describe("what is asked", () => {
  test("any id arrives as it is", async () => {
    await using server = await serve(byContract);
    const client = createClient({ url: server.url });
    const id = fc.string({ minLength: 1, maxLength: 40, unit: "binary" }).filter((text) => !text.includes("\0"));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom("a/b", "?", "#", "%2e%2e", "a b", "é", "😀", ".", ".."), id),
        async (item) => {
          await client.items.similar(item, { user: item, exclude: [item] });
          const { params, query, body } = readRequest(server.requests[server.requests.length - 1]);
          const asked = (query ?? body) as { user: string; exclude: string[]; items?: string[] };
          expect((params as { id?: string } | undefined)?.id ?? asked.items?.[0]).toBe(item);
          expect(asked).toMatchObject({ user: item, exclude: [item] });
        },
      ),
      { numRuns: 100 },
    );
  });

  test("any options arrive as they are", async () => {
    await using server = await serve(byContract);
    const client = createClient({ url: server.url });
    const text = fc.string({ minLength: 1, maxLength: 10, unit: "grapheme" });
    const channel = text.filter((name) => name !== "__proto__"); // which no request may hold
    const options = fc.record(
      {
        k: fc.integer({ min: 1, max: 200 }),
        weights: fc.dictionary(
          fc.oneof(fc.constantFrom("genres", "a:b", "c,d"), channel),
          fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        ),
        popularity: fc.oneof(fc.constant("calibrated" as const), fc.double({ min: -10, max: 10, noNaN: true })),
        diversity: fc.double({ min: 0, max: 1, noNaN: true }),
        explain: fc.boolean(),
        order: fc.constantFrom("similar" as const, "safe" as const, "explore" as const),
        exclude: fc.array(fc.oneof(text, fc.constantFrom('["a"]', "[", "a,b")), { minLength: 1, maxLength: 3 }),
        filter: fc.constantFrom(all(where("year").atLeast(1990), not(seen())), { seen: false }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(options, async (asked) => {
        await client.items.similar("a", asked);
        const { query } = readRequest(server.requests[server.requests.length - 1]);
        const same = JSON.parse(JSON.stringify(asked)); // -0 is 0 on any wire
        if (asked.weights && Object.keys(asked.weights).length === 0) delete same.weights;
        expect(query).toMatchObject(same);
      }),
      { numRuns: 200 },
    );
  });

  test("what is too long for an address goes as a body", async () => {
    await using server = await serve(byContract);
    const exclude = Array.from({ length: 1000 }, (_, i) => `item-${i}`);
    await createClient({ url: server.url }).items.similar("a", { exclude, k: 3 });
    const { route, body } = readRequest(server.requests[0]);
    expect(route.name).toBe("similar");
    expect(body).toMatchObject({ items: ["a"], exclude, k: 3 });
  });

  test("what cannot be said is refused before it is sent", async () => {
    await using server = await serve(byContract);
    const client = createClient({ url: server.url });
    const failures = [
      () => client.items.get(""),
      () => client.items.get(".."),
      () => client.items.get("\ud800"),
      () => client.items.get(undefined as never),
      () => client.events.add([{ user: "u", item: "a", rating: Number.NaN }]),
      () => client.similar([{ draft: { year: Number.POSITIVE_INFINITY } }]),
    ];
    const messages = await Promise.all(
      failures.map((call) => call().catch((error: Error) => `${error.name}: ${error.message}`)),
    );
    expect(messages).toMatchInlineSnapshot(`
      [
        "TypeError: expected an id for /v1/items/{id}, got an empty text",
        "TypeError: the id ".." cannot stand in an address: URLs take it for a folder",
        "TypeError: the id "\\ud800" holds half of a character",
        "TypeError: expected an id for /v1/items/{id}, got undefined",
        "TypeError: rating: expected a finite number, got NaN",
        "TypeError: year: expected a finite number, got Infinity",
      ]
    `);
    expect(server.requests).toEqual([]);
  });
});

describe("events", () => {
  test("get an id, the same at every attempt", async () => {
    await using server = await serve((request, place) =>
      place < 2 ? failing("STORE_UNAVAILABLE", 503) : byContract(request),
    );
    await createClient({ url: server.url }).events.add([
      { user: "u", item: "a" },
      { id: "mine", user: "u", item: "b" },
    ]);
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
    const { events } = JSON.parse(bodies[0]);
    expect(events).toEqual([
      { user: "u", item: "a", id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { id: "mine", user: "u", item: "b" },
    ]);
  });

  test("go in batches, whose answers are one", async () => {
    await using server = await serve((_, place) => ({
      json: { accepted: 10, duplicates: 1, unknownItems: ["x", `y${place}`] },
    }));
    const client = createClient({ url: server.url });
    const events = Array.from({ length: 2001 }, (_, i) => ({ user: "u", item: `i${i}` }));
    expect(await client.events.add(events)).toEqual({
      accepted: 30,
      duplicates: 3,
      unknownItems: ["x", "y0", "y1", "y2"],
    });
    expect(server.requests.map(({ body }) => JSON.parse(body).events.length)).toEqual([1000, 1000, 1]);
    expect(await client.events.add([])).toEqual({ accepted: 0, duplicates: 0, unknownItems: [] });
    expect(await client.feedback.add([])).toEqual({ accepted: 0, duplicates: 0 });
    expect(server.requests.length).toBe(3);
  });
});

describe("pages", () => {
  const page = (ids: string[], next: string | null): Reply => ({
    json: {
      ...(routes.similarToItem.examples[0].response as object),
      items: ids.map((id, i) => ({ id, title: null, rank: i + 1, score: 0, distance: 0 })),
      next,
    },
  });

  test("are read one after the other, when they are needed", async () => {
    await using server = await serve(({ url, body }) =>
      `${url}${body}`.includes("c2") ? page(["c"], null) : page(["a", "b"], "c2"),
    );
    const client = createClient({ url: server.url });
    const found: string[] = [];
    for await (const { id } of client.items.similarPages("x", { k: 2 })) {
      found.push(`${id}${server.requests.length}`);
    }
    expect(found).toEqual(["a1", "b1", "c2"]);
    for await (const { id } of client.similarPages(["x"], { k: 2 })) if (id === "b") break;
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v1/items/x/similar?k=2",
      "GET /v1/items/x/similar?k=2&cursor=c2",
      "POST /v1/similar",
    ]);
  });

  test("of items, of users and of events", async () => {
    const item = { id: "a", title: null, ratings: 1, added: false, fields: {} };
    const user = { id: "u", events: 2, metric: "base" };
    const event = { id: "e", item: "a", title: null, known: true, rating: null, type: null, time: 0 };
    await using server = await serve(({ url }) => ({
      json: { items: [item], users: [user], events: [event], model: "m", next: url.includes("after=n") ? null : "n" },
    }));
    const client = createClient({ url: server.url });
    expect(await gathered(client.items.pages({ search: "a" }))).toEqual([item, item]);
    expect(await gathered(client.users.pages())).toEqual([user, user]);
    expect(await gathered(client.users.eventPages("u"))).toEqual([event, event]);
    expect(await gathered(client.users.eventPages("u", { after: "n" }))).toEqual([event]);
    expect(server.requests[1].url).toBe("/v1/items?search=a&after=n");
  });

  test("that never end are noticed", async () => {
    await using server = await serve(() => page(["a"], "again"));
    await expect(gathered(createClient({ url: server.url }).items.similarPages("x"))).rejects.toThrow(
      "a page names itself as the next",
    );
    expect(server.requests.length).toBe(2);
  });
});

test("a file comes as its bytes, and nothing else is taken for one", async () => {
  const text = "\u0000é, not JSON";
  await using server = await serve(({ url }) => ({
    text,
    headers: url.includes("/model.json") ? {} : { "content-type": "application/octet-stream" },
  }));
  const client = createClient({ url: server.url });
  expect(await client.models.file("m", "items.safetensors")).toEqual(new TextEncoder().encode(text));
  expect(server.requests[0]).toMatchObject({
    url: "/v1/models/m/files/items.safetensors",
    headers: { accept: "application/octet-stream" },
  });
  await expect(client.models.file("m", "model.json")).rejects.toMatchObject({
    code: "BAD_ANSWER",
    message: "GET /v1/models/{id}/files/{name}: expected bytes, got text/html",
  });
});

test("types come from the contract", () => {
  type Client = NearkinClient;
  expectTypeOf<Awaited<ReturnType<Client["items"]["similar"]>>>().toEqualTypeOf<SimilarItems>();
  expectTypeOf<Client["users"]["metric"]["put"]>().parameter(1).toHaveProperty("weights");
  expectTypeOf<Client["items"]["similar"]>().parameter(1).toEqualTypeOf<Parameters<Client["similar"]>[1]>();
  expectTypeOf<NonNullable<Parameters<Client["items"]["similar"]>[1]>["order"]>().toEqualTypeOf<
    "similar" | "safe" | "explore" | undefined
  >();
  expectTypeOf<Awaited<ReturnType<Client["metrics"]>>>().toEqualTypeOf<string>();
  expectTypeOf<Awaited<ReturnType<Client["models"]["file"]>>>().toEqualTypeOf<Uint8Array<ArrayBuffer>>();
  expectTypeOf<NearkinApiError["code"]>()
    .extract<"UNKNOWN_ITEM" | "TIMED_OUT">()
    .toEqualTypeOf<"UNKNOWN_ITEM" | "TIMED_OUT">();
});

test("a client leaves nothing behind on its signal", async () => {
  await using server = await serve((request, place) => (place === 0 ? failing("BUSY", 503) : byContract(request)));
  const { signal } = new AbortController();
  await createClient({ url: server.url, signal }).items.get("a", { signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

async function gathered<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const list: Entry[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}
