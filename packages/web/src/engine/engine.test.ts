// Against a server and workers that are played here: the real ones meet in the tests of the whole page.
import type { ModelInfo } from "@nearkin/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loaded } from "../api/loaded.ts";
import { activeModel } from "./active-model.ts";
import { followServer, openEngine, similarity, whyServer, withoutServer } from "./engine.ts";
import { keptModel } from "./kept-model.ts";
import type { Reply, Request } from "./messages.ts";
import { memory } from "./testing/memory-caches.ts";
import { throughApi } from "./through-api.ts";

let active = "one";
let workers: PlayedWorker[] = [];
let requests: string[] = [];
let fileRequest: () => Promise<void>;

/** Answers every call with the name of its model. */
class PlayedWorker {
  ended = false;
  #model = "";
  #reply: (event: { data: Reply }) => void = () => {};
  #fail: (event: { message: string }) => void = () => {};
  constructor() {
    workers.push(this);
  }
  postMessage(request: Request): void {
    if ("open" in request) this.#model = new TextDecoder().decode(request.open.get("model.json"));
    queueMicrotask(() => this.ended || this.#reply({ data: { number: request.number, value: this.#model } }));
  }
  addEventListener(type: "message" | "error", listener: never): void {
    if (type === "message") this.#reply = listener;
    else this.#fail = listener;
  }
  terminate(): void {
    this.ended = true;
  }
  die(message: string): void {
    this.#fail({ message });
  }
}

async function answer(path: string): Promise<Response> {
  requests.push(path);
  const [, model] = /^\/v1\/models\/(\w+)\/files/.exec(path) ?? [];
  if (path === "/v1/models") return Response.json({ models: [infoOf(active)], active });
  if (path === "/v1/index") return Response.json({ added: 0, items: 3 });
  if (path.endsWith("/files")) return Response.json({ id: model, bytes: 3, files: [{ name: "model.json" }] });
  if (model === undefined)
    return Response.json({ id: "alien", title: `the server's, of ${active}`, missing: [], pending: [], model: active });
  await fileRequest();
  return new Response(model, { headers: { "content-type": "application/octet-stream" } });
}

const infoOf = (id: string) => ({ id, items: 3, channels: [], fields: [] }) as unknown as ModelInfo;

beforeEach(() => {
  [active, workers, requests] = ["one", [], []];
  fileRequest = async () => {};
  activeModel.value = undefined;
  vi.stubGlobal("fetch", (input: string | URL | Request) => answer(new URL(String(input)).pathname));
  vi.stubGlobal("Worker", PlayedWorker);
  vi.stubGlobal("navigator", { onLine: true });
  vi.stubGlobal("location", new URL("http://localhost:7410"));
});
afterEach(() => vi.unstubAllGlobals());

const isKept = (id: string) => expect.poll(async () => (await keptModel())?.info.id).toBe(id);

test("a small model answers in the page", async () => {
  await openEngine();
  expect(similarity.value.place).toBe("browser");
  expect(await similarity.value.item("alien")).toBe("one");
});

test("a worker that dies leaves the answers to the server", async () => {
  await openEngine();
  workers[0].die("out of memory");
  await expect.poll(() => similarity.value.place).toBe("server");
  expect(whyServer.value).toBe("the model in this page has failed: out of memory");
});

test("what is asked anew after a change of models is never answered by the old one", async () => {
  const asked = () => loaded("item of the screen", () => similarity.peek().item("alien")).value;
  await openEngine();
  await expect.poll(asked).toMatchObject({ state: "ready", value: "one" });
  active = "two";
  let arrive = () => {};
  fileRequest = () => new Promise((resolve) => (arrive = resolve)); // the new model takes its time
  const opening = openEngine();
  await expect.poll(() => workers[0].ended).toBe(true);
  await expect.poll(asked).toMatchObject({ state: "ready", value: { title: "the server's, of two" } });
  arrive();
  await opening;
  expect(await similarity.value.item("alien")).toBe("two");
});

test("an answer of another model brings that one into the page", async () => {
  await openEngine();
  using _ = { [Symbol.dispose]: followServer() };
  active = "two"; // somebody has activated it
  await throughApi.item("alien");
  await expect.poll(() => [activeModel.value?.id, similarity.value.place]).toEqual(["two", "browser"]);
  expect(await similarity.value.item("alien")).toBe("two");
});

test("a server on this machine is asked without a network too, and one elsewhere is not", async () => {
  vi.stubGlobal("caches", memory().at);
  await openEngine();
  await isKept("one");
  vi.stubGlobal("navigator", { onLine: false });
  active = "two";
  await openEngine();
  expect([activeModel.value?.id, withoutServer.value]).toEqual(["two", false]);

  await isKept("two");
  vi.stubGlobal("location", new URL("https://films.example"));
  requests = [];
  await openEngine();
  expect([activeModel.value?.id, withoutServer.value, requests]).toEqual(["two", true, []]);
});
