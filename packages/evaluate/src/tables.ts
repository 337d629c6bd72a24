// Results as tables of text: for the terminal, and for Markdown.
import { paperMetrics, standardMetrics } from "./protocol/measure.ts";
import { knownStrata } from "./protocol/strata.ts";
import { AFFINITY } from "./protocol/truths.ts";
import type { EvaluationResult, MetricResult, RecommenderResult } from "./result.ts";
import { directionOf } from "./statistics/sign-test.ts";

/** A row of cells; the first row is the head. */
export type Table = readonly (readonly string[])[];

/** One truth, one family: a row for each recommender, each figure with its 95 % interval, ↑ or ↓ where it differs from the base by more than chance. */
export function familyTable({ recommenders }: EvaluationResult, truth: string, family: "paper" | "standard"): Table {
  const names = family === "paper" ? paperMetrics : standardMetrics;
  return [
    ["", ...names],
    ...recommenders.map(({ name, truths }) => [name, ...names.map((metric) => figure(truths[truth]?.metrics[metric]))]),
  ];
}

/** The figures of a first look: paper family on the main truth, affinity, and what the lists show of the catalogue. */
export function overviewTable(result: EvaluationResult, truth: string): Table {
  const { recommenders, truths } = result;
  const hasAffinity = truths.some(({ name, queries }) => name === AFFINITY && queries > 0);
  const hasStrata = recommenders.some((recommender) => strataCells(recommender, truth).some((cell) => cell !== NONE)); // held-out users have none
  return [
    [
      "",
      ...paperMetrics,
      ...(hasAffinity ? ["affinity HR"] : []),
      ...(hasStrata ? ["head", "middle", "tail"] : []),
      "coverage",
      "diversity",
      "ties",
    ],
    ...recommenders.map((recommender) => [
      recommender.name,
      ...paperMetrics.map((metric) => figure(recommender.truths[truth]?.metrics[metric])),
      ...(hasAffinity ? [figure(recommender.truths[AFFINITY]?.metrics["paper HR"])] : []),
      ...(hasStrata ? strataCells(recommender, truth) : []),
      share(recommender.catalogue.coverage),
      share(recommender.catalogue.diversity),
      share(recommender.catalogue.ties),
    ]),
  ];
}

/** HR by how well the query is known: a column for each stratum that somebody answers, with its number of queries. */
export function knownTable({ recommenders }: EvaluationResult, truth: string): Table | undefined {
  const strataOf = ({ truths }: RecommenderResult) => truths[truth]?.known ?? [];
  const sizes = new Map<string, number>();
  for (const recommender of recommenders) {
    for (const { events, queries } of strataOf(recommender))
      sizes.set(events, Math.max(queries, sizes.get(events) ?? 0));
  }
  const asked = knownStrata.map(({ events }) => events).filter((events) => sizes.has(events));
  if (asked.length < 2) return undefined; // the first table has it all
  return [
    ["", ...asked.map((events) => `${events} (${sizes.get(events)?.toLocaleString("en")})`)],
    ...recommenders.map((recommender) => [
      recommender.name,
      ...asked.map((events) => figure(strataOf(recommender).find((one) => one.events === events)?.metrics["paper HR"])),
    ]),
  ];
}

/** What was not measured. */
const NONE = "–";

function strataCells({ truths }: RecommenderResult, truth: string): string[] {
  const { head, middle, tail } = truths[truth]?.strata ?? { head: Number.NaN, middle: Number.NaN, tail: Number.NaN };
  return [head, middle, tail].map(decimals);
}

/** ".173 [.160, .187]", with the sign of a difference that chance hardly explains. */
function figure(result: MetricResult | undefined): string {
  if (!result || Number.isNaN(result.mean)) return NONE;
  const { against } = result;
  const mark = against ? { better: " ↑", worse: " ↓", open: "" }[directionOf(against)] : "";
  return `${decimals(result.mean)} [${decimals(result.low)}, ${decimals(result.high)}]${mark}`;
}

const decimals = (value: number): string => (Number.isNaN(value) ? NONE : value.toFixed(3).replace(/^(-?)0\./, "$1."));

const share = (value: number): string => `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`;

/** Columns as wide as their widest cell; the first to the left, the others to the right. */
export function plainTable(table: Table): string {
  const widths = table[0].map((_, c) => Math.max(...table.map((row) => row[c].length)));
  return table
    .map((row) =>
      row
        .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function markdownTable([head, ...rows]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map((_, c) => (c === 0 ? "---" : "---:")).join("|")}|`, ...rows.map(line)].join("\n");
}
