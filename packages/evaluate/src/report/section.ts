// A section of the page, and the notice that results of made-up ratings carry.
import { type Html, html, type Part } from "./html.ts";

export interface Section {
  /** Its anchor. */
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

export function renderSection({ id, title, body }: Section): Html {
  return html`<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${title}</h2>
${body}
</section>`;
}

/** Said in every section with results. */
export function simulatedNotice({ simulated }: { readonly simulated: boolean }): Html {
  return simulated
    ? html`<p class="simulated"><strong>Simulated ratings.</strong> These figures show how the method works, not how well it does on real people.</p>\n`
    : html``;
}

export type Fact = readonly [term: Part, value: Part, width?: "wide"];

/** Terms and what they are; long ones take a line of their own. */
export function facts(entries: readonly Fact[]): Html {
  return html`<dl class="facts">${entries.map(([term, value, width]) => html`<div${width ? html` class="wide"` : ""}><dt>${term}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}
