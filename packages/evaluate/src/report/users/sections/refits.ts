// What it adds to have learned where to start from: by gradient steps, and by the number of ratings.
import type { Drawn } from "../../../experiments/curve.ts";
import type { ComparedRefit, PersonalisationResult } from "../../../experiments/personalisation.ts";
import { PLACES, paperMetrics } from "../../../protocol/measure.ts";
import { figure } from "../../figures/figure.ts";
import { type Html, html } from "../../html.ts";
import { count, decimals, plural, pValue } from "../../numbers.ts";
import { verdictOf } from "../../paper/verdict.ts";
import { type Section, simulatedNotice } from "../../section.ts";
import { table } from "../../table.ts";
import { refitsFigure } from "../iterations-figure.ts";
import { pathOf, startNames } from "../refit-names.ts";
import type { WithUsers } from "../users-report.ts";

export function refitsSection(report: WithUsers): Section {
  const { users: result } = report;
  return {
    id: "starts",
    title: "What it adds to learn the start",
    body: html`${simulatedNotice(report)}<p>Three ways to a user's metric: gradient steps <em>${startNames.shared}</em>, which the paper calls ad hoc; gradient steps <em>${startNames.learned}</em>, whose step 0 is still the same for all users; and <em>${startNames.fit}</em>.</p>
${figure(refitsFigure(result))}
<h3>By ratings and steps</h3>
<p>With no more than so many of a user's last ratings. Means over ${plural(result.users, "test user")} with 95 % intervals, and users better / worse than by the shared metric with p of a sign test; coloured where the difference is clear.</p>
${paperMetrics.map((metric) => html`<h4>${metric}@${PLACES}; the shared metric has ${decimals(result.base[metric].mean)}</h4>\n${tableOf(metric, result)}\n`)}`,
  };
}

const STARTS = ["shared", "learned"] as const;

function tableOf(metric: Drawn, result: PersonalisationResult): Html {
  const counts = [...new Set(result.refits.map(({ ratings }) => ratings))]
    .filter((ratings) => ratings !== null)
    .sort((a, b) => a - b);
  const steps = pathOf(result, "shared", counts[0] ?? null).map(({ step }) => step);
  const rows = [...counts, null].flatMap((ratings) =>
    STARTS.map((start, row) => {
      const path = pathOf(result, start, ratings);
      const [fit] = row === 0 ? pathOf(result, "fit", ratings) : [];
      const at = (step: number | null) => path.find((refit) => refit.step === step);
      return {
        cells: [
          ratings === null ? `${result.model.items}, as the model takes` : String(ratings),
          startNames[start],
          ...steps.map((step) => cell(at(step)?.metrics[metric])),
          cell(fit?.metrics[metric]),
        ],
      };
    }),
  );
  return table({
    label: `${metric} by ratings and steps`,
    head: ["ratings", "start", ...steps.map((step) => plural(step ?? 0, "step")), startNames.fit],
    text: [0, 1],
    rows,
  });
}

function cell(figures: ComparedRefit | undefined): Html {
  if (!figures) return html``;
  const { mean, low, high, test } = figures;
  const verdict = verdictOf(figures);
  const value =
    verdict === "open" ? html`${decimals(mean)}` : html`<strong class="${verdict}">${decimals(mean)}</strong>`;
  return html`<span class="value">${value}</span><span class="interval">[${decimals(low)}, ${decimals(high)}]</span><span class="interval">${count(test.better)} / ${count(test.worse)}, ${pValue(test.p)}</span>`;
}
