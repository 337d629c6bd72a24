import { once } from "node:events";
import { Agent, type IncomingMessage, type RequestOptions, request } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { startTestServer, type TestServer, type TestServerOptions } from "../http/testing/app.ts";
import { RequestLimits } from "./limits.ts";

let server: TestServer;
afterEach(() => server.app.close());

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  server = await startTestServer(options);
  return server;
}

/** A real request: what injects requests would mend their URLs. */
async function statusOf(app: FastifyInstance, options: RequestOptions): Promise<number | undefined> {
  const { port } = app.server.address() as AddressInfo;
  const asking = request({ host: "127.0.0.1", port, ...options }).end();
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
  return answer.statusCode;
}

const events = (...users: string[]) => ({ events: users.map((user) => ({ user, item: "a" })) });

describe("with keys", () => {
  test("health is for everyone; nothing else is, and what does not exist looks the same", async () => {
    const { app } = await start();
    expect((await app.inject("/healthz")).statusCode).toBe(200);
    const answers = [];
    for (const [method, url] of [
      ["GET", "/readyz"],
      ["GET", "/metrics"],
      ["GET", "/v1/items/a/similar"],
      ["POST", "/v1/events"],
      ["DELETE", "/healthz"],
      ["GET", "/nothing"],
      ["GET", "/v1/%E0%A4%A"],
      ["GET", `/v1/${"a".repeat(13_000)}`],
      ["OPTIONS", "/v1/events"],
    ] as const) {
      const answer = await app.inject({ method, url });
      answers.push([answer.statusCode, answer.headers["www-authenticate"], answer.json().error.code]);
      expect(answer.headers["x-request-id"]).toBe(answer.json().error.requestId);
    }
    expect(new Set(answers.map(String))).toEqual(new Set(['401,Bearer realm="nearkin",UNAUTHENTICATED']));
  });

  test("whatever the path, a stranger learns nothing", async () => {
    const { app } = await start();
    await app.listen({ port: 0, host: "127.0.0.1" });
    const agent = new Agent({ keepAlive: true });
    const typed = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    const path = fc.oneof(
      typed.map((text) => `/${text}`),
      typed.map((text) => `/v1/items/${text}`),
      typed.map((text) => `/v1/events?${text}`),
      typed.map((text) => `http://localhost/${text}`),
      fc.constant("*"),
    );
    const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND");
    await fc.assert(
      fc.asyncProperty(path, method, async (url, method) => {
        fc.pre(!/^(?:http:..localhost)?.healthz/i.test(url));
        expect(await statusOf(app, { path: url, method, agent })).toBe(401);
      }),
      { numRuns: 300 },
    );
    agent.destroy();
  });

  test("the door is before the body: neither its size nor its form matters to a stranger", async () => {
    const { app } = await start();
    for (const payload of ["{", "x".repeat(2_000_000), '{"__proto__":1}']) {
      const answer = await app.inject({
        method: "POST",
        url: "/v1/events",
        headers: { "content-type": "application/json" },
        payload,
      });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers.connection).toBe("close");
    }
  });

  test("scopes: admin reaches all, the others only their own", async () => {
    const { app, key } = await start();
    const status = async (headers: object, method: "GET" | "POST" | "PUT", url: string, payload?: object) =>
      (await app.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) })).statusCode;
    for (const [scope, similar, event, put] of [
      ["read", 200, 403, 403],
      ["events", 403, 200, 403],
      ["admin", 200, 200, 200],
    ] as const) {
      const headers = await key(scope);
      expect(await status(headers, "GET", "/v1/items/a/similar")).toBe(similar);
      expect(await status(headers, "POST", "/v1/events", events("ana"))).toBe(event);
      expect(await status(headers, "PUT", "/v1/items", {})).toBe(put);
      expect(await status(headers, "GET", "/nothing")).toBe(404);
    }
    const refused = await app.inject({ method: "PUT", url: "/v1/items", headers: await key("read"), payload: {} });
    expect(refused.json().error).toMatchObject({
      code: "FORBIDDEN",
      message: 'This key does not have the scope "admin".',
    });
    expect(refused.headers["www-authenticate"]).toBe(
      'Bearer realm="nearkin", error="insufficient_scope", scope="admin"',
    );
  });

  test("X-API-Key works, a key in the query does not", async () => {
    const { app, key } = await start();
    const text = (await key("read")).authorization.slice("Bearer ".length);
    const url = "/v1/items/a/similar";
    expect((await app.inject({ url, headers: { "x-api-key": text } })).statusCode).toBe(200);
    for (const name of ["key", "api_key", "access_token", "x-api-key"]) {
      expect((await app.inject(`${url}?${name}=${text}`)).statusCode).toBe(401);
    }
  });

  test("bad keys are answered alike, whatever is wrong with them", async () => {
    const { app, ring, store } = await start();
    const { key, record } = await ring.create({ name: "test", scopes: ["read"] });
    const gone = await ring.create({ name: "test", scopes: ["read"] });
    await ring.revoke(gone.record.id);
    const old = await ring.create({ name: "test", scopes: ["read"] });
    store.records.set(old.record.id, { ...old.record, expires: Date.now() - 1 });
    const wrong = key.slice(0, -1) + (key.endsWith("A") ? "E" : "A");
    const unknown = key.replace(record.id, record.id.replace(/./, record.id[0] === "a" ? "b" : "a"));
    const bodies = new Set<string>();
    for (const authorization of [wrong, unknown, gone.key, old.key, "nk_short", "nt_a.b"].map(
      (text) => `Bearer ${text}`,
    )) {
      const answer = await app.inject({ url: "/v1/items/a/similar", headers: { authorization, "x-request-id": "r" } });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers["www-authenticate"]).toBe('Bearer realm="nearkin", error="invalid_token"');
      bodies.add(answer.body);
    }
    expect(bodies.size).toBe(1);
    const text = await server.metrics.text();
    for (const reason of ["wrong_secret", "unknown", "revoked", "expired", "malformed", "bad_token"]) {
      expect(text).toContain(`nearkin_auth_failures_total{reason="${reason}"} 1`);
    }
  });

  test("a revoked key, and the token that it signed, end with the answer to the revocation", async () => {
    const { app, ring, tokens } = await start();
    const { key, record } = await ring.create({ name: "test", scopes: ["read"] });
    const { token } = tokens.issue(record, { user: "ana" });
    const ask = async (text: string) =>
      (await app.inject({ url: "/v1/users/ana/metric", headers: { authorization: `Bearer ${text}` } })).statusCode;
    expect([await ask(key), await ask(token)]).toEqual([200, 200]);
    await ring.revoke(record.id);
    expect([await ask(key), await ask(token)]).toEqual([401, 401]);
  });

  test("routes that are configured as public are", async () => {
    const docs = { config: { name: "docs", scope: "public", tokens: false } } as const;
    const { app } = await start({
      guard: { publicRoutes: ["health", "ready"] },
      routes: (app) => app.get("/docs", docs, async () => "how to"),
    });
    expect((await app.inject("/healthz")).statusCode).toBe(200);
    expect((await app.inject("/readyz")).statusCode).toBe(200);
    expect((await app.inject("/metrics")).statusCode).toBe(401);
    expect((await app.inject("/docs")).statusCode).toBe(401);
    expect((await app.inject({ url: "/docs", headers: await server.key("read") })).statusCode).toBe(200);
  });

  test("a route that does not say who may use it is for admins", async () => {
    const { app, key } = await start({ routes: (app) => app.get("/forgotten", async () => "secret") });
    expect((await app.inject("/forgotten")).statusCode).toBe(401);
    expect((await app.inject({ url: "/forgotten", headers: await key("read", "events") })).statusCode).toBe(403);
    expect((await app.inject({ url: "/forgotten", headers: await key("admin") })).statusCode).toBe(200);
  });

  test("where the store is gone, nobody gets in, and nobody is told why", async () => {
    const { app, key, store } = await start();
    const headers = await key("admin");
    store.failure = new Error("connection to 10.0.0.7 refused");
    const answer = await app.inject({ url: "/v1/items/a/similar", headers });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers["retry-after"]).toBe("1");
    expect(answer.json().error).toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: "Keys cannot be checked at present; try again.",
    });
  });
});

