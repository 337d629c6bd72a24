// Requests that fail: which are sent again, how long that takes, and what the caller is told.
import { describe, expect, test, vi } from "vitest";
import { failing, serve } from "../../test/server.ts";
import { validateAnswer } from "../contract/validate.ts";
import { createClient } from "./client.ts";
import { NearkinApiError } from "./error.ts";

const health = { json: { status: "ok", version: "0", uptime: 1 } };

/** What a promise is refused with. */
async function failure(promise: Promise<unknown>): Promise<NearkinApiError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof NearkinApiError) return error;
    throw error;
  }
  throw new Error("expected an error");
}

/** Milliseconds that something takes. */
async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

describe("errors of the API", () => {
  test("carry all that the server tells", async () => {
    const nearest = [{ id: "the-kid-1921", title: "The Kid" }];
    await using server = await serve(() => failing("UNKNOWN_ITEM", 404, { error: { nearest, field: "id" } }));
    const error = await failure(createClient({ url: server.url }).items.get("the-kid"));
    expect({ ...error, message: error.message }).toMatchInlineSnapshot(`
      {
        "code": "UNKNOWN_ITEM",
        "field": "id",
        "message": "UNKNOWN_ITEM, as the test says",
        "name": "NearkinApiError",
        "nearest": [
          {
            "id": "the-kid-1921",
            "title": "The Kid",
          },
        ],
        "requestId": "r1",
        "retryAfter": undefined,
        "status": 404,
      }
    `);
    expect(server.requests.length).toBe(1); // no attempt changes that
  });

  test.each([
    ["BAD_REQUEST", 400, 1],
    ["FORBIDDEN", 403, 1],
    ["REQUEST_TIMEOUT", 408, 2],
    ["CONFLICT", 409, 1],
    ["STALE_CURSOR", 410, 1],
    ["TOO_MANY_REQUESTS", 429, 2],
    ["INTERNAL", 500, 1],
    ["BUSY", 503, 2],
    ["NOT_READY", 503, 2],
    ["STORE_UNAVAILABLE", 503, 2],
  ])("%s (%i) of a reading request: %i attempts of 2", async (code, status, attempts) => {
    await using server = await serve(() => failing(code, status));
    const error = await failure(createClient({ url: server.url, retries: 1 }).health());
    expect([error.code, error.status, server.requests.length]).toEqual([code, status, attempts]);
  });

  test("what was refused at the door may be sent again even where it is not idempotent; what may be half done not", async () => {
    for (const [code, attempts] of [
      ["TOO_MANY_REQUESTS", 2],
      ["BUSY", 2],
      ["STORE_UNAVAILABLE", 1],
    ] as const) {
      await using server = await serve(() => failing(code, 503));
      await failure(createClient({ url: server.url, retries: 1 }).keys.create({ name: "n", scopes: ["read"] }));
      expect(server.requests.length).toBe(attempts);
    }
  });
});

describe("answers that are none", () => {
  test("a proxy's page is told as such; where the proxy may recover, it is asked again", async () => {
    await using server = await serve((_, place) =>
      place === 0 ? { status: 502, text: "<html>\n  Bad gateway" } : { status: 404, text: "nothing here" },
    );
    const error = await failure(createClient({ url: server.url }).health());
    expect([error.code, error.status, error.message]).toMatchInlineSnapshot(`
      [
        "BAD_ANSWER",
        404,
        "expected an error of the API, got status 404: nothing here; does the url lead to a Nearkin server?",
      ]
    `);
    expect(server.requests.length).toBe(2);
  });

  test("a page, or broken JSON, instead of an answer", async () => {
    await using page = await serve(() => ({ text: "<html>" }));
    expect((await failure(createClient({ url: page.url }).health())).message).toBe(
      "GET /healthz: expected JSON, got text/html",
    );
    await using broken = await serve(() => ({
      text: "{",
      headers: { "content-type": "application/json", "x-request-id": "r9" },
    }));
    const error = await failure(createClient({ url: broken.url }).health());
    expect([error.code, error.message, error.requestId]).toEqual([
      "BAD_ANSWER",
      "GET /healthz: the answer says it is JSON, and is not",
      "r9",
    ]);
    await using empty = await serve(() => ({ status: 500, json: null }));
    expect((await failure(createClient({ url: empty.url }).health())).code).toBe("BAD_ANSWER");
  });

  test("validation finds what the contract does not say", async () => {
    await using server = await serve(() => ({ json: { status: "ok", version: 3, uptim: 1 } }));
    await createClient({ url: server.url }).health();
    const error = await failure(createClient({ url: server.url, validate: validateAnswer }).health());
    expect([error.code, error.message]).toMatchInlineSnapshot(`
      [
        "BAD_ANSWER",
        "GET /healthz: not what the contract says: version: expected a text, got a number; uptime: missing; expected a number; uptim: unknown key "uptim"; did you mean "uptime"?",
      ]
    `);
    expect(() => validateAnswer("GET /nowhere", {})).toThrow(new TypeError("no route is GET /nowhere"));
  });
});

