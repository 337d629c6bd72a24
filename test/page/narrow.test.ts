// Narrow screens: nothing is wider than the window, and everything can be reached.
import { expect, test } from "vitest";
import { allScreens, screenNames, storageOf } from "./screens.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

/** Runs in the page: how far it can be scrolled sideways, and what sticks out of it without scrolling by itself. */
function sticksOut(): { scrolled: number; out: string[] } {
  const { clientWidth } = document.documentElement;
  scrollTo(1000, scrollY);
  const out = [...document.querySelectorAll("main *, header *, nav *")].filter((element) => {
    const { right, width } = element.getBoundingClientRect();
    if (width === 0 || right <= clientWidth + 1 || getComputedStyle(element).clipPath !== "none") return false;
    for (let at = element.parentElement; at; at = at.parentElement) {
      const { overflowX, clipPath } = getComputedStyle(at);
      if (overflowX !== "visible" || clipPath !== "none") return false;
    }
    return true;
  });
  return { scrolled: scrollX, out: out.map((element) => element.outerHTML.slice(0, 120)) };
}

test.each(screenNames)("%s does not scroll sideways", async (name) => {
  const screen = (await allScreens())[name];
  const { page } = await visit(screen.path, { viewport: { width: 360, height: 800 }, storageState: storageOf(screen) });
  await settled(page);
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(() => page.evaluate(sticksOut), { message: `${width} px` }).toEqual({ scrolled: 0, out: [] }); // charts follow
  }
});

test("sliders lie in a sheet that opens and closes", async () => {
  const { page } = await visit("/items/alien-1979", { viewport: { width: 390, height: 844 } });
  await settled(page);
  const slider = page.getByRole("slider", { name: "plot", exact: true });
  expect(await slider.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Tune" }).click();
  await slider.fill("3");
  await expect.poll(() => page.url()).toContain("weights=plot:");
  await page.getByRole("button", { name: "Close" }).click();
  expect(await slider.isVisible()).toBe(false);
});

test("the five screens are under the thumb, large enough to hit", async () => {
  const { page } = await visit("/", { viewport: { width: 360, height: 740 } });
  await settled(page);
  const boxes = await page.locator("nav[aria-label=Screens] a").evaluateAll((links) =>
    links.map((link) => {
      const { top, bottom, width, height } = link.getBoundingClientRect();
      return { low: bottom <= innerHeight && top > innerHeight / 2, large: width >= 44 && height >= 44 };
    }),
  );
  expect(boxes).toEqual(Array(5).fill({ low: true, large: true }));
});
