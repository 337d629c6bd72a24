import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { renderPaperReport } from "../paper/page.ts";
import { samplePaperReport } from "../paper/testing/sample-paper-report.ts";
import { flawsOf, offAxis, outlineOf } from "../testing/outline.ts";
import { EVIL } from "../testing/sample-report.ts";
import { renderUsersReport } from "./page.ts";
import { sampleUsersReport, sampleUsersResult } from "./testing/sample-users-report.ts";

const page = renderUsersReport(sampleUsersReport);
const { document } = parseHTML(page);
const all = (selector: string, of = document) => [...of.querySelectorAll(selector)];
const text = (selector: string) => document.querySelector(selector)?.textContent ?? "";

describe("the page of users' own metrics", () => {
  test("reads as it did, and its markup has no flaw", async () => {
    await expect(outlineOf(page)).toMatchFileSnapshot("./testing/sample-users-report.txt");
    expect(flawsOf(page)).toEqual([]);
  });

  test("text of data is text; nothing is fetched, nothing runs", () => {
    expect(page).not.toContain(EVIL);
    expect(all("script, link, img, iframe, object, embed, base, form, h1 em, main b")).toEqual([]);
    expect(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /https?:|url\(|@import|\bsrc=|\son\w+=/i,
    );
  });

  test("the finding comes first, with what makes it sure", () => {
    expect(all("main section").map(({ id }) => id)).toEqual([
      "summary",
      "measured",
      "one-by-one",
      "starts",
      "reproduce",
      "environment",
    ]);
    expect(text("#summary .lead")).toBe(
      "The paper finds that a user's own metric ranks better than the one that all share, for 16 or 17 of 20 users. On films & <em>more</em> it is better by HR, MRR and NDCG: 75\u00a0%, 75\u00a0% and 75\u00a0% of 40 users are better off by HR, MRR and NDCG.",
    );
    expect(text("#summary .card p")).toBe(".100 → .130 (+30 %)");
  });

  test("two bars for each user, and a table of them", () => {
    expect(all("#bars .panel > svg")).toHaveLength(3);
    expect(all("#bars-0-title ~ g[aria-label=rect] rect")).toHaveLength(40);
    expect(all("#bars tbody tr")).toHaveLength(20);
    const values = all("#bars tbody tr").flatMap((row) =>
      [...row.children].slice(2, 4).map(({ textContent }) => Number(textContent?.replace("−", "-"))),
    );
    const tips = all("#bars .panel:first-child rect").map((bar, i) => {
      const [y, height] = ["y", "height"].map((name) => Number(bar.getAttribute(name)));
      return values[i] < 0 ? y + height : y;
    });
    expect(offAxis(tips, values)).toBeLessThan(0.1);
    expect(text("#bars figcaption")).toContain("better for 16 by HR, 16 by MRR and 16 by NDCG, of 20");
  });

  test("both starts by step, and by ratings, with the model's own fit beside them", () => {
    expect(all("#refits .panel > svg")).toHaveLength(3);
    expect(all('#starts [aria-label="paper HR by ratings and steps"] tbody tr')).toHaveLength(4);
    const [first] = all('#starts [aria-label="paper HR by ratings and steps"] tbody tr');
    expect(all("th, td", first as never).map(({ textContent }) => textContent.split("[")[0])).toEqual([
      "5",
      "from the shared weights",
      ".099",
      ".050",
      ".130",
    ]);
  });
});

test("the page of the paper's experiments has them too, each id once", () => {
  const paper = parseHTML(renderPaperReport({ ...samplePaperReport, users: sampleUsersResult })).document;
  const sections = all("main section", paper).map(({ id }) => id);
  expect(sections).toEqual(expect.arrayContaining(["results", "users", "one-by-one", "starts", "chosen"]));
  const ids = all("[id]", paper).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
