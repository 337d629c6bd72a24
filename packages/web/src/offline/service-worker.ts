// Keeps the page itself for when there is no network: the files of one build, and index.html. vite.config.ts puts their names in, so that every
// build is another worker. A new one waits until the pages of the old one are closed: those still find the files they were built with.
// Online, screens come from the network, so that nobody is shown an old page because it is kept.
import { answerFrom } from "./answer-from.ts";

/** The part of a service worker's global that is used: its types do not go together with a page's. */
interface ServiceWorker {
  readonly location: Location;
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", listener: (event: Lifetime) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetched) => void): void;
}

interface Lifetime {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetched extends Lifetime {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

declare const __BUILD__: { readonly version: string; readonly files: readonly string[] };

const worker = globalThis as unknown as ServiceWorker;
const { version, files } = __BUILD__;
const PREFIX = "nearkin-page-";
const NAME = PREFIX + version;
const PAGE = "/";
const kept = new Set(files);

worker.addEventListener("install", (event) => event.waitUntil(keepAll()));
worker.addEventListener("activate", (event) => event.waitUntil(dropOthers().then(() => worker.clients.claim())));
worker.addEventListener("fetch", (event) => {
  const from = answerFrom(event.request, worker.location.origin, kept);
  if (from === "kept") event.respondWith(fromKept(event.request));
  if (from === "page") event.respondWith(fromNetwork(event.request));
});

/** All of the build or nothing: half a page would be none. */
async function keepAll(): Promise<void> {
  const cache = await caches.open(NAME);
  await cache.addAll([new Request(PAGE, { cache: "no-cache" }), ...files]);
}

async function dropOthers(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function fromKept(request: Request): Promise<Response> {
  const cache = await caches.open(NAME);
  return (await cache.match(request.url)) ?? fetch(request);
}

async function fromNetwork(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const cache = await caches.open(NAME);
    const page = await cache.match(PAGE);
    if (page) return page;
    throw error;
  }
}
