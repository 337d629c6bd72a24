// Slow clients against the whole server, while others search. What a bare app does with each kind of them is in http/slow-clients.integration.test.ts.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { patience } from "@nearkin/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerAt, askAt } from "./testing/over-http.ts";
import { TinyServer } from "./testing/tiny-server.ts";

const SLOW = 40; // of each kind
const SEARCHERS = 4;
const UNREAD = 200; // answers that a client asks for, and does not read

let tiny: TinyServer;
let url: string;
const sockets: Socket[] = [];
beforeAll(async () => {
  tiny = await TinyServer.open({ port: 0, requestTimeout: patience, grace: 1 });
  url = await tiny.server.listen();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await tiny[Symbol.asyncDispose]();
});

interface Client {
  readonly socket: Socket;
  received(): string;
  readonly closed: Promise<unknown>;
}

function client(first: string): Client {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  socket.write(first.replaceAll("Host\r\n", `Host: 127.0.0.1:${port}\r\n`));
  return { socket, received: () => text, closed: once(socket, "close") };
}

const clients = (first: string, count = SLOW): Client[] => Array.from({ length: count }, () => client(first));

const connections = () =>
  new Promise<number>((resolve, reject) => {
    tiny.server.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

test("slow clients are cut off, and others are answered meanwhile, right and in time", async () => {
  const search = { params: { id: "f000" }, query: { explain: "true", user: "ann" } } as const;
  const { items } = await answerAt(url, "similarToItem", search);
  const json = "Host\r\nContent-Type: application/json\r\n";
  const headers = clients("GET /v1/items/f000/similar HTTP/1.1\r\nHost\r\n");
  const puts = clients(`PUT /v1/items HTTP/1.1\r\n${json}Content-Length: 100000\r\n\r\n{"items":[`);
  const events = clients(`POST /v1/events HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`);
  const unread = clients("GET /v1/items?limit=200 HTTP/1.1\r\nHost\r\n\r\n".repeat(UNREAD), SEARCHERS);
  for (const { socket } of unread) socket.pause();
  const slow = [...headers, ...puts, ...events];
  let waiting = true;
  const trickle = (async () => {
    for (; waiting; await delay(50)) {
      for (const { socket } of headers) if (socket.writable) socket.write("X-A: b\r\n");
      for (const { socket } of puts) if (socket.writable) socket.write(" ");
      for (const { socket } of events) if (socket.writable) socket.write("1\r\n \r\n");
    }
  })();
  let answered = 0;
  let slowest = 0;
  const searching = Array.from({ length: SEARCHERS }, async () => {
    for (; waiting; await delay(1)) {
      const started = performance.now();
      const { status, text, answer } = await askAt(url, "similarToItem", search);
      expect(status, text).toBe(200);
      expect(answer.items).toEqual(items);
      slowest = Math.max(slowest, performance.now() - started);
      answered++;
    }
  });
  await Promise.all(slow.map(({ closed }) => closed)).finally(() => {
    waiting = false;
  });
  await Promise.all([trickle, ...searching]);
  for (const { received } of slow) {
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(received()).toContain('"code":"REQUEST_TIMEOUT"');
  }
  expect(answered).toBeGreaterThanOrEqual(SEARCHERS);
  expect(slowest).toBeLessThan(10_000 * patience); // ms; none waited for a slow one to go, however slow the machine
  expect((await answerAt(url, "listItems", { query: { limit: "200" } })).items.filter(({ added }) => added)).toEqual(
    [],
  );
  for (const { socket } of unread) socket.destroy();
  await expect.poll(connections).toBeLessThanOrEqual(SEARCHERS + 1);
});

test("the end does not wait for them longer than the grace", async () => {
  const { closed } = client(
    "PUT /v1/items HTTP/1.1\r\nHost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
  );
  await expect.poll(connections).toBeGreaterThan(0);
  await tiny.server.close();
  await closed;
});
