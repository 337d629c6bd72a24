// The page's look. Tokens first: every colour has a value for light and for dark, text against its ground at 4.5 : 1 or more, marks of figures
// at 3 : 1 or more (style.test.ts holds both). One scale of type, one of space.

/** Colours by token. */
export type Palette = Readonly<Record<string, string>>;

export const light: Palette = {
  paper: "#faf9f6",
  panel: "#ffffff",
  ink: "#1f2428",
  muted: "#59626c",
  line: "#d9d6ce",
  grid: "#e8e6df",
  shade: "#c9c5ba",
  accent: "#175ea8",
  own: "#eef4fb",
  better: "#1a6e3a",
  worse: "#a82a1f",
  notice: "#fff3d1",
  "notice-ink": "#5f4300",
  "series-0": "#175ea8",
  "series-1": "#b8500c",
  "series-2": "#2b7a4b",
  "series-3": "#8540a6",
  "series-4": "#8a6a00",
  "series-5": "#0d7287",
  "series-6": "#b5226b",
  "series-7": "#5c5650",
};

export const dark: Palette = {
  paper: "#15181b",
  panel: "#1c2024",
  ink: "#e7e5e0",
  muted: "#a4acb5",
  line: "#363c43",
  grid: "#2b3036",
  shade: "#07080a",
  accent: "#82b9f5",
  own: "#1e2b38",
  better: "#72cf95",
  worse: "#ff9a8c",
  notice: "#3a3016",
  "notice-ink": "#f6dc9b",
  "series-0": "#82b9f5",
  "series-1": "#f59d5e",
  "series-2": "#72cf95",
  "series-3": "#cf9fec",
  "series-4": "#dcbd4d",
  "series-5": "#62cbdd",
  "series-6": "#f48fbf",
  "series-7": "#b9b2a9",
};

const tokens = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(" ");

