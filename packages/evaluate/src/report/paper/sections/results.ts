// The figures with their intervals, and SSL against each of the others.
import { PLACES, paperMetrics } from "../../../protocol/measure.ts";
import type { Interval } from "../../../statistics/bootstrap.ts";
import { type Html, html } from "../../html.ts";
import { count, decimals, plural, pValue, signed } from "../../numbers.ts";
import { type Section, simulatedNotice } from "../../section.ts";
import { table } from "../../table.ts";
import type { PaperReport } from "../paper-report.ts";
import { comparisons, type Verdict } from "../verdict.ts";

export function resultsSection(report: PaperReport): Section {
  const { result, settings } = report;
  return {
    id: "results",
    title: "Results",
    body: html`${simulatedNotice(report)}<p>Means over ${plural(result.queries, "test item")} with 95 % bootstrap intervals. ${TAKEN[settings.train.ssl.keep]}</p>
${table({
  label: "Results with intervals",
  head: ["", ...paperMetrics.map((metric) => `${metric}@${PLACES}`)],
  rows: result.table.map(({ name, metrics }) => ({
    own: name === "SSL",
    cells: [name, ...paperMetrics.map((metric) => figureCell(metrics[metric]))],
  })),
})}
<h3>SSL against the others</h3>
<p>Differences are SSL less the other. <em>Better</em>, <em>equal</em> and <em>worse</em> count the test items that SSL ranks better, the same, or worse; p is that of a sign test on these counts.</p>
${table({
  label: "SSL against the others",
  head: ["SSL against", "figure", "difference", "better", "equal", "worse", "p", "SSL is"],
  text: [0, 1, 7],
  rows: comparisons(result).flatMap(({ name, figures }) =>
    figures.map(({ metric, compared: { difference, test }, verdict }) => ({
      cells: [
        name,
        `${metric}@${PLACES}`.replace(" ", "\u00a0"),
        html`<span class="value">${signed(difference.mean)}</span><span class="interval">[${signed(difference.low)}, ${signed(difference.high)}]</span>`,
        count(test.better),
        count(test.equal),
        count(test.worse),
        pValue(test.p).replace(/^p.(=.)?/, ""),
        word(verdict),
      ],
    })),
  ),
})}`,
  };
}

const TAKEN = {
  best: html`SSL is taken at the iteration that validation items chose, and so is SPE's step.`,
  last: html`SSL is taken at its last iteration, SPE at the step that validation items chose.`,
} as const;

const figureCell = ({ mean, low, high }: Interval): Html =>
  html`<span class="value">${decimals(mean)}</span><span class="interval">[${decimals(low)}, ${decimals(high)}]</span>`;

const word = (verdict: Verdict): Html =>
  verdict === "open" ? html`no clear difference` : html`<strong class="${verdict}">${verdict}</strong>`;