describe("silence", () => {
  test("ends at the timeout, also in the middle of an answer", async () => {
    for (const reply of ["never", "stall"] as const) {
      await using server = await serve(() => reply);
      let attempts = 0;
      const fetch = (...args: Parameters<typeof globalThis.fetch>) => {
        attempts++;
        return globalThis.fetch(...args);
      };
      const client = createClient({ url: server.url, timeout: 400, retries: 1, fetch });
      const error = await failure(client.health());
      expect([error.code, error.status, error.message]).toEqual(["TIMED_OUT", 0, "GET /healthz: no answer in 400 ms"]);
      expect(attempts).toBe(2); // on a slow machine one may end before it has arrived
    }
  });

  test("of one call may last longer, or shorter", async () => {
    let isSilent = true;
    await using server = await serve(async () => {
      if (isSilent) return "never";
      await new Promise((resolve) => setTimeout(resolve, 150)); // longer than the client would wait
      return health;
    });
    const client = createClient({ url: server.url, timeout: 30, retries: 0 });
    expect((await failure(client.health())).code).toBe("TIMED_OUT");
    isSilent = false;
    expect(await client.health({ timeout: 3_600_000 })).toEqual(health.json);
  });

  test("of a server that is not there, or hangs up", async () => {
    const gone = await serve(() => health);
    await gone[Symbol.asyncDispose]();
    const error = await failure(createClient({ url: gone.url, retries: 0 }).health());
    expect([error.code, error.message]).toEqual(["UNREACHABLE", `GET /healthz: ${gone.url} cannot be reached`]);
    await using cut = await serve((_, place) => (place === 0 ? "cut" : health));
    expect(await createClient({ url: cut.url }).health()).toEqual(health.json);
  });
});

describe("pauses", () => {
  test("are as long as the server asks", async () => {
    await using server = await serve((_, place) =>
      place === 0 ? failing("TOO_MANY_REQUESTS", 429, { headers: { "retry-after": "1" } }) : health,
    );
    const milliseconds = await timed(() => createClient({ url: server.url }).health());
    expect(milliseconds).toBeGreaterThan(990);
    expect(server.requests.length).toBe(2);
  });

  test("may be asked for as a date", async () => {
    const date = new Date(Date.now() + 1000).toUTCString(); // to the second
    await using server = await serve((_, place) =>
      place === 0 ? failing("BUSY", 503, { headers: { "retry-after": date } }) : health,
    );
    await createClient({ url: server.url }).health();
    expect(Date.now()).toBeGreaterThan(Date.parse(date) - 10); // timers go by another clock
  });

  test("of minutes are for the caller to decide", async () => {
    await using server = await serve(() => failing("NOT_READY", 503, { headers: { "retry-after": "120" } }));
    const error = await failure(createClient({ url: server.url, retries: 5 }).health());
    expect([error.retryAfter, server.requests.length]).toEqual([120_000, 1]);
  });

  test("grow from attempt to attempt, and are never quite the same", async () => {
    const pauses: number[] = [];
    const waiting = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, milliseconds: number) => {
      if (milliseconds !== 10_000) pauses.push(milliseconds); // the limit of an attempt
      if (milliseconds !== 10_000) queueMicrotask(run);
      return 0;
    }) as never);
    try {
      const fetch = async () => new Response("{}", { status: 502 });
      await failure(createClient({ url: "http://x", fetch, retries: 7 }).health());
    } finally {
      waiting.mockRestore();
    }
    expect(pauses.length).toBe(7);
    pauses.forEach((pause, attempt) => {
      const most = Math.min(5000, 200 * 2 ** attempt);
      expect(pause).toBeGreaterThanOrEqual(most / 2);
      expect(pause).toBeLessThanOrEqual(most);
    });
    expect(new Set(pauses).size).toBe(7);
  });
});

describe("aborting", () => {
  const reason = new Error("the page was left");

  test("before, during and between attempts gives the caller's reason", async () => {
    await using silent = await serve(() => "never");
    await using busy = await serve(() => failing("BUSY", 503, { headers: { "retry-after": "20" } }));
    const aborted = AbortSignal.abort(reason);
    await expect(createClient({ url: silent.url }).health({ signal: aborted })).rejects.toBe(reason);
    expect(silent.requests.length).toBe(0);
    for (const { url, requests } of [silent, busy]) {
      const calls = new AbortController();
      const clients = new AbortController();
      const client = createClient({ url, signal: clients.signal });
      const waiting = [client.health({ signal: calls.signal }), client.health()];
      const outcomes = Promise.allSettled(waiting);
      await expect.poll(() => requests.length).toBe(2);
      calls.abort(reason);
      clients.abort(reason);
      expect(await outcomes).toEqual([
        { status: "rejected", reason },
        { status: "rejected", reason },
      ]);
    }
    expect(busy.requests.length).toBe(2);
  });
});

describe("tokens", () => {
  test("are asked for once, and anew when they have expired", async () => {
    let valid = "t1";
    await using server = await serve(({ headers }) =>
      headers.authorization === `Bearer ${valid}` ? health : failing("UNAUTHENTICATED", 401),
    );
    let asked = 0;
    const token = async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return `t${++asked}`;
    };
    const client = createClient({ url: server.url, token, retries: 0 });
    await Promise.all([client.health(), client.health(), client.health()]);
    expect(asked).toBe(1);
    valid = "t2";
    await Promise.all([client.health(), client.health()]);
    expect(asked).toBe(2);
    valid = "no such token";
    expect((await failure(client.health())).code).toBe("UNAUTHENTICATED");
    expect(asked).toBe(3);
  });

  test("that cannot be got are the caller's error, and asked for again", async () => {
    await using server = await serve(() => health);
    let asked = 0;
    const token = () => (++asked === 1 ? Promise.reject(new Error("signed out")) : "t");
    const client = createClient({ url: server.url, token });
    await expect(client.health()).rejects.toThrow("signed out");
    expect(server.requests.length).toBe(0);
    expect(await client.health()).toEqual(health.json);
  });

  test("as texts, and keys, are never asked for", async () => {
    await using server = await serve(() => failing("UNAUTHENTICATED", 401));
    await failure(createClient({ url: server.url, token: "t" }).health());
    await failure(createClient({ url: server.url, key: "k" }).health());
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer t", "Bearer k"]);
    expect(() => createClient({ url: server.url, key: "k", token: "t" })).toThrow(
      new TypeError("give a key or a token, not both"),
    );
  });
});
