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
Looks at the first rows of each file. What it writes is a proposal, with a comment on every part: read it.

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
    for (const note of suggestion.notes) output.log(`Note: ${note}\n`); // beside the YAML, not in it
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

function summary({ yaml, config, notes }: Suggestion, out: string | null, next: string): object {
  return { out, config, notes, ...(out === null ? { yaml } : {}), next };
}

function sentences({ config, notes }: Suggestion, out: string, next: string): string {
  const { interactions, items, channels = {} } = config;
  const names = (files: string | string[]) => [files].flat().join(", ");
  const columns = (own: Record<string, string | null | undefined> | undefined) =>
    Object.entries(own ?? {})
      .map(([role, column]) => (column ? `${role} = ${column}` : `no ${role}`))
      .join(", ");
  const lines = [
    `Interactions: ${names(interactions.files)} (${columns(interactions.columns)})`,
    ...(items ? [`Items:        ${names(items.files)} (${columns(items.columns)})`] : []),
    `Channels:     ${Object.entries(channels)
      .map(([name, { type }]) => `${name} (${type})`)
      .join(", ")}`,
    ...notes.map((note) => `Note: ${note}`),
    `Wrote ${out}: read it, and correct what is wrong.`,
    `Next: ${next}`,
  ];
  return `${lines.join("\n")}\n`;
}
