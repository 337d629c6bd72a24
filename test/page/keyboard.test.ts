// Everything that can be operated is reached by the Tab key, in the order in which it is seen, and shows that it has the focus.
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { allScreens, screenNames, storageOf } from "./screens.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const MOST = 250; // stops of one screen

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

/** Runs in the page: how a stop and what is around it look; of the one that has the focus where none is named. */
function lookAt(named: number | null): { stop: number; look: string } {
  const own = (
    named === null ? document.activeElement : document.querySelector(`[data-stop="${named}"]`)
  ) as HTMLElement;
  const around = [own, own.parentElement, own.parentElement?.parentElement, own.nextElementSibling];
  const looks = around.map((element) => {
    if (!element) return "";
    const { outline, boxShadow, borderColor, backgroundColor, clipPath } = getComputedStyle(element);
    return [outline, boxShadow, borderColor, backgroundColor, clipPath].join(" ");
  });
  return { stop: Number(own.dataset.stop ?? -1), look: looks.join("\n") };
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
  await page.waitForLoadState("networkidle");
  const stops = await page.evaluate(numberStops);
  expect(stops.length).toBeGreaterThan(8);
  const reached: number[] = [];
  const doubtful: number[] = [];
  let last: { stop: number; look: string } | undefined;
  for (let press = 0; press < MOST; press++) {
    await page.keyboard.press("Tab");
    const now = await page.evaluate(lookAt, null);
    if (last && (await page.evaluate(lookAt, last.stop)).look === last.look) doubtful.push(last.stop);
    if (now.stop < 0 || now.stop === reached[0]) break; // round once
    reached.push(now.stop);
    last = now;
  }
  const unseen: number[] = [];
  for (const stop of doubtful) if (!(await isSeen(page, stop))) unseen.push(stop);
  const called = (numbers: readonly number[]) =>
    page.evaluate(
      (wanted) => wanted.map((stop) => document.querySelector(`[data-stop="${stop}"]`)?.outerHTML.slice(0, 160)),
      numbers,
    );
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
