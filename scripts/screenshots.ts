// npm run screenshots: the pictures of README.md and docs/page.md, docs/img/*.png, from a demo that was made before (npm run demo; --out <folder> names another).
// The same demo gives pictures that look the same: nothing moves, no measured time is in sight, and what is chosen is chosen by name.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright";
import { chromiumArguments, findChromium } from "./chromium.ts";
import { repackPng } from "./png.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs", "img");
const MOST = 150_000; // bytes of a picture: they are in the repository for good

interface Picture {
  readonly name: string;
  readonly dark?: boolean;
  readonly path: string;
  /** Brings the page to where it is worth a picture. */
  readonly act: (page: Page) => Promise<void>;
}

const USER = "u0229"; // of the sample, with more ratings than most

const pictures: readonly Picture[] = [
  {
    name: "explore",
    path: `/items/spirited-away-2001?user=${USER}&weights=genres:0.2`,
    act: async (page) => {
      await page.locator(".neighbour .move").first().waitFor(); // the shared list is there too, to compare with
    },
  },
  { name: "you", path: "/you", act: rateFive },
  {
    name: "studio",
    path: "/studio",
    act: async (page) => {
      await page.getByRole("button", { name: "Cold Berth" }).click();
      await page.getByRole("heading", { name: "What each field does" }).waitFor();
      await page.locator("table").last().waitFor();
      await page.evaluate(() => scrollTo(0, 0));
    },
  },
  {
    name: "evaluation",
    path: "/evaluation",
    act: async (page) => {
      await page.getByText("Choosing at random").waitFor();
    },
  },
  {
    name: "model-dark",
    dark: true,
    path: "/model",
    act: async (page) => {
      await page.getByRole("link", { name: "model", exact: true }).click();
      await page.getByRole("heading", { name: "What else was learned" }).waitFor();
    },
  },
];

const ratings: readonly [title: string, stars: number][] = [
  ["Spirited Away", 5],
  ["My Neighbor Totoro", 4.5],
  ["Alien", 2],
  ["The Godfather", 3],
  ["E.T. the Extra-Terrestrial", 4],
];

/** As one would by keyboard: find, choose stars, Enter. */
async function rateFive(page: Page): Promise<void> {
  for (const [title, stars] of ratings) {
    await page.getByRole("combobox", { name: "Find something to rate" }).fill(title);
    await page.getByRole("option", { name: title }).first().click();
    await page
      .getByRole("slider", { name: `Your rating of ${title}` })
      .first()
      .focus();
    for (let half = 0; half < 2 * stars; half++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator(".ratings-name", { hasText: title }).waitFor();
  }
  await page.getByText(`Learned from ${ratings.length} items`).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

async function take(browser: Browser, base: string, { name, dark = false, path, act }: Picture): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    deviceScaleFactor: 1,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  await page.goto(base + path);
  await act(page);
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => {
    document.documentElement.style.scrollbarGutter = "auto"; // there is no scrollbar in a picture
  });
  const file = join(folder, `${name}.png`);
  const png = repackPng(await page.screenshot({ animations: "disabled" }));
  await context.close();
  writeFileSync(file, png);
  console.log(`docs/img/${name}.png  ${(png.length / 1000).toFixed(0)} kB`);
  if (png.length > MOST)
    throw new Error(`docs/img/${name}.png has ${png.length} bytes, more than ${MOST}: show less in it`);
}

/** The demo in a process of its own, and the address it prints. */
async function startDemo(out: string): Promise<{ demo: ChildProcess; base: string }> {
  const bin = join(root, "packages/cli/bin/nearkin.js");
  const demo = spawn(process.execPath, [bin, "demo", "--out", out], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: demo.stdout })) {
    const base = /^ {2}(http:\/\/[^/]+)\/$/.exec(line)?.[1];
    if (base) {
      demo.stdout.resume();
      return { demo, base };
    }
  }
  throw new Error("the demo ended before it served: see above");
}

const { out } = parseArgs({ options: { out: { type: "string", default: "nearkin-demo" } } }).values;
if (!existsSync(join(out, "model"))) throw new Error(`there is no demo in ${out}: npm run demo makes it, then end it`);
const executablePath = findChromium(process.env);
if (!executablePath) throw new Error("pictures need Chromium");
mkdirSync(folder, { recursive: true });
const { demo, base } = await startDemo(out);
try {
  const browser = await chromium.launch({ executablePath, args: chromiumArguments });
  try {
    for (const picture of pictures) await take(browser, base, picture);
  } finally {
    await browser.close();
  }
} finally {
  demo.kill("SIGINT");
  if (demo.exitCode === null) await once(demo, "exit");
}
