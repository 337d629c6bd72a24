// The Content-Security-Policy of a report page: it may show itself. Its styles are inline, so each is named by its hash; no script runs, and nothing
// is fetched, whatever the file holds; nor does it lead away by itself, as a page with a refresh would.
import { createHash } from "node:crypto";

/** Styles named in one policy: a header must stay short, and `nearkin report` writes one. Further styles are not applied. */
const MAX_STYLES = 32;

/** The policy of one page, in time linear in its length. */
export function reportPolicy(html: string): string {
  const hashes = new Set(styles(html).map((style) => `'sha256-${sha256(style)}'`));
  return [
    "default-src 'none'",
    `style-src ${[...hashes].join(" ") || "'none'"}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "sandbox",
  ].join("; ");
}

/** Contents of the first style elements. Each search starts where the last one ended; the first that finds nothing ends the scan. */
function styles(html: string): string[] {
  const opening = /<style\b/gi;
  const closing = /<\/style>/gi;
  const found: string[] = [];
  while (found.length < MAX_STYLES && opening.test(html)) {
    const start = html.indexOf(">", opening.lastIndex) + 1;
    if (start === 0) break;
    closing.lastIndex = start;
    const end = closing.exec(html);
    if (!end) break;
    found.push(html.slice(start, end.index));
    opening.lastIndex = closing.lastIndex;
  }
  return found;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64");
