// Whether the posterior knows what it does not know.
import type { Calibration } from "../../protocol/calibration.ts";
import { figure } from "../figures/figure.ts";
import { reliabilityFigure } from "../figures/reliability.ts";
import { html } from "../html.ts";
import type { ModelReport } from "../model-report.ts";
import { count, decimals } from "../numbers.ts";
import { type Section, simulatedNotice } from "../section.ts";
import { table } from "../table.ts";

export function calibrationSection(report: ModelReport): Section | undefined {
  const found = calibrationOf(report);
  if (!found) return undefined;
  const { calibration, whose } = found;
  const { items, nll, nllOfMean, byRatings } = calibration;
  return {
    id: "calibration",
    title: "Predicted ratings",
    body: html`${simulatedNotice(report)}<p>Predicted against actual mean ratings of ${count(items)} items that training has not seen, beside a forecast that knows nothing of an item: the mean over all training items, with their variance.${whose && ` These are figures ${whose}.`}</p>
${table({
  label: "Errors of predicted ratings",
  head: ["items", "RMSE", "RMSE of the mean", "correlation"],
  rows: byRatings.map(({ least, items: rated, rmse, rmseOfMean, correlation }) => ({
    cells: [
      least === 1 ? `all ${count(rated)}` : `${count(rated)} with ${least} ratings or more`,
      decimals(rmse),
      decimals(rmseOfMean),
      correlation === null ? "–" : decimals(correlation),
    ],
  })),
})}
<p>The actual mean of one or two ratings is mostly the taste of who gave them; the posterior knows, and is judged by what it promises. Its negative log-likelihood is ${decimals(nll.mean)} nats an item [${decimals(nll.low)}, ${decimals(nll.high)}], against ${decimals(nllOfMean)} of the mean.</p>
${figure(reliabilityFigure(calibration))}`,
  };
}

/** What was measured of the model's predictions. One posterior is judged: a row of several seeds has that of its first model, and `whose` says so. */
export function calibrationOf({
  evaluation,
  model: { label },
}: ModelReport): { readonly calibration: Calibration; readonly whose: string } | undefined {
  const rows = evaluation.recommenders.filter(
    ({ name, kind }) => kind === "model" && (name === label || name.startsWith(`${label}, β = `)), // the first of them has it
  );
  for (const { calibration, seeds } of rows) {
    if (!calibration) continue;
    return { calibration, whose: seeds.length > 1 ? `of the first seed, ${seeds[0]}, alone` : "" };
  }
  return undefined;
}
