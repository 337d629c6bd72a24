// How to make it all again, and, apart from everything else, where and when this page was made.
import { type Html, html } from "../html.ts";
import type { ModelReport, ReportEnvironment, Reproduction } from "../model-report.ts";
import { decimals } from "../numbers.ts";
import { facts, type Section } from "../section.ts";

export function reproduceSection({ model, data, reproduce }: ModelReport): Section {
  return {
    id: "reproduce",
    title: "To reproduce",
    body: html`${facts([
      ["Seed", model.seed === null ? "–" : String(model.seed)],
      ["Temperature T", decimals(model.temperature, 2)],
      ["Popularity β, calibrated", decimals(model.popularity)],
      ["Model", html`<code class="hash">${model.id}</code>`, "wide"],
      ["Dataset", html`<code class="hash">${data.id}</code>`, "wide"],
      ["Trained with", model.engine, "wide"],
      ...(model.from === null
        ? []
        : [["Started from", html`<code class="hash">${model.from}</code>`, "wide"] as const]),
    ])}
${commandLines(reproduce, "train.yaml: the whole training configuration")}`,
  };
}

/** The commands, and the file of settings that they name. */
export function commandLines({ commands, config }: Reproduction, file: string): Html {
  return html`<ol class="commands">${commands.map(({ does, command }) => html`<li>${does}<pre tabindex="0"><code>${command}</code></pre></li>\n`)}</ol>
<details class="data"><summary>${file}</summary>
<pre tabindex="0"><code>${JSON.stringify(config, null, 2)}</code></pre>
</details>`;
}

export function environmentSection({ environment }: { readonly environment: ReportEnvironment }): Section {
  return {
    id: "environment",
    title: "Environment",
    body: html`<p class="note">Where and when this report was made: the only part that differs between two runs on the same inputs.</p>
${facts(Object.entries(environment).map(([term, value]) => [term, value, "wide"]))}`,
  };
}
