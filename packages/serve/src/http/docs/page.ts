// /docs: the API as a page, made in the browser from /openapi.json. No other host is asked for anything, and no script is inline, so that the
// strictest content security policy lets it through.
import { docsScript } from "./script.ts";
import { docsStyle } from "./style.ts";

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Nearkin API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav id="nav" aria-label="Routes"><a class="brand" href="/docs">Nearkin <span>API</span></a>
<label class="key">Key or token<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="nk_…"></label>
<div id="contents"></div></nav>
<main id="main"><p>Loading <a href="/openapi.json">/openapi.json</a> …</p><noscript>This page needs JavaScript; the same is in <a href="/openapi.json">/openapi.json</a>.</noscript></main>
<script type="module" src="/docs/script.js"></script>
</body>
</html>
`;

/** What the page is made of, by path. */
export const docsFiles: Readonly<Record<string, { type: string; text: string }>> = {
  "/docs": { type: "text/html; charset=utf-8", text: html },
  "/docs/style.css": { type: "text/css; charset=utf-8", text: docsStyle },
  "/docs/script.js": { type: "text/javascript; charset=utf-8", text: docsScript },
};
