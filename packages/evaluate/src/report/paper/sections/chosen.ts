// What validation items, or the settings, chose in each run: test items choose nothing.
import type { PaperChoice } from "../../../experiments/paper.ts";
import { type Html, html } from "../../html.ts";
import { count, plural } from "../../numbers.ts";
import type { Section } from "../../section.ts";
import { table } from "../../table.ts";
import type { PaperReport } from "../paper-report.ts";

export function chosenSection({ data, result, settings }: PaperReport): Section {
  const { chosen, seeds } = result;
  const atStart = chosen.filter(({ ssl }) => ssl === 0).length;
  const title = settings.train.ssl.keep === "best" ? "What validation items chose" : "What was kept";
  const folds = data.folds.length > 1 ? `, folds 1 to ${data.folds.length}` : "";
  const row = (own: readonly PaperChoice[]): string[] => [
    own.map(({ ssl }) => count(ssl)).join(", "),
    own.map(({ spe }) => count(spe.step)).join(", "),
    own.map(({ spe }) => (spe.standOff ? "yes" : "no")).join(", "),
  ];
  return {
    id: "chosen",
    title,
    body: html`<p>${sslIteration(settings.train.ssl)}${atStart > 0 ? `, and was kept in ${count(atStart)} of ${plural(chosen.length, "training")}` : ""}. SPE's step, of ${count(settings.spe.steps)} at most, ${settings.train.ssl.keep === "best" ? "" : "which validation items chose, "}and whether it keeps new items at a distance from each other (it <em>stands off</em>)${settings.spe.standOff === undefined ? "" : ", which its settings say here"}.</p>
${table({
  label: title,
  head: ["seed", `SSL iteration${folds}`, "SPE step", "SPE stands off"],
  rows: seeds.map((seed) => ({ cells: [String(seed), ...row(chosen.filter((choice) => choice.seed === seed))] })),
})}`,
  };
}

const sslIteration = ({ keep, steps }: PaperReport["settings"]["train"]["ssl"]): Html =>
  keep === "best"
    ? html`SSL's iteration, of ${count(steps)}; 0 is the metric that it starts from`
    : html`SSL's last iteration, of ${count(steps)} at most, which its settings keep`;
