// Explore by keyboard alone: from nothing to an item's page, and what stands there.
import { expect, test } from "vitest";
import { answeredIds, shownIds } from "./lists.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

test("a slash, letters, arrows and Enter lead to an item and its neighbours", async () => {
  const { page } = await visit("/");
  await settled(page);
  await page.keyboard.press("/");
  await page.keyboard.type("godf");
  const options = page.getByRole("option");
  await options.nth(1).waitFor();
  const names = await options.locator(".combobox-name").allTextContents();
  expect(names.toSorted()).toEqual(["The Godfather", "The Godfather Part II"]);
  const search = page.getByRole("combobox", { name: "Search the catalogue" });
  const pointedAt = async () => {
    const id = await search.getAttribute("aria-activedescendant");
    return page.locator(`[id="${id}"] .combobox-name`).textContent();
  };
  expect(await pointedAt()).toBe(names[0]);
  await page.keyboard.press("ArrowDown");
  expect(await pointedAt()).toBe(names[1]);
  while ((await pointedAt()) !== "The Godfather Part II") await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/items/the-godfather-part-ii-1974");
  await settled(page);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("The Godfather Part II 1974");
  expect(await page.title()).toBe("The Godfather Part II · Nearkin");
  expect(await shownIds(page)).toEqual(await answeredIds(page));
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main"); // who listens begins at the new screen
});

test("Escape closes what is proposed, then empties the field; what nobody is called is said", async () => {
  const { page } = await visit("/");
  await settled(page);
  await page.keyboard.press("/");
  await page.keyboard.type("zzzz");
  await page.getByText("Nothing is called so").waitFor();
  const search = page.getByRole("combobox", { name: "Search the catalogue" });
  await page.keyboard.press("Escape");
  expect([await search.getAttribute("aria-expanded"), await search.inputValue()]).toEqual(["false", "zzzz"]);
  await page.keyboard.press("Escape");
  expect(await search.inputValue()).toBe("");
});

test("a slash that is typed into a field is a letter", async () => {
  const { page } = await visit("/studio");
  await settled(page);
  const title = page.getByLabel("Title", { exact: true });
  await title.focus();
  await page.keyboard.type("Face/Off");
  expect(await title.inputValue()).toBe("Face/Off");
});
