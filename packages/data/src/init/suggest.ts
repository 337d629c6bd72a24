// `nearkin init`: a first nearkin.yaml from a look at the files.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { ConfigInput } from "../config/schema.ts";
import { Database } from "../database.ts";
import { findLayout, layoutConfig } from "../layouts/index.ts";
import { SIMULATED } from "../sample/write.ts";
import { type Choice, chooseTables } from "./choose.ts";
import { commentedYaml } from "./commented-yaml.ts";
import type { Guesses } from "./guess.ts";
import { measureOverlaps } from "./overlap.ts";
import type { Reading } from "./probe.ts";
import { mergeTables, openTable, type Table } from "./table.ts";

export interface SuggestOptions {
  /** Where nearkin.yaml will be: file names are relative to it. @default the working directory */
  folder?: string;
}

export interface Suggestion {
  /** The text of nearkin.yaml, with comments. It parses back to `config`. */
  yaml: string;
  config: ConfigInput;
  /** The role of each column, how sure it is, and why; none for a known layout. */
  guesses?: Guesses;
  /** What a person should know or check, a sentence each. */
  notes: string[];
  /** Columns of the items that are not a channel, and why. */
  skipped: { columns: string[]; reason: string }[];
}

/**
 * Suggests a configuration for some files, or for the files of folders. The first 10,000 rows of each are looked at; ids are compared over the
 * first million rows of each, or 256 MB of them.
 * A single folder of a known layout gets that layout's configuration.
 */
export async function suggestConfig(files: readonly string[], options: SuggestOptions = {}): Promise<Suggestion> {
  const { folder = process.cwd() } = options;
  for (const path of files) {
    if (!existsSync(path)) throw new NearkinError("BAD_SOURCE", `${path}: there is no such file or folder`);
  }
  const layout = files.length === 1 && isFolder(files[0]) ? findLayout(files[0]) : undefined;
  if (layout !== undefined) return fromLayout(layout, files[0], folder);
  const notes: string[] = [];
  await using database = await Database.open(":memory:", { scratch: "", threads: 1 });
  const tables = mergeTables(await openTables(database, files, folder, notes));
  const choice = chooseTables(tables, await measureOverlaps(database, tables));
  const config: ConfigInput = { ...(files.some(isSample) ? { simulated: true } : {}), ...toConfig(choice) };
  notes.push(...choice.notes);
  const { comments = {}, skipped = [] } = choice.items?.suggested ?? {};
  const { guesses } = choice;
  const ratings = ratingsSeen(choice);
  const yaml = commentedYaml(config, { notes, guesses, channels: comments, skipped, ...(ratings ? { ratings } : {}) });
  return { yaml, config, guesses, notes, skipped };
}

/** Whether files are those that `nearkin sample` wrote: the dataset must go on saying that nobody rated anything. */
function isSample(path: string): boolean {
  const readme = join(isFolder(path) ? path : dirname(path), "README.md");
  return existsSync(readme) && readFileSync(readme, "utf8").startsWith(SIMULATED);
}

function fromLayout(name: string, source: string, folder: string): Suggestion {
  const found = layoutConfig(name, source);
  const prefix = relative(folder, source).replaceAll("\\", "/");
  const moved = (file: string) => (prefix === "" ? file : `${prefix}/${file}`);
  const place = <T extends { files: string | string[] }>(own: T): T => ({
    ...own,
    files: Array.isArray(own.files) ? own.files.map(moved) : moved(own.files),
  });
  const config: ConfigInput = {
    ...found,
    interactions: place(found.interactions),
    ...(found.items ? { items: place(found.items) } : {}),
    ...DEFAULTS,
  };
  const notes = [`the files have the layout ${name}`];
  return { yaml: commentedYaml(config, { notes }), config, notes, skipped: [] };
}

const DEFAULTS = { split: { by: "time", fraction: 0.05 }, seed: 1 } satisfies Partial<ConfigInput>;

const isFolder = (path: string) => statSync(path).isDirectory();
const DATA = /\.(csv|tsv|tab|dat|data|inter|item|jsonl|ndjson|json|parquet|pq|txt)(\.gz)?$/i;

/** Opens the files named, and those of the folders named that look like data. What a folder holds besides is noted, not an error. */
async function openTables(
  database: Database,
  files: readonly string[],
  folder: string,
  notes: string[],
): Promise<Table[]> {
  const tables: Table[] = [];
  const add = async (path: string) => {
    const table = await openTable(database, resolve(path), folder);
    if (table.rows === 0) throw new NearkinError("BAD_SOURCE", `${table.name} has a header but no rows`);
    if (!tables.some(({ name }) => name === table.name)) tables.push(table);
  };
  for (const path of files) {
    if (!isFolder(path)) {
      await add(path);
      continue;
    }
    const inside = readdirSync(path)
      .filter((name) => DATA.test(name) && !name.startsWith(".") && !isFolder(join(path, name)))
      .sort();
    if (inside.length === 0) {
      throw new NearkinError("BAD_SOURCE", `${path} holds no csv, tsv, jsonl or parquet files`);
    }
    for (const name of inside) {
      try {
        await add(join(path, name));
      } catch (error) {
        if (!(error instanceof NearkinError) || error.code !== "BAD_SOURCE") throw error;
        notes.push(`left out ${name}: ${error.message.replace(`${name} `, "")}`);
      }
    }
  }
  if (tables.length === 0) throw new NearkinError("BAD_SOURCE", `no file can be read: ${notes.join("; ")}`);
  return tables;
}

function toConfig({ interactions, items, guesses }: Choice): ConfigInput {
  const { user, item, rating, time } = guesses.interactions;
  return {
    interactions: {
      ...source(interactions),
      columns: { user: user.column, item: item.column, rating: rating?.column ?? null, time: time?.column ?? null },
    },
    ...(items
      ? {
          items: {
            ...source(items.table),
            columns: { item: items.guesses.item.column, title: items.guesses.title?.column ?? null },
          },
        }
      : {}),
    channels:
      items && Object.keys(items.suggested.channels).length > 0
        ? items.suggested.channels
        : { identity: { type: "identity" } },
    // Without times the order of rows decides; whether that is an order in time nobody knows.
    split: { ...DEFAULTS.split, by: time === undefined ? "random" : "time" },
    seed: DEFAULTS.seed,
  };
}

/** Files of one shape as one source. */
function source({ files, reading: first }: Table): { files: string | string[] } & Reading {
  const names = files.map(({ name }) => name);
  const { encoding: _, ...reading } = first;
  const encodings = new Set(files.filter(({ ascii }) => !ascii).map(({ reading: own }) => own.encoding ?? "utf-8"));
  if (encodings.size > 1) {
    throw new NearkinError(
      "BAD_SOURCE",
      `${names.join(", ")} are in different encodings (${[...encodings].join(", ")}); write all in one`,
    );
  }
  const [encoding = "utf-8"] = encodings;
  return { files: names.length === 1 ? names[0] : names, ...reading, ...(encoding === "utf-8" ? {} : { encoding }) };
}

function ratingsSeen({ interactions, guesses }: Choice): [number, number] | undefined {
  const { rating } = guesses.interactions;
  if (rating === undefined) return undefined;
  const known = interactions
    .cells(rating.column)
    .map((cell) => (cell === null ? Number.NaN : Number(cell)))
    .filter((value) => Number.isFinite(value));
  if (known.length === 0) return undefined;
  return known.reduce<[number, number]>(
    ([least, most], x) => [Math.min(least, x), Math.max(most, x)],
    [Infinity, -Infinity],
  );
}
