// The page of the paper's experiments.
import { renderDocument } from "../document.ts";
import { html } from "../html.ts";
import { plural } from "../numbers.ts";
import type { Section } from "../section.ts";
import { environmentSection } from "../sections/reproduce.ts";
import { barsSection } from "../users/sections/bars.ts";
import { refitsSection } from "../users/sections/refits.ts";
import type { WithUsers } from "../users/users-report.ts";
import type { PaperReport } from "./paper-report.ts";
import { chosenSection } from "./sections/chosen.ts";
import { differencesSection } from "./sections/differences.ts";
import { iterationsSection } from "./sections/iterations.ts";
import { measuredSection } from "./sections/measured.ts";
import { reproduceSection } from "./sections/reproduce.ts";
import { resultsSection } from "./sections/results.ts";
import { summarySection } from "./sections/summary.ts";
import { usersSection } from "./sections/users.ts";

/** Of a report that has users. */
const ofUsers =
  (section: (report: WithUsers) => Section) =>
  ({ simulated, users }: PaperReport): Section | undefined =>
    users ? section({ simulated, users }) : undefined;

/** In the order of the page; what a report has nothing of is left out. */
const SECTIONS: readonly ((report: PaperReport) => Section | undefined)[] = [
  summarySection,
  measuredSection,
  iterationsSection,
  resultsSection,
  usersSection,
  ofUsers(barsSection),
  ofUsers(refitsSection),
  chosenSection,
  differencesSection,
  reproduceSection,
  environmentSection,
];

/** The same report gives the same bytes. */
export function renderPaperReport(report: PaperReport): string {
  const { data, result, simulated } = report;
  const folds = data.folds.length === 1 ? "" : `, ${data.folds.length} folds`;
  return renderDocument({
    title: `The paper's experiments on ${data.name}`,
    kind: "Nearkin paper report",
    heading: `The paper's experiments on ${data.name}`,
    subtitle: html`SSL, SIAMESE and SPE on items that training has not seen: ${plural(result.queries, "test item")}${folds}, ${plural(result.seeds.length, "run")}`,
    simulated: simulated ? data.name : null,
    sections: SECTIONS.map((section) => section(report)).filter((found) => found !== undefined),
  });
}
