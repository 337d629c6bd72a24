// A comparison for people.

import type { Comparison } from "./compare.ts";
import type { ModelFacts } from "./facts.ts";
import { percent } from "./gates.ts";

export function comparisonText(comparison: Comparison): string {
  const { old, new: fresh, moves, stability, quality, gates } = comparison;
  const deleted = moves.deleted > 0 ? `, ${n(moves.deleted)} of them deleted at run time` : "";
  const examples =
    moves.examples.length > 0
      ? ` (${moves.examples.join(", ")}${moves.lost - moves.deleted > moves.examples.length ? ", …" : ""})`
      : "";
  const { popularity } = stability;
  const lines = [
    ...columns([
      ["", "old", "new"],
      ["model", old.folder, fresh.folder],
      ["id", old.id.slice(0, 12), fresh.id.slice(0, 12)],
      ["dataset", datasetOf(old), datasetOf(fresh)],
      ["started from", old.from?.slice(0, 12) ?? "–", fresh.from?.slice(0, 12) ?? "–"],
      ["items", n(old.items), n(fresh.items)],
      ["users' own metrics", yes(old.personalizes), yes(fresh.personalizes)],
      ["predicted ratings", yes(old.predictsRatings), yes(fresh.predictsRatings)],
      ...validationRows(old, fresh),
      ...weightRows(old, fresh),
    ]),
    "",
    `items        ${n(moves.gained)} gained, ${n(moves.lost)} lost${deleted}${examples}`,
    `channels     ${named("gained", moves.channels.gained)}, ${named("lost", moves.channels.lost)}`,
    stability.items === 0
      ? "lists        none could be compared: of the items drawn the new model has none"
      : `lists        of ${n(stability.items)} items: ${percent(stability.overlap)} of the first ten stay, ${percent(stability.disjoint)} have nothing in common, the first stays first in ${percent(stability.firstStays)}`,
    ...(stability.items === 0
      ? []
      : [
          `popularity   mean log q of what lists show: ${popularity.old.toFixed(2)} before, ${popularity.new.toFixed(2)} now`,
        ]),
    ...(quality
      ? [
          `quality      ${quality.name}: ${quality.metric} ${quality.own.mean.toFixed(3)} [${quality.own.low.toFixed(3)}, ${quality.own.high.toFixed(3)}] on ${quality.truth}`,
        ]
      : []),
    "",
    ...columns(gates.map(({ name, passed, text }) => [passed ? "passed" : "FAILED", name, text])),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

const n = (value: number): string => value.toLocaleString("en");
const yes = (value: boolean): string => (value ? "yes" : "no");
const named = (what: string, names: readonly string[]): string =>
  names.length === 0 ? `none ${what}` : `${what}: ${names.join(", ")}`;
const datasetOf = ({ dataset }: ModelFacts): string =>
  `${dataset.name} (${dataset.id.slice(0, 8)})${dataset.simulated ? ", SIMULATED" : ""}`;

/** What chose the steps: HR, MRR and NDCG at 10 of new items. */
function validationRows(old: ModelFacts, fresh: ModelFacts): string[][] {
  const stages = new Set([...Object.keys(old.validation), ...Object.keys(fresh.validation)]);
  const figures = ({ validation }: ModelFacts, stage: string) =>
    ["hr", "mrr", "ndcg"]
      .flatMap((name) => {
        const value = validation[stage]?.[name];
        return value === undefined ? [] : [`${name.toUpperCase()} ${value.toFixed(3)}`];
      })
      .join(" ") || "–";
  return [...stages].map((stage) => [`validation ${stage}`, figures(old, stage), figures(fresh, stage)]);
}

/** Weights with their share of a typical distance. */
function weightRows(old: ModelFacts, fresh: ModelFacts): string[][] {
  const names = new Set([...old.channels, ...fresh.channels].map(({ name }) => name));
  const weight = ({ channels }: ModelFacts, name: string) => {
    const total = channels.reduce((sum, channel) => sum + Math.abs(channel.weight), 0);
    const found = channels.find((channel) => channel.name === name);
    if (!found) return "–";
    return `${found.weight.toFixed(3)} (${total > 0 ? percent(found.weight / total) : "–"})`;
  };
  return [...names].map((name) => [`weight ${name}`, weight(old, name), weight(fresh, name)]);
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  return rows.map((row) => row.map((cell, c) => cell.padEnd(widths[c])).join("  "));
}
