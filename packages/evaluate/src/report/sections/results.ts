// Models and baselines, truth by truth. The paper's family and the standard family stand in tables of their own: names are shared, formulas are
// not.
import { type MetricName, paperMetrics, standardMetrics } from "../../protocol/measure.ts";
import type { EvaluationResult, MetricResult, TruthSummary } from "../../result.ts";
import { directionOf, SURE } from "../../statistics/sign-test.ts";
import { figure } from "../figures/figure.ts";
import { intervalsFigure } from "../figures/intervals.ts";
import { headline, hitMeans, isPersonal, mainTruth } from "../headline.ts";
import { type Html, html } from "../html.ts";
import type { ModelReport } from "../model-report.ts";
import { count, decimals, isMeasured, plural, unbroken } from "../numbers.ts";
import { type Section, simulatedNotice } from "../section.ts";
import { table } from "../table.ts";

interface Family {
  readonly name: string;
  readonly about: string;
  readonly metrics: readonly MetricName[];
}

const FAMILIES: readonly Family[] = [
  {
    name: "Paper family",
    about: "as the paper computes them: its HR is a precision, its NDCG divides by the gain of the list's own hits",
    metrics: paperMetrics,
  },
  {
    name: "Standard family",
    about: "as the literature defines them",
    metrics: standardMetrics,
  },
];

/** Queries are items that training has never seen. */
export function resultsSection(report: ModelReport): Section | undefined {
  const truths = report.evaluation.truths.filter(({ name }) => !isPersonal(name));
  if (truths.length === 0) return undefined;
  return { id: "results", title: "Results on never-seen items", body: results(report, truths, "results") };
}

/** Queries are what held-out users met later (EV10); only where the split holds out users. */
export function personalSection(report: ModelReport): Section | undefined {
  const truths = report.evaluation.truths.filter(({ name }) => isPersonal(name));
  if (truths.length === 0) return undefined;
  return { id: "personal", title: "Results for held-out users", body: results(report, truths, "personal") };
}

function results(report: ModelReport, truths: readonly TruthSummary[], id: string): Html {
  const { evaluation } = report;
  const [one, many] = id === "personal" ? ["user", "users"] : ["query", "queries"];
  const main = truths.find(({ name }) => name === mainTruth(evaluation)?.name) ?? truths[0];
  const drawn = intervalsFigure(evaluation, main.name, {
    id: `${id}-intervals`,
    metrics: ["paper HR", "standard NDCG"],
  });
  return html`${simulatedNotice(report)}<p>Means over ${many} at ${evaluation.k} places with 95 % bootstrap intervals. ${mark("up")} and ${mark("down")} mark what is better or worse than <strong>${evaluation.base}</strong>, ${one} by ${one}, by a sign test with p < ${decimals(SURE, 2)}. The two families share names, not formulas: compare within a table only.</p>
<h3>${main.name}</h3>
<p>A hit is ${hitMeans(main.name)}. ${asked(main)}</p>
${drawn ? figure(drawn) : ""}
${families(evaluation, main)}
${truths
  .filter((truth) => truth !== main)
  .map((truth) =>
    truth.queries === 0
      ? html`<p>${truth.name}: no query has any.</p>\n`
      : html`<details class="truth"><summary><strong>${truth.name}</strong> ${lineOf(report, truth)}</summary>
<p>A hit is ${hitMeans(truth.name)}. ${asked(truth)}</p>
${families(evaluation, truth)}
</details>\n`,
  )}`;
}

const asked = ({ name, queries, empty }: TruthSummary): string =>
  `${plural(queries, isPersonal(name) ? "user" : "query", isPersonal(name) ? "users" : "queries")}${empty > 0 ? `, ${count(empty)} left out without any` : ""}.`;

function lineOf(report: ModelReport, { name }: TruthSummary): string {
  const found = headline(report, { truth: name });
  if (!found) return "";
  const best =
    found.best && found.bestValue ? `; best baseline ${decimals(found.bestValue.mean)} (${found.best.name})` : "";
  return `paper HR ${decimals(found.ownValue.mean)}${best}`;
}

function families({ recommenders, k }: EvaluationResult, truth: TruthSummary): Html {
  return html`${FAMILIES.map(
    ({ name, about, metrics }) => html`<h4>${name} <span class="about">${about}</span></h4>
${table({
  label: `${name}, ${truth.name}`,
  head: ["", ...metrics.map((metric) => `${metric}@${k}`)],
  rows: recommenders.map((recommender) => ({
    own: recommender.kind === "model",
    cells: [
      unbroken(recommender.name),
      ...metrics.map((metric) => cell(recommender.truths[truth.name]?.metrics[metric])),
    ],
  })),
})}
`,
  )}`;
}

function cell(result: MetricResult | undefined): Html {
  if (!result || !isMeasured(result.mean)) return html`–`;
  const { mean, low, high, against, overSeeds } = result;
  const direction = against ? directionOf(against) : "open";
  return html`<span class="value">${decimals(mean)}</span>${direction === "open" ? html`<span class="mark"></span>` : mark(direction === "better" ? "up" : "down")}<span class="interval">[${decimals(low)}, ${decimals(high)}]${overSeeds === undefined ? "" : ` ± ${decimals(overSeeds)} over seeds`}</span>`;
}

const mark = (direction: "up" | "down"): Html =>
  direction === "up"
    ? html`<span class="mark better" role="img" aria-label="better than the base">↑</span>`
    : html`<span class="mark worse" role="img" aria-label="worse than the base">↓</span>`;
