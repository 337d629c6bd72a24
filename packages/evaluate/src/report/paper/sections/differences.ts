// What is not as the paper has it. Its own values are of other data, and stand nowhere on this page.
import { type Html, html } from "../../html.ts";
import { count } from "../../numbers.ts";
import type { Section } from "../../section.ts";
import { table } from "../../table.ts";
import type { PaperReport, SettingChange } from "../paper-report.ts";

export function differencesSection({ data, settings, changes }: PaperReport): Section {
  const texts = data.channels.filter(({ encoder }) => encoder !== null);
  return {
    id: "differences",
    title: "How this differs from the paper",
    body: html`<ul>
<li>The paper's figures are of MovieLens and of Yelp, in splits of its own. This is ${data.name}, in the split above: values here cannot be set beside values there, only the order of the models can.</li>
<li>The paper's SIAMESE sees ratings as a channel, and its SSL starts from it. A kernel that sees the mean rating explains it by itself, so that SSL starts here from a SIAMESE without that channel; the one with it is a line of its own.</li>
<li>The paper shows SSL by iteration, and does not say which one is taken. ${TAKEN[settings.train.ssl.keep]}</li>
<li>Mean ratings are drawn towards the mean of all, and count less where there are few ratings: taken at their word, SSL falls below SIAMESE on MovieLens.</li>
<li>The ID channel of an item that training has not seen is masked, and drawn negatives are training items.</li>
<li>SPE is written anew from its own paper, with settings tuned on validation items; where new items stand, its paper leaves open, and validation items choose here.</li>
${texts.length > 0 ? html`<li>Texts are encoded by <code>${[...new Set(texts.map(({ encoder }) => encoder))].join(", ")}</code>, in the paper by BERT.</li>` : ""}
<li>All other departures, with their reasons, are in <code>docs/deviations.md</code>, in the columns of the preset <code>paper</code>.</li>
</ul>
${changes.length === 0 ? html`<p>All settings are those of the preset <code>paper</code>, and SPE's own.</p>` : changesTable(changes)}`,
  };
}

const TAKEN = {
  best: "Here validation items choose, and the results are those of that iteration.",
  last: "Here the results are those of the last one.",
} as const;

function changesTable(changes: readonly SettingChange[]): Html {
  return html`<h3>Settings that were changed</h3>
<p>All others are those of the preset <code>paper</code>, and SPE's own.</p>
${table({
  label: "Settings that were changed",
  head: ["setting", "here", "usually"],
  rows: changes.map(({ key, value, usual }) => ({
    cells: [html`<code>${key}</code>`, written(value), written(usual)],
  })),
})}`;
}

function written(value: unknown): string {
  if (typeof value === "number") return Math.abs(value) >= 1000 ? count(value) : String(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