export const style = `
:root { ${tokens(light)}
  --s1: .25rem; --s2: .5rem; --s3: 1rem; --s4: 1.5rem; --s5: 2.5rem; --s6: 4rem;
  --small: .8125rem; --body: 1rem; --lead: 1.125rem; --h3: 1.125rem; --h2: 1.5rem; --h1: 2.25rem; --big: 2rem;
  --measure: 68ch; color-scheme: light; }
@media (prefers-color-scheme: dark) { :root { ${tokens(dark)} color-scheme: dark; } }

* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: var(--body)/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: break-word; }
header, nav, main { max-width: 64rem; margin-inline: auto; padding-inline: var(--s3); }
header { padding-top: var(--s5); }
h1, h2, h3, h4 { line-height: 1.2; text-wrap: balance; }
h1 { font-size: var(--h1); letter-spacing: -.015em; margin: 0 0 var(--s2); }
h2 { font-size: var(--h2); letter-spacing: -.01em; margin: 0 0 var(--s3); }
h3 { font-size: var(--h3); margin: var(--s4) 0 var(--s2); }
h4 { font-size: var(--body); margin: var(--s4) 0 var(--s2); }
p, ul, ol, figcaption { max-width: var(--measure); }
p { margin: 0 0 var(--s3); }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .875em; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: var(--s2) var(--s3); overflow-x: auto; margin: var(--s2) 0 var(--s3); }
.hash { overflow-wrap: anywhere; }
.kind { text-transform: uppercase; letter-spacing: .08em; font-size: var(--small); color: var(--muted); margin: 0 0 var(--s1); }
.subtitle, .note, .about, .interval, .unit { color: var(--muted); }
.note, .about, .interval, .unit { font-size: var(--small); }
.about { font-weight: 400; }
.lead { font-size: var(--lead); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: var(--s3); top: var(--s2); background: var(--panel); padding: var(--s2); }

nav ol { list-style: none; display: flex; flex-wrap: wrap; gap: var(--s1) var(--s3); margin: var(--s4) 0 0; padding: var(--s3) 0; border-block: 1px solid var(--line); max-width: none; font-size: var(--small); }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
section { padding-block: var(--s5); border-bottom: 1px solid var(--line); }
section:last-child { border: 0; }

.simulated { background: var(--notice); color: var(--notice-ink); border-left: 4px solid currentColor; border-radius: 0 6px 6px 0; padding: var(--s2) var(--s3); font-size: var(--small); max-width: none; }
.banner { font-size: var(--body); margin-top: var(--s3); }

.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: var(--s3); }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: var(--s3) var(--s4); }
.card h3 { margin: 0 0 var(--s2); }
.card p:last-child { margin-bottom: 0; }
.big { font-size: var(--big); font-weight: 650; line-height: 1.1; margin: 0; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.big .interval { font-weight: 400; letter-spacing: 0; white-space: nowrap; }
.better { color: var(--better); }
.worse { color: var(--worse); }

.facts { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); margin: 0 0 var(--s3); }
.facts div { flex: 1 1 9rem; border-top: 1px solid var(--line); padding-top: var(--s1); min-width: 0; }
.facts .wide { flex-basis: 100%; }
.facts dt { font-size: var(--small); color: var(--muted); }
.facts dd { margin: 0; }

.scroll { overflow-x: auto; max-width: 100%; margin: 0 0 var(--s3); border: 1px solid var(--line); border-radius: 6px; width: fit-content;
  background: linear-gradient(to right, var(--panel) 40%, transparent) left / 3rem 100% local, linear-gradient(to left, var(--panel) 40%, transparent) right / 3rem 100% local, linear-gradient(to right, var(--shade), transparent) left / 1rem 100% scroll, linear-gradient(to left, var(--shade), transparent) right / 1rem 100% scroll, var(--panel); background-repeat: no-repeat; }
table { border-collapse: separate; border-spacing: 0; font-size: .9375rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
th, td { padding: var(--s2) var(--s3); border-bottom: 1px solid var(--grid); vertical-align: baseline; font-weight: 400; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { font-size: var(--small); color: var(--muted); border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: bottom; }
.text { text-align: left; }
.number { text-align: right; white-space: nowrap; }
th.text { min-width: 9.5rem; }
td.text { min-width: 11rem; max-width: 26rem; }
tr > :first-child { position: sticky; left: 0; background: var(--panel); }
.own > * { background: var(--own); font-weight: 600; }
.own > :first-child { background: var(--own); }
.own .interval { font-weight: 400; }
.mark { display: inline-block; width: 1.1em; text-align: center; font-weight: 700; }
td .interval { display: block; padding-right: 1.1em; }
td .value + .interval, td .interval + .interval { padding-right: 0; }

figure { margin: var(--s4) 0; }
figcaption { margin-bottom: var(--s2); }
figcaption strong { display: block; }
figcaption span { color: var(--muted); font-size: .9375rem; }
figcaption small { display: block; color: var(--muted); font-size: var(--small); }
.panels { display: flex; flex-wrap: wrap; gap: var(--s3); }
.panel { flex: 1 1 20rem; min-width: 0; max-width: 30rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: var(--s2); }
.panel-title { font-size: var(--small); font-weight: 600; margin: 0 0 var(--s1) var(--s1); }
.plot { display: block; width: 100%; height: auto; font-family: inherit; font-size: 11px; color: var(--muted); }
.plot text { white-space: pre; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: var(--s1) var(--s3); padding: 0; margin: 0 0 var(--s2); font-size: var(--small); max-width: none; }
.legend li { display: inline-flex; align-items: center; gap: var(--s1); }
.swatch { flex: none; }

summary { cursor: pointer; padding: var(--s1) 0; }
.data > summary { font-size: var(--small); color: var(--muted); width: fit-content; }
.data[open] > .scroll { max-height: 24rem; overflow-y: auto; }
.data .text { white-space: nowrap; min-width: 0; max-width: none; }
.data thead th { position: sticky; top: 0; background: var(--panel); }
.data thead th:first-child { z-index: 1; }
.truth { border-top: 1px solid var(--line); padding-block: var(--s2); }
.truth > summary { color: var(--muted); }
.truth > summary strong { color: var(--ink); margin-right: var(--s2); }

.examples { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: var(--s4); align-items: start; }
.example { min-width: 0; }
.example figure { margin: 0 0 var(--s2); }
.commands pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.commands { padding-left: 1.4em; max-width: none; }
.warnings { padding-left: 1.2em; }

@media (max-width: 30rem) {
  :root { --h1: 1.75rem; --h2: 1.375rem; --big: 1.75rem; --s5: 2rem; }
  th, td { padding: var(--s2); }
  th.text { min-width: 7.25rem; }
  td.text { min-width: 8rem; }
  .card { padding: var(--s3); }
}
@media print {
  :root { ${tokens({ ...light, paper: "#ffffff" })} color-scheme: light; }
  body { font-size: 10pt; }
  header, nav, main { max-width: none; padding-inline: 0; }
  nav, .skip, details.data { display: none; }
  details.truth::details-content { content-visibility: visible; display: block; height: auto; }
  section { padding-block: 1rem; }
  h2, h3, h4, figcaption { break-after: avoid; }
  figure, .card, .example, tr { break-inside: avoid; }
  .scroll { overflow: visible; border: 0; }
  table { font-size: 8.5pt; }
  th, td { padding: 2pt 5pt; }
}
`;
