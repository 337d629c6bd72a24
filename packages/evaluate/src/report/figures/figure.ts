// A figure of the page: its name, what it shows in words, one or more drawings, a legend, and the numbers behind it.
import { type Html, html } from "../html.ts";
import { type TableOptions, table } from "../table.ts";
import { colour, dash, draw, type Panel } from "./draw.ts";

export interface Figure {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** The finding, in a sentence. */
  readonly finding: string;
  /** What else belongs to it, in small print. */
  readonly note?: string;
  readonly panels: readonly Panel[];
  readonly legend?: readonly LegendEntry[];
  /** The numbers behind it. */
  readonly table: Omit<TableOptions, "label">;
}

interface LegendEntry {
  readonly name: string;
  readonly series: number;
  readonly shape: "line" | "bar" | "stand-in" | "circle" | "square" | "triangle";
}

export function figure({ id, title, finding, note, panels, legend = [], table: numbers }: Figure): Html {
  const several = panels.length > 1;
  return html`<figure id="${id}">
<figcaption><strong>${title}</strong> <span>${finding}</span>${note ? html` <small>${note}</small>` : ""}</figcaption>
${legend.length > 0 ? html`<ul class="legend">${legend.map((entry) => html`<li>${swatch(entry)}${entry.name}</li>`)}</ul>` : ""}
<div class="panels">${panels.map(
    (panel, i) => html`
<div class="panel">${several ? html`<p class="panel-title">${panel.title}</p>` : ""}${draw(panel, `${id}-${i}`)}</div>`,
  )}
</div>
<details class="data"><summary>Numbers of this figure</summary>
${table({ label: `Numbers: ${title}`, ...numbers })}
</details>
</figure>`;
}

function swatch({ series, shape }: LegendEntry): Html {
  const tone = colour(series);
  const mark = {
    line: html`<line x1="1" y1="6" x2="23" y2="6" stroke="${tone}" stroke-width="2.5" stroke-dasharray="${dash(series)}"/>`,
    bar: html`<rect x="4" y="0" width="16" height="12" rx="2" fill="${tone}"/>`,
    "stand-in": html`<rect x="4.5" y="1" width="15" height="10" fill="none" stroke="${tone}" stroke-width="1.5" stroke-dasharray="3 2"/>`,
    circle: html`<circle cx="12" cy="6" r="5" fill="${tone}"/>`,
    square: html`<rect x="7.5" y="1.5" width="9" height="9" fill="${tone}"/>`,
    triangle: html`<path d="M12 0 18 11 6 11Z" fill="${tone}"/>`,
  }[shape];
  return html`<svg class="swatch" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12" width="24" height="12" aria-hidden="true">${mark}</svg>`;
}
