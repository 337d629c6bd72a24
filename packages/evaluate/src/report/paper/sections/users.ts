// The paper's second question: whether a user's own metric is better than the one that all share.
import { html } from "../../html.ts";
import type { Section } from "../../section.ts";
import { measuredSection } from "../../users/sections/measured.ts";
import { summarySection } from "../../users/sections/summary.ts";
import type { PaperReport } from "../paper-report.ts";

/** Finding and measurement together: the page has its own sections of these names. */
export function usersSection({ simulated, users }: PaperReport): Section | undefined {
  if (!users) return undefined;
  const report = { simulated, users };
  return {
    id: "users",
    title: "Users' own metrics",
    body: html`${summarySection(report).body}
<h3>How it was measured</h3>
${measuredSection(report).body}`,
  };
}
