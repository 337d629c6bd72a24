// Part B of the suite personalize: one user's metric in Chromium, in the page itself, from the model's files and the user's ratings alone.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright";
import { chromiumArguments, findChromium } from "../scripts/chromium.ts";
import { machine, median } from "./harness.ts";
import { CHANNELS, makeUsersModel, RATINGS, type UsersDataset } from "./personalize-models.ts";
import type { BrowserResult } from "./personalize-report.ts";

/** The first warms up. */
const USERS = 101;
/** Milliseconds that one user may take. */
const GOAL = 60;

const CASES = [
  { name: "choice, last 10 items", target: "choice", items: 10 },
  { name: "choice, last 50 items", target: "choice", items: 50 },
  { name: "rating, last 50 items", target: "rating", items: 50 },
] as const;

/** null, and a line on standard error, where there is no Chromium. Files lie in `folder`. */
export async function timeInBrowser(folder: string, { dataset, users }: UsersDataset): Promise<BrowserResult | null> {
  const executablePath = findChromium({ ...process.env, CI: "" }); // a benchmark goes on without it
  if (executablePath === undefined) {
    process.stderr.write("the part browser is left out: no Chromium\n");
    return null;
  }
  for (const { name, target, items } of CASES) {
    process.stderr.write(`training a model: ${name} …\n`);
    await makeUsersModel(dataset, join(folder, `${target}-${items}`), { target, items });
  }
  writeFileSync(join(folder, "users.json"), JSON.stringify(users.slice(0, USERS)));
  writeFileSync(join(folder, "index.html"), `<!doctype html><title>users</title><script src="page.js"></script>`);
  await build({
    entryPoints: [join(import.meta.dirname, "personalize-page.ts")],
    outfile: join(folder, "page.js"),
    bundle: true,
    format: "iife",
    target: "es2022",
    conditions: ["@nearkin/source"],
    logLevel: "error",
  });
  const server = await serve(folder);
  const browser = await chromium.launch({ executablePath, args: chromiumArguments });
  try {
    const cases: BrowserResult["cases"] = [];
    for (const { name, target, items } of CASES) {
      process.stderr.write(`in Chromium: ${name} …\n`);
      const page = await browser.newPage(); // nothing is warm from the case before
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`);
      const { first, ms, used, iterations } = await page.evaluate(
        (model) => globalThis.timePersonalize(model),
        `${target}-${items}`,
      );
      await page.close();
      cases.push({ name, first, median: median(ms), late: percentile(ms, 0.95), used, iterations });
    }
    return {
      date: new Date().toISOString().slice(0, 10),
      machine: machine(),
      browser: `Chromium ${browser.version()}`,
      users: USERS - 1,
      ratings: RATINGS,
      channels: CHANNELS,
      goal: GOAL,
      cases,
    };
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

const TYPES: Readonly<Record<string, string>> = { ".html": "text/html; charset=utf-8", ".js": "text/javascript" };

/** The files of a folder, for a page that is cross-origin isolated: its clock is finer, and its engine may have threads. */
async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    try {
      const bytes = readFileSync(join(folder, pathname));
      response.writeHead(200, {
        "Content-Type": TYPES[extname(pathname)] ?? "application/octet-stream",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
      });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
