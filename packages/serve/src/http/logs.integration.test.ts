import { NearkinError } from "@nearkin/core";
import { afterEach, describe, expect, test } from "vitest";
import { StoreError } from "../store/errors.ts";
import { startTestServer, type TestServer } from "./testing/app.ts";

// Every id in these requests contains one of these words; no line of the log may.
const USER = "user-fp7q";
const ITEM = "item-z4kd";
const SECRETS = [USER, ITEM, "nk_", "nt_", "evil-host", "192.0.2.9"];

let server: TestServer;
afterEach(() => server.app.close());

async function startNoisy(): Promise<TestServer> {
  server = await startTestServer({
    routes(app) {
      app.get("/v1/fails/:id", { config: { name: "fails", scope: "read", tokens: false } }, async (request) => {
        const { id } = request.params as { id: string };
        request.log.warn({ req: request }, "about to fail");
        request.log.error(new Error(`before ${id}`));
        request.log.error({ err: new Error(`and ${id}`) });
        const cause = Object.assign(new Error(`duplicate key (user_id)=(${USER})\n    at ${USER} (a:1:2)`), {
          code: "23505",
          detail: `Key (user_id)=(${USER}) exists`,
        });
        throw new Error(`no row for ${id} in ${request.url}`, { cause });
      });
      app.get("/v1/bug", { config: { name: "bug", scope: "read", tokens: false } }, async () => {
        throw Object.assign(new NearkinError("NOT_FINITE", `NaN for ${USER}`), { name: `Error of ${USER}` });
      });
    },
  });
  return server;
}

function logged(): string {
  return server.lines.map((line) => JSON.stringify(line)).join("\n");
}

