// How training went: curves, and what it warned about.
import { figure } from "../figures/figure.ts";
import { lossFigure } from "../figures/loss.ts";
import { processFigure } from "../figures/process.ts";
import { validationFigure } from "../figures/validation.ts";
import { weightsByStepFigure } from "../figures/weights-by-step.ts";
import { html } from "../html.ts";
import type { ModelReport, ReportedWarning } from "../model-report.ts";
import { count, decimals } from "../numbers.ts";
import { type Section, simulatedNotice } from "../section.ts";
import { table } from "../table.ts";

export function trainingSection(report: ModelReport): Section {
  const { stages, warnings } = report.training;
  const channels = report.weights.map(({ channel }) => channel);
  const figures = [
    lossFigure(stages),
    validationFigure(stages),
    processFigure(stages),
    weightsByStepFigure(stages, channels),
  ].filter((found) => found !== undefined);
  return {
    id: "training",
    title: "Training",
    body: html`${simulatedNotice(report)}${table({
      label: "Stages",
      head: ["stage", "steps", "kept", "paper HR", "paper MRR", "paper NDCG", "held-out NLL"],
      rows: stages.map(({ name, steps, best, metrics }) => ({
        cells: [
          name,
          count(steps),
          count(best),
          ...["hr", "mrr", "ndcg", "holdoutNll"].map((metric) => decimals(metrics[metric])),
        ],
      })),
    })}
<p class="note">Figures of the step that was kept, on validation items, which training does not see.</p>
${figures.length > 0 ? figures.map((found) => html`${figure(found)}\n`) : html`<p>There are no curves: the model folder has no history.parquet.</p>`}
<h3 id="warnings">Warnings of the training</h3>
${
  warnings.length === 0
    ? html`<p>None.</p>`
    : html`<ul class="warnings">${warnings.map((warning) => html`<li><code>${warning.code}</code> ${warning.text} <span class="note">${where(warning)}</span></li>`)}</ul>`
}`,
  };
}

const where = ({ stage, step }: ReportedWarning): string => (stage === null ? "" : `(${stage}, step ${count(step)})`);
