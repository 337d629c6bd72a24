// Serves the bundles under different headers and opens them in a browser. A page is told what to do by its address and posts
// its report back, so nothing is ever evaluated in it from outside: an evaluation could pass by the policy under test.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Browser } from "playwright";
import { patience } from "../support/patience.ts";
import type { Bundle } from "./build.ts";
import type { Report } from "./program.ts";

export type Headers = Record<string, string>;

export interface Visit {
  report: Report;
  /** Exceptions and rejections nobody caught. */
  uncaught: string[];
  /** What the browser wrote to its console as errors. */
  complaints: string[];
  /** How many of the page's workers ran on after its report. */
  workersLeft: number;
}

export interface VisitOptions {
  /** Run the program in a dedicated worker instead of in the page. */
  inWorker?: boolean;
  /** How many workers the page should have in the end; they are given time to come and go. @default 0; in a worker, that one */
  workersKept?: number;
}

const REPORT_MS = 60_000 * patience;
const SETTLE_MS = 30_000 * patience;

const startWorker = `const { script, type } = document.currentScript.dataset;
new Worker(script, { type }).postMessage(location.search);
`;

export class Pages {
  readonly #server: Server;
  readonly #browser: Browser;
  readonly #bundles: Map<string, Bundle>;
  readonly #policies: Record<string, Headers>;
  readonly #waiting = new Map<string, (report: Report) => void>();
  #runs = 0;

  /** `policies`: headers by name; each name becomes a folder of the site. */
  static async open(browser: Browser, bundles: readonly Bundle[], policies: Record<string, Headers>): Promise<Pages> {
    const pages = new Pages(browser, bundles, policies);
    await new Promise<void>((resolve) => pages.#server.listen(0, "127.0.0.1", resolve));
    return pages;
  }

  private constructor(browser: Browser, bundles: readonly Bundle[], policies: Record<string, Headers>) {
    this.#browser = browser;
    this.#bundles = new Map(bundles.map((bundle) => [bundle.name, bundle]));
    this.#policies = policies;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Opens `bundle`'s page under the headers of `policy` and gives the program its `orders`. */
  async visit(policy: string, bundle: string, orders: string, options: VisitOptions = {}): Promise<Visit> {
    const run = String(++this.#runs);
    const page = await this.#browser.newPage();
    const uncaught: string[] = [];
    const complaints: string[] = [];
    page.on("pageerror", (error) => uncaught.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    try {
      const arrived = new Promise<Report>((resolve) => this.#waiting.set(run, resolve));
      const { port } = this.#server.address() as AddressInfo;
      const where = options.inWorker ? "worker" : "page";
      await page.goto(`http://127.0.0.1:${port}/${policy}/${bundle}/${where}.html?run=${run}&${orders}`);
      const report = await this.#within(
        arrived,
        () => `${policy}/${bundle}: ${[...uncaught, ...complaints].join("\n")}`,
      );
      await settle(() => page.workers().length === (options.workersKept ?? (options.inWorker ? 1 : 0)));
      return { report, uncaught, complaints, workersLeft: page.workers().length };
    } finally {
      this.#waiting.delete(run);
      await page.close();
    }
  }

  async #within(report: Promise<Report>, describe: () => string): Promise<Report> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no report after ${REPORT_MS / 1000} s: ${describe()}`)), REPORT_MS);
    });
    try {
      return await Promise.race([report, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/report") {
      const report: Report = JSON.parse(await text(request));
      response.writeHead(204).end();
      this.#waiting.get(url.searchParams.get("run") ?? "")?.(report);
      return;
    }
    const [policy, name, ...rest] = url.pathname.split("/").slice(1);
    const bundle = this.#bundles.get(name);
    const headers = this.#policies[policy];
    if (!bundle || !headers) {
      response.writeHead(url.pathname === "/favicon.ico" ? 204 : 404).end();
      return;
    }
    const path = rest.join("/");
    const type = extname(path) === ".html" ? "text/html" : "text/javascript";
    response.writeHead(200, { ...headers, "Content-Type": `${type}; charset=utf-8` }).end(content(bundle, path));
  }
}

/** Waits until `is` holds, and holds again a moment later: the browser tells of workers with some delay. */
async function settle(is: () => boolean): Promise<void> {
  let held = false;
  for (const end = performance.now() + SETTLE_MS; performance.now() < end; ) {
    if (is() && held) return;
    held = is();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

function content(bundle: Bundle, path: string): string | Buffer {
  const { script, type, starter } = bundle;
  if (path === "page.html") return page(script, type === "module" ? `type="module"` : "");
  if (path === "worker.html") {
    return starter
      ? page(starter, `type="module"`)
      : page("start-worker.js", `data-script="${script}" data-type="${type}"`);
  }
  if (path === "start-worker.js") return startWorker;
  return readFileSync(join(bundle.folder, path));
}

function page(script: string, attributes: string): string {
  return `<!doctype html><title>portability</title><script src="${script}" ${attributes}></script>`;
}
