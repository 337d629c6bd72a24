// What the model is, on which data, and the figures to take home, in plain words.
import { AFFINITY } from "../../protocol/truths.ts";
import { figure } from "../figures/figure.ts";
import { knownFigure } from "../figures/known.ts";
import { type Headline, headline, hitMeans, isPersonal, truthTitle } from "../headline.ts";
import { type Html, html } from "../html.ts";
import type { ModelReport } from "../model-report.ts";
import { count, decimals, listed, plural, pValue, signed } from "../numbers.ts";
import { type Section, simulatedNotice } from "../section.ts";
import { calibrationOf } from "./calibration.ts";

export function summarySection(report: ModelReport): Section {
  const main = headline(report);
  const affinity = main?.truth.name === AFFINITY ? undefined : headline(report, { truth: AFFINITY });
  const known = main && knownFigure(report.evaluation, main.truth.name);
  return {
    id: "summary",
    title: "Summary",
    body: html`${simulatedNotice(report)}<p class="lead">${whatItIs(report)}</p>
<div class="cards">
${main ? headlineCard(report, main) : html`<p>No query of this split has a truth: there is nothing to compare.</p>`}
${affinity ? headlineCard(report, affinity) : ""}
${ratingsCard(report)}</div>
${known ? figure(known) : ""}`,
  };
}

function whatItIs({ model, data, training, weights }: ModelReport): string {
  const stages = training.stages.map(
    ({ name, best, steps }) => `${name} (step ${count(best)} of ${count(steps)} kept)`,
  );
  const sentences = [
    `A metric over ${plural(model.items, "item")}, learned from ${plural(data.training.events, "rating")} of ${plural(data.training.users, "user")} in ${data.name}, from ${plural(weights.length, "channel")}: ${listed(weights.map(({ channel }) => channel))}.`,
    `It was trained ${model.preset ? `with the preset ${model.preset}` : ""}${stages.length > 0 ? ` in ${stages.length === 1 ? "one stage" : `${stages.length} stages`}: ${listed(stages)}` : ""}.`,
  ];
  return sentences.join(" ").replaceAll("trained  in", "trained in");
}

function headlineCard(report: ModelReport, found: Headline): Html {
  const { truth, ownValue, own } = found;
  const { k } = report.evaluation;
  const asks = isPersonal(truth.name)
    ? plural(truth.queries, "held-out user")
    : plural(truth.queries, "never-seen item");
  const hits = (k * ownValue.mean).toFixed(1);
  const asked = headline(report, { truth: truth.name, asked: true });
  return html`<article class="card">
<h3>${truthTitle(truth.name)}</h3>
<p class="big">${decimals(ownValue.mean)} <span class="interval">[${decimals(ownValue.low)}, ${decimals(ownValue.high)}]</span></p>
<p class="unit">paper HR@${k} of ${own.name}, ${truth.name}</p>
<p>${hits} of the ${k} nearest items are hits, over ${asks}. A hit is ${hitMeans(truth.name)}.</p>
${comparison(found)}
${asked?.best && asked.best.name !== found.best?.name ? html`<p>Of the baselines that look at the query, the best is ${asked.best.name}. ${verdict(asked)}</p>` : ""}
${truth.queries < 100 ? html`<p class="note">Few ${isPersonal(truth.name) ? "users" : "queries"}: the intervals are wide.</p>` : ""}
</article>`;
}

function comparison(found: Headline): Html {
  if (!found.best) return html`<p>No baseline was measured beside it.</p>`;
  return html`<p>The best baseline is ${found.best.name}. ${verdict(found)}</p>`;
}

/** Which of the two is better, by how much, and whether chance could explain it. */
function verdict({ best, bestValue, advantage, ownValue }: Headline): Html {
  if (!best || !bestValue) return html``;
  const value = html`It reaches ${decimals(bestValue.mean)}`;
  if (!advantage) {
    const better = ownValue.mean > bestValue.mean ? "less than the model" : "no less than the model";
    return html`${value}, ${better}.`;
  }
  const words = !advantage.clear
    ? "no clear difference"
    : advantage.mean > 0
      ? html`<strong class="better">the model is better</strong>`
      : html`<strong class="worse">the model is worse</strong>`;
  return html`${value}: ${words} (model − baseline ${signed(advantage.mean)} [${signed(advantage.low)}, ${signed(advantage.high)}], sign test ${pValue(advantage.p)}).`;
}

const WORTH = 0.02; // of an error: less is not worth a word

function ratingsCard(report: ModelReport): Html {
  const found = calibrationOf(report);
  if (!found) return html``;
  const { rmse, rmseOfMean, items, coverage } = found.calibration;
  const gain = 1 - rmse / rmseOfMean;
  const words =
    Math.abs(gain) < WORTH
      ? html`<strong>about the same</strong>`
      : gain > 0
        ? html`<strong class="better">the model errs less</strong>`
        : html`<strong class="worse">the model errs more</strong>`;
  const inside = coverage["0.95"];
  return html`<article class="card">
<h3>Predicted ratings</h3>
<p class="big">${decimals(rmse)}</p>
<p class="unit">RMSE${found.whose && ` ${found.whose}`}, in units of the ratings; less is better</p>
<p>Over ${count(items)} never-seen items. The mean of all ratings, which knows nothing of an item, has ${decimals(rmseOfMean)}: ${words}.</p>
${inside === undefined ? "" : html`<p>Of its 95 % intervals, ${(100 * inside).toFixed(0)} % hold the actual mean.</p>`}
</article>`;
}
