// What validation items chose in each run: test items choose nothing.
import type { PaperChoice } from "../../../experiments/paper.ts";
import { html } from "../../html.ts";
import { count, plural } from "../../numbers.ts";
import type { Section } from "../../section.ts";
import { table } from "../../table.ts";
import type { PaperReport } from "../paper-report.ts";

export function chosenSection({ data, result, settings }: PaperReport): Section {
  const { chosen, seeds } = result;
  const atStart = chosen.filter(({ ssl }) => ssl === 0).length;
  const folds = data.folds.length > 1 ? `, folds 1 to ${data.folds.length}` : "";
  const row = (own: readonly PaperChoice[]): string[] => [
    own.map(({ ssl }) => count(ssl)).join(", "),
    own.map(({ spe }) => count(spe.step)).join(", "),
    own.map(({ spe }) => (spe.standOff ? "yes" : "no")).join(", "),
  ];
  return {
    id: "chosen",
    title: "What validation items chose",
    body: html`<p>SSL's iteration, of ${count(settings.train.ssl.steps)}; 0 is the metric that it starts from${atStart > 0 ? `, and was kept in ${count(atStart)} of ${plural(chosen.length, "training")}` : ""}. SPE's step, of ${count(settings.spe.steps)} at most, and whether it keeps new items at a distance from each other (it <em>stands off</em>)${settings.spe.standOff === undefined ? "" : ", which its settings say here"}.</p>
${table({
  label: "What validation items chose",
  head: ["seed", `SSL iteration${folds}`, "SPE step", "SPE stands off"],
  rows: seeds.map((seed) => ({ cells: [String(seed), ...row(chosen.filter((choice) => choice.seed === seed))] })),
})}`,
  };
}
