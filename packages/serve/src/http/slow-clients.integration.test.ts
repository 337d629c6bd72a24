// Clients that take their time, over real sockets.
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { patience } from "@nearkin/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import type { Patience } from "./server-options.ts";
import { startTestServer, type TestServer } from "./testing/app.ts";

let server: TestServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.app.close();
});

async function start(limits: Patience = {}, mostConnections = 100): Promise<void> {
  server = await startTestServer({
    door: "local",
    server: { patience: limits },
    foundations: { connections: { most: mostConnections, mostPerAddress: mostConnections } },
  });
  await server.app.listen({ port: 0, host: "127.0.0.1" });
}

interface Client {
  readonly socket: Socket;
  /** What has arrived. */
  received(): string;
  readonly closed: Promise<unknown>;
}

function client(): Client {
  const socket = connect((server.app.server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  return { socket, received: () => text, closed: once(socket, "close") };
}

function host(): string {
  return `Host: 127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
}

/** The error of a raw answer. */
function errorOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))).error;
}

const quick: Patience = { headersMs: 600 * patience, requestMs: 1000 * patience, checkMs: 50 };

describe("slow clients", () => {
  test("headers that trickle in are cut off, and others are served meanwhile", async () => {
    await start(quick);
    const slow = Array.from({ length: 20 }, client);
    for (const { socket } of slow) socket.write(`GET /healthz HTTP/1.1\r\n${host()}\r\n`);
    let trickling = true;
    const trickle = (async () => {
      while (trickling) {
        for (const { socket } of slow) if (socket.writable) socket.write("X-A: b\r\n");
        await delay(50);
      }
    })();
    const good = client();
    good.socket.write(`GET /healthz HTTP/1.1\r\n${host()}\r\nConnection: close\r\n\r\n`);
    await good.closed;
    expect(good.received()).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all(slow.map(({ closed }) => closed));
    trickling = false;
    await trickle;
    for (const { received } of slow) {
      expect(received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/);
      expect(errorOf(received())).toMatchObject({
        code: "REQUEST_TIMEOUT",
        message: "The request took too long to arrive.",
      });
    }
  });

  test("a body that trickles in is cut off", async () => {
    await start(quick);
    const { socket, closed, received } = client();
    socket.write(
      `POST /v1/events HTTP/1.1\r\n${host()}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    const trickle = setInterval(() => socket.writable && socket.write(" "), 50);
    await closed;
    clearInterval(trickle);
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    await expect
      .poll(() => server.lines.find(({ msg }) => msg === "request"))
      .toMatchObject({ route: "/v1/events", status: 499 });
  });

  test("a connection that says nothing is closed", async () => {
    await start(quick);
    const { closed } = client();
    await closed;
  });

  test("an open connection without a further request is closed", async () => {
    await start({ ...quick, keepAliveMs: 100 });
    const { socket, closed, received } = client();
    socket.write(`GET /healthz HTTP/1.1\r\n${host()}\r\n\r\n`);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("there are only so many connections", async () => {
    await start({}, 2);
    const [a, b] = [client(), client()];
    await Promise.all([once(a.socket, "connect"), once(b.socket, "connect")]);
    const c = client();
    await c.closed;
    expect(c.received()).toBe("");
    a.socket.destroy();
    const ask = async () => {
      const d = client();
      d.socket.write(`GET /healthz HTTP/1.1\r\n${host()}\r\nConnection: close\r\n\r\n`);
      await d.closed;
      return d.received();
    };
    await expect.poll(ask).toMatch(/^HTTP\/1\.1 200 /); // as soon as the server knows that one has gone
  });
});

describe("what is no request", () => {
  test.each([
    ["nonsense\r\n\r\n", 400, "This is not HTTP."],
    ["GET / HTTP/1.1\r\n\r\n", 400, undefined], // no Host: Node answers that itself
    ["GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "This is not HTTP."],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, 431, "The headers are too long."],
  ])("%j", async (text, status, message) => {
    await start();
    const { socket, closed, received } = client();
    socket.write(text);
    await closed;
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (message !== undefined) {
      expect(errorOf(received())).toEqual({
        code: status === 431 ? "HEADERS_TOO_LARGE" : "BAD_REQUEST",
        message,
        requestId: expect.any(String),
      });
    }
    expect(JSON.stringify(server.lines)).not.toContain("nonsense");
  });
});
