import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { flawsOf, offAxis, outlineOf } from "../report/testing/outline.ts";
import { type RecoveryCell, type RecoveryResult, recoveryDefaults } from "./recovery.ts";
import { renderRecoveryReport } from "./recovery-page.ts";
import { recoveryPage, recoveryReport, writeRecoveryReport } from "./recovery-report.ts";

const cell = (n: number, k: number): RecoveryCell => {
  const median = 10 / Math.sqrt(n * k);
  const around = (value: number) => ({ low: 0.8 * value, median: value, high: 1.3 * value });
  return {
    n,
    k,
    kernel: around(median),
    distance: around(2 * median),
    missed: median >= 0.5 ? 1 : 0,
    lambdaMax: n / 5,
    infKernel: 0.01,
    d: 20 * n,
    leastTau: n / 10,
    printed: 10 ** (-n / 10),
  };
};

const resultOf = (sizes: number[], surrogates: number[], changes: Partial<RecoveryResult["settings"]> = {}) => ({
  settings: { ...recoveryDefaults, sizes, surrogates, seeds: [1, 2], ...changes },
  cells: sizes.flatMap((n) => surrogates.map((k) => cell(n, k))),
  fits: [],
});

const reportOf = (result: RecoveryResult) =>
  recoveryReport({
    result,
    command: "nearkin theory recovery --out '<b>.html'",
    environment: { Written: "2026-01-02T03:04:05Z" },
  });

const report = reportOf(resultOf([100, 400, 1000], [1, 16]));
const page = renderRecoveryReport(report);
const { document } = parseHTML(page);
const all = (selector: string, of = document) => [...of.querySelectorAll(selector)];
const text = (selector: string, of = document) => of.querySelector(selector)?.textContent ?? "";

describe("the page on metric recovery", () => {
  test("reads as it did, and its markup has no flaw", async () => {
    await expect(outlineOf(page)).toMatchFileSnapshot("./testing/sample-recovery-report.txt");
    expect(flawsOf(page)).toEqual([]);
  });

  test("the same report gives the same bytes, through JSON too", async () => {
    expect(await recoveryPage(JSON.parse(JSON.stringify(report)))).toBe(page);
  });

  test("fetches nothing, runs nothing; text is text", () => {
    expect(all("script, link, img, iframe, object, embed, base, form, main b")).toEqual([]);
    expect(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /https?:|url\(|@import|\bsrc=|\son\w+=/i,
    );
    for (const element of all("[href]")) expect(element.getAttribute("href")).toMatch(/^#/);
    expect(document.body.textContent).not.toMatch(/NaN|undefined|\[object|null/);
  });

  test("ids are there once, and every link leads to one", () => {
    const ids = all("[id]").map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const link of all("a")) expect(ids).toContain(link.getAttribute("href")?.slice(1));
  });

  test("two drawings with a name and a description each, every size and surrogate in them, and the numbers behind", () => {
    const drawings = all("#recovery .panel > svg");
    expect(drawings.map((svg) => svg.querySelector("title")?.textContent)).toEqual(["sup|k − k*|/k*", "sup|D − D*|"]);
    expect(drawings[1].querySelector("desc")?.textContent).toBe(
      "sup|D − D*| between n = 100 and n = 1,000: k = 1 from 2 to 0.632 and k = 16 from 0.5 to 0.158.",
    );
    const labels = all("text", drawings[0] as unknown as typeof document).map(({ textContent }) => textContent);
    for (const label of ["100", "400", "1,000", "0.1", "0.3", "1", "items n"]) expect(labels).toContain(label);
    expect(all("#recovery .legend li").map(({ textContent }) => textContent)).toEqual(["k = 1", "k = 16"]);
    expect(all("#recovery details tbody tr")).toHaveLength(6);
    for (const element of all("svg [fill], svg [stroke]")) {
      for (const name of ["fill", "stroke"]) {
        const value = element.getAttribute(name);
        if (value !== null) expect(value).toMatch(/^(none|currentColor|var\(--[\w-]+\))$/);
      }
    }
  });

  test("points stand where their values are, on two axes of logarithms", () => {
    const places = (name: string) =>
      all("#recovery .panel:first-child circle").map((point) => Number(point.getAttribute(name)));
    const heights = places("cy");
    const medians = [1, 16].flatMap((k) => [100, 400, 1000].map((n) => 10 / Math.sqrt(n * k)));
    expect(offAxis(heights, medians.map(Math.log10))).toBeLessThan(0.1);
    expect(heights[0]).toBeLessThan(heights[5]);
    expect(offAxis(places("cx").slice(0, 3), [100, 400, 1000].map(Math.log10))).toBeLessThan(0.1);
  });

  test("what falls with √n is said to", () => {
    expect(text("#recovery figcaption span")).toBe(
      "With 16 surrogates sup|D − D*| goes from 0.5 at n = 100 to 0.158 at n = 1,000. It goes as n to the power of −0.5 and −0.5 for k = 1 and 16.",
    );
  });

  test("Theorem 1 is vacuous where τ ≥ 1, and what it prints is held against what happens", () => {
    const rows = all("#theorem tbody tr").map((row) => [...row.children].map(({ textContent }) => textContent));
    expect(rows[0]).toEqual(["100", "20", "0.01", "2,000", "10", "1.0e−10", "1: vacuous", "100 %"]);
    expect(text("#summary")).toContain("has τ of at least 10 here");
    expect(text("#summary")).toContain("at n = 100 and 400 the kernel misses by ε = 0.5 or more");
  });

  test("one size, one surrogate, noise: nothing is said that is not so", () => {
    const { document: single } = parseHTML(
      renderRecoveryReport(reportOf(resultOf([50], [1], { noisy: true, seeds: [1] }))),
    );
    expect(text("header .subtitle", single)).toBe("A Gaussian process fitted to 1 surrogate of a known metric, 1 seed");
    expect(text("#summary .lead", single)).toBe(
      "The largest error of a learned distance is 2.83. Two random items are 3.5 apart.",
    );
    expect(text("#recovery figcaption", single)).not.toMatch(/power|bands/);
    expect(text("#simulated", single)).toContain("r ~ N(0, K* + σ²I), σ² = 0.0001");
  });

  test("page and JSON are written whole, beside each other; another ending is refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nearkin-recovery-"));
    try {
      const [html, json] = await writeRecoveryReport(join(folder, "a/recovery.html"), report);
      expect(readdirSync(join(folder, "a")).sort()).toEqual(["recovery.html", "recovery.json"]);
      expect(readFileSync(html, "utf8")).toBe(page);
      expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(JSON.parse(JSON.stringify(report)));
      await expect(writeRecoveryReport(join(folder, "page.htm"), report)).rejects.toThrow(
        /expected a file that ends in \.html/,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
