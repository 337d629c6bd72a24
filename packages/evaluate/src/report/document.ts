// A report as one HTML page: everything is in it, nothing is fetched, and no script runs.
import { type Html, html, raw } from "./html.ts";
import { renderSection, type Section } from "./section.ts";
import { style } from "./style.ts";

export interface PageParts {
  /** Of the window. */
  readonly title: string;
  /** What sort of report it is, above the heading. */
  readonly kind: string;
  readonly heading: string;
  readonly subtitle: Html;
  /** The dataset whose ratings are made up; null where they are real. */
  readonly simulated: string | null;
  readonly sections: readonly Section[];
}

/** The same parts give the same bytes. */
export function renderDocument({ title, kind, heading, subtitle, simulated, sections }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#summary">To the summary</a>
<header>
<p class="kind">${kind}</p>
<h1>${heading}</h1>
<p class="subtitle">${subtitle}</p>
${simulated === null ? "" : html`<p class="simulated banner" role="note"><strong>The ratings behind this report are simulated.</strong> Users and ratings of ${simulated} are made up: the figures show how the method works, not how well it does on real people.</p>`}
</header>
<nav aria-label="Sections"><ol>${sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ol></nav>
<main>
${sections.map((section) => html`${renderSection(section)}\n`)}</main>
</body>
</html>
`.html;
}
