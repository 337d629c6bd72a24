// Evaluation: the table is what GET /v1/evaluations answers, number by number.
import type { Page } from "playwright";
import { expect, inject, test } from "vitest";
import { demoClient } from "./lists.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const MEASURES = {
  paper: ["paper HR", "paper MRR", "paper NDCG"],
  standard: ["standard precision", "standard hit", "standard MRR", "standard NDCG"],
} as const;

const cells = (page: Page): Promise<string[][]> =>
  page
    .locator(".results-table tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.children].map((cell) =>
          (cell.querySelector(".estimate-numbers") ?? cell).textContent.replaceAll(/[\s↑↓]+/g, " ").trim(),
        ),
      ),
    );

const written = (value: number): string => value.toFixed(3).replace("-", "−");

async function result() {
  const client = demoClient();
  const [listed] = (await client.evaluations.list()).evaluations;
  const { evaluation } = await client.evaluations.get(listed.name);
  if (!evaluation) throw new Error("the demo has an evaluation");
  return { listed, evaluation };
}

test("every truth and every measure, with its interval", async () => {
  const { evaluation } = await result();
  const truths = evaluation.truths.filter(({ queries }) => queries > 0);
  expect(truths.length).toBeGreaterThan(3);
  const { page } = await visit("/evaluation");
  await settled(page);
  let compared = 0;
  for (const { name: truth } of truths) {
    for (const family of ["paper", "standard"] as const) {
      await page.goto(`/evaluation?truth=${encodeURIComponent(truth)}&family=${family}`);
      await settled(page);
      const expected = evaluation.recommenders.map(({ name, truths: own }) => [
        name,
        ...MEASURES[family].map((metric) => {
          const figure = own[truth]?.metrics[metric];
          return figure?.mean == null
            ? "–"
            : `${written(figure.mean)} [${written(figure.low ?? 0)}, ${written(figure.high ?? 0)}]`;
        }),
      ]);
      const shown = await cells(page);
      expect([truth, family, shown.map((row) => row.slice(0, 1 + MEASURES[family].length))]).toEqual([
        truth,
        family,
        expected,
      ]);
      compared += expected.length;
    }
  }
  expect(compared).toBeGreaterThan(50);
});

test("truth and measures are chosen by keyboard, and stand in the address", async () => {
  const { page } = await visit("/evaluation");
  await settled(page);
  const before = await cells(page);
  await page.getByRole("radio", { name: "As in the paper" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForURL("**/evaluation?family=standard");
  await expect.poll(() => cells(page)).not.toEqual(before);
});

test("figures are drawn under the page's policy, each with its table", async () => {
  const { page } = await visit("/evaluation");
  await settled(page);
  const figure = page.locator("figure").filter({ has: page.getByRole("heading", { name: "Hits by popularity" }) });
  await figure.locator("svg").first().waitFor();
  const marks = figure.locator("svg :is(circle, path, rect, line)");
  expect(await marks.count()).toBeGreaterThan(20);
  await figure.getByRole("button", { name: "Table" }).click();
  const { evaluation } = await result();
  expect(await figure.locator("tbody tr").count()).toBe(evaluation.recommenders.length);
});

test("the whole report is a click away, and keeps to a policy of its own", async () => {
  const { listed } = await result();
  const { page, context } = await visit("/evaluation");
  await settled(page);
  const opened = context.waitForEvent("page");
  await page.getByRole("link", { name: "Full report" }).click();
  const report = await opened;
  await report.waitForLoadState();
  expect(report.url()).toBe(inject("demo").url + listed.report);
  expect(await report.locator("h1").count()).toBe(1);
});
