// axe on every screen, light and dark. It is evaluated by the debugger, which the page's policy does not concern: the policy stays in force.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { allScreens, screenNames, storageOf } from "./screens.ts";
import { drawn, settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare global {
  interface Window {
    axe: { run(options: RunOptions): Promise<AxeResults> };
  }
}

/** What axe finds that is serious or critical, each with the elements. */
async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  expect(found.passes.length).toBeGreaterThan(10); // it has looked
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join("\n")}`,
    );
}

test.each(screenNames)("%s", async (name) => {
  const screen = (await allScreens())[name];
  const { page } = await visit(screen.path, { reducedMotion: "reduce", storageState: storageOf(screen) });
  await settled(page);
  await page.evaluate(axe);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await drawn(page); // what scrolls now becomes a stop of the tab key
  expect(["narrow", await violations(page)]).toEqual(["narrow", []]);
});