describe("logs", () => {
  test("one line a request: pattern, method, status, time, bytes, ids of request and key", async () => {
    const { app, key, lines } = await startNoisy();
    const headers = { ...(await key("read")), "x-request-id": "r1" };
    const answer = await app.inject({ url: `/v1/items/${ITEM}/similar?user=${USER}`, headers });
    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: process.pid,
        hostname: expect.any(String),
        requestId: "r1",
        route: "/v1/items/:id/similar",
        method: "GET",
        status: 200,
        ms: expect.any(Number),
        bytes: answer.body.length,
        key: headers.authorization.slice("Bearer nk_".length, "Bearer nk_".length + 12),
        msg: "request",
      },
    ]);
  });

  test("no id of a user or item, no key, no token, no address, whatever happens", async () => {
    const { app, key, token } = await startNoisy();
    const admin = await key("admin");
    const own = await token(USER);
    const json = { "content-type": "application/json" };
    const statuses: number[] = [];
    for (const request of [
      { url: `/v1/items/${ITEM}/similar?user=${USER}`, headers: admin },
      { url: `/v1/items/${ITEM}/similar?user=${USER}`, headers: own },
      { url: `/v1/users/other/metric?${USER}`, headers: own },
      { url: `/v1/items/${ITEM}/similar?user=${USER}&k=x${USER}`, headers: admin },
      { url: `/v1/items/${ITEM}/similar?${USER}=1`, headers: admin },
      { url: `/v1/${ITEM}/nothing?user=${USER}`, headers: admin },
      { url: `/v1/users/${USER}/metric`, method: "PUT", headers: admin },
      { url: `/v1/items/${ITEM}%E0%A4%A`, headers: admin },
      { url: `/v1/items/${ITEM.repeat(2000)}`, headers: admin },
      { url: `/v1/users/${USER}/metric` },
      { url: `/v1/users/${USER}/metric`, headers: { authorization: `Basic ${USER}` } },
      {
        url: `/v1/users/${USER}/metric?key=${admin.authorization}`,
        headers: { "x-request-id": admin.authorization.slice(7) },
      },
      { url: `/v1/users/${USER}/metric`, headers: { ...admin, "x-request-id": `${USER}/${USER}` } },
      { url: `/v1/users/${USER}/metric`, headers: { ...admin, host: "evil-host", origin: "https://evil-host" } },
      { url: "/v1/events", method: "POST", headers: { ...admin, ...json }, payload: `{"user":"${USER}"` },
      { url: "/v1/events", method: "POST", headers: { ...admin, ...json }, payload: `{"__proto__":"${USER}"}` },
      { url: "/v1/events", method: "POST", headers: { ...admin, ...json }, payload: `{"${USER}":1}` },
      { url: "/v1/events", method: "POST", headers: { ...admin, "content-type": `text/${USER}` }, payload: USER },
      { url: "/v1/events", method: "POST", headers: admin, payload: { events: [{ user: USER, item: ITEM }] } },
      { url: "/v1/events", method: "POST", headers: { ...admin, ...json }, payload: USER.repeat(200_000) },
      { url: `/v1/fails/${ITEM}?user=${USER}`, headers: admin },
      { url: "/v1/bug", headers: admin },
    ] as const) {
      const answer = await app.inject({ remoteAddress: "192.0.2.9", ...request });
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([
      200, 200, 403, 400, 400, 404, 405, 400, 414, 401, 401, 401, 200, 200, 400, 400, 400, 415, 200, 413, 500, 500,
    ]);
    expect(server.lines.filter(({ msg }) => msg === "request")).toHaveLength(statuses.length);
    for (const secret of SECRETS) expect(logged()).not.toContain(secret);
  });

  test("5xx tell where, with the causes; 4xx do not", async () => {
    const { app, key, lines } = await startNoisy();
    const headers = await key("read");
    await app.inject({ url: `/v1/fails/${ITEM}`, headers });
    const line = lines.find(({ msg }) => msg === "request");
    expect(line).toMatchObject({
      level: 50,
      status: 500,
      route: "/v1/fails/:id",
      err: { type: "Error", cause: { code: "23505" } },
    });
    expect(line).toHaveProperty(
      "err.stack",
      expect.stringMatching(/^ {4}at .*logs\.integration\.test\.ts:\d+:\d+\)?$/m),
    );
    lines.length = 0;
    app.log.warn({ err: new StoreError("read-only", `no room for ${ITEM}`) }, "not stored");
    expect(lines[0]).toMatchObject({ msg: "not stored", err: { type: "StoreError", reason: "read-only" } });
    lines.length = 0;
    await app.inject({ url: "/v1/nothing", headers });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toHaveProperty("err");
    expect(lines[0]).toMatchObject({ level: 30, status: 404, route: "unmatched" });
  });

  test("probes are quiet while all is well", async () => {
    const { app, lines, lifecycle, key } = await startNoisy();
    await app.inject("/healthz");
    expect(lines.at(-1)).toMatchObject({ level: 20, route: "/healthz", status: 200 });
    lifecycle.notReady("model", "loading");
    await app.inject({ url: "/readyz", headers: await key("read") });
    expect(lines.at(-1)).toMatchObject({ level: 40, route: "/readyz", status: 503 });
  });

  test("strangers who are refused write few lines", async () => {
    const { app, lines } = await startNoisy();
    for (let i = 0; i < 200; i++) await app.inject("/v1/items/a/similar");
    const requests = lines.filter(({ msg }) => msg === "request");
    expect(requests).toHaveLength(200);
    expect(requests.filter(({ level }) => level === 30).length).toBeLessThan(100);
    expect(requests[0]).toMatchObject({ level: 30, status: 401 });
  });

  test("addresses and messages of errors only where they are asked for", async () => {
    server = await startTestServer({
      door: "local",
      foundations: { addresses: true },
      server: { logs: { errorMessages: true } },
      routes: (app) =>
        app.get("/fails", async () => {
          throw new Error("boom");
        }),
    });
    await server.app.inject({ url: "/fails", remoteAddress: "127.0.0.1" });
    expect(server.lines.at(-1)).toMatchObject({ ip: "127.0.0.1", err: { message: "boom" } });
  });
});
