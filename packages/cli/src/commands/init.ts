// A first nearkin.yaml from a look at the files: what init found, what it left out, and which command comes next.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { type Suggestion, shellWord, suggestConfig } from "@nearkin/data";
import { Command } from "commander";
import type { Output } from "../output.ts";

interface InitOptions {
  out: string;
  force?: boolean;
  /** Print one JSON document instead of sentences. */
  json?: boolean;
  /** Print the YAML and write nothing. */
  stdout?: boolean;
}

export function initCommand(output: Output): Command {
  return new Command("init")
    .description("write a nearkin.yaml for your files")
    .argument("<files...>", "files of interactions and items (csv, tsv, jsonl, parquet; .gz is fine), or their folder")
    .option("--out <file>", "the configuration to write", "nearkin.yaml")
    .option("--force", "replace it if it is there")
    .option("--stdout", "print the configuration and write nothing")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Looks at the first 10,000 rows of each file, and compares the ids of the files over at most a million rows each. What it
writes is a proposal that says of every column how sure it is (sure, likely, a guess) and why: read it.

Examples:
  $ nearkin init orders.csv products.csv
  $ nearkin init data/ml-latest-small --out films.yaml
  $ nearkin init events-*.jsonl.gz items.parquet --stdout`,
    )
    .action((files: string[], options: InitOptions) => runInit(files, options, output));
}

async function runInit(files: readonly string[], options: InitOptions, output: Output): Promise<void> {
  const { out, force = false, stdout = false } = options;
  if (!stdout && !force) checkFree(out);
  const suggestion = await suggestConfig(files, { folder: dirname(resolve(out)) });
  if (!stdout) {
    if (!force) checkFree(out);
    replaceFile(out, suggestion.yaml);
  }
  const next = `nearkin prepare ${shellWord(out)} --out dataset`;
  if (options.json) output.write(`${JSON.stringify(summary(suggestion, stdout ? null : out, next), null, 2)}\n`);
  else if (stdout) {
    output.write(suggestion.yaml);
    for (const line of checks(suggestion)) output.log(`${line}\n`); // beside the YAML, not in it
  } else output.write(sentences(suggestion, out, next));
}

function checkFree(out: string): void {
  if (existsSync(out))
    throw new NearkinError(
      "BAD_ARGUMENT",
      `init: ${out} is already there; replace it with --force, or name another with --out`,
    );
}

/** Written beside and moved into place: a reader sees all of it or nothing. */
function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(resolve(path)), { recursive: true });
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function summary(suggestion: Suggestion, out: string | null, next: string): object {
  const { yaml, ...rest } = suggestion;
  return { out, ...rest, ...(out === null ? { yaml } : {}), next };
}

/** A few lines for a newcomer: what was found, how sure it is, what to check, and the next command. */
function sentences(suggestion: Suggestion, out: string, next: string): string {
  const { config, guesses } = suggestion;
  const { interactions, items, channels = {} } = config;
  const lines = [
    ...section("Interactions", interactions, guesses?.interactions),
    ...(items ? section("Items", items, guesses?.items) : []),
    `Channels  ${Object.entries(channels)
      .map(([name, { type }]) => `${name} (${type})`)
      .join(", ")}`,
    ...checks(suggestion),
    `Wrote ${out}: read it, and correct what is wrong.`,
    `Next: ${next}`,
  ];
  return `${lines.join("\n")}\n`;
}

type Section = NonNullable<Suggestion["config"]["items"] | Suggestion["config"]["interactions"]>;
type SectionGuesses = Readonly<Record<string, { confidence: string; reason: string }>>;

/** The files of a section, then a line per role: column, how sure, why. */
function section(title: string, { files, columns = {} }: Section, guesses: SectionGuesses = {}): string[] {
  const roles = Object.entries(columns) as [string, string | null][];
  const width = Math.max(...roles.map(([, column]) => (column ?? "none").length));
  const lines = roles.map(([role, column]) => {
    const guess = guesses[role];
    const name = `  ${role.padEnd(6)}  ${(column ?? "none").padEnd(width)}`;
    return (guess ? `${name}  ${guess.confidence.padEnd(7)}  ${guess.reason}` : name).trimEnd();
  });
  return [`${title}  ${[files].flat().join(", ")}`, ...lines];
}

/** The notes, and the columns that are not used in one line: their reasons are in nearkin.yaml. */
function checks({ notes, skipped }: Suggestion): string[] {
  const unused = skipped.flatMap(({ columns }) => columns);
  return [
    ...notes.map((note) => `Note: ${note}`),
    ...(unused.length === 0 ? [] : [`Not a channel: ${unused.join(", ")} (the reasons are in the configuration)`]),
  ];
}
