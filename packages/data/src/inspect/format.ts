// An inspection as text for a terminal: plain characters, the warnings last, where the eye ends up.
import type { Bar, ChannelInspection, ExampleItem, Inspection, Spread } from "./inspection.ts";

const BAR = 40; // characters of a full bar
const CELL = 70; // characters of a cell shown

const number = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 2 });
const percent = (share: number, digits = 1) => `${(100 * share).toFixed(digits)} %`;
/** 1 of 10,000: small shares keep two digits that count. */
const density = (share: number) => `${(100 * share).toLocaleString("en", { maximumSignificantDigits: 2 })} %`;
const plural = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

/** The whole report, ending with a line end. */
export function formatInspection(inspection: Inspection): string {
  const sections = [
    title(inspection),
    overview(inspection),
    spreads(inspection),
    popularity(inspection),
    ratings(inspection),
    channels(inspection.channels),
    truths(inspection),
    examples(inspection.examples),
    rejects(inspection),
    list("Notes", inspection.notes),
    inspection.warnings.length === 0
      ? ["No warnings."]
      : list(
          "Warnings",
          inspection.warnings.map(({ code, text }) => `${code}: ${text}`),
        ),
  ];
  const blocks = sections.filter((lines) => lines.length > 0);
  return `${blocks.map((lines) => lines.map((line) => printable(line).trimEnd()).join("\n")).join("\n\n")}\n`;
}

function title({ name, id, simulated }: Inspection): string[] {
  const banner =
    "!!! SIMULATED users and ratings: nobody rated anything here. Figures describe the simulation only. !!!";
  return [`${name}  (id ${id.slice(0, 12)})`, ...(simulated ? ["", banner] : [])];
}

function overview({ counts, density: share, time, split }: Inspection): string[] {
  const { roles, userRoles, training } = counts;
  const users = userRoles.test + userRoles.validation;
  return [
    `interactions  ${number(counts.interactions)} of ${plural(counts.users, "user")} and ${plural(counts.items, "item")}; density ${density(share)}`,
    `rows          ${number(counts.interactionRows)} read, ${number(counts.rejectedInteractionRows)} rejected, ${number(counts.duplicates)} duplicates`,
    `items         ${number(counts.describedItems)} described; ${number(counts.itemRows)} rows read, ${number(counts.rejectedItemRows)} rejected`,
    `training      ${plural(training.interactions, "interaction")}, ${plural(training.users, "user")}, ${plural(training.items, "item")}, ${plural(training.pairs, "pair")}, ${plural(training.factors, "factor")}`,
    `time          ${time.kind === "file order" ? "file order: there are no times" : `${time.from} to ${time.to} in training`}`,
    `split         ${split === "none" ? "none" : `by ${split}`}${time.cut === null ? "" : `, T = ${time.cut}`}`,
    `  items       ${number(roles.train)} train, ${number(roles.validation)} validation, ${number(roles.test)} test, ${number(roles.unseen)} unseen`,
    ...(users === 0
      ? []
      : [
          `  users       ${number(userRoles.train)} train, ${number(userRoles.validation)} validation, ${number(userRoles.test)} test`,
        ]),
  ];
}

function spreads({ perUser, perItem }: Inspection): string[] {
  const columns: (keyof Spread)[] = ["least", "q10", "q25", "median", "q75", "q90", "q99", "most", "mean"];
  const heads = ["Training interactions", "least", "10 %", "25 %", "median", "75 %", "90 %", "99 %", "most", "mean"];
  const row = (name: string, spread: Spread) => [name, ...columns.map((column) => number(spread[column]))];
  return table([heads, row("per user", perUser), row("per item", perItem)]);
}

function popularity({ popularity: { gini, top } }: Inspection): string[] {
  return [
    `Popularity: who gets the training interactions (Gini ${gini.toFixed(3)})`,
    ...top.map(
      ({ items, interactions }) =>
        `  top ${percent(items, 0).padStart(4)}  ${bar(interactions, 1)}  ${percent(interactions).padStart(7)}`,
    ),
  ];
}

function ratings({ ratings: { kind, mean, histogram } }: Inspection): string[] {
  if (kind === "implicit") return ["Ratings: none; every interaction counts as 1"];
  const most = Math.max(...histogram.map(({ count }) => count));
  const total = histogram.reduce((sum, { count }) => sum + count, 0);
  const names = histogram.map(({ from, to }) => (from === to ? number(from) : `${number(from)} to ${number(to)}`));
  const width = Math.max(...names.map((name) => name.length));
  return [
    `Ratings: mean ${number(mean)}`,
    ...histogram.map(
      ({ count }: Bar, k) =>
        `  ${names[k].padStart(width)}  ${bar(count, most)}  ${percent(count / total).padStart(7)} (${number(count)})`,
    ),
  ];
}

