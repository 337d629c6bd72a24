import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { allRoutes } from "@nearkin/client/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TinyServer } from "../../testing/tiny-server.ts";
import { prepareFor, rawRequest, twoModels, validRequests } from "../../testing/valid-requests.ts";
import { chooseEncoding } from "./encodings.ts";

const SCREENS = [
  "/",
  "/?x=1",
  "/items/the-kid-1921",
  "/items/a%2Fb%20%C3%A9?user=ann&weights=plot:2.1,genres:0.3&popularity=0.25",
  "/you",
  "/studio",
  "/model",
  "/model/9f2c51d0",
  "/model/compare?a=x&b=y",
  "/evaluation",
];
const html = `<!doctype html><title>Nearkin</title>${"<p>calm</p>".repeat(100)}`;
const script = "export const answer = 42;\n".repeat(200);
const worker = "addEventListener('fetch', () => {});\n".repeat(100);
const picture = Buffer.from(createHash("sha512").update("noise").digest());

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-page-"));
  mkdirSync(join(folder, "dist", "assets"), { recursive: true });
  const at = (name: string) => join(folder, "dist", name);
  writeFileSync(at("index.html"), html);
  writeFileSync(at("page.js"), "not for browsers");
  writeFileSync(at("sw.js"), worker);
  writeFileSync(at("assets/index-abc.js"), script);
  writeFileSync(at("assets/style-abc.css"), "p { color: teal }");
  writeFileSync(at("assets/mark-abc.png"), picture);
  writeFileSync(join(folder, "secret.js"), "secret");
  symlinkSync(join(folder, "secret.js"), at("assets/link.js"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = (options: Parameters<typeof TinyServer.open>[0] = {}) =>
  TinyServer.open({ page: join(folder, "dist"), ...options });

function get(tiny: TinyServer, url: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") {
  return tiny.server.app.inject({ method, url, headers: { host: "localhost", ...headers } });
}

describe("the page", () => {
  let tiny: TinyServer;
  beforeAll(async () => {
    tiny = await open();
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  test("is the same at all of its paths, under its policy, and asked for anew each time", async () => {
    for (const url of SCREENS) {
      const { statusCode, body, headers } = await get(tiny, url);
      expect([url, statusCode, body]).toEqual([url, 200, html]);
      expect(headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "content-security-policy":
          "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
          "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding",
      });
    }
  });

  test("its files are kept for good, each as small as the browser takes it", async () => {
    const plain = await get(tiny, "/assets/index-abc.js");
    expect([plain.statusCode, plain.body]).toEqual([200, script]);
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-embedder-policy": "require-corp", // a worker brings its own
      "content-length": String(script.length),
    });
    expect(plain.headers).not.toHaveProperty("content-encoding");
    const br = await get(tiny, "/assets/index-abc.js", { "accept-encoding": "gzip, deflate, br" });
    expect(br.headers).toMatchObject({ "content-encoding": "br", "content-length": String(br.rawPayload.length) });
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(script);
    const gzip = await get(tiny, "/assets/index-abc.js", { "accept-encoding": "gzip" });
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(script);
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    const image = await get(tiny, "/assets/mark-abc.png", { "accept-encoding": "br" });
    expect([image.rawPayload, image.headers["content-type"], image.headers["content-encoding"]]).toEqual([
      picture,
      "image/png",
      undefined,
    ]);
  });

  test("its service worker lies at the root, where it sees to all paths, and is asked for anew each time", async () => {
    const { statusCode, body, headers } = await get(tiny, "/sw.js");
    expect([statusCode, body]).toEqual([200, worker]);
    expect(headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-cache",
      "cross-origin-embedder-policy": "require-corp",
    });
  });

  test("is not sent again to who has it, and HEAD tells of it without sending it", async () => {
    for (const url of ["/", "/sw.js", "/assets/index-abc.js"]) {
      for (const encoding of ["br", "gzip", "identity"]) {
        const whole = await get(tiny, url, { "accept-encoding": encoding });
        const known = { "accept-encoding": encoding, "if-none-match": String(whole.headers.etag) };
        const again = await get(tiny, url, known);
        expect([again.statusCode, again.rawPayload.length, again.headers.etag]).toEqual([304, 0, whole.headers.etag]);
        expect(again.headers["content-security-policy"]).toBe(whole.headers["content-security-policy"]);
        const head = await get(tiny, url, { "accept-encoding": encoding }, "HEAD");
        expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0]);
        for (const name of ["etag", "content-length", "content-encoding", "content-type", "cache-control"]) {
          expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
        }
      }
    }
  });

  test("has no other file, and no other path: those are answered as JSON, as ever", async () => {
    for (const url of [
      "/assets/index-abd.js",
      "/assets/",
      "/assets/link.js",
      "/assets/../page.js",
      "/assets/..%2fpage.js",
      "/assets/%2e%2e/%2e%2e/secret.js",
      "/assets/.",
      "/page.js",
      "/index.html",
      "/items",
      "/items/a/b",
      "/you/",
      "/model/a/b",
      "/nothing",
    ]) {
      const { statusCode, headers, body } = await get(tiny, url);
      expect([url, statusCode, JSON.parse(body).error.code]).toEqual([url, 404, "NOT_FOUND"]);
      expect([headers["cache-control"], headers["content-type"]]).toEqual([
        "no-store",
        "application/json; charset=utf-8",
      ]);
    }
    const posted = await tiny.server.app.inject({ method: "POST", url: "/you", headers: { host: "localhost" } });
    expect([posted.statusCode, posted.headers.allow]).toEqual([405, "GET, HEAD"]);
    expect((await get(tiny, "/docs")).headers["content-type"]).toContain("text/html");
    expect((await get(tiny, "/healthz")).json().status).toBe("ok");
  });

  test("is for who calls the server by its own name, from no other site", async () => {
    expect((await get(tiny, "/", { host: "evil.example" })).statusCode).toBe(421);
    expect((await get(tiny, "/", { origin: "https://evil.example" })).statusCode).toBe(403);
    const cross = { "sec-fetch-site": "cross-site" };
    expect((await get(tiny, "/assets/index-abc.js", { ...cross, "sec-fetch-mode": "no-cors" })).statusCode).toBe(403);
    const followed = { ...cross, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await get(tiny, "/items/f000", followed)).statusCode).toBe(200);
  });
});

