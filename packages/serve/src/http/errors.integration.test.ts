import { statusOf } from "@nearkin/client/contract";
import { NearkinError } from "@nearkin/core";
import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { ApiError } from "./api-error.ts";
import { errorAnswer } from "./errors.ts";
import { libraryErrors } from "./library-errors.ts";
import { startTestServer, type TestServer } from "./testing/app.ts";

class WithDetails extends NearkinError {
  readonly field = "item";
  readonly nearest = [{ id: "a", title: "A" }];
}

const nested = z.strictObject({
  items: z.array(z.strictObject({ title: z.string(), tags: z.array(z.string()).optional() })).optional(),
});

function routes(app: FastifyInstance): void {
  app.post("/nested", { schema: { body: nested } }, async () => ({}));
  app.get("/throws/:what", async (request) => {
    const { what } = request.params as { what: string };
    if (what === "library") throw new NearkinError("UNKNOWN_ITEM", 'similar: no item "x"; did you mean "a"?');
    if (what === "details") throw new WithDetails("UNKNOWN_ITEM", "none");
    if (what === "busy") throw new NearkinError("BUSY", "pid 123 holds /var/lib/nearkin/lock");
    if (what === "bug") throw new NearkinError("SHAPE_MISMATCH", "scan: (3, 4) and (5, 6)");
    if (what === "text") throw "a text";
    if (what === "api") throw new ApiError("FORBIDDEN", "no", { field: "f", headers: { "x-why": "because" } });
    throw new Error("password is hunter2 at /srv/secret.ts");
  });
}

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ door: "local", routes });
});
afterEach(() => server.app.close());

async function ask(method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH", url: string, payload?: unknown, headers = {}) {
  const answer = await server.app.inject({
    method,
    url,
    headers: { "x-request-id": "r", ...headers },
    ...(payload !== undefined && { payload: payload as object }),
  });
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers["x-request-id"]).toBe("r");
  return { status: answer.statusCode, error: answer.json().error, headers: answer.headers };
}

const json = { "content-type": "application/json" };

describe("requests that do not fit", () => {
  test("the first problem names its field", async () => {
    expect(await ask("GET", "/v1/items/a/similar?k=1000")).toMatchObject({
      status: 400,
      error: {
        code: "BAD_REQUEST",
        field: "k",
        message: "k: expected at most 100",
        requestId: "r",
      },
    });
    const { error } = await ask("POST", "/v1/events", {
      events: [
        { user: "a", item: "b" },
        { user: "", item: 5 },
      ],
    });
    expect(error).toEqual({
      code: "BAD_REQUEST",
      field: "events[1].user",
      message: "events[1].user: expected at least 1 character; events[1].item: expected a text, got a number",
      requestId: "r",
    });
    expect((await ask("POST", "/v1/events", [])).error).toEqual({
      code: "BAD_REQUEST",
      message: "the body: expected an object, got a list",
      requestId: "r",
    });
    expect((await ask("GET", "/v1/items/a/similar?usr=b")).error).toMatchObject({
      field: "usr",
      message: expect.stringContaining("usr: "),
    });
    const deep = await ask("POST", "/nested", { items: [{ title: "a" }, { title: "b", tgs: [] }] });
    expect(deep.error).toMatchObject({ field: "items[1].tgs" });
  });

  test("bodies: not JSON, empty, too large, keys of prototypes, other types", async () => {
    const raw = (payload: string | Buffer, headers: object = json) => ask("POST", "/v1/events", payload, headers);
    expect(await raw("{")).toMatchObject({ status: 400, error: { code: "BAD_REQUEST" } });
    expect(await raw("")).toMatchObject({ status: 400, error: { code: "BAD_REQUEST" } });
    expect(await raw('{"events":[],"__proto__":{"a":1}}')).toMatchObject({
      status: 400,
      error: { code: "BAD_REQUEST" },
    });
    expect(await raw('{"a":{"constructor":{"prototype":{}}}}')).toMatchObject({
      status: 400,
      error: { code: "BAD_REQUEST" },
    });
    expect(await raw('{"\\u005f\\u005fproto__":{}}')).toMatchObject({ status: 400, error: { code: "BAD_REQUEST" } });
    expect(await raw(Buffer.from('{"events":"\xff"}', "latin1"))).toMatchObject({
      status: 400,
      error: { code: "BAD_REQUEST", message: "the body: not UTF-8" },
    });
    expect(await raw("[".repeat(1_000_000))).toMatchObject({ status: 400, error: { code: "BAD_REQUEST" } });
    expect(await raw("[".repeat(400_000) + "]".repeat(400_000))).toMatchObject({
      status: 400,
      error: { code: "BAD_REQUEST" },
    });
    expect(await raw("x".repeat(1_048_577))).toMatchObject({ status: 413, error: { code: "BODY_TOO_LARGE" } });
    expect(await raw("{}", { "content-type": "text/plain" })).toMatchObject({
      status: 415,
      error: { code: "UNSUPPORTED_MEDIA_TYPE" },
    });
    expect(await raw("{}", { ...json, "content-encoding": "gzip" })).toMatchObject({
      status: 415,
      error: { code: "UNSUPPORTED_MEDIA_TYPE" },
    });
    expect({}).not.toHaveProperty("a");
  });

  test("items may be large", async () => {
    const payload = JSON.stringify({ items: "x".repeat(2_000_000) });
    const answer = await server.app.inject({ method: "PUT", url: "/v1/items", headers: json, payload });
    expect(answer.json()).toEqual({ bytes: payload.length });
  });
});

