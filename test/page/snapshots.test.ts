// Every screen as a picture, wide and narrow, light and dark, compared with test/page/snapshots: reduced to a grid of mean colours, which
// stays the same however letters are drawn, and does not where something is missing, moved or of another colour.
//   UPDATE_SNAPSHOTS=1 npx vitest run --project page test/page/snapshots.test.ts     renews them: look at the pictures before they are committed
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { patience } from "../support/patience.ts";
import { GridPage } from "./grid.ts";
import { allScreens, screenNames, storageOf } from "./screens.ts";
import { drawn, settled, useBrowser } from "./visits.ts";

const { visit, browser } = useBrowser();

const kept = fileURLToPath(new URL("snapshots/", import.meta.url));
const seen = fileURLToPath(new URL("../../.cache/page-snapshots/", import.meta.url));

const LOOKS = [
  { width: 1280, colorScheme: "light" },
  { width: 1280, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;
const CELLS = { 1280: 20, 390: 15 }; // px
const TALLEST = 1800; // px of a screen that are looked at
const MOST = 0.03; // of the cells may differ: dates, ids and times do
const SETTLE_TIMEOUT_MS = 20_000 * patience; // for a screen to look as it should

/** Letters of one face, wherever it runs: how wide they are decides where lines break. A sheet made by script, which the policy allows. */
async function setFont(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`:root:root {
      --sans: "DejaVu Sans";
      --serif: "DejaVu Serif";
      --mono: "DejaVu Sans Mono";
    }`);
    document.adoptedStyleSheets.push(sheet);
    const context = new OffscreenCanvas(1, 1).getContext("2d") as OffscreenCanvasRenderingContext2D;
    const widths = ["serif", "monospace"].map((other) => {
      context.font = `100px "DejaVu Sans", ${other}`;
      return context.measureText("Hamburgefonstiv").width;
    });
    return widths[0] === widths[1];
  });
}

test.for(screenNames)("%s", async (name, { skip }) => {
  const screen = (await allScreens())[name];
  const { page } = await visit(screen.path, { reducedMotion: "reduce", storageState: storageOf(screen) });
  const hasFont = await setFont(page);
  if (!hasFont && process.env.CI !== "true") skip("the font DejaVu is not installed (apt-get install fonts-dejavu)");
  expect(hasFont).toBe(true);
  await settled(page);
  await using grids = await GridPage.open(browser());
  const wrong: string[] = [];
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const file = `${name}-${width}-${colorScheme}.png`;
    const isKept = existsSync(kept + file);
    let picture: Buffer;
    let grid: Buffer;
    let difference: Awaited<ReturnType<GridPage["difference"]>> | undefined;
    // What is late on a busy machine (charts drawn anew, the list after the model is opened) is waited for; what is wrong stays wrong.
    const until = Date.now() + SETTLE_TIMEOUT_MS;
    do {
      await drawn(page);
      const height = Math.min(TALLEST, await page.evaluate(() => document.documentElement.scrollHeight));
      picture = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height }, caret: "initial" });
      grid = await grids.gridOf(picture, CELLS[width]);
      if (isKept) difference = await grids.difference(grid, readFileSync(kept + file), CELLS[width]);
    } while (difference && difference.part > MOST && Date.now() < until && !process.env.UPDATE_SNAPSHOTS);
    if (process.env.UPDATE_SNAPSHOTS) {
      mkdirSync(kept, { recursive: true });
      writeFileSync(kept + file, grid);
      continue;
    }
    if (!difference) wrong.push(`${file} is not there yet`);
    else {
      if (difference.part <= MOST) continue;
      mkdirSync(seen, { recursive: true });
      writeFileSync(seen + file.replace(".png", "-difference.png"), difference.picture);
      wrong.push(`${file}: ${(100 * difference.part).toFixed(1)} % differs: ${seen}${file}, and beside it where`);
    }
    mkdirSync(seen, { recursive: true });
    writeFileSync(seen + file, picture);
  }
  expect(wrong).toEqual([]);
});
