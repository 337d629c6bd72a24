// What a page of nearkin report may do in a browser: show itself. Its styles are inline, so each is named by its hash; no script runs, and nothing
// is fetched, whatever somebody has put into the file; nor does it lead away by itself, as a page with a refresh would.
import { createHash } from "node:crypto";

const STYLE = /<style\b[^>]*>([\s\S]*?)<\/style>/gi;

/** The Content-Security-Policy of one page. */
export function reportPolicy(html: string): string {
  const hashes = new Set(Array.from(html.matchAll(STYLE), ([, style]) => `'sha256-${sha256(style)}'`));
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

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64");
