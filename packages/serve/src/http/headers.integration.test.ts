import { afterEach, expect, test } from "vitest";
import { startTestServer, type TestServer, type TestServerOptions } from "./testing/app.ts";

let server: TestServer;
afterEach(() => server.app.close());

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  server = await startTestServer(options);
  return server;
}

const ORIGIN = "https://shop.example";

test("security headers are on every answer, also on refusals", async () => {
  const { app } = await start();
  for (const url of ["/healthz", "/nothing", "/%"]) {
    const { headers } = await app.inject(url);
    expect(headers).toMatchObject({
      "content-security-policy":
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';" +
        "base-uri 'none';form-action 'none';frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(headers).not.toHaveProperty("strict-transport-security");
    expect(headers).not.toHaveProperty("x-powered-by");
  }
});

test("answers are not stored; a route may allow it, unless it touches someone's data", async () => {
  const { app, key } = await start({
    guard: { publicRoutes: ["docs"] },
    routes: (app) =>
      app.get("/docs.js", { config: { name: "docs", scope: "public", tokens: false } }, async (_request, reply) =>
        reply.header("cache-control", "public, max-age=3600").send("x"),
      ),
  });
  const headers = await key("read");
  expect((await app.inject("/docs.js")).headers["cache-control"]).toBe("public, max-age=3600");
  expect((await app.inject({ url: "/v1/items/a/similar", headers })).headers["cache-control"]).toBe("no-store");
  expect((await app.inject({ url: "/v1/users/a/metric", headers })).headers["cache-control"]).toBe("no-store");
  expect((await app.inject("/nothing")).headers["cache-control"]).toBe("no-store");
});

test("without configured origins there is no CORS at all", async () => {
  const { app } = await start();
  const answer = await app.inject({
    method: "OPTIONS",
    url: "/v1/events",
    headers: { origin: ORIGIN, "access-control-request-method": "POST" },
  });
  expect(answer.statusCode).toBe(401);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("configured origins may ask first without a key, and read answers and refusals", async () => {
  const { app } = await start({ foundations: { origins: [ORIGIN] } });
  const preflight = (origin: string) =>
    app.inject({ method: "OPTIONS", url: "/v1/events", headers: { origin, "access-control-request-method": "POST" } });
  const asked = await preflight(ORIGIN);
  expect(asked.statusCode).toBe(204);
  expect(asked.headers).toMatchObject({
    "access-control-allow-origin": ORIGIN,
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": "authorization, content-type, x-api-key, x-request-id",
    "access-control-max-age": "600",
    vary: "Origin",
  });
  expect(asked.headers).not.toHaveProperty("access-control-allow-credentials");
  const refused = await app.inject({ url: "/v1/items/a/similar", headers: { origin: ORIGIN } });
  expect(refused.statusCode).toBe(401);
  expect(refused.headers["access-control-allow-origin"]).toBe(ORIGIN);
  expect(refused.headers["access-control-expose-headers"]).toContain("retry-after");

  for (const other of ["https://shop.example.evil.example", "http://shop.example", `${ORIGIN}:8443`, "null", "*"]) {
    const answer = await preflight(other);
    expect(answer.statusCode).toBe(401);
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  }
});

test("without keys, configured origins come through the door as well", async () => {
  const { app } = await start({ door: "local", foundations: { origins: [ORIGIN] } });
  const ask = (origin: string) =>
    app.inject({ url: "/v1/items/a/similar", headers: { origin, "sec-fetch-site": "cross-site" } });
  const answer = await ask(ORIGIN);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["access-control-allow-origin"]).toBe(ORIGIN);
  expect((await ask("https://evil.example")).statusCode).toBe(403);
});
