// The program that is bundled and run everywhere: in Node, in pages, in workers. It takes its orders as a query string (from
// the command line, the page's address, a message to the worker) and reports to standard output or to the server it came from.
import { createEngine, type Engine, type EngineInfo, type EngineOptions, Random, TopK } from "@nearkin/core";

export interface Report {
  /** Of the engine that computed; none when it could not be had. */
  info?: EngineInfo;
  /** SHA-256 of the bits of all results. */
  hash?: string;
  /** The results themselves, where they were asked for. */
  values?: number[];
  /** How often this thread woke others. */
  wakes: number;
  /** How often this thread was allowed to sleep. */
  sleeps: number;
  /** Workers this thread started in a browser. */
  workers: number;
  /** Blob addresses made and not yet given back. */
  blobs: number;
  /** The code of the error that using the engine after `close` gives. */
  afterClose?: string;
  error?: { name: string; code: string | undefined; message: string };
}

type Scenario = (orders: URLSearchParams, report: Report) => Promise<void>;

const scenarios: Record<string, Scenario> = { compute, grow, reopen };

function open(orders: URLSearchParams): Promise<Engine> {
  const options: EngineOptions = {};
  const engine = orders.get("engine") as EngineOptions["engine"] | null;
  const policy = orders.get("policy") as EngineOptions["policy"] | null;
  const shared = orders.get("shared");
  if (engine) options.engine = engine;
  if (policy) options.policy = policy;
  if (shared) options.shared = shared === "true";
  const workers = Number(orders.get("workers"));
  if (workers) options.workers = workers;
  return createEngine(options);
}

/** A product, a kernel matrix and its factor, and a scan, each large enough to be shared between threads. */
async function compute(orders: URLSearchParams, report: Report): Promise<void> {
  const engine = await open(orders);
  report.info = engine.info;
  const scope = engine.scope();
  const random = new Random(7);

  const A = scope.matrix(150, 130);
  const B = scope.matrix(130, 170);
  const C = scope.matrix(150, 170);
  engine.fillNormal(A, random);
  engine.fillNormal(B, random);
  engine.gemm(C, A, B);

  const Z = scope.matrix(200, 8);
  const K = scope.matrix(200, 200);
  engine.fillNormal(Z, random);
  engine.kernel(K, Z, Z);
  const kernel = K.read();
  for (let i = 0; i < 200; i++) K.set(i, i, K.get(i, i) + 0.1);
  engine.cholesky(K);

  const rows = scope.matrix(5000, 32);
  const query = scope.matrix(32, 1);
  engine.fillNormal(rows, random);
  engine.fillNormal(query, random);
  const best = new TopK(10);
  engine.scan(best, [rows], query);

  await addResults(report, [C.read(), kernel, K.read(), best.scores, Float64Array.from(best.rows)], orders);
  scope.close();
  if (orders.get("close") !== "no") await close(engine, report);
}

/** Fills memory far beyond its first 4 MiB: what lay there before must survive, and what is computed afterwards be right. */
async function grow(orders: URLSearchParams, report: Report): Promise<void> {
  const engine = await open(orders);
  report.info = engine.info;
  const scope = engine.scope();
  const a = (i: number, j: number) => ((i * 7 + j * 3) % 11) - 5;
  const b = (i: number, j: number) => ((i * 5 + j * 13) % 17) - 8;
  const small = scope.matrix(40, 40);
  for (let i = 0; i < 40; i++) for (let j = 0; j < 40; j++) small.set(i, j, a(i, j));

  const n = 600;
  for (let size = 1; size <= 8; size *= 2) {
    const step = engine.scope(); // 2.7, 5.5, 11 and 22 MiB
    step.zeros(n * size, n);
    step.close();
  }
  const A = scope.matrix(n, n);
  const B = scope.matrix(n, n);
  const C = scope.matrix(n, n);
  const wide = scope.zeros(2000, 2000); // 30 MiB
  A.write(Float64Array.from({ length: n * n }, (_, at) => a(Math.floor(at / n), at % n)));
  B.write(Float64Array.from({ length: n * n }, (_, at) => b(Math.floor(at / n), at % n)));
  engine.gemm(C, A, B);

  // Whole numbers: the product is exact, whatever the order of its sums.
  for (let at = 0; at < n * n; at += 997) {
    const i = Math.floor(at / n);
    const j = at % n;
    let sum = 0;
    for (let k = 0; k < n; k++) sum += a(i, k) * b(k, j);
    if (C.get(i, j) !== sum) throw new Error(`after growth, element (${i}, ${j}) is ${C.get(i, j)} instead of ${sum}`);
  }
  for (let i = 0; i < 40; i++) {
    for (let j = 0; j < 40; j++) if (small.get(i, j) !== a(i, j)) throw new Error(`growth lost element (${i}, ${j})`);
  }
  await addResults(report, [C.read(), small.read(), wide.view(1990, 2000).read()], orders);
  scope.close();
  await close(engine, report);
}

