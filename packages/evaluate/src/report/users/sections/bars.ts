// Users one by one.
import { figure } from "../../figures/figure.ts";
import { html } from "../../html.ts";
import { type Section, simulatedNotice } from "../../section.ts";
import { barsFigure } from "../bars-figure.ts";
import type { WithUsers } from "../users-report.ts";

export function barsSection(report: WithUsers): Section {
  return {
    id: "one-by-one",
    title: "Users one by one",
    body: html`${simulatedNotice(report)}${figure(barsFigure(report.users))}`,
  };
}
