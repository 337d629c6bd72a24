// HTML as values: whatever comes from data is escaped when it is put in, so that no title, id or name of a channel can become markup.

/** Markup that is safe to put in as it is. */
export interface Html {
  readonly html: string;
}

/** What may stand in a template: texts are escaped, lists joined, nothing is left out. */
export type Part = string | number | Html | readonly Part[] | null | undefined | false;

/**
 * A piece of a page.
 *
 * @example
 * html`<b>${"Tom & <i>Jerry</i>"}</b>`.html // => "<b>Tom &amp; &lt;i&gt;Jerry&lt;/i&gt;</b>"
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: literals.map((literal, i) => (i === 0 ? literal : rendered(parts[i - 1]) + literal)).join("") };
}

/** Markup made elsewhere: a drawn figure, a stylesheet. */
export const raw = (markup: string): Html => ({ html: markup });

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For text and for attributes in quotes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter]);

function rendered(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (typeof part === "string") return escapeHtml(part);
  if (typeof part === "number") return String(part);
  if ("html" in part) return part.html;
  return part.map(rendered).join("");
}