const bar = (value: number, most: number) =>
  "#".repeat(Math.max(Math.round((BAR * value) / most), value > 0 ? 1 : 0)).padEnd(BAR, ".");

function channels(all: readonly ChannelInspection[]): string[] {
  if (all.length === 0) return ["Channels: none"];
  const rows = all.map((channel) => [
    channel.name,
    channel.type,
    percent(channel.share),
    percent(channel.trainingShare),
    describe(channel),
  ]);
  return table([["Channel", "type", "items", "of training", ""], ...rows], 2);
}

function describe(channel: ChannelInspection): string {
  const { terms, droppedTerms, encoder, width, components, explainedVariance, range, ratingCorrelation } = channel;
  // A year among the values would look odd with a comma.
  const value = (x: number) => x.toLocaleString("en", { maximumSignificantDigits: 6, useGrouping: false });
  const year = (years: number) => Math.floor(1970 + years);
  const parts = [
    encoder,
    terms === null ? null : plural(terms, "term"),
    droppedTerms ? `${number(droppedTerms)} rare ones dropped` : null,
    width === null ? null : `width ${width}`,
    components === null ? null : `PCA to ${components} keeps ${percent(explainedVariance ?? 0)} of the variance`,
    range === null
      ? null
      : channel.type === "date"
        ? `years ${year(range[0])} to ${year(range[1])}`
        : `${value(range[0])} to ${value(range[1])}`,
    ratingCorrelation === null ? null : `rank correlation with the mean rating ${ratingCorrelation.toFixed(2)}`,
    channel.unknown > 0 ? `${number(channel.unknown)} unknown to training` : null,
    channel.unreadable > 0 ? `${number(channel.unreadable)} unreadable` : null,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function truths({ truth }: Inspection): string[] {
  if (truth === null) return ["Truths: truth/ is not in this folder"];
  const rows: string[][] = [];
  for (const role of ["validation", "test"] as const) {
    const { queries, ratings: own, coInteraction, affinity } = truth[role];
    if (queries === 0) continue;
    const name = `${role}: ${plural(queries, "query item")}, ${own ? `${number(own.least)} / ${number(own.median)} / ${number(own.most)}` : "no"} interactions each (least / median / most)`;
    rows.push([name]);
    for (const { days, mean, median, empty } of coInteraction) {
      const within = days === null ? "co-interaction, any time" : `co-interaction within ${plural(days, "day")}`;
      rows.push([`  ${within}`, number(mean), number(median), number(empty)]);
    }
    rows.push(["  affinity", number(affinity.mean), number(affinity.median), number(affinity.empty)]);
  }
  if (rows.length === 0) return [];
  return table([["Truths", "mean size", "median", "empty"], ...rows]);
}

function examples(items: readonly ExampleItem[]): string[] {
  return items.flatMap(({ why, id, role, interactions, fields }, k) => [
    ...(k === 0 ? ["Examples"] : []),
    `  ${id}  (${why}; ${role}, ${plural(interactions, "interaction")} in training)`,
    ...Object.entries(fields).map(([field, cell]) => `    ${field}: ${cell === null ? "-" : shortened(cell)}`),
  ]);
}

function rejects({ rejects: { total, reasons, first } }: Inspection): string[] {
  if (total === 0) return ["Rejects: none"];
  return [
    `Rejects: ${number(total)}, listed in rejects.parquet`,
    ...reasons.map(
      ({ source, column, reason, effect, count }) =>
        `  ${number(count)} × ${source}${column === null ? "" : ` ${column}`}: ${reason} (${effect === "row" ? "row left out" : "value missing"})`,
    ),
    "  The first:",
    ...first.map(
      ({ file, line, column, reason, value }) =>
        `    ${file}:${line}${column === null ? "" : ` ${column}`}: ${reason}${value ? `: ${JSON.stringify(shortened(value))}` : ""}`,
    ),
  ];
}

function list(name: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [name, ...texts.map((text) => `  ${text}`)];
}

const shortened = (text: string) => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > CELL ? `${line.slice(0, CELL)}...` : line;
};

/** Columns side by side; from column `left` of text on, numbers are to the right. A row of one cell goes across. */
function table(rows: readonly (readonly string[])[], left = 1): string[] {
  const full = rows.filter((row) => row.length > 1);
  const widths = full[0].map((_, c) => Math.max(...full.map((row) => row[c].length)));
  const last = widths.length - 1;
  return rows.map((row) =>
    row.length === 1
      ? row[0]
      : row
          .map((cell, c) =>
            c < left || (left === 2 && c === last) ? cell.padEnd(widths[c]) : cell.padStart(widths[c]),
          )
          .join("  "),
  );
}

/** Data may hold terminal codes: shown as a mark, not obeyed. */
function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, "\uFFFD");
}