/** Engines opened and closed one after the other; the last one's product counts. */
async function reopen(orders: URLSearchParams, report: Report): Promise<void> {
  const hashes = new Set<string | undefined>();
  for (let i = 0; i < Number(orders.get("times")); i++) {
    await compute(orders, report);
    hashes.add(report.hash);
  }
  if (hashes.size !== 1) throw new Error(`the engines gave ${hashes.size} different results`);
}

async function close(engine: Engine, report: Report): Promise<void> {
  await engine.close();
  try {
    const scope = engine.scope();
    engine.gemm(scope.matrix(1, 1), scope.zeros(1, 1), scope.zeros(1, 1));
  } catch (error) {
    report.afterClose = (error as { code?: string }).code ?? String(error);
  }
}

async function addResults(report: Report, parts: readonly Float64Array[], orders: URLSearchParams): Promise<void> {
  const all = Float64Array.from(parts.flatMap((part) => Array.from(part)));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  report.hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (orders.has("values")) report.values = Array.from(all);
}

/** Counts, from here on, what this thread does to work with others. */
function watch(report: Report): void {
  const { notify, wait } = Atomics;
  Object.assign(Atomics, {
    notify(...args: Parameters<typeof notify>) {
      report.wakes++;
      return notify(...args);
    },
    wait(...args: Parameters<typeof wait>) {
      const outcome = wait(...args); // throws on the main thread of a page
      report.sleeps++;
      return outcome;
    },
  });
  if (typeof Worker !== "undefined") {
    globalThis.Worker = class extends Worker {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        report.workers++;
      }
    };
  }
  const { createObjectURL, revokeObjectURL } = URL;
  Object.assign(URL, {
    createObjectURL(blob: Blob) {
      report.blobs++;
      return createObjectURL(blob);
    },
    revokeObjectURL(url: string) {
      report.blobs--;
      revokeObjectURL(url);
    },
  });
}

/** Makes this place poorer than it is. */
function takeAway(what: string | null): void {
  if (what === "WebAssembly") Reflect.deleteProperty(globalThis, "WebAssembly"); // as some hardened browsers do
  if (what === "Worker") Reflect.deleteProperty(globalThis, "Worker"); // as in a shared worker
  if (what === "luck") {
    const { createObjectURL } = URL;
    URL.createObjectURL = () => createObjectURL(new Blob([`throw new Error("bad luck")`]));
  }
}

async function receiveOrders(): Promise<string> {
  if (inNode) return process.argv[2];
  if (typeof document !== "undefined") return location.search;
  return new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data), { once: true }));
}

const inNode = typeof process !== "undefined";

async function main(): Promise<void> {
  const orders = new URLSearchParams(await receiveOrders());
  const report: Report = { wakes: 0, sleeps: 0, workers: 0, blobs: 0 };
  takeAway(orders.get("without"));
  watch(report);
  try {
    await scenarios[orders.get("scenario") ?? "compute"](orders, report);
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string };
    report.error = { name, code, message };
  }
  const text = JSON.stringify(report);
  if (inNode) process.stdout.write(text);
  else await fetch(`/report?run=${orders.get("run")}`, { method: "POST", body: text });
}

void main();
