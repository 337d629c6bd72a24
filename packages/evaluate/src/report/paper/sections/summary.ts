// The finding first: whether SSL is above the others here, by how much, and how sure that is.
import { PLACES } from "../../../protocol/measure.ts";
import { SURE } from "../../../statistics/sign-test.ts";
import { type Html, html } from "../../html.ts";
import { capital, decimals, listed, plural, pValue, signed } from "../../numbers.ts";
import { type Section, simulatedNotice } from "../../section.ts";
import type { PaperReport } from "../paper-report.ts";
import { asThePaperFinds, type Comparison, comparisons, inWords, shortName, type Verdict } from "../verdict.ts";

export function summarySection(report: PaperReport): Section {
  const found = comparisons(report.result);
  return {
    id: "summary",
    title: "Summary",
    body: html`${simulatedNotice(report)}<p class="lead">${lead(report, found)}</p>
<p class="note">Differences are SSL less the other, over ${plural(report.result.queries, "test item")}, with 95 % intervals. One is called better or worse where the interval lies on one side of 0 and a sign test, item by item, gives p < ${decimals(SURE, 2)} on the same side; all else is no clear difference.</p>
<div class="cards">
${found.map((comparison) => html`${card(comparison)}\n`)}</div>`,
  };
}

function lead({ data }: PaperReport, found: readonly Comparison[]): string {
  const here = {
    all: `So it is on ${data.name}`,
    some: `On ${data.name} it is so in part`,
    none: `On ${data.name} that is not seen`,
  }[asThePaperFinds(found)];
  return `The paper finds that SSL ranks new items better than SIAMESE and SPE, by HR, MRR and NDCG alike. ${here}: SSL is ${listed(found.map(phrase))}.`;
}

/** "better than SPE", "worse than SIAMESE on HR alone", "better than SIAMESE on HR, worse on MRR". */
function phrase({ name, figures }: Comparison): string {
  const other = name.includes(",") ? `${name.replace(", ", " (")})` : name; // there are commas between the phrases
  const on = (verdict: Verdict) =>
    listed(figures.filter((figure) => figure.verdict === verdict).map(({ metric }) => shortName(metric)));
  const verdicts = new Set(figures.map(({ verdict }) => verdict));
  if (verdicts.has("better") && verdicts.has("worse"))
    return `better than ${other} on ${on("better")}, worse on ${on("worse")}`;
  const [clear] = (["better", "worse"] as const).filter((verdict) => verdicts.has(verdict));
  if (clear === undefined) return `not clearly different from ${other}`;
  return `${clear} than ${other}${verdicts.has("open") ? ` on ${on(clear)} alone` : ""}`;
}

function card(comparison: Comparison): Html {
  const { name, figures } = comparison;
  return html`<article class="card">
<h3>SSL against ${name}</h3>
<p>${headline(comparison)}</p>
<dl class="facts">${figures.map(
    ({ metric, compared: { difference, test }, verdict }) =>
      html`<div class="wide"><dt>${metric}@${PLACES}</dt><dd><strong class="${tone(verdict)}">${signed(difference.mean)}</strong> [${signed(difference.low)}, ${signed(difference.high)}], ${pValue(test.p)}</dd></div>\n`,
  )}</dl>
</article>`;
}

function headline(comparison: Comparison): Html {
  const verdicts = new Set(comparison.figures.map(({ verdict }) => verdict));
  const text = `${inWords(comparison)}.`;
  const [only] = verdicts;
  return verdicts.size === 1 ? html`<strong class="${tone(only)}">${capital(text)}</strong>` : html`${capital(text)}`;
}

const tone = (verdict: Verdict): string => (verdict === "open" ? "" : verdict);
