// Visits to the page in the system's Chromium. Every visit is watched: a test fails where the page complained to the console, threw, or asked
// another origin for anything, whatever else the test was about.
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
    browser = await chromium.launch({ executablePath: String(findChromium(process.env)), args: chromiumArguments });
  });
  afterAll(() => browser?.close());

  afterEach(async () => {
    const [open, said] = [contexts, complaints];
    [contexts, complaints] = [[], []];
    await Promise.all(open.map((context) => context.close()));
    expect(said).toEqual([]);
  });

  /** Opens a path of the page in a fresh profile, 1280 × 900 unless told otherwise. */
  async function visit(path: string, { at, expected, ...options }: VisitOptions = {}): Promise<Visit> {
    const url = at ?? inject("demo").url;
    const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 900 }, ...options });
    contexts.push(context);
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

/** Waits until everything that the screen has asked for is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor({ state: "attached" });
  await page.waitForFunction(() => document.querySelector("main .skeleton, main [aria-busy=true]") === null);
}
