// The paper's curves.
import { figure } from "../../figures/figure.ts";
import { html } from "../../html.ts";
import { type Section, simulatedNotice } from "../../section.ts";
import { iterationsFigure } from "../iterations-figure.ts";
import type { PaperReport } from "../paper-report.ts";

export function iterationsSection(report: PaperReport): Section {
  return {
    id: "curves",
    title: "SSL by iteration",
    body: html`${simulatedNotice(report)}<p>SIAMESE and SPE have no iterations of SSL: they are level lines. <em>SIAMESE</em> is what SSL starts from; <em>SIAMESE, ratings as a channel</em> is the paper's baseline, which sees the mean rating of an item too.</p>
${figure(iterationsFigure(report.result))}`,
  };
}
