// What the commands that ask a model share: the model, whose weights, how much popularity, which items, or a draft.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import {
  type ChannelTransform,
  type Draft,
  type Engine,
  type ItemQuery,
  type MetricOptions,
  type MissingChannel,
  type Model,
  NearkinError,
} from "@nearkin/core";
import { shellWord } from "@nearkin/data";
import { type Command, InvalidArgumentError } from "commander";
import { openModel } from "./open-model.ts";

/** A weight, or a multiple of the learned one. */
interface WeightFlag {
  value: number;
  times: boolean;
}

export interface MetricFlags {
  weights?: ReadonlyMap<string, WeightFlag>;
  popularity?: number | "calibrated";
}

export interface DraftFlags {
  draft?: string;
  draftFile?: string;
}

/** Opens the model of a command line, where the dataset that it was trained on is easily given instead. */
export async function openAskedModel(folder: string, engine: Engine): Promise<Model> {
  if (existsSync(join(folder, "dataset.json")) && !existsSync(join(folder, "model.json"))) {
    throw new NearkinError(
      "BAD_MODEL",
      `${folder}: this is a dataset; train it first: nearkin train ${shellWord(folder)}`,
    );
  }
  return openModel(folder, { engine });
}

/** Adds --weights and --popularity. */
export function withMetricFlags(command: Command): Command {
  return command
    .option(
      "--weights <list>",
      "weights in place of the learned ones: plot=2x for twice as much, year=0.3 for this much; others stay",
      parseWeights,
    )
    .option(
      "--popularity <b>",
      "how much popularity counts: a number, or calibrated, the one that ranked validation items best (default: 0, pure similarity)",
      parsePopularity,
    );
}

/** Adds --draft and --draft-file. */
export function withDraftFlags(command: Command): Command {
  return command
    .option(
      "--draft <json>",
      "an item that is in no catalogue, by its channels, as JSON: numbers, texts, lists of categories",
    )
    .option("--draft-file <file>", "the same, from a file");
}

export function metricOptions({ weights: learned }: Model, { weights, popularity }: MetricFlags): MetricOptions {
  const own = Array.from(weights ?? [], ([name, { value, times }]) => [
    name,
    times && Object.hasOwn(learned, name) ? value * learned[name] : value, // a channel that is none is the model's to refuse
  ]);
  return {
    ...(weights ? { weights: Object.fromEntries(own) } : {}),
    ...(popularity === undefined ? {} : { popularity }),
  };
}

/** What is asked about, and what to call it. */
export interface Asked {
  query: ItemQuery;
  title: string;
  /** Its id; null for a draft. */
  id: string | null;
}

/** Items by id or title, and the draft where there is one; `-` reads a draft from standard input. */
export async function readAsked(model: Model, items: readonly string[], flags: DraftFlags): Promise<Asked[]> {
  const asked = items
    .filter((text) => text !== "-")
    .map((text): Asked => {
      const { id, title } = model.items.at(model.items.find(text));
      return { query: id, title: title ?? id, id };
    });
  const draft = await readDraft(model, items.includes("-"), flags);
  if (draft) asked.push({ query: draft, title: draftTitle(draft), id: null });
  if (asked.length === 0) {
    throw new NearkinError("BAD_ARGUMENT", "nothing to ask about: name an item by its id or title, or give a --draft");
  }
  return asked;
}

async function readDraft(
  model: Model,
  fromInput: boolean,
  { draft, draftFile }: DraftFlags,
): Promise<Draft | undefined> {
  if (draft !== undefined) return parseDraft(model, "--draft", draft);
  if (draftFile !== undefined) return parseDraft(model, draftFile, readDraftFile(draftFile));
  return fromInput ? parseDraft(model, "standard input", await readAll(process.stdin)) : undefined;
}

function readDraftFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new NearkinError("BAD_ARGUMENT", `--draft-file: ${path} cannot be read (${(cause as Error).message})`, {
      cause,
    });
  }
}

function parseDraft(model: Model, where: string, text: string): Draft {
  let draft: unknown;
  try {
    draft = JSON.parse(text);
  } catch (cause) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${where}: expected JSON such as ${exampleDraft(model)}, got ${text.trim().slice(0, 40)}`,
      { cause },
    );
  }
  if (typeof draft === "object" && draft !== null && !Array.isArray(draft)) return draft as Draft;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `${where}: expected an object with the channels as keys, such as ${exampleDraft(model)}, got ${text.trim().slice(0, 40)}`,
  );
}

/** Two values that the catalogue has, or could have: of categories and numbers before dates and texts. */
function exampleDraft({ parts: { channels } }: Model): string {
  const values = { categories: [], number: [], date: [], text: [] } as Record<string, [string, unknown][]>;
  for (const { name, transform } of channels) values[transform.type]?.push([name, exampleValue(transform)]);
  const pairs = Object.values(values)
    .flat()
    .slice(0, 2)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{${pairs.join(", ")}}`;
}

function exampleValue(transform: ChannelTransform): unknown {
  if (transform.type === "categories") return transform.terms.slice(0, 1);
  if (transform.type === "number") return Math.round(transform.log ? Math.expm1(transform.mean) : transform.mean);
  return transform.type === "date" ? "1999-12-31" : "…";
}

const draftTitle = ({ title }: Draft): string =>
  typeof title === "string" && title !== "" ? `the draft "${title}"` : "the draft";

/** Lines that say what a draft went without. */
export function missingLines(missing: readonly MissingChannel[]): string {
  return missing.map(({ channel, reason }) => `  without ${channel}: ${reason}\n`).join("");
}

/** Said wherever results of a simulated dataset are shown. */
export function simulatedLine({ parts }: Model): string {
  return parts.dataset.simulated ? `The ratings behind this model (${parts.dataset.name}) are SIMULATED.\n` : "";
}

/** What a JSON answer says of the model. */
export function modelEntry({ id, name, parts }: Model) {
  return { id, name, dataset: parts.dataset };
}

function parseWeights(text: string, before?: ReadonlyMap<string, WeightFlag>): Map<string, WeightFlag> {
  const weights = new Map(before); // the flag may come twice
  for (const part of text.split(",")) {
    const [, name, value, times] = /^\s*([^=\s]+)\s*=\s*([^\sx]+)(x?)\s*$/.exec(part) ?? [];
    if (name === undefined || !Number.isFinite(Number(value))) {
      throw new InvalidArgumentError("Expected channels and numbers, such as plot=2x,year=0.");
    }
    if (weights.has(name)) throw new InvalidArgumentError(`${name} has two weights; give it one.`);
    weights.set(name, { value: Number(value), times: times === "x" });
  }
  return weights;
}

function parsePopularity(text: string): number | "calibrated" {
  if (text === "calibrated") return text;
  if (text.trim() === "" || !Number.isFinite(Number(text))) {
    throw new InvalidArgumentError("Expected a number, or calibrated.");
  }
  return Number(text);
}
