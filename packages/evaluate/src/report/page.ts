// The page of a model.
import { renderDocument } from "./document.ts";
import { html } from "./html.ts";
import type { ModelReport } from "./model-report.ts";
import type { Section } from "./section.ts";
import { calibrationSection } from "./sections/calibration.ts";
import { dataSection } from "./sections/data.ts";
import { examplesSection } from "./sections/examples.ts";
import { catalogueSection, strataSection } from "./sections/lists.ts";
import { environmentSection, reproduceSection } from "./sections/reproduce.ts";
import { personalSection, resultsSection } from "./sections/results.ts";
import { summarySection } from "./sections/summary.ts";
import { trainingSection } from "./sections/training.ts";
import { weightsSection } from "./sections/weights.ts";

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
  const { model, data, simulated } = report;
  return renderDocument({
    title: `${model.name}: model report`,
    kind: "Nearkin model report",
    heading: model.name,
    subtitle: html`${model.preset ? `Preset ${model.preset}, s` : "S"}eed ${model.seed ?? "–"}, on ${data.name}, split by ${data.split}. Model <code>${model.id.slice(0, 12)}</code>`,
    simulated: simulated ? data.name : null,
    sections: SECTIONS.map((section) => section(report)).filter((found) => found !== undefined),
  });
}
