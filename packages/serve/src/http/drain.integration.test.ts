import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { patience } from "@nearkin/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import { drain, onSignals } from "./drain.ts";
import { startTestServer, type TestServer } from "./testing/app.ts";

let server: TestServer;
let address: string;
/** Requests to /slow are answered when this is called. */
let finish: () => void;
let arrived: Promise<void>;
afterEach(async () => {
  finish?.();
  await server?.app.close();
});

async function start(): Promise<void> {
  const gate = withResolvers();
  const arrival = withResolvers();
  finish = () => gate.resolve(undefined);
  arrived = arrival.promise;
  server = await startTestServer({
    door: "local",
    routes: (app) =>
      app.get("/slow", { config: { name: "slow", scope: "read", tokens: false } }, async () => {
        arrival.resolve(undefined);
        await gate.promise;
        return { done: true };
      }),
  });
  address = await server.app.listen({ port: 0, host: "127.0.0.1" });
}

function withResolvers(): { promise: Promise<void>; resolve: (value: undefined) => void } {
  let resolve = (_: undefined) => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function socket(): Socket {
  return connect((server.app.server.address() as AddressInfo).port, "127.0.0.1");
}

describe("draining", () => {
  test("first it says so and serves on, then it finishes what is in flight, then it closes what is behind, in order", async () => {
    await start();
    const closed: string[] = [];
    const slow = fetch(`${address}/slow`);
    await arrived;
    const stopping = drain(server.app, server.lifecycle, {
      graceMs: 1000 * patience,
      closings: ["users", "store"].map((name) => ({ name, close: () => void closed.push(name) })),
    });
    const ready = await fetch(`${address}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ ready: false, reasons: ["stopping"] });
    const meanwhile = await fetch(`${address}/healthz`);
    expect(meanwhile.status).toBe(200);
    expect(meanwhile.headers.get("connection")).toBe("close");

    const listens = () =>
      fetch(`${address}/healthz`).then(
        () => true,
        () => false,
      );
    await expect.poll(listens).toBe(false);
    expect(closed).toEqual([]);
    finish();
    expect(await (await slow).json()).toEqual({ done: true });
    expect(await stopping).toEqual({ cut: false, failed: [] });
    expect(closed).toEqual(["users", "store"]);
  });

  test("requests that take too long are cut", async () => {
    await start();
    const slow = fetch(`${address}/slow`).then(
      () => "answered",
      () => "cut",
    );
    await arrived;
    const report = await drain(server.app, server.lifecycle, { graceMs: 0, finishMs: 100 });
    expect(report).toEqual({ cut: true, failed: [] });
    expect(await slow).toBe("cut");
  });

  test("connections on which nothing was asked do not hold it up", async () => {
    await start();
    const silent = socket();
    await once(silent, "connect");
    const half = socket();
    half.write("GET /healthz HTTP/1.1\r\nHost: loc");
    await once(half, "connect");
    expect(await drain(server.app, server.lifecycle, { graceMs: 0 })).toEqual({ cut: false, failed: [] });
    for (const left of [silent, half]) left.destroy();
  });

  test("a part that fails to close, or hangs, is named; the rest is closed all the same", async () => {
    await start();
    const closed: string[] = [];
    const report = await drain(server.app, server.lifecycle, {
      graceMs: 0,
      closeMs: 50,
      closings: [
        { name: "graph", close: () => Promise.reject(new Error("lost")) },
        { name: "encoder", close: () => new Promise(() => {}) },
        {
          name: "scan",
          close: () => {
            throw new Error("twice");
          },
        },
        { name: "store", close: () => void closed.push("store") },
      ],
    });
    expect(report).toEqual({ cut: false, failed: ["graph", "encoder", "scan"] });
    expect(closed).toEqual(["store"]);
  });
});

describe("signals", () => {
  test("the first stops, the second forces", async () => {
    const source = new EventEmitter();
    const codes: number[] = [];
    const stopped = withResolvers();
    const seen: string[] = [];
    onSignals(
      (signal) => {
        seen.push(signal);
        return stopped.promise;
      },
      { source, exit: (code) => void codes.push(code) },
    );
    source.emit("SIGTERM");
    expect([seen, codes]).toEqual([["SIGTERM"], []]);
    source.emit("SIGINT");
    expect([seen, codes]).toEqual([["SIGTERM"], [130]]);
    stopped.resolve(undefined);
    await delay(0);
    expect(codes).toEqual([130, 0]);
  });

  test("listening can be ended, and a stop that fails says so", async () => {
    const source = new EventEmitter();
    const codes: number[] = [];
    const exit = (code: number) => void codes.push(code);
    onSignals(async () => {}, { source, exit })();
    source.emit("SIGTERM");
    expect(source.listenerCount("SIGTERM") + source.listenerCount("SIGINT")).toBe(0);
    onSignals(() => Promise.reject(new Error("no")), { source, exit });
    source.emit("SIGINT");
    await delay(0);
    expect(codes).toEqual([1]);
  });

  test("a real process ends with 0 after its request in flight, and at once at the second signal", async () => {
    const program = fileURLToPath(new URL("./testing/serve-slowly.ts", import.meta.url));
    for (const [signals, code, answered] of [
      [["SIGTERM"], 0, "200"],
      [["SIGTERM", "SIGTERM"], 143, "cut"],
    ] as const) {
      const child = spawn(process.execPath, ["--conditions=@nearkin/source", "--import", "tsx", program], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const exit = once(child, "exit");
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const { value: url } = await lines.next();
      const answer = fetch(`${url}/slow`).then(
        ({ status }) => String(status),
        () => "cut",
      );
      expect((await lines.next()).value).toBe("arrived");
      const listens = () =>
        fetch(`${url}/healthz`).then(
          () => true,
          () => false,
        );
      const [first, second] = signals;
      child.kill(first);
      await expect.poll(listens).toBe(false); // the first has arrived: two at once may be taken for one
      if (second) child.kill(second);
      else child.stdin.end(); // the answer may come
      const [ended] = await exit;
      expect([ended, await answer]).toEqual([code, answered]);
    }
  });
});
