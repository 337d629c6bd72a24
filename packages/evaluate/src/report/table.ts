// Tables that scroll sideways on a narrow screen instead of breaking, and can be scrolled by keyboard.
import { type Html, html, type Part } from "./html.ts";

export interface TableOptions {
  /** What the table holds, for those who do not see it. */
  readonly label: string;
  readonly head: readonly Part[];
  readonly rows: readonly TableRow[];
  /** Columns of text, to the left; all others are numbers, to the right. @default [0] */
  readonly text?: readonly number[];
}

interface TableRow {
  readonly cells: readonly Part[];
  /** The model's own row, set off from the baselines. */
  readonly own?: boolean;
}

export function table({ label, head, rows, text = [0] }: TableOptions): Html {
  const kind = (column: number) => (text.includes(column) ? "text" : "number");
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head.map((cell, c) => html`<th scope="col" class="${kind(c)}">${cell}</th>`)}</tr></thead>
<tbody>
${rows.map(({ cells, own }) => html`<tr${own ? html` class="own"` : ""}>${cells.map((cell, c) => (c === 0 ? html`<th scope="row" class="${kind(c)}">${cell}</th>` : html`<td class="${kind(c)}">${cell}</td>`))}</tr>\n`)}</tbody>
</table></div>`;
}
