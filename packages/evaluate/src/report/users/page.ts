// The page of users' own metrics.
import { renderDocument } from "../document.ts";
import { html } from "../html.ts";
import { plural } from "../numbers.ts";
import type { Section } from "../section.ts";
import { environmentSection } from "../sections/reproduce.ts";
import { barsSection } from "./sections/bars.ts";
import { measuredSection } from "./sections/measured.ts";
import { refitsSection } from "./sections/refits.ts";
import { reproduceSection } from "./sections/reproduce.ts";
import { summarySection } from "./sections/summary.ts";
import type { UsersReport } from "./users-report.ts";

/** In the order of the page. */
const SECTIONS: readonly ((report: UsersReport) => Section)[] = [
  summarySection,
  measuredSection,
  barsSection,
  refitsSection,
  reproduceSection,
  environmentSection,
];

/** The same report gives the same bytes. */
export function renderUsersReport(report: UsersReport): string {
  const { users, simulated } = report;
  return renderDocument({
    title: `Users' own metrics on ${users.dataset.name}`,
    kind: "Nearkin users report",
    heading: `Users' own metrics on ${users.dataset.name}`,
    subtitle: html`${users.model.label}: the metric that all share against each user's own, ${plural(users.users, "held-out user")}, ${plural(users.seeds.length, "run")}`,
    simulated: simulated ? users.dataset.name : null,
    sections: SECTIONS.map((section) => section(report)),
  });
}
