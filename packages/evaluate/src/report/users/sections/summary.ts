// The finding first: for how many users their own metric is better than the shared one, by how much, and how sure that is.
import type { Drawn } from "../../../experiments/curve.ts";
import { PLACES, paperMetrics } from "../../../protocol/measure.ts";
import { SURE } from "../../../statistics/sign-test.ts";
import { type Html, html } from "../../html.ts";
import { count, decimals, listed, percent, plural, pValue, signed } from "../../numbers.ts";
import { shortName, type Verdict, verdictOf } from "../../paper/verdict.ts";
import { type Section, simulatedNotice } from "../../section.ts";
import { ownFit } from "../refit-names.ts";
import type { WithUsers } from "../users-report.ts";

export function summarySection(report: WithUsers): Section {
  const { users } = report.users;
  return {
    id: "summary",
    title: "Summary",
    body: html`${simulatedNotice(report)}<p class="lead">${lead(report)}</p>
<p class="note">Over ${plural(users, "held-out user")}, with 95 % intervals; a user who asks often counts as one who asks once. A difference is called better or worse where its interval lies on one side of 0 and a sign test, user by user, gives p < ${decimals(SURE, 2)} on the same side.</p>
<div class="cards">
${paperMetrics.map((metric) => html`${card(metric, report)}\n`)}</div>`,
  };
}

const WORDS: Readonly<Record<Verdict, string>> = {
  better: "better",
  worse: "worse",
  open: "not clearly different",
};

function lead({ users: result }: WithUsers): string {
  const own = ownFit(result);
  const of = (verdict: Verdict) => paperMetrics.filter((metric) => verdictOf(own[metric]) === verdict).map(shortName);
  const found = (["better", "worse", "open"] as const)
    .filter((verdict) => of(verdict).length > 0)
    .map((verdict) => `${WORDS[verdict]} by ${listed(of(verdict))}`);
  const shares = paperMetrics.map((metric) => percent(own[metric].test.better / result.users).replace(" ", "\u00a0"));
  return `The paper finds that a user's own metric ranks better than the one that all share, for 16 or 17 of 20 users. On ${result.dataset.name} it is ${found.join(", ")}: ${listed(shares)} of ${plural(result.users, "user")} are better off by HR, MRR and NDCG.`;
}

function card(metric: Drawn, { users: result }: WithUsers): Html {
  const own = ownFit(result)[metric];
  const verdict = verdictOf(own);
  const gain = own.difference.mean / result.base[metric].mean;
  return html`<article class="card">
<h3>${metric}@${PLACES}</h3>
<p><strong class="${verdict === "open" ? "" : verdict}">${decimals(result.base[metric].mean)} → ${decimals(own.mean)}</strong>${Number.isFinite(gain) ? ` (${gain > 0 ? "+" : ""}${percent(gain).replace("-", "−")})` : ""}</p>
<dl class="facts"><div class="wide"><dt>Difference</dt><dd>${signed(own.difference.mean)} [${signed(own.difference.low)}, ${signed(own.difference.high)}], ${pValue(own.test.p)}</dd></div>
<div class="wide"><dt>Users better / equal / worse</dt><dd>${count(own.test.better)} / ${count(own.test.equal)} / ${count(own.test.worse)}</dd></div></dl>
</article>`;
}
