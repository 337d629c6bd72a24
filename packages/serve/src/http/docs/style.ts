// How /docs looks. Colours follow the system's light or dark.
export const docsStyle = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2330, #e6e9ef); --soft: light-dark(#5a6476, #9aa4b5); --line: light-dark(#dde2ea, #2c3442);
  --paper: light-dark(#fff, #12161d); --panel: light-dark(#f6f8fb, #191f28); --accent: light-dark(#2456c8, #7fa6ff);
  --get: light-dark(#1a7f4e, #5bd098); --post: light-dark(#2456c8, #7fa6ff); --put: light-dark(#9a6400, #e8b04a); --delete: light-dark(#b3261e, #ff8a80);
}
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 15px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.2rem; border-right: 1px solid var(--line); background: var(--panel) }
.brand { font-weight: 700; font-size: 1.15rem; color: inherit; text-decoration: none } .brand span { color: var(--soft); font-weight: 400 }
.key { display: block; margin: 1rem 0; font-size: .8rem; color: var(--soft) }
input, textarea, select { width: 100%; margin-top: .2rem; padding: .4rem .5rem; font: 13px/1.4 ui-monospace, monospace; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 6px }
nav h3 { margin: 1rem 0 .3rem; font-size: .72rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft) }
nav a.route { display: block; padding: .15rem 0; font-size: .84rem; color: inherit; text-decoration: none; overflow: hidden; text-overflow: ellipsis; white-space: nowrap } nav a.route:hover { color: var(--accent) }
main { padding: 1.6rem 2.2rem 6rem; max-width: 62rem }
h1 { margin: 0 0 .3rem } h2 { margin: 2.6rem 0 .4rem; padding-top: .6rem; border-top: 1px solid var(--line); font-size: 1.05rem; overflow-wrap: anywhere }
.method { display: inline-block; min-width: 3.6rem; font: 700 .72rem ui-monospace, monospace; text-transform: uppercase }
.get { color: var(--get) } .post { color: var(--post) } .put { color: var(--put) } .delete { color: var(--delete) }
code, pre { font: 13px/1.5 ui-monospace, monospace } pre { margin: .4rem 0; padding: .8rem; overflow: auto; max-height: 28rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px }
a { color: var(--accent) } .summary { font-weight: 600; margin-bottom: .2rem }
.scope { float: right; font-size: .75rem; color: var(--soft) } .soft { color: var(--soft) }
table { width: 100%; border-collapse: collapse; margin: .4rem 0 1rem } td { padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top } td:first-child { white-space: nowrap }
summary { cursor: pointer; color: var(--accent); margin: .4rem 0 } button { margin-top: .6rem; padding: .4rem .9rem; font: inherit; color: var(--paper); background: var(--accent); border: 0; border-radius: 6px; cursor: pointer }
.try label { display: block; margin: .4rem 0; font-size: .8rem; color: var(--soft) } textarea { min-height: 8rem }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border-right: 0 } main { padding: 1rem } }
`;
