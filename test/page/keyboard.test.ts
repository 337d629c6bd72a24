// Everything that can be operated is reached by the Tab key, in the order in which it is seen, and shows that it has the focus.
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { allScreens, screenNames, storageOf } from "./screens.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

/** Runs in the page: numbers what can be operated, and gives the numbers. Of radio buttons, one of a group is a stop. */
function numberStops(): number[] {
  const groups = new Set<string>();
  const stops: number[] = [];
  const all = document.querySelectorAll<HTMLElement>(
    "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]",
  );
  for (const [i, element] of [...all].entries()) {
    element.dataset.stop = String(i);
    if (element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element instanceof HTMLInputElement && element.type === "radio") {
      if (groups.has(element.name)) continue;
      groups.add(element.name);
      if (!element.checked) continue;
    }
    stops.push(i);
  }
  return stops;
}

/** The stops of a page on which nothing more appears: those that two looks in a row find. */
async function lastStops(page: Page): Promise<number[]> {
  let [before, stops]: number[][] = [[], await page.evaluate(numberStops)];
  const look = async () => {
    [before, stops] = [stops, await page.evaluate(numberStops)];
    return String(before) === String(stops);
  };
  await expect.poll(look, { interval: 500 }).toBe(true);
  return stops;
}

interface Walk {
  /** Stops that had the focus, in order. */
  reached: number[];
  /** Elements that had the focus, but were no stop when stops were counted. */
  uncounted: string[];
  /** Stops whose styles, and those around them, are the same with the focus and without. */
  doubtful: number[];
}

declare global {
  interface Window {
    walk: Walk;
  }
}

/** Runs in the page: notes every stop that gets the focus, and how it and what is around it look with the focus and after it. */
function watchFocus(): void {
  const lookOf = (own: Element): string => {
    const around = [own, own.parentElement, own.parentElement?.parentElement, own.nextElementSibling];
    const looks = around.map((element) => {
      if (!element) return "";
      const { outline, boxShadow, borderColor, backgroundColor, clipPath } = getComputedStyle(element);
      return [outline, boxShadow, borderColor, backgroundColor, clipPath].join(" ");
    });
    return looks.join("\n");
  };
  window.walk = { reached: [], uncounted: [], doubtful: [] };
  const stopOf = (element: Element) => Number((element as HTMLElement).dataset.stop ?? -1);
  let look = "";
  document.addEventListener("focusin", ({ target }) => {
    look = lookOf(target as Element);
    window.walk.reached.push(stopOf(target as Element));
    if (stopOf(target as Element) < 0) window.walk.uncounted.push((target as Element).outerHTML.slice(0, 160));
  });
  document.addEventListener("focusout", ({ target }) => {
    if (lookOf(target as Element) === look) window.walk.doubtful.push(stopOf(target as Element));
  });
}

/** Whether one sees the focus where styles do not tell: the knob of a slider is no element. */
async function isSeen(page: Page, stop: number): Promise<boolean> {
  const element = page.locator(`[data-stop="${stop}"]`);
  await element.focus();
  const withFocus = await element.screenshot({ caret: "initial" });
  await element.blur();
  return !withFocus.equals(await element.screenshot({ caret: "initial" }));
}

test.each(screenNames)("%s", async (name) => {
  const screen = (await allScreens())[name];
  const { page } = await visit(screen.path, { reducedMotion: "reduce", storageState: storageOf(screen) });
  await settled(page);
  const stops = await lastStops(page);
  expect(stops.length).toBeGreaterThan(8);
  await page.evaluate(watchFocus);
  for (let press = 0; press <= stops.length; press++) await page.keyboard.press("Tab"); // round once
  const { reached: walked, uncounted, doubtful } = await page.evaluate(() => window.walk);
  const again = walked.indexOf(walked[0], 1);
  const reached = again < 0 ? walked : walked.slice(0, again);
  const unseen: number[] = [];
  for (const stop of doubtful) if (!(await isSeen(page, stop))) unseen.push(stop);
  const called = (numbers: readonly number[]) =>
    page.evaluate(
      (wanted) => wanted.map((stop) => document.querySelector(`[data-stop="${stop}"]`)?.outerHTML.slice(0, 160)),
      numbers,
    );
  expect(uncounted).toEqual([]);
  expect(await called(stops.filter((stop) => !reached.includes(stop)))).toEqual([]);
  expect(await called(unseen)).toEqual([]);
  expect(reached).toEqual(reached.toSorted((a, b) => a - b)); // as they stand in the document, which is as they are seen
});

test("the first stop skips to the content", async () => {
  const { page } = await visit("/items/alien-1979");
  await settled(page);
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to the content" });
  expect(await skip.evaluate((link) => link === document.activeElement && getComputedStyle(link).clipPath)).toBe(
    "none",
  );
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest("main")?.id)).toBe("main");
});

test("Tab leads past what a field proposes", async () => {
  const { page } = await visit("/items/alien-1979");
  await settled(page);
  await page.getByRole("combobox", { name: "Whose similarity" }).focus();
  await page.getByRole("option").nth(20).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("range");
  expect(await page.getByRole("option").count()).toBe(0);
});
