import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import type { ModelReport } from "./model-report.ts";
import { renderModelReport } from "./page.ts";
import { style } from "./style.ts";
import { flawsOf, offAxis, outlineOf, withoutEnvironment } from "./testing/outline.ts";
import { EVIL, sampleReport } from "./testing/sample-report.ts";

const page = renderModelReport(sampleReport);
const parse = (text: string) => parseHTML(text).document;
const document = parse(page);
const all = (selector: string) => [...document.querySelectorAll(selector)];

describe("the page of a report", () => {
  test("reads as it did, and its markup has no flaw", async () => {
    await expect(outlineOf(page)).toMatchFileSnapshot("./testing/sample-report.txt");
    expect(flawsOf(page)).toEqual([]);
    expect(page.split(`<style>${style}</style>`)).toHaveLength(2);
  });

  test("lists its sections by their headings", () => {
    expect(all("nav a").map((link) => [link.getAttribute("href"), link.textContent])).toEqual(
      all("main section").map((section) => [`#${section.id}`, section.querySelector("h2")?.textContent]),
    );
  });

  test("the same report gives the same bytes, and the environment is in one section alone", () => {
    expect(renderModelReport(structuredClone(sampleReport))).toBe(page);
    const elsewhere = renderModelReport({ ...sampleReport, environment: { Written: "later", Node: "v99" } });
    expect(elsewhere).not.toBe(page);
    expect(withoutEnvironment(elsewhere)).toBe(withoutEnvironment(page));
  });

  test("text of data is text: nothing of it becomes an element", () => {
    expect(page).not.toContain(EVIL);
    expect(all("script")).toEqual([]);
    expect(page).toContain("&lt;script&gt;");
    expect(all("main b, main i, h1 em")).toEqual([]);
    expect(document.querySelector("h1")?.textContent).toBe("hand-made <em>films</em>");
    const shown = all("svg text").map((element) => element.textContent);
    expect(shown.some((text) => text?.includes("<script>"))).toBe(true);
  });

  test("fetches nothing, runs nothing", () => {
    expect(all("script, link, img, iframe, object, embed, base, form")).toEqual([]);
    for (const element of all("[href]")) expect(element.getAttribute("href")).toMatch(/^#/);
    expect(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /https?:|url\(|@import|\bsrc=|\son\w+=/i,
    );
  });

  test("every figure has a name, a finding, a description for those who do not see it, and its numbers", () => {
    const figures = all("figure");
    expect(figures.map(({ id }) => id)).toEqual([
      "known",
      "loss",
      "validation",
      "process",
      "weights-by-step",
      "channel-weights",
      "results-intervals",
      "strata",
      "reliability",
      "example-0",
      "example-1",
    ]);
    for (const figure of figures) {
      expect(figure.querySelector("figcaption strong")?.textContent).toMatch(/\S/);
      expect(figure.querySelector("figcaption span")?.textContent).toMatch(/\.$/);
      expect(figure.querySelectorAll("details.data table tbody tr").length).toBeGreaterThan(0);
      const drawings = [...figure.querySelectorAll(".panel > svg")];
      expect(drawings.length).toBeGreaterThan(0);
      for (const svg of drawings) {
        expect(svg.getAttribute("xmlns")).toBe("http://www.w3.org/2000/svg");
        expect(svg.getAttribute("role")).toBe("img");
        const ids = svg.getAttribute("aria-labelledby")?.split(" ") ?? [];
        expect(ids.map((id: string) => document.getElementById(id)?.tagName.toLowerCase())).toEqual(["title", "desc"]);
        expect(svg.querySelector("desc")?.textContent).toMatch(/\d.*\.$/s);
      }
    }
  });

  test("ids are there once, and every link leads to one", () => {
    const ids = all("[id]").map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const link of all("a")) expect(ids).toContain(link.getAttribute("href")?.slice(1));
  });

  test("colours are the page's own, so that they follow light and dark", () => {
    for (const element of all("svg [fill], svg [stroke]")) {
      for (const name of ["fill", "stroke"]) {
        const value = element.getAttribute(name);
        if (value !== null) expect(value).toMatch(/^(none|currentColor|var\(--[\w-]+\))$/);
      }
    }
  });

  test("families are named apart: no table has metrics of both", () => {
    const heads = all("#results table thead").map((head) => head.textContent ?? "");
    expect(heads.some((head) => head.includes("paper HR@10"))).toBe(true);
    expect(heads.some((head) => head.includes("standard NDCG@10"))).toBe(true);
    for (const head of heads) expect(/paper/.test(head) && /standard/.test(head)).toBe(false);
  });

  test("simulated ratings are said at the top and in every section with results", () => {
    expect(document.querySelector("header .simulated")?.textContent).toMatch(/simulated/);
    for (const id of [
      "summary",
      "results",
      "popularity",
      "catalogue",
      "calibration",
      "examples",
      "weights",
      "training",
    ]) {
      expect(document.querySelector(`#${id} .simulated`), id).not.toBeNull();
    }
    expect(parse(renderModelReport({ ...sampleReport, simulated: false })).querySelector(".simulated")).toBeNull();
  });

  test("bars add up: the pieces of a neighbour end at its distance", () => {
    const cells = [...(document.querySelector("#example-1 details tbody tr")?.children ?? [])].map(
      (cell) => cell.textContent,
    );
    expect(cells).toEqual(["1", EVIL, ".7500", ".2500", ".5000", "year (of the query)"]);
    const bars = [...document.querySelectorAll("#example-1 .panel rect")].map(
      (bar) => bar.querySelector("title")?.textContent,
    );
    expect(bars).toContain("year .500");
  });

  test("marks stand where their values are", () => {
    const measured = (selector: string, name: string) =>
      [...document.querySelectorAll(selector)].map((mark) => Number(mark.getAttribute(name)));
    const [genres, year] = measured("#channel-weights .panel rect", "width");
    expect(genres / year).toBeCloseTo(2, 2);
    const best = measured("#results-intervals .panel:first-child circle", "cx"); // popularity, the model, and the genres alone
    expect(offAxis(best, [0.35, 0.3, 0.2])).toBeLessThan(0.1);
    expect(best[0]).toBeGreaterThan(best[2]);
    const pieces = measured("#example-0 .panel rect", "width").slice(0, 3);
    expect(offAxis(pieces, [0.25, 0.5, 1])).toBeLessThan(1.5); // pieces are a gap apart
    const curve = all("#loss .panel:first-child path").map((path) => path.getAttribute("d") ?? "");
    const [from, to] = curve.find((d) => !d.startsWith("M0,0"))?.match(/(?<=,)[\d.]+/g) ?? [];
    expect(Number(to)).toBeGreaterThan(Number(from)); // the loss falls
  });

  test("missing values are said", () => {
    expect(document.querySelector("#examples")?.textContent).toContain(
      "Values not known of the query: year; of b <i>: year.",
    );
  });
});

describe("predicted ratings of a row of several seeds", () => {
  const { evaluation } = sampleReport;
  const [{ calibration, ...own }, ...others] = evaluation.recommenders;
  const textOf = (recommenders: ModelReport["evaluation"]["recommenders"], selector: string) =>
    [
      ...parse(renderModelReport({ ...sampleReport, evaluation: { ...evaluation, recommenders } })).querySelectorAll(
        selector,
      ),
    ]
      .map(({ textContent }) => textContent)
      .join("\n");

  test("are those of the first, and it is said", () => {
    const rows = [{ ...evaluation.recommenders[0], seeds: [3, 1, 2] }, ...others];
    expect(textOf(rows, "#calibration p")).toContain("These are figures of the first seed, 3, alone.");
    expect(textOf(rows, "#summary .unit")).toContain("RMSE of the first seed, 3, alone, in units of the ratings");
    expect(textOf(evaluation.recommenders, "#calibration, #summary")).not.toContain("first seed");
  });

  test("stand with the first of the model's rows, whatever its β", () => {
    const rows = [{ ...own, name: "default, β = 0.25", ...(calibration ? { calibration } : {}) }, own, ...others];
    expect(textOf(rows, "#calibration h2")).toBe("Predicted ratings");
  });
});

describe("what is not there leaves no hole", () => {
  const { evaluation, training } = sampleReport;
  const render = (change: Partial<ModelReport>) => parse(renderModelReport({ ...sampleReport, ...change }));

  test("no history, no calibration, no examples, no warnings", () => {
    const bare = render({
      training: { stages: training.stages.map(({ curves: _, ...stage }) => stage), warnings: [] },
      evaluation: {
        ...evaluation,
        recommenders: evaluation.recommenders.map(({ calibration: _, ...rest }) => rest),
      },
      examples: [],
    });
    expect(bare.querySelector("#calibration, #examples, #personal, #loss")).toBeNull();
    expect(bare.querySelector("#training")?.textContent).toContain("no history.parquet");
    expect(bare.querySelector("#warnings + p")?.textContent).toBe("None.");
    expect(bare.querySelector("nav")?.textContent).not.toContain("Predicted ratings");
  });

  test("held-out users have a section of their own, figures that were not measured are dashes", () => {
    const nothing = Number.NaN;
    const personal = render({
      evaluation: JSON.parse(
        JSON.stringify({
          ...evaluation,
          truths: [{ name: "later items", queries: 9, empty: 0, size: { mean: 3, median: 3 } }],
          recommenders: evaluation.recommenders.map(({ truths, ...rest }) => ({
            ...rest,
            truths: {
              "later items": {
                ...truths.affinity,
                strata: { head: nothing, middle: nothing, tail: nothing },
              },
            },
          })),
        }),
      ),
    });
    expect(personal.querySelector("#personal h2")?.textContent).toBe("Results for held-out users");
    expect(personal.querySelector("#results, #popularity")).toBeNull();
    expect(personal.body.textContent).not.toMatch(/NaN|undefined|null/);
  });
});

test("no text is a slip of the program", () => {
  expect(document.body.textContent).not.toMatch(/NaN|undefined|\[object|null/);
});
