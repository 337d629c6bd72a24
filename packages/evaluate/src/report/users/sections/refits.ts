// What it adds to have learned where to start from: by gradient steps, and by the number of ratings.
import type { ComparedRefit } from "../../../experiments/personalisation.ts";
import { PLACES, paperMetrics } from "../../../protocol/measure.ts";
import { figure } from "../../figures/figure.ts";
import { type Html, html } from "../../html.ts";
import { count, decimals, plural, pValue } from "../../numbers.ts";
import { verdictOf } from "../../paper/verdict.ts";
import { type Section, simulatedNotice } from "../../section.ts";
import { table } from "../../table.ts";
import { refitsFigure } from "../iterations-figure.ts";
import { ratingsName, startNames } from "../refit-names.ts";
import type { WithUsers } from "../users-report.ts";

export function refitsSection(report: WithUsers): Section {
  const { users: result } = report;
  return {
    id: "starts",
    title: "What it adds to learn the start",
    body: html`${simulatedNotice(report)}<p>Three ways to a user's metric: gradient steps <em>${startNames.shared}</em>, which the paper calls ad hoc; gradient steps <em>${startNames.learned}</em>, whose step 0 is still the same for all users; and <em>${startNames.fit}</em>.</p>
${figure(refitsFigure(result))}
<h3>By ratings and steps</h3>
<p>Means over ${plural(result.users, "test user")}, and users better / worse than by the shared metric; bold where the difference is clear. Only so many of a user's last ratings are used; the shared metric has ${paperMetrics.map((metric) => `${metric} ${decimals(result.base[metric].mean)}`).join(", ")}. Intervals and p are in the numbers beside this page.</p>
${table({
  label: "By ratings and steps",
  head: ["ratings", "start", "steps", ...paperMetrics.map((metric) => `${metric}@${PLACES}`)],
  text: [0, 1],
  rows: result.refits.map((refit) => ({
    own: refit.start === "fit",
    cells: [
      ratingsName(refit, result),
      startNames[refit.start],
      count(refit.step),
      ...paperMetrics.map((metric) => cell(refit.metrics[metric])),
    ],
  })),
})}`,
  };
}

function cell(figures: ComparedRefit): Html {
  const { mean, low, high, test } = figures;
  const verdict = verdictOf(figures);
  const value =
    verdict === "open" ? html`${decimals(mean)}` : html`<strong class="${verdict}">${decimals(mean)}</strong>`;
  return html`<span class="value">${value}</span><span class="interval">[${decimals(low)}, ${decimals(high)}] ${count(test.better)} / ${count(test.worse)}, ${pValue(test.p)}</span>`;
}
