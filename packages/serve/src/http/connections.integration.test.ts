// One client that opens as many connections as it can, over real sockets. Addresses of 127.0.0.0/8 stand for machines.
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TinyServer } from "../testing/tiny-server.ts";

const MOST = 64;
const PER_ADDRESS = 16;
const [GREEDY, OTHER] = ["127.0.0.2", "127.0.0.3"];

let tiny: TinyServer;
let port: number;
const sockets: Socket[] = [];
async function open(more: object = {}): Promise<void> {
  tiny = await TinyServer.open({ port: 0, connections: MOST, connectionsPerAddress: PER_ADDRESS, keys: "on", ...more });
  port = Number(new URL(await tiny.server.listen()).port);
}
beforeEach(() => void sockets.splice(0));
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await tiny[Symbol.asyncDispose]();
});

function dial(localAddress: string): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  sockets.push(socket);
  return socket.on("error", () => {});
}

/** Asks for /healthz on so many connections that are then kept; how many were answered, and not dropped. */
async function holdAll(address: string, count: number): Promise<number> {
  const answered = Array.from({ length: count }, () => {
    const socket = dial(address);
    socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    return new Promise<boolean>((resolve) => {
      socket.once("data", () => resolve(true)).once("close", () => resolve(false));
    });
  });
  return (await Promise.all(answered)).filter(Boolean).length;
}

const refusals = (reason: string, count: number) => `nearkin_connections_refused_total{reason="${reason}"} ${count}`;
const measured = () => tiny.server.context.metrics.text();

async function ask(localAddress: string, path: string, agent: Agent | false = false): Promise<IncomingMessage> {
  const asking = request({ host: "127.0.0.1", port, path, localAddress, agent }).end();
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
  return answer;
}

describe("connections", () => {
  test("one address holds its share, others are answered, and what is closed is free again", async () => {
    await open();
    expect(await holdAll(GREEDY, 3 * MOST)).toBe(PER_ADDRESS);
    expect((await ask(OTHER, "/healthz")).statusCode).toBe(200);
    expect(await measured()).toContain(refusals("address", 3 * MOST - PER_ADDRESS));
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => holdAll(GREEDY, 1)).toBe(1);
  });

  test("a proxy that is named has no share, only the whole", async () => {
    await open({ trustProxy: [GREEDY] });
    for (let i = 0; i < MOST + 10; i++) dial(GREEDY);
    await expect.poll(measured).toContain(refusals("all", 10));
    expect(await measured()).not.toContain('refused_total{reason="address"}');
  });

  test("left out, the share is a quarter", async () => {
    await open({ connectionsPerAddress: undefined });
    expect(await holdAll(GREEDY, MOST)).toBe(MOST / 4);
  });

  test("strangers keep no connection when they are refused, nor when more than half are taken", async () => {
    await open();
    const agent = new Agent({ keepAlive: true });
    expect((await ask(OTHER, "/healthz", agent)).headers.connection).toBe("keep-alive");
    const refused = await ask(OTHER, "/v1/models", agent);
    expect([refused.statusCode, refused.headers.connection]).toEqual([401, "close"]);
    agent.destroy();
    for (const address of ["127.0.0.4", "127.0.0.5", GREEDY]) await holdAll(address, PER_ADDRESS);
    const crowded = await ask(OTHER, "/healthz");
    expect([crowded.statusCode, crowded.headers.connection]).toEqual([200, "close"]);
  });
});
