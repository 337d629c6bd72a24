// Whether the posterior knows what it does not know.
import { figure } from "../figures/figure.ts";
import { reliabilityFigure } from "../figures/reliability.ts";
import { html } from "../html.ts";
import type { ModelReport } from "../model-report.ts";
import { count, decimals } from "../numbers.ts";
import { type Section, simulatedNotice } from "../section.ts";
import { table } from "../table.ts";

export function calibrationSection(report: ModelReport): Section | undefined {
  const { evaluation, model } = report;
  const calibration = evaluation.recommenders.find(({ name }) => name === model.label)?.calibration;
  if (!calibration) return undefined;
  const { items, rmse, rmseOfMean, nll, nllOfMean } = calibration;
  return {
    id: "calibration",
    title: "Predicted ratings",
    body: html`${simulatedNotice(report)}<p>Predicted against actual mean ratings of ${count(items)} items that training has not seen, beside a forecast that knows nothing of an item: the mean over all training items, with their variance. Less is better in both columns.</p>
${table({
  label: "Errors of predicted ratings",
  head: ["", "RMSE", "NLL, nats"],
  rows: [
    {
      own: true,
      cells: [
        model.label,
        decimals(rmse),
        html`<span class="value">${decimals(nll.mean)}</span> <span class="interval">[${decimals(nll.low)}, ${decimals(nll.high)}]</span>`,
      ],
    },
    { cells: ["mean of all", decimals(rmseOfMean), decimals(nllOfMean)] },
  ],
})}
${figure(reliabilityFigure(calibration))}`,
  };
}
