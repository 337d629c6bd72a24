// A configuration as the text of a nearkin.yaml that explains itself. The text parses back to the configuration.
import { stringify } from "yaml";
import type { ConfigInput } from "../config/schema.ts";
import type { Guess, Guesses } from "./guess.ts";

export interface Remarks {
  /** Said at the top. */
  notes?: readonly string[];
  /** Written above the columns they are of. */
  guesses?: Guesses;
  /** By channel. */
  channels?: Readonly<Record<string, string>>;
  /** Columns that are no channel, and why. */
  skipped?: readonly { columns: readonly string[]; reason: string }[];
  /** The least and the largest rating seen. */
  ratings?: readonly [least: number, most: number];
}

const WIDTH = 118;

/** Writes a configuration with a comment for each section. */
export function commentedYaml(config: ConfigInput, remarks: Remarks = {}): string {
  const { name, interactions, items, channels = {}, seed, split, ...rest } = config;
  const lines = [
    ...comment(
      "What `nearkin prepare` reads and how. Written by `nearkin init` from a look at the files: correct what it got wrong.",
    ),
    ...(remarks.guesses
      ? comment(
          "Above each column: how sure it is (sure, likely, a guess), and why. Name another if it is the wrong one.",
        )
      : []),
    ...comment("File names start at the folder of this file. A key that is not known is an error, never ignored."),
    ...(remarks.notes ?? []).flatMap((note) => comment(`Note: ${note}.`)),
    "",
    ...(name === undefined ? [] : [`name: ${value(name)}`, ""]),
    ...comment("Who met what, how they liked it, and when: one row each."),
    "interactions:",
    ...sourceLines(interactions, remarks.guesses?.interactions),
    ...ratingHint(config, remarks),
    "",
    ...itemLines(items, remarks.guesses?.items),
    ...comment(
      "What items are compared by: one channel per property. Types: number, categories, text, date, geo, vector, identity. " +
        "A column that sums up ratings (an average, a number of votes) must not be here: it holds the answer.",
    ),
    "channels:",
    ...Object.entries(channels).flatMap(([own, channel]) => [
      ...(remarks.channels?.[own] ? comment(remarks.channels[own], "  ") : []),
      `  ${value(own)}:`,
      ...entries(channel, "    "),
    ]),
    ...skippedLines(remarks.skipped ?? []),
    "",
    ...splitLines({ seed, split }),
    ...Object.entries(rest).flatMap(([key, own]) => ["", ...entries({ [key]: own }, "")]),
  ];
  return `${lines.join("\n")}\n`;
}

function itemLines(items: ConfigInput["items"], guesses: Guesses["items"]): string[] {
  if (items === undefined) return [];
  return [
    ...comment("What is known of the items: one row each. `fields: [column, …]` keeps more columns for display."),
    "items:",
    ...sourceLines(items, guesses),
    "",
  ];
}

/** A section of files, with a comment above each of its columns. */
function sourceLines(
  { columns = {}, ...rest }: { columns?: object | undefined },
  guesses: Readonly<Record<string, Guess>> = {},
): string[] {
  const lines = Object.entries(columns).flatMap(([role, column]) => {
    const guess = guesses[role];
    return [
      ...(guess ? comment(`${guess.confidence}: ${guess.reason}`, "    ") : []),
      ...entries({ [role]: column }, "    "),
    ];
  });
  return [...entries(rest, "  "), ...(lines.length === 0 ? [] : ["  columns:", ...lines])];
}

function ratingHint({ interactions }: ConfigInput, { ratings }: Remarks): string[] {
  if (interactions.ratingRange !== undefined || ratings === undefined) return [];
  return [`  # ratingRange: [${ratings.join(", ")}]   # as in the first rows; ratings outside would be rejected`];
}

function skippedLines(skipped: NonNullable<Remarks["skipped"]>): string[] {
  if (skipped.length === 0) return [];
  return [
    ...comment("Columns that are no channel:", "  "),
    ...skipped.flatMap(({ columns, reason }) => comment(`- ${columns.join(", ")}: ${reason}`, "  ", "  ")),
  ];
}

function splitLines({ seed, split }: Pick<ConfigInput, "seed" | "split">): string[] {
  return [
    ...comment(
      "What is held out to judge the model: by time the newest items, random any items, users some users' later choices, none nothing.",
    ),
    ...(split === undefined ? ["# split: { by: time, fraction: 0.05 }"] : entries({ split }, "")),
    ...comment("Every choice left to chance comes from this seed."),
    ...(seed === undefined ? ["# seed: 1"] : [`seed: ${seed}`]),
  ];
}

/** `key: value` lines; objects are indented, lists stay on one line. */
function entries(object: object, indent: string): string[] {
  return Object.entries(object).flatMap(([key, own]: [string, unknown]) => {
    if (own === undefined) return [];
    if (own !== null && typeof own === "object" && !Array.isArray(own)) {
      const inner = entries(own, `${indent}  `);
      return inner.length === 0 ? [`${indent}${value(key)}: {}`] : [`${indent}${value(key)}:`, ...inner];
    }
    return [`${indent}${value(key)}: ${value(own)}`];
  });
}

/** A scalar or list on one line. A text of several lines, or with letters one cannot see, is written as JSON, which YAML reads too. */
function value(own: unknown): string {
  if (Array.isArray(own)) return `[${own.map(value).join(", ")}]`;
  if (typeof own !== "string") return stringify(own).trim();
  if (!/[\p{L}\p{N}]/u.test(own)) return JSON.stringify(own); // a sign alone is easier to see in quotes
  // Inside [ ] a comma ends a word: a text with any of these signs is quoted wherever it stands.
  if (/[\p{C}\u2028\u2029]/u.test(own) || own !== own.trim()) return JSON.stringify(own);
  if (/[,[\]{}]/.test(own))
    return stringify(own, {
      defaultStringType: own.includes("'") ? "QUOTE_DOUBLE" : "QUOTE_SINGLE",
      lineWidth: 0,
    }).trim();
  return stringify(own, { lineWidth: 0 }).trim();
}

/** Comment lines, broken between words; `hang` goes before all but the first. */
function comment(text: string, indent = "", hang = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(text).split(" ")) {
    if (line !== "" && indent.length + 2 + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = hang + word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((own) => `${indent}# ${own}`);
}

/** A comment ends with its line: nothing in it may end the line for it. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
