// A report as one HTML page: everything is in it, nothing is fetched, and no script runs.
import { html, raw } from "./html.ts";
import type { ModelReport } from "./model-report.ts";
import { renderSection, type Section } from "./section.ts";
import { calibrationSection } from "./sections/calibration.ts";
import { dataSection } from "./sections/data.ts";
import { examplesSection } from "./sections/examples.ts";
import { catalogueSection, strataSection } from "./sections/lists.ts";
import { environmentSection, reproduceSection } from "./sections/reproduce.ts";
import { personalSection, resultsSection } from "./sections/results.ts";
import { summarySection } from "./sections/summary.ts";
import { trainingSection } from "./sections/training.ts";
import { weightsSection } from "./sections/weights.ts";
import { style } from "./style.ts";

/** In the order of the page; what a report has nothing of is left out. */
const SECTIONS: readonly ((report: ModelReport) => Section | undefined)[] = [
  summarySection,
  dataSection,
  trainingSection,
  weightsSection,
  resultsSection,
  strataSection,
  catalogueSection,
  calibrationSection,
  personalSection,
  examplesSection,
  reproduceSection,
  environmentSection,
];

/** The same report gives the same bytes. */
export function renderModelReport(report: ModelReport): string {
  const sections = SECTIONS.map((section) => section(report)).filter((found) => found !== undefined);
  const { model, data } = report;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${model.name}: model report</title>
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#summary">To the summary</a>
<header>
<p class="kind">Nearkin model report</p>
<h1>${model.name}</h1>
<p class="subtitle">${model.preset ? `Preset ${model.preset}, s` : "S"}eed ${model.seed ?? "–"}, on ${data.name}, split by ${data.split}. Model <code>${model.id.slice(0, 12)}</code></p>
${report.simulated ? html`<p class="simulated banner" role="note"><strong>The ratings behind this report are simulated.</strong> Users and ratings of ${data.name} are made up: the figures show how the method works, not how well it does on real people.</p>` : ""}
</header>
<nav aria-label="Sections"><ol>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ol></nav>
<main>
${sections.map((section) => html`${renderSection(section)}\n`)}</main>
</body>
</html>
`.html;
}
