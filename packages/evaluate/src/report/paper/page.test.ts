import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { flawsOf, offAxis, outlineOf, withoutEnvironment } from "../testing/outline.ts";
import { EVIL } from "../testing/sample-report.ts";
import { renderPaperReport } from "./page.ts";
import type { PaperReport } from "./paper-report.ts";
import { samplePaperReport } from "./testing/sample-paper-report.ts";

const page = renderPaperReport(samplePaperReport);
const parse = (text: string) => parseHTML(text).document;
const document = parse(page);
const all = (selector: string) => [...document.querySelectorAll(selector)];
const text = (selector: string, of = document) => of.querySelector(selector)?.textContent ?? "";
const render = (change: Partial<PaperReport>) => parse(renderPaperReport({ ...samplePaperReport, ...change }));

describe("the page of the paper's experiments", () => {
  test("reads as it did, and its markup has no flaw", async () => {
    await expect(outlineOf(page)).toMatchFileSnapshot("./testing/sample-paper-report.txt");
    expect(flawsOf(page)).toEqual([]);
  });

  test("the same report gives the same bytes, and the environment is in one section alone", () => {
    expect(renderPaperReport(structuredClone(samplePaperReport))).toBe(page);
    const elsewhere = renderPaperReport({ ...samplePaperReport, environment: { Written: "later" } });
    expect(elsewhere).not.toBe(page);
    expect(withoutEnvironment(elsewhere)).toBe(withoutEnvironment(page));
  });

  test("text of data is text; nothing is fetched, nothing runs", () => {
    expect(page).not.toContain(EVIL);
    expect(page).toContain("&lt;script&gt;");
    expect(text("h1")).toBe("The paper's experiments on films & <em>more</em>");
    expect(all("script, link, img, iframe, object, embed, base, form, h1 em, main b")).toEqual([]);
    for (const element of all("[href]")) expect(element.getAttribute("href")).toMatch(/^#/);
    expect(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /https?:|url\(|@import|\bsrc=|\son\w+=/i,
    );
  });

  test("ids are there once, and every link leads to one", () => {
    const ids = all("[id]").map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const link of all("a")) expect(ids).toContain(link.getAttribute("href")?.slice(1));
  });

  test("the finding comes first, in words, with what makes it sure", () => {
    expect(all("main section").map(({ id }) => id)).toEqual([
      "summary",
      "measured",
      "curves",
      "results",
      "chosen",
      "differences",
      "reproduce",
      "environment",
    ]);
    expect(text("#summary .lead")).toBe(
      "The paper finds that SSL ranks new items better than SIAMESE and SPE, by HR, MRR and NDCG alike. On films & <em>more</em> it is so in part: SSL is better than SIAMESE, not clearly different from SIAMESE (ratings as a channel) and worse than SPE.",
    );
    expect(all("#summary .card h3").map(({ textContent }) => textContent)).toEqual([
      "SSL against SIAMESE",
      "SSL against SIAMESE, ratings as a channel",
      "SSL against SPE",
    ]);
    expect(text("#summary .card dd")).toBe("+.050 [+.030, +.070], p\u00a0<\u00a0.001");
  });

  test("three panels with their levels, each described for those who do not see it, and the numbers behind them", () => {
    const drawings = all("#iterations .panel > svg");
    expect(all("#iterations .panel-title").map(({ textContent }) => textContent)).toEqual([
      "paper HR@10",
      "paper MRR@10",
      "paper NDCG@10",
    ]);
    expect(drawings[0].querySelector("desc")?.textContent).toBe(
      "paper HR at 10 of SSL by iteration: .250 at 0, at most .300 at 10, .280 at 20. As levels: SIAMESE .250; SIAMESE, ratings as a channel .290; SPE .350.",
    );
    expect(all("#iterations .legend li")).toHaveLength(4);
    expect(all("#iterations details tbody tr")).toHaveLength(6);
    for (const element of all("svg [fill], svg [stroke]")) {
      for (const name of ["fill", "stroke"]) {
        const value = element.getAttribute(name);
        if (value !== null) expect(value).toMatch(/^(none|currentColor|var\(--[\w-]+\))$/);
      }
    }
  });

  test("points stand where their values are: higher is better", () => {
    const heights = all("#iterations .panel:first-child circle").map((point) => Number(point.getAttribute("cy")));
    expect(offAxis(heights, [0.25, 0.3, 0.28])).toBeLessThan(0.1);
    expect(heights[1]).toBeLessThan(heights[0]);
  });

  test("results, comparisons and choices have a row each", () => {
    expect(all("#results table")).toHaveLength(2);
    const [, second] = all("#results table");
    expect([...second.querySelectorAll("tbody tr")]).toHaveLength(9);
    const cells = [...second.querySelectorAll("tbody tr:first-child > *")].map(({ textContent }) => textContent);
    expect(cells).toEqual([
      "SIAMESE",
      "paper\u00a0HR@10",
      "+.050[+.030, +.070]",
      "40",
      "5",
      "5",
      "<\u00a0.001",
      "better",
    ]);
    const chosen = all("#chosen tbody tr").map((row) => [...row.children].map(({ textContent }) => textContent));
    expect(chosen).toEqual([
      ["1", "10, 0", "50, 50", "yes, yes"],
      ["2", "10, 0", "50, 50", "no, no"],
    ]);
    expect(text("#chosen p")).toContain("was kept in 2 of 4 trainings");
  });

  test("where the last iteration is kept, nowhere is it said that validation items chose it", () => {
    const { settings, result } = samplePaperReport;
    const { train } = settings;
    const last = render({
      settings: { ...settings, train: { ...train, ssl: { ...train.ssl, keep: "last" } } },
      result: { ...result, chosen: result.chosen.map((choice) => ({ ...choice, ssl: 20 })) },
    });
    expect(text("#results p:not(.simulated)", last)).toBe(
      "Means over 50 test items with 95 % bootstrap intervals. SSL is taken at its last iteration, SPE at the step that validation items chose.",
    );
    expect(text("#chosen h2", last)).toBe("What was kept");
    expect(text("#chosen p", last)).toBe(
      "SSL's last iteration, of 20 at most, which its settings keep. SPE's step, of 50 at most, which validation items chose, and whether it keeps new items at a distance from each other (it stands off).",
    );
    expect(text("#differences", last)).toContain("Here the results are those of the last one.");
    expect(text("#measured", last)).toContain("the last step is kept; test items");
    expect(text("main", last)).not.toMatch(/validation items choose, and the results|iteration that validation/);
    expect(text("#results p:not(.simulated)")).toContain("SSL is taken at the iteration that validation items chose");
  });

  test("what was changed of the preset is said, and nothing where nothing was", () => {
    const rows = all("#differences tbody tr").map((row) => [...row.children].map(({ textContent }) => textContent));
    expect(rows).toContainEqual(["train.siamese.steps", "20", "1,500"]);
    expect(text("#differences", render({ changes: [] }))).toContain("All settings are those of the preset paper");
  });

  test("simulated ratings are said at the top and in every section with results", () => {
    expect(text("header .simulated")).toMatch(/simulated/);
    for (const id of ["summary", "curves", "results"]) expect(text(`#${id} .simulated`), id).toMatch(/Simulated/);
    expect(render({ simulated: false }).querySelector(".simulated")).toBeNull();
  });

  test("one dataset split by time, and one run", () => {
    const { data, result } = samplePaperReport;
    const single = render({
      data: { ...data, split: "time", fraction: 0.05, folds: data.folds.slice(0, 1) },
      result: { ...result, seeds: [1], chosen: result.chosen.slice(0, 1) },
    });
    expect(text("header .subtitle", single)).toContain("50 test items, 1 run");
    expect(text("#measured", single)).toContain("by time: the newest 5.0 % of the items are for test");
    expect(text("#iterations figcaption", single)).toContain("One run: there are no bands.");
    expect(text("#chosen table thead", single)).not.toContain("fold");
  });

  test("no text is a slip of the program", () => {
    expect(document.body.textContent).not.toMatch(/NaN|undefined|\[object|null/);
  });
});
