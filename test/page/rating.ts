// What somebody does on the screen You.
import type { Page } from "playwright";

/** Rates what is asked about, by keyboard, and waits until the weights follow. */
export async function rateQuestions(page: Page, stars: readonly number[]): Promise<void> {
  const rated = page.locator(".ratings-item");
  const before = await rated.count();
  for (const [i, rating] of stars.entries()) {
    await page.locator(".rate").getByRole("slider").focus();
    await page.keyboard.press(String(rating));
    await rated.nth(before + i).waitFor();
    await isLearned(page);
  }
}

/** Waits until every rating says what it did, and another question stands there. */
async function isLearned(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector(".rate[aria-busy=true], main .skeleton") === null &&
      [...document.querySelectorAll(".ratings-did")].every((did) => did.textContent !== "…"),
  );
}

/** Share of every channel, as it is written. */
export const shownShares = (page: Page): Promise<string[]> =>
  page.locator(".weights-figures").evaluateAll((all) => all.map((one) => one.textContent ?? ""));

/** Ids of what is suggested. */
export const suggestedIds = (page: Page): Promise<string[]> =>
  page.locator(".for-you ol > li").evaluateAll((all) => all.map((one) => one.getAttribute("data-id") ?? ""));
