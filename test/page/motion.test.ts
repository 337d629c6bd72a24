// Cards glide to their new places, and do not where less motion is asked for.
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { shownIds } from "./lists.ts";
import { allScreens, screenNames, storageOf } from "./screens.ts";
import { drawn, settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

/** Re-ranks the list, and counts the animations that were ever running while it changed. */
async function mostAnimations(page: Page): Promise<number> {
  const before = await shownIds(page);
  await page.evaluate(() => {
    let most = 0;
    const look = () => {
      most = Math.max(most, document.getAnimations().filter(({ playState }) => playState === "running").length);
      Object.assign(window, { most });
      requestAnimationFrame(look);
    };
    look();
  });
  await page.getByRole("slider", { name: "plot", exact: true }).fill("0");
  await expect.poll(() => shownIds(page)).not.toEqual(before);
  await drawn(page);
  return page.evaluate(() => (window as unknown as { most: number }).most);
}

test("a list that re-ranks moves", async () => {
  const { page } = await visit("/items/alien-1979", { reducedMotion: "no-preference" });
  await settled(page);
  expect(await mostAnimations(page)).toBeGreaterThan(3);
});

test("and does not under reduced motion", async () => {
  const { page } = await visit("/items/alien-1979", { reducedMotion: "reduce" });
  await settled(page);
  expect(await mostAnimations(page)).toBe(0);
});

test.each(screenNames)("%s: nothing lasts under reduced motion", async (name) => {
  const screen = (await allScreens())[name];
  const { page } = await visit(screen.path, { reducedMotion: "reduce", storageState: storageOf(screen) });
  await settled(page);
  const lasting = await page.evaluate(() => {
    const long = (text: string) => text.split(",").some((time) => Number.parseFloat(time) > 0.01);
    return [...document.querySelectorAll("*")]
      .filter((element) => {
        const { transitionDuration, animationDuration, animationName, scrollBehavior } = getComputedStyle(element);
        const animated = animationName !== "none" && long(animationDuration);
        return long(transitionDuration) || animated || scrollBehavior === "smooth";
      })
      .map((element) => element.outerHTML.slice(0, 100));
  });
  expect(lasting).toEqual([]);
});
