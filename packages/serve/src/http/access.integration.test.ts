// Who gets in, on the whole server: every route of the contract, asked by everyone who may come.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { allRoutes, apiErrors, errorSchema, type Route, type RouteName, routes } from "@nearkin/client/contract";
import type { FastifyBaseLogger } from "fastify";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../access/scopes.ts";
import { signToken } from "../access/tokens.ts";
import { type Request, TinyServer, type TinyServerOptions, toyEncoder } from "../testing/tiny-server.ts";
import { type Names, prepareFor, rawRequest, twoModels, validRequests } from "../testing/valid-requests.ts";

type Headers = Readonly<Record<string, string>>;
type Injected = Awaited<ReturnType<typeof inject>>;

const named = allRoutes.map((route) => [route.name as RouteName, route] as const);
const USERS_PLACES = ["params.id", "query.user", "body.user", "body.events[].user", "body.feedback[].user"];

let tiny: TinyServer;
let names: Names;
let valid: Readonly<Record<RouteName, Request>>;

/** Two models, an item, and with keys one that may do everything. */
async function open(
  options: TinyServerOptions,
  { given = { user: "ann", item: "put 1", text: "harbour" }, onOpen = () => {} } = {},
) {
  tiny = await TinyServer.open({ folders: twoModels, rate: null, ...options });
  onOpen();
  if (tiny.server.withKeys) tiny.headers = await keyOf("admin");
  names = await prepareFor(tiny, given);
  valid = validRequests(names);
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

async function keyOf(...scopes: Scope[]): Promise<{ authorization: string }> {
  return bearer((await tiny.server.context.keys.create({ name: "test", scopes })).key);
}

let callers = 0;
/** Everyone who fails comes from elsewhere: failed attempts are counted by address. */
const newAddress = () => `10.0.${callers >> 8}.${callers++ & 255}`;

async function inject(route: Route, { headers = {}, ...request }: Request) {
  await new Promise(setImmediate); // injected requests leave no room for anything else
  return tiny.server.app.inject({
    ...rawRequest(route, request),
    remoteAddress: tiny.server.withKeys ? newAddress() : "127.0.0.1",
    headers: { host: "localhost", ...headers },
  });
}

/** What a refusal says, in the one shape that all have. */
function refusal({ statusCode, body, headers }: Pick<Injected, "statusCode" | "body" | "headers">) {
  const { error } = errorSchema.parse(JSON.parse(body));
  expect(apiErrors[error.code].status, body).toBe(statusCode);
  expect(error.message.length, body).toBeGreaterThan(10);
  expect(headers["x-request-id"]).toBe(error.requestId);
  return error;
}

/** All that a request could have changed. */
async function state() {
  const { store, models, keys } = tiny.server.context;
  return {
    item: (await tiny.answer("getItem", { params: { id: names.item } })).updated,
    items: (await tiny.answer("getIndex")).items,
    events: [await store.events.ofUser(names.user), await store.events.ofUser("bob")],
    feedback: [await store.feedback.countOf(names.user), await store.feedback.countOf("bob")],
    metrics: [await store.metrics.get(names.user), await store.metrics.get("bob")],
    model: models.current?.model.id,
    keys: (await keys.list()).map(({ id, revoked }) => [id, revoked]),
  };
}

/** As written, over a connection of its own: whatever injects requests would mend their URLs. */
async function send(
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Headers } = {},
): Promise<{ statusCode: number; body: string; headers: IncomingMessage["headers"] }> {
  const { port } = tiny.server.app.server.address() as AddressInfo;
  const asking = httpRequest({ host: "127.0.0.1", port, path, method, headers, agent: false }).end();
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  return { statusCode: answer.statusCode ?? 0, body: await textOf(answer), headers: answer.headers };
}

