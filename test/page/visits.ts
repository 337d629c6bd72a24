// Visits to the page in the system's Chromium. Every visit is watched: a test fails where the page complained to the console, threw, or asked
// another origin for anything, whatever else the test was about.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from "playwright";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { chromiumArguments, findChromium } from "../../scripts/chromium.ts";
import { patience } from "../support/patience.ts";

const STEP_TIMEOUT_MS = 60_000 * patience; // for a click, a wait or a navigation
const POLL_INTERVAL_MS = 100;

interface VisitOptions extends BrowserContextOptions {
  /** Another server than the demo's. */
  at?: string;
  /** What the page may complain about here. @default nothing */
  expected?: RegExp;
}

interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** All that was asked for, in order. */
  readonly requests: readonly Request[];
}

/** Gives the tests of a file a browser, and each of its visits a profile of its own. */
export function useBrowser() {
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];

  beforeAll(async () => {
    await demoListens();
    browser = await chromium.launch({ executablePath: String(findChromium(process.env)), args: chromiumArguments });
  });
  afterAll(() => browser?.close());

  afterEach(async () => {
    const [open, said] = [contexts, complaints];
    [contexts, complaints] = [[], []];
    for (const context of open) await context.unrouteAll({ behavior: "ignoreErrors" }); // a test ends before all of its requests do
    await Promise.all(open.map((context) => context.close()));
    expect(said).toEqual([]);
  });

  /** Opens a path of the page in a fresh profile, 1280 × 900 unless told otherwise. */
  async function visit(path: string, { at, expected, ...options }: VisitOptions = {}): Promise<Visit> {
    const url = at ?? inject("demo").url;
    const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 900 }, ...options });
    contexts.push(context);
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    const requests: Request[] = [];
    const complain = (words: string) => {
      if (!expected?.test(words)) complaints.push(words);
    };
    context.on("request", (request) => {
      requests.push(request);
      const { origin, protocol } = new URL(request.url());
      if (origin !== url && !/^(?:blob|data):$/.test(protocol)) complain(`asked ${request.url()}`);
    });
    context.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complain(`${message.type()}: ${message.text()}`);
    });
    context.on("weberror", (error) => complain(String(error.error())));
    const page = await context.newPage();
    await page.goto(path);
    return { page, context, requests };
  }

  return { visit, browser: () => browser };
}

/** Waits for the demo, which is made while other projects run. */
async function demoListens(): Promise<void> {
  const { url, folder } = inject("demo");
  const failed = join(folder, "failed.txt");
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, "utf8"));
    await delay(POLL_INTERVAL_MS);
  }
}

/** Waits until the page has drawn twice: what follows a change of size has followed then. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Waits until everything that the screen has asked for is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor({ state: "attached" });
  await page.waitForFunction(
    () =>
      document.querySelector("main[data-loading='0']") !== null &&
      document.querySelector("main .skeleton, main [aria-busy=true]") === null,
  );
}