describe("paths and methods", () => {
  test("unknown, badly escaped, too long, with another method", async () => {
    expect(await ask("GET", "/nothing")).toMatchObject({ status: 404, error: { code: "NOT_FOUND" } });
    expect(await ask("GET", "/v1/items/%E0%A4%A/similar")).toMatchObject({
      status: 400,
      error: { code: "BAD_REQUEST" },
    });
    expect(await ask("GET", `/v1/items/${"a".repeat(13_000)}/similar`)).toMatchObject({
      status: 414,
      error: { code: "URI_TOO_LONG" },
    });
    const wrong = await ask("DELETE", "/v1/users/a/metric");
    expect(wrong).toMatchObject({ status: 405, error: { code: "METHOD_NOT_ALLOWED" } });
    expect(wrong.headers.allow).toBe("GET, HEAD");
    expect((await ask("PATCH", "/v1/events?a=b")).headers.allow).toBe("POST");
  });

  test("ids of every kind arrive as they were sent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 512 }), async (id) => {
        fc.pre(id !== "." && id !== "..");
        const { body } = await server.app.inject(`/v1/users/${encodeURIComponent(id)}/metric`);
        expect(JSON.parse(body)).toEqual({ user: id });
      }),
    );
  });
});

describe("errors that handlers throw", () => {
  test("those of the library by the table", async () => {
    expect(await ask("GET", "/throws/library")).toMatchObject({
      status: 404,
      error: { code: "UNKNOWN_ITEM", message: 'similar: no item "x"; did you mean "a"?' },
    });
    expect((await ask("GET", "/throws/details")).error).toMatchObject({
      field: "item",
      nearest: [{ id: "a", title: "A" }],
    });
    const busy = await ask("GET", "/throws/busy");
    expect(busy).toMatchObject({ status: 503, error: { code: "BUSY" } });
    expect(busy.headers["retry-after"]).toBe("1");
    expect(JSON.stringify(busy.error)).not.toContain("lock");
    for (const [code, answered] of Object.entries(libraryErrors)) {
      const answer = errorAnswer(new NearkinError(code as "BUSY", "a message"));
      expect([answer.code, answer.status]).toEqual([answered, statusOf(answered)]);
      expect(answer.message === "a message").toBe(answer.status < 500 && answered !== "UNSUPPORTED");
    }
  });

  test("of the unforeseen nothing gets out", async () => {
    for (const what of ["bug", "text", "error"]) {
      expect(await ask("GET", `/throws/${what}`)).toMatchObject({
        status: 500,
        error: {
          code: "INTERNAL",
          message: "Something went wrong here. It has been logged under this request's id.",
          requestId: "r",
        },
      });
    }
  });

  test("refusals bring their headers", async () => {
    const answer = await ask("GET", "/throws/api");
    expect(answer.error).toEqual({ code: "FORBIDDEN", message: "no", field: "f", requestId: "r" });
    expect(answer.headers["x-why"]).toBe("because");
  });
});