describe("with keys", () => {
  beforeAll(async () => {
    await open({ keys: "on", port: 0 });
    tiny.server.app.server.prependListener("connection", (socket) =>
      Object.defineProperty(socket, "remoteAddress", { value: newAddress() }),
    );
    await tiny.server.listen();
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  test("a stranger reaches health, and of all other routes nothing", async () => {
    const { keys } = tiny.server.context;
    const { key, record } = await keys.create({ name: "test", scopes: ["admin"] });
    const gone = await keys.create({ name: "test", scopes: ["admin"] });
    await keys.revoke(gone.record.id);
    const last = key.endsWith("A") ? "E" : "A";
    const strangers: Record<string, Headers> = {
      none: {},
      "wrong secret": bearer(key.slice(0, -1) + last),
      "unknown key": bearer(key.replace(record.id, "a".repeat(12))),
      "revoked key": bearer(gone.key),
      "not a key": bearer("nk_short"),
      "no scheme": { authorization: key },
      "other scheme": { authorization: `Basic ${Buffer.from(`:${key}`).toString("base64")}` },
      "nothing after the scheme": { authorization: "Bearer " },
      "two words": bearer(`${key} ${key}`),
      "two that differ": { ...bearer(key), "x-api-key": gone.key },
      "a cookie": { cookie: `authorization=${key}; key=${key}` },
    };
    const before = await state();
    for (const [who, headers] of Object.entries(strangers)) {
      for (const [name, route] of named) {
        const answer = await inject(route, { ...valid[name], headers });
        if (name === "health") {
          expect([who, name, answer.statusCode]).toEqual([who, name, 200]);
          continue;
        }
        expect([who, name, answer.statusCode, refusal(answer).code]).toEqual([who, name, 401, "UNAUTHENTICATED"]);
        expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm="nearkin"/);
      }
    }
    expect(await state()).toEqual(before);
  });

  test("no spelling of a path gets around the door", async () => {
    const spellings = (path: string) => [
      path,
      `${path}/`,
      `/${path}`,
      `//${path}`,
      path.replaceAll("/", "//"),
      path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      path.slice(0, 1) + path.slice(1).replaceAll("/", "%2f"),
      path.toUpperCase(),
      `/.${path}`,
      `/healthz/..${path}`,
      `/healthz/%2e%2e${path}`,
      `/healthz;${path}`,
      `/healthz%00${path}`,
      `/healthz%3f${path}`,
      `${path};.css`,
      `${path}.json`,
      `${path}?healthz`,
      `${path}%23/healthz`,
      `${path}%`,
      `http://localhost${path}`,
      `http://localhost/healthz/..${path}`,
    ];
    for (const path of [...new Set(allRoutes.map(({ path }) => path.replaceAll(/\{\w+\}/g, "f000")))]) {
      if (path === "/healthz") continue;
      for (const url of spellings(path)) {
        const answer = await send(url);
        expect([url, answer.statusCode, refusal(answer).code]).toEqual([url, 401, "UNAUTHENTICATED"]);
      }
    }
    for (const url of [
      "/",
      "/nothing",
      "/v1",
      "/docs/style.css",
      "/docs/script.js",
      "/docs/../docs",
      "/healthz/",
      "*",
    ]) {
      expect([url, (await send(url)).statusCode]).toEqual([url, 401]);
    }
    expect((await send("/healthz?key=1")).statusCode).toBe(400); // it is open, and asks nothing
  });

  test("no method gets around the door", async () => {
    for (const path of ["/v1/keys", "/v1/items/f000", "/v1/events", "/metrics", "/readyz", "/docs", "/nothing"]) {
      for (const method of ["HEAD", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "QUERY", "PUT", "DELETE", "POST"]) {
        const answer = await send(path, {
          method,
          headers: {
            "x-http-method-override": "GET",
            "x-original-url": "/healthz",
            "x-forwarded-for": "127.0.0.1",
            origin: "http://localhost",
            "access-control-request-method": "GET",
          },
        });
        expect([method, path, answer.statusCode]).toEqual([method, path, 401]);
        if (method === "HEAD") expect(answer.body).toBe("");
        else expect(refusal(answer).code).toBe("UNAUTHENTICATED");
      }
    }
    expect((await send("/healthz", { method: "HEAD" })).statusCode).toBe(200);
    for (const method of ["POST", "OPTIONS", "DELETE"]) {
      expect([method, (await send("/healthz", { method })).statusCode]).toEqual([method, 401]);
    }
  });

  test("a key gets in exactly where its scopes say so", async () => {
    const held: Scope[][] = [["read"], ["events"], ["read", "events"], ["admin"]];
    for (const [name, route] of named) {
      // what asks for nothing is still not for everyone: unless it is configured as open, it is read with a key
      const wanted = route.scope === "public" ? "read" : route.scope;
      for (const scopes of held) {
        const isIn = name === "health" || scopes.includes(wanted) || scopes.includes("admin");
        const answer = await inject(route, { ...valid[name], headers: await keyOf(...scopes) });
        const what = `${name} with ${scopes}: ${answer.body.slice(0, 300)}`;
        expect(answer.statusCode, what).toBe(isIn ? 200 : 403);
        if (isIn) continue;
        expect(refusal(answer)).toMatchObject({ code: "FORBIDDEN", message: expect.stringContaining(`"${wanted}"`) });
        expect(answer.headers["www-authenticate"]).toContain(`error="insufficient_scope", scope="${wanted}"`);
      }
    }
    await tiny.answer("putItem", valid.putItem);
  });

  test("a key without the scope is refused before its request is looked at", async () => {
    const headers = { ...(await keyOf("read")), "content-type": "application/json" };
    for (const payload of ["{", '{"nobody":1}', "[".repeat(10_000)]) {
      const answer = await tiny.server.app.inject({ method: "POST", url: "/v1/keys", headers, payload });
      expect([payload.slice(0, 20), answer.statusCode]).toEqual([payload.slice(0, 20), 403]);
    }
  });

  test("a key cannot sign tokens that may do more than itself", async () => {
    const headers = await keyOf("events");
    const { status, error } = await tiny.ask("createToken", { body: { user: "ann", scopes: ["read"] }, headers });
    expect([status, error.code, error.field]).toEqual([403, "FORBIDDEN", "scopes"]);
    const admin = await tiny.ask("createToken", { body: { user: "ann", scopes: ["admin"] } });
    expect([admin.status, admin.error.code, admin.error.field]).toEqual([400, "BAD_REQUEST", "scopes[0]"]);
  });

  test("what is wrong with a field is said with its name", async () => {
    for (const [name, route] of named) {
      const { query, body, ...rest } = valid[name];
      const asked = await inject(route, { ...rest, query: { ...query, nobody: "1" }, body, headers: tiny.headers });
      expect([name, refusal(asked)]).toMatchObject([name, { code: "BAD_REQUEST", field: "nobody" }]);
      if (body === undefined) continue;
      const sent = await inject(route, { ...rest, body: { ...(body as object), nobody: 1 }, headers: tiny.headers });
      expect([name, refusal(sent)]).toMatchObject([name, { code: "BAD_REQUEST", field: "nobody" }]);
    }
  });
});

describe("with a user's token", () => {
  let secret: Uint8Array;
  let signer: string;
  beforeAll(async () => {
    await open({ keys: "on" });
    const { store, keys } = tiny.server.context;
    secret = await store.secrets.getOrCreate("signing", new Uint8Array(32));
    signer = (await keys.create({ name: "backend", scopes: ["read", "events"] })).record.id;
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const claims = (user: string, changes: object = {}) => {
    const now = Date.now();
    return { user, iat: now, exp: now + 60_000, scopes: ["read", "events"] as const, key: signer, ...changes };
  };

  async function tokenOf(user: string, ...scopes: ("read" | "events")[]): Promise<{ authorization: string }> {
    return bearer((await tiny.answer("createToken", { body: { user, scopes } })).token);
  }

  test("only the routes that take tokens are reached, each with its scope", async () => {
    for (const [name, route] of named) {
      for (const scopes of [["read"], ["events"], ["read", "events"]] as const) {
        if (name === "getUser") await tiny.answer("addEvents", valid.addEvents);
        if (name.startsWith("delete")) await tiny.answer("putItem", valid.putItem);
        const answer = await inject(route, { ...valid[name], headers: await tokenOf("ann", ...scopes) });
        const isIn = name === "health" || (route.tokens && (scopes as readonly string[]).includes(route.scope));
        const what = `${name} with ${scopes}: ${answer.body.slice(0, 300)}`;
        expect(answer.statusCode, what).toBe(isIn ? 200 : 403);
        if (!isIn) expect(refusal(answer).code, what).toBe("FORBIDDEN");
      }
    }
  });

  test("tokens are for no route of admins, nor for one that says nothing about whose data it is about", () => {
    for (const { name, scope, tokens, user, path } of allRoutes) {
      if (scope === "admin" || scope === "public") expect([name, tokens]).toEqual([name, false]);
      if (path.startsWith("/v1/users/{id}")) expect([name, user]).toEqual([name, "params.id"]);
    }
    expect(USERS_PLACES).toEqual(expect.arrayContaining(allRoutes.flatMap(({ user }) => user ?? [])));
  });

  test("another user's id is refused wherever it stands, and changes nothing", async () => {
    await tiny.answer("addEvents", { body: { events: [{ user: "bob", item: "f001", rating: 5 }] } });
    await tiny.server.context.refresh.idle();
    const headers = await tokenOf("ann", "read", "events");
    const before = await state();
    const asked = new Set<string>();
    for (const other of ["bob", "Ann", "ann ", "ann\u200b", "ａnn", "ann/../bob", "*", "nobody"]) {
      const theirs = validRequests({ ...names, user: other });
      for (const [name, route] of named) {
        if (!route.tokens || route.user === undefined) continue;
        asked.add(route.user);
        const answer = await inject(route, { ...theirs[name], headers });
        expect([other, name, answer.statusCode]).toEqual([other, name, 403]);
        expect(refusal(answer)).toMatchObject({ code: "FORBIDDEN", message: expect.stringContaining("its own user") });
      }
    }
    expect([...asked].sort()).toEqual([...USERS_PLACES].sort());
    const event = (user: string) => ({ user, item: "f001" });
    const entry = (user?: string) => ({ item: "f001", action: "shown", recommendation: names.recommendation, user });
    const mixed = [
      await tiny.ask("addEvents", { body: { events: [event("ann"), event("ann"), event("bob")] }, headers }),
      await tiny.ask("addFeedback", { body: { feedback: [entry("ann"), entry(), entry("bob")] }, headers }),
    ];
    expect(mixed.map(({ status }) => status)).toEqual([403, 403]);
    const twice = await tiny.server.app.inject({ url: "/v1/items/f000/similar?user=ann&user=bob", headers });
    expect(refusal(twice)).toMatchObject({ code: "BAD_REQUEST", field: "user" });
    expect(await state()).toEqual(before);
  });

  test("a user that is left out is the token's own", async () => {
    await tiny.answer("putMetric", { params: { id: "ann" }, body: { weights: { genres: 7 } } });
    const headers = await tokenOf("ann", "read", "events");
    const lists = [
      await tiny.answer("similarToItem", { params: { id: "f000" }, headers }),
      await tiny.answer("similar", { body: { items: ["f000"] }, headers }),
      await tiny.answer("explain", { params: { id: "f000", other: "f001" }, headers }),
    ];
    for (const { metric } of lists) expect(metric).toMatchObject({ source: "user", weights: { genres: 7 } });
    const before = await tiny.server.context.store.feedback.countOf("ann");
    const feedback = [{ item: "f001", action: "shown", recommendation: names.recommendation }];
    await tiny.answer("addFeedback", { body: { feedback }, headers });
    expect(await tiny.server.context.store.feedback.countOf("ann")).toBe(before + 1);
  });

  test("expired, changed and forged tokens open nothing", async () => {
    const good = signToken(claims("ann"), secret);
    expect((await tiny.ask("getMetric", { params: { id: "ann" }, headers: bearer(good) })).status).toBe(200);
    const [head, mac] = good.split(".");
    const payload = Buffer.from(JSON.stringify(claims("bob"))).toString("base64url");
    const now = Date.now();
    const forged: Record<string, string> = {
      expired: signToken(claims("ann", { iat: now - 120_000, exp: now - 60_000 }), secret),
      "not yet": signToken(claims("ann", { iat: now + 90_000_000, exp: now + 90_060_000 }), secret),
      "another secret": signToken(claims("ann"), new Uint8Array(32).fill(7)),
      "no secret": signToken(claims("ann"), new Uint8Array(0)),
      "another user": `nt_${payload}.${mac}`,
      "changed mac": `${head}.${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`,
      "no mac": `${head}.`,
      "padded mac": `${good}=`,
      "longer head": `${head}A.${mac}`,
      "scope admin": signToken(claims("ann", { scopes: ["admin"] }), secret),
      "no user": signToken(claims("ann", { user: "" }), secret),
      "no such key": signToken(claims("ann", { key: "a".repeat(12) }), secret),
    };
    const before = await state();
    for (const [why, token] of Object.entries(forged)) {
      for (const [name, route] of named) {
        if (name === "health") continue;
        const answer = await inject(route, { ...valid[name], headers: bearer(token) });
        expect([why, name, answer.statusCode, refusal(answer).code]).toEqual([why, name, 401, "UNAUTHENTICATED"]);
      }
    }
    expect(await state()).toEqual(before);
  });

  test("a token ends with the key that signed it", async () => {
    const { id, key } = await tiny.answer("createKey", { body: { name: "shop", scopes: ["read", "events"] } });
    const { token } = await tiny.answer("createToken", { body: { user: "ann" }, headers: bearer(key) });
    const ask = () => tiny.ask("getMetric", { params: { id: "ann" }, headers: bearer(token) });
    expect((await ask()).status).toBe(200);
    await tiny.answer("deleteKey", { params: { id } });
    expect((await ask()).error.code).toBe("UNAUTHENTICATED");
  });
});

describe("without keys", () => {
  beforeAll(async () => {
    await open({ port: 0 });
    await tiny.server.listen();
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const port = () => (tiny.server.app.server.address() as AddressInfo).port;

  /** The head of a request as it is written here, and the answer. */
  async function sendRaw(head: string): Promise<{ statusCode: number; body: string; headers: Headers }> {
    const socket = connect(port(), "127.0.0.1");
    socket.write(`${head}\r\nConnection: close\r\n\r\n`);
    const [top, ...rest] = (await textOf(socket)).split("\r\n\r\n");
    const [status, ...lines] = top.split("\r\n");
    const headers = lines.map((line) => line.split(/: (.*)/s, 2)).map(([name, value]) => [name.toLowerCase(), value]);
    return { statusCode: Number(status.split(" ")[1]), body: rest.join(""), headers: Object.fromEntries(headers) };
  }

  test("a name that is not this machine's reaches no route", async () => {
    const before = await state();
    for (const host of [
      "evil.example",
      "evil.example:7410",
      "127.0.0.1.evil.example",
      "127.0.0.1.evil.example:80",
      "localhost.evil.example",
      "evil.example.localhost",
      "localhost@evil.example",
      "[::1].evil.example",
      "[::2]",
      "[::ffff:10.0.0.1]:80",
      "0.0.0.0",
      "192.168.1.4",
      "2130706433",
    ]) {
      for (const [name, route] of named) {
        const answer = await inject(route, { ...valid[name], headers: { host } });
        expect([host, name, answer.statusCode, refusal(answer).code]).toEqual([host, name, 421, "MISDIRECTED"]);
      }
    }
    expect(await state()).toEqual(before);
  });

  test("its own names are taken with its own port alone", async () => {
    const at = async (host: string) => (await sendRaw(`GET /v1/items/f000 HTTP/1.1\r\nHost: ${host}`)).statusCode;
    for (const name of ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"]) {
      expect([name, await at(`${name}:${port()}`)]).toEqual([name, 200]);
      expect([name, await at(name)]).toEqual([name, 421]);
      expect([name, await at(`${name}:${port() - 1}`)]).toEqual([name, 421]);
    }
    expect(await at(`evil.example:${port()}`)).toBe(421);
    expect(await at(`127.0.0.1.evil.example:${port()}`)).toBe(421);
  });

  test("no name at all is refused", async () => {
    const old = await sendRaw("GET /v1/items/f000 HTTP/1.0");
    expect([old.statusCode, refusal(old).code]).toEqual([421, "MISDIRECTED"]);
    const empty = await sendRaw("GET /v1/items/f000 HTTP/1.1\r\nHost:");
    expect([empty.statusCode, refusal(empty).code]).toEqual([421, "MISDIRECTED"]);
    const missing = await sendRaw("GET /v1/items/f000 HTTP/1.1");
    expect(missing.statusCode).toBe(400); // Node's own answer: HTTP/1.1 must name the host
    expect(missing.body).not.toContain("f000");
  });

  test("a page of another site reaches no route, to read or to write", async () => {
    const before = await state();
    const pages: Headers[] = [
      ...[
        "https://evil.example",
        "null",
        "",
        "http://localhost:3000",
        "http://127.0.0.1",
        "http://localhost.evil.example",
      ].map((origin) => ({ origin })),
      { origin: "file://" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    ];
    for (const headers of pages) {
      for (const [name, route] of named) {
        const answer = await inject(route, { ...valid[name], headers });
        const what = [JSON.stringify(headers), name];
        expect([...what, answer.statusCode, refusal(answer).code]).toEqual([...what, 403, "FORBIDDEN"]);
        expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      }
    }
    expect(await state()).toEqual(before);
    const own = await inject(routes.getIndex as Route, { headers: { origin: "http://localhost" } });
    expect(own.statusCode).toBe(200);
  });

  test("nobody can be given a key's rights where there are no keys", async () => {
    const { status, error } = await tiny.ask("createToken", { body: { user: "ann" } });
    expect([status, error.code]).toEqual([403, "FORBIDDEN"]);
  });
});

describe("what others could reach", () => {
  test.each(["0.0.0.0", "::", "192.168.1.4", "films.example"])("%s asks for keys", async (host) => {
    await using far = await TinyServer.open({ host });
    expect(far.server.withKeys).toBe(true);
    const ask = (url: string, headers = {}) =>
      far.server.app.inject({ url, headers: { host: "localhost", ...headers } });
    expect((await ask("/v1/items/f000")).statusCode).toBe(401); // also from this machine
    expect((await ask("/readyz")).statusCode).toBe(401);
    expect((await ask("/healthz")).statusCode).toBe(200);
    const { key } = await far.server.context.keys.create({ name: "test", scopes: ["read"] });
    expect((await ask("/v1/items/f000", bearer(key))).statusCode).toBe(200);
  });

  test("with keys turned off by hand, it still answers this machine alone", async () => {
    await using far = await TinyServer.open({ host: "0.0.0.0", keys: "off" });
    expect(far.server.withKeys).toBe(false);
    const from = async (remoteAddress: string, host: string) =>
      (await far.server.app.inject({ url: "/v1/items/f000", remoteAddress, headers: { host } })).statusCode;
    expect(await from("127.0.0.1", "localhost")).toBe(200);
    expect(await from("192.0.2.7", "localhost")).toBe(421);
    expect(await from("192.0.2.7", "192.168.1.4")).toBe(421);
  });

  test("what is configured as open is, and nothing besides", async () => {
    const paths = [
      "/healthz",
      "/readyz",
      "/metrics",
      "/docs",
      "/docs/style.css",
      "/openapi.json",
      "/reports/films",
      "/v1/models",
    ];
    const answered = async (options: TinyServerOptions) => {
      await using server = await TinyServer.open({ keys: "on", ...options });
      const statuses = await Promise.all(paths.map((url) => server.server.app.inject(url)));
      return paths.filter((_, i) => statuses[i].statusCode === 200);
    };
    expect(await answered({})).toEqual(["/healthz"]);
    expect(await answered({ open: ["readyz"] })).toEqual(["/healthz", "/readyz"]);
    expect(await answered({ open: ["metrics"] })).toEqual(["/healthz", "/metrics"]);
    expect(await answered({ open: ["docs"] })).toEqual(["/healthz", "/docs", "/docs/style.css", "/openapi.json"]);
    expect(await answered({ open: ["reports"] })).toEqual(["/healthz", "/reports/films"]);
  });
});

describe("logs and measurements", () => {
  // Whatever people call things has this word in it.
  const WORD = "zq7xw";
  const lines: string[] = [];
  let isBroken = false;

  beforeAll(async () => {
    const encoder = toyEncoder();
    const encode: typeof encoder.encode = (texts, ...rest) => {
      if (isBroken) throw new Error(`cannot encode ${texts.join()}`);
      return encoder.encode(texts, ...rest);
    };
    await open(
      { keys: "on", log: "debug", openEncoder: async () => ({ ...encoder, encode }) },
      {
        given: { user: `user ${WORD}`, item: `item/${WORD}`, text: `text ${WORD}` },
        onOpen: () => {
          outputOf(tiny.server.app.log).write = (line) => lines.push(line);
        },
      },
    );
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  test("tell no id, no key, no token and no text, whatever happens", async () => {
    const { context } = tiny.server;
    const { key } = await tiny.answer("createKey", { body: { name: WORD, scopes: ["read", "events"] } });
    const { token } = await tiny.answer("createToken", { body: { user: names.user }, headers: bearer(key) });
    const foreign = validRequests({ ...names, user: `other ${WORD}`, item: `unknown ${WORD}`, recommendation: WORD });
    const statuses = new Set<number>();
    const ask = async (route: Route, request: Request) => statuses.add((await inject(route, request)).statusCode);
    for (const [name, route] of named) {
      const { body, ...rest } = valid[name];
      for (const headers of [tiny.headers, bearer(key), bearer(token), bearer(`${key}x`), bearer(`${token}x`), {}]) {
        await ask(route, { ...valid[name], headers });
        await ask(route, { ...foreign[name], headers });
      }
      const headers = tiny.headers;
      await ask(route, { ...valid[name], query: { ...rest.query, [WORD]: WORD }, headers });
      await ask(route, { ...rest, body: { [WORD]: WORD }, headers });
      await ask(route, { ...rest, body: JSON.stringify(body ?? WORD).slice(0, -1), headers: json(headers) });
      await ask(route, { ...rest, body: WORD, headers: { ...headers, "content-type": `text/${WORD}` } });
      await ask({ ...route, path: `${route.path}/${WORD}` }, { ...rest, headers });
      await ask({ ...route, path: `${route.path}%ff${WORD}` }, { ...rest, headers });
      await ask({ ...route, path: `${route.path}${WORD.repeat(3000)}` }, { ...rest, headers });
    }
    await context.texts.idle();
    await context.refresh.idle();
    isBroken = true;
    const channels = { plot: `another text ${WORD}` };
    await tiny.ask("putItem", { params: { id: names.item }, body: { channels } });
    await tiny.ask("similar", { body: { items: [{ draft: { plot: `a draft's text ${WORD}` } }] } });
    await context.texts.idle();
    const measured = await context.metrics.text();
    await context.store.close();
    for (const [name, route] of named) await ask(route, { ...valid[name], headers: tiny.headers });

    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 414, 415, 503]));
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
    expect(new Set(requests.map(({ route }) => route))).toEqual(
      new Set([...allRoutes.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ":$1")), "unmatched"]),
    );
    const secrets = [WORD, "nk_", "nt_eyJ", key.slice(-43), tiny.headers.authorization.slice(-43), token.slice(-43)];
    for (const secret of secrets) {
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
      expect(measured.split("\n").filter((line) => line.includes(secret))).toEqual([]);
    }
  });

  /** Where its lines go: standard output, were it not for the test. */
  const outputOf = (log: FastifyBaseLogger) =>
    (log as unknown as Record<symbol, { write(line: string): unknown }>)[pino.symbols.streamSym];

  const json = (headers: Headers) => ({ ...headers, "content-type": "application/json" });
});
