// How to make it all again.
import { html } from "../../html.ts";
import { facts, type Section } from "../../section.ts";
import { commandLines } from "../../sections/reproduce.ts";
import type { PaperReport } from "../paper-report.ts";

export function reproduceSection({ data, result, reproduce }: PaperReport): Section {
  return {
    id: "reproduce",
    title: "To reproduce",
    body: html`${facts([
      ["Seeds", result.seeds.join(", "), "wide"],
      ...data.folds.map(
        ({ id }, i) =>
          [
            data.folds.length === 1 ? "Dataset" : `Dataset, fold ${i + 1}`,
            html`<code class="hash">${id}</code>`,
            "wide",
          ] as const,
      ),
    ])}
${commandLines(reproduce, "paper.yaml: all settings")}`,
  };
}