test("with keys the page comes without one, and nothing that holds data does", async () => {
  await using tiny = await open({ keys: "on", folders: twoModels, rate: null });
  const { key } = await tiny.server.context.keys.create({ name: "test", scopes: ["admin"] });
  tiny.headers = { authorization: `Bearer ${key}` };
  const valid = validRequests(await prepareFor(tiny, { user: "ann", item: "put 1", text: "harbour" }));
  for (const url of [...SCREENS, "/sw.js", "/assets/index-abc.js"]) {
    expect([url, (await get(tiny, url)).statusCode]).toEqual([url, 200]);
    expect([url, (await get(tiny, url, { authorization: "Bearer nk_wrong" })).statusCode]).toEqual([url, 200]);
  }
  for (const route of allRoutes) {
    const answer = await tiny.server.app.inject({
      ...rawRequest(route, valid[route.name as keyof typeof valid]),
      headers: { host: "localhost" },
    });
    expect([route.name, answer.statusCode]).toEqual([route.name, route.name === "health" ? 200 : 401]);
  }
  for (const url of ["/docs/style.css", "/nothing", "/page.js", "/items", "/you/", "//you", "/you/../v1/keys"]) {
    expect([url, (await get(tiny, url)).statusCode]).toEqual([url, 401]);
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"] as const) {
    const answer = await tiny.server.app.inject({ method, url: "/you", headers: { host: "localhost" } });
    expect([method, answer.statusCode]).toEqual([method, 401]);
  }
});

test("without a page / leads to the documentation, for who may read it", async () => {
  await using tiny = await open({ page: undefined });
  const { statusCode, headers } = await get(tiny, "/");
  expect([statusCode, headers.location]).toEqual([302, "/docs"]);
  expect((await get(tiny, "/you")).statusCode).toBe(404);
});

test("a folder that holds no page is refused at the start", async () => {
  await expect(open({ page: folder })).rejects.toMatchObject({
    code: "BAD_CONFIG",
    message: expect.stringContaining("has no index.html"),
  });
});

test("the smallest form is chosen of those that are there and taken", () => {
  const all = { br: 1, gzip: 1, identity: 1 };
  const cases: [string | undefined, Parameters<typeof chooseEncoding>[1], string][] = [
    [undefined, all, "identity"],
    ["", all, "identity"],
    ["gzip, deflate, br, zstd", all, "br"],
    ["GZIP;q=0.5", all, "gzip"],
    ["br;q=0, gzip;q=0.000", all, "identity"],
    ["br;q=0.001", all, "br"],
    ["*", all, "br"],
    ["*;q=0", all, "identity"],
    ["*, br;q=0", all, "gzip"],
    ["br", { gzip: 1, identity: 1 }, "identity"],
  ];
  for (const [accepted, forms, chosen] of cases)
    expect([accepted, chooseEncoding(accepted, forms)]).toEqual([accepted, chosen]);
});
