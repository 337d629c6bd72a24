// A reverse proxy on the server's own machine that sends the server's own name as the host, as nginx and Apache do by default.
import { once } from "node:events";
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveConfigSchema } from "../config.ts";
import { answerAt, askAt } from "../testing/over-http.ts";
import { TinyServer } from "../testing/tiny-server.ts";

interface Proxy extends AsyncDisposable {
  readonly url: string;
}

/** Forwards to `target`, with further headers. */
async function proxyTo(target: string, further: OutgoingHttpHeaders): Promise<Proxy> {
  const proxy = createServer(async (incoming, answer) => {
    const headers = { ...incoming.headers, ...further, host: new URL(target).host };
    const forwarded = request(new URL(incoming.url ?? "/", target), { method: incoming.method, headers });
    forwarded.end(await text(incoming));
    const [got] = (await once(forwarded, "response")) as [IncomingMessage];
    answer.writeHead(got.statusCode ?? 0, got.headers).end(await text(got));
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

const newKey = { body: { name: "stolen", scopes: ["admin"] } };

describe("without keys", () => {
  let tiny: TinyServer;
  let url: string;
  beforeAll(async () => {
    tiny = await TinyServer.open({ port: 0, names: ["shop.lan"] });
    url = await tiny.server.listen();
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  test.each<OutgoingHttpHeaders>([
    { "x-forwarded-for": "203.0.113.7" },
    { "x-forwarded-proto": "https" },
    { "x-forwarded-anything": "" },
    { "x-real-ip": "203.0.113.7" },
    { forwarded: "for=203.0.113.7" },
    { via: "1.1 proxy" },
  ])("visitors of a proxy that sends %j are refused", async (further) => {
    await using proxy = await proxyTo(url, further);
    const refused = await askAt(proxy.url, "putItem", { params: { id: "x" }, body: { title: "x", channels: {} } });
    expect([refused.status, refused.error.code]).toEqual([403, "FORBIDDEN"]);
    expect(refused.error.message).toContain("keys on");
    expect((await askAt(proxy.url, "createKey", newKey)).error.code).toBe("FORBIDDEN");
    expect((await askAt(proxy.url, "getItem", { params: { id: "f000" } })).error.code).toBe("FORBIDDEN");
  });

  test.each(["127.0.0.1", "shop.lan"])("so are those of one that says nothing, as %s by HTTP/1.0", async (name) => {
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`GET /v1/items/f000 HTTP/1.0\r\nHost: ${name}:${port}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test("one that hides itself is taken for this machine, as documented, and makes no key either", async () => {
    await using proxy = await proxyTo(url, {});
    expect((await answerAt(proxy.url, "getItem", { params: { id: "f000" } })).id).toBe("f000");
    expect((await askAt(proxy.url, "createKey", newKey)).error.code).toBe("FORBIDDEN");
  });

  test("this machine goes on without a proxy, but makes no key over HTTP", async () => {
    expect((await answerAt(url, "getItem", { params: { id: "f000" } })).id).toBe("f000");
    const { status, error } = await askAt(url, "createKey", newKey);
    expect([status, error.code]).toEqual([403, "FORBIDDEN"]);
    expect(error.message).toContain("nearkin keys create");
    expect(await tiny.server.context.keys.list()).toEqual([]);
    expect(await tiny.server.context.metrics.text()).toMatch(/nearkin_auth_failures_total\{reason="proxy"\} [1-9]/);
  });
});

describe("with keys", () => {
  const visitor = (address: string) => ({ headers: { "x-forwarded-for": address } });
  const rate = { perSecond: 0.001, burst: 50 }; // a bucket that is used up stays so during a test
  const open = (more: object) => TinyServer.open({ keys: "on", open: ["readyz", "docs"], rate, ...more });

  /** Asks for a page that needs no key until it is refused. */
  async function useUp(tiny: TinyServer, address: string): Promise<void> {
    for (let i = 0; i < 1000; i++) if ((await tiny.ask("docs", visitor(address))).status === 429) return;
    throw new Error("no limit");
  }

  test("visitors of a proxy that is not named are one address; probes and valid keys go on", async () => {
    await using tiny = await open({});
    await useUp(tiny, "203.0.113.7");
    expect((await tiny.ask("docs", visitor("203.0.113.8"))).status).toBe(429);
    expect((await tiny.ask("health")).status).toBe(200);
    expect((await tiny.ask("ready")).status).toBe(200);
    const headers = { authorization: `Bearer nk_aaaaaaaaaaaa_${"A".repeat(43)}` };
    const guess = async () => (await tiny.ask("listModels", { headers })).status;
    for (let i = 0; i < 20; i++) expect(await guess()).toBe(401);
    await expect.poll(guess).toBe(429); // at 0.2 a second more may be tried meanwhile
    const { key } = await tiny.server.context.keys.create({ name: "shop", scopes: ["read"] });
    expect((await tiny.ask("listModels", { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
  });

  test("behind one that is named, each visitor has a limit of their own", async () => {
    await using tiny = await open({ trustProxy: ["10.0.0.0/8", "127.0.0.1"] });
    await useUp(tiny, "203.0.113.7");
    expect((await tiny.ask("docs", visitor("203.0.113.8"))).status).toBe(200);
    expect((await tiny.ask("docs", visitor("198.51.100.1, 203.0.113.7, 10.1.2.3"))).status).toBe(429);
  });

  test("trustProxy takes addresses and networks, and not the whole world", () => {
    const takes = (trustProxy: unknown) => serveConfigSchema.safeParse({ trustProxy }).success;
    for (const good of ["10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32"])
      expect([good, takes([good])]).toEqual([good, true]);
    for (const bad of [
      "proxy.example",
      "10.0.0.0/33",
      "10.0.0/8",
      "0.0.0.0/0",
      "::/0",
      "10.0.0.1/",
      "10.0.0.1/08x",
      "true",
      "",
    ]) {
      expect([bad, takes([bad])]).toEqual([bad, false]);
    }
    expect([takes(true), takes("10.0.0.1"), takes(1)]).toEqual([false, false, false]);
  });
});