describe("browser tokens", () => {
  test("reach their own user", async () => {
    const { app, token } = await start();
    const headers = await token("ana");
    expect((await app.inject({ url: "/v1/users/ana/metric", headers })).statusCode).toBe(200);
    expect((await app.inject({ url: "/v1/items/a/similar?user=ana", headers })).statusCode).toBe(200);
    expect((await app.inject({ url: "/v1/items/a/similar", headers })).statusCode).toBe(200); // nobody's data
    const answer = await app.inject({ method: "POST", url: "/v1/events", headers, payload: events("ana", "ana") });
    expect(answer.json()).toEqual({ accepted: 2 });
  });

  test("and nobody else, nor routes that do not take tokens, nor paths that do not exist", async () => {
    const { app, token } = await start();
    const headers = await token("ana");
    for (const [method, url, payload] of [
      ["GET", "/v1/users/bob/metric"],
      ["GET", "/v1/users/Ana/metric"],
      ["GET", "/v1/users/ana%20/metric"],
      ["GET", "/v1/items/a/similar?user=bob"],
      ["POST", "/v1/events", events("bob")],
      ["POST", "/v1/events", events("ana", "ana", "bob")],
      ["DELETE", "/v1/users/ana"],
      ["PUT", "/v1/items", {}],
      ["GET", "/metrics"],
      ["GET", "/nothing"],
      ["DELETE", "/v1/events"],
    ] as const) {
      const answer = await app.inject({ method, url, headers, ...(payload && { payload }) });
      expect([url, answer.statusCode, answer.json().error.code]).toEqual([url, 403, "FORBIDDEN"]);
    }
    // two users in one query never get as far: the schema takes one
    expect((await app.inject({ url: "/v1/items/a/similar?user=ana&user=bob", headers })).statusCode).toBe(400);
  });

  test("another user never passes, however alike the names", async () => {
    const { app, token } = await start();
    const user = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(user, user, fc.boolean(), async (own, other, inBody) => {
        const headers = await token(own);
        const answer = inBody
          ? await app.inject({ method: "POST", url: "/v1/events", headers, payload: events(own, other) })
          : await app.inject({ url: `/v1/items/a/similar?user=${encodeURIComponent(other)}`, headers });
        expect(answer.statusCode).toBe(own === other ? 200 : 403);
      }),
      { numRuns: 60 },
    );
  });

  test("a route that takes tokens must say whose data it touches", async () => {
    const start = startTestServer({
      routes: (app) => app.get("/any", { config: { name: "any", scope: "read", tokens: true } }, async () => ""),
    });
    await expect(start).rejects.toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: guard: GET /any takes tokens, so it must say whose data it touches]`,
    );
    await startTestServer().then((made) => {
      server = made;
    });
  });
});

describe("without keys", () => {
  test("this machine may do all; rebinding and other sites are refused on every path, with a reason", async () => {
    const { app } = await start({ door: "local" });
    expect((await app.inject({ method: "PUT", url: "/v1/items", payload: {} })).statusCode).toBe(200);
    for (const url of ["/healthz", "/v1/items/a/similar", "/nothing"]) {
      const rebound = await app.inject({ url, headers: { host: "evil.example:80" } });
      expect(rebound.statusCode).toBe(421);
      expect(rebound.json().error.code).toBe("MISDIRECTED");
      expect(rebound.json().error.message).toMatch(/^Without keys this server answers only under localhost/);
      const crossed = await app.inject({ url, headers: { origin: "https://evil.example" } });
      expect(crossed.statusCode).toBe(403);
      expect(crossed.json().error.message).toMatch(/^Without keys this server answers only pages of its own/);
    }
    const post = await app.inject({
      method: "POST",
      url: "/v1/events",
      headers: { "sec-fetch-site": "cross-site" },
      payload: events("ana"),
    });
    expect(post.statusCode).toBe(403);
    expect(await server.metrics.text()).toContain('nearkin_auth_failures_total{reason="host"} 3');
  });

  test("a form of another site cannot post, even where it hides its origin", async () => {
    const { app } = await start({ door: "local" });
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=a",
      "",
      "nonsense",
    ]) {
      const answer = await app.inject({
        method: "POST",
        url: "/v1/events",
        headers: { "content-type": type },
        payload: JSON.stringify(events("ana")),
      });
      expect([type, answer.statusCode]).toEqual([type, 415]);
    }
  });

  test("no limits unless they are configured", async () => {
    const { app } = await start({ door: "local" });
    expect((await app.inject("/healthz")).headers["ratelimit-limit"]).toBeUndefined();
    await app.close();
    const limited = await start({
      door: "local",
      guard: { limits: new RequestLimits({ read: { perSecond: 1, burst: 1 } }) },
    });
    expect((await limited.app.inject("/v1/items/a/similar")).statusCode).toBe(200);
    expect((await limited.app.inject("/v1/items/a/similar")).statusCode).toBe(429);
  });
});

describe("limits", () => {
  let time = 0;
  const limits = (rates: object) => new RequestLimits(rates, { now: () => time });

  test("each key and scope has its own; beyond, 429 with when to come back", async () => {
    const { app, key } = await start({ guard: { limits: limits({ read: { perSecond: 0.5, burst: 2 } }) } });
    const [a, b] = [await key("read"), await key("read")];
    const ask = (headers: object) => app.inject({ url: "/v1/items/a/similar", headers: { ...headers } });
    const first = await ask(a);
    expect(first.headers).toMatchObject({ "ratelimit-limit": "2", "ratelimit-remaining": "1", "ratelimit-reset": "2" });
    expect((await ask(a)).statusCode).toBe(200);
    const third = await ask(a);
    expect(third.statusCode).toBe(429);
    expect(third.headers).toMatchObject({ "retry-after": "2", "ratelimit-remaining": "0" });
    expect(third.json().error).toMatchObject({
      code: "TOO_MANY_REQUESTS",
      message: "Too many requests: try again in 2 s.",
    });
    expect((await ask(b)).statusCode).toBe(200);
    time += 2000;
    expect((await ask(a)).statusCode).toBe(200);
    expect(await server.metrics.text()).toContain('nearkin_rate_limited_total{scope="read"} 1');
  });

  test("tokens count by user", async () => {
    const { app, tokens, ring } = await start({ guard: { limits: limits({ tokenRead: { perSecond: 1, burst: 1 } }) } });
    const { record } = await ring.create({ name: "backend", scopes: ["read"] });
    const ask = async (user: string) => {
      const headers = { authorization: `Bearer ${tokens.issue(record, { user }).token}` };
      return (await app.inject({ url: `/v1/users/${user}/metric`, headers })).statusCode;
    };
    expect([await ask("ana"), await ask("ana"), await ask("bob")]).toEqual([200, 429, 200]);
  });

  test("failures count by address, and valid keys are not held back by them", async () => {
    const { app, key } = await start({ guard: { limits: limits({ failures: { perSecond: 0.1, burst: 2 } }) } });
    const fresh = await key("read");
    const ask = async (headers: object, remoteAddress = "192.0.2.1") =>
      (await app.inject({ url: "/v1/items/a/similar", headers: { ...headers }, remoteAddress })).statusCode;
    const bad = { authorization: `Bearer nk_aaaaaaaaaaaa_${"A".repeat(43)}` };
    const answers = [await ask(bad), await ask({}), await ask(bad), await ask(bad), await ask({})];
    expect(answers).toEqual([401, 401, 401, 429, 401]); // who shows nothing guesses nothing
    expect(await ask(fresh)).toBe(200); // although this process has never seen it
    expect(await ask(bad)).toBe(429);
    expect(await ask(bad, "192.0.2.2")).toBe(401);
    time += 10_000;
    expect(await ask(bad)).toBe(401);
    expect(await server.metrics.text()).toContain('nearkin_rate_limited_total{scope="failures"} 2');
  });

  test("beyond the limit of failures, unknown keys are looked up together and rarely", async () => {
    const { app, key, store } = await start({
      guard: { limits: limits({ failures: { perSecond: 0.001, burst: 1 } }) },
    });
    const fresh = await key("read");
    const ask = async (headers: object) =>
      (await app.inject({ url: "/v1/items/a/similar", headers: { ...headers } })).statusCode;
    const unknown = (i: number) => ({
      authorization: `Bearer nk_${`${i}`.replaceAll(/./g, (digit) => "abcdefghij"[Number(digit)]).padStart(12, "z")}_${"A".repeat(43)}`,
    });
    expect(await ask(unknown(0))).toBe(401);
    const { reads } = store;
    const strangers = Array.from({ length: 1200 }, (_, i) => ask(unknown(i + 1)));
    expect(await ask(fresh)).toBe(200);
    expect(new Set(await Promise.all(strangers))).toEqual(new Set([429]));
    expect(store.reads - reads).toBeLessThanOrEqual(3);
    expect(await ask(unknown(1))).toBe(429);
  });

  test("tokens count as no failure: expired, of a revoked key, or forged, they guess nothing", async () => {
    const { app, key, ring, tokens } = await start({
      guard: { limits: limits({ failures: { perSecond: 0.001, burst: 1 } }) },
    });
    const ask = async (authorization: string) =>
      (await app.inject({ url: "/v1/users/ana/metric", headers: { authorization } })).statusCode;
    const gone = await ring.create({ name: "gone", scopes: ["read"] });
    const { token } = tokens.issue(gone.record, { user: "ana" });
    await ring.revoke(gone.record.id);
    for (const stale of [token, token, `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`, token]) {
      expect(await ask(`Bearer ${stale}`)).toBe(401);
    }
    expect(await ask((await key("read")).authorization)).toBe(200);
    expect(await ask("Bearer nk_short")).toBe(401); // the first failure
    expect(await ask("Bearer nk_short")).toBe(429);
  });

  test("health and readiness are never limited", async () => {
    const { app, key } = await start({
      guard: {
        publicRoutes: ["health", "ready", "similar"],
        limits: limits({ public: { perSecond: 0.001, burst: 1 }, read: { perSecond: 0.001, burst: 1 } }),
      },
    });
    const status = async (url: string, headers = {}) => (await app.inject({ url, headers })).statusCode;
    const similar = "/v1/items/a/similar";
    expect([await status(similar), await status(similar)]).toEqual([200, 429]);
    const headers = await key("read");
    for (let i = 0; i < 3; i++) {
      expect([await status("/healthz"), await status("/readyz"), await status("/readyz", headers)]).toEqual([
        200, 200, 200,
      ]);
    }
  });

  test("what is refused closes its connection, when a small body has arrived", async () => {
    const { app, key } = await start({ guard: { limits: limits({ read: { perSecond: 0.001, burst: 1 } }) } });
    const url = "/v1/items/a/similar";
    const headers = await key("read");
    expect((await app.inject({ url, headers })).headers.connection).toBe("keep-alive");
    const limited = await app.inject({ url, headers });
    expect([limited.statusCode, limited.headers.connection]).toEqual([429, "close"]);
    const stranger = await app.inject({ method: "POST", url: "/v1/events", payload: events("ana") });
    expect([stranger.statusCode, stranger.headers.connection]).toEqual([401, "close"]);
    const beyond = await app.inject({ method: "PUT", url: "/v1/items", headers, payload: {} });
    expect([beyond.statusCode, beyond.headers.connection]).toEqual([403, "keep-alive"]);
  });
});
