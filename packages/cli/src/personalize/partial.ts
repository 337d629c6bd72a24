// <out>.partial: what a run has done so far. Its first line says what it belongs to, each further one is the answer to a user, in the order they were
// asked about.
import { createReadStream, existsSync } from "node:fs";
import { truncate } from "node:fs/promises";
import { NearkinError } from "@nearkin/core";
import { splitLines } from "../lines.ts";
import type { UserAnswer, UserRefusal } from "./user-line.ts";

/** All that decides the answers. */
export interface Identity {
  /** Ids. */
  readonly model: string;
  readonly dataset: string;
  /** "all", or a hash of the ids. */
  readonly users: string;
  /** Its kind: other arithmetic, other last digits. */
  readonly engine: string;
}

const CALLED: Readonly<Record<keyof Identity, string>> = {
  model: "model",
  dataset: "dataset",
  users: "list of users",
  engine: "engine",
};

/** How many of the users a partial file has answers of; what comes after, a line that was cut short, is cut off. */
export async function answersIn(partial: string, identity: Identity, users: readonly string[]): Promise<number> {
  if (!existsSync(partial)) return 0;
  let [lines, end] = [0, 0];
  for await (const { text, bytes, whole } of splitLines(createReadStream(partial))) {
    if (!whole) break;
    const value = parsed(text);
    if (lines === 0) checkIdentity(partial, value, identity);
    else if (lines > users.length || value?.user !== users[lines - 1]) break;
    lines++;
    end = bytes;
  }
  if (lines === 0) return 0;
  await truncate(partial, end);
  return lines - 1;
}

/** The answers of a partial file, in order. */
export async function* readAnswers(partial: string): AsyncGenerator<UserAnswer | UserRefusal> {
  for await (const { text, line } of splitLines(createReadStream(partial))) if (line > 1) yield JSON.parse(text);
}

function checkIdentity(partial: string, found: Record<string, unknown> | undefined, identity: Identity): void {
  const keys = Object.keys(CALLED) as (keyof Identity)[];
  if (!found || !keys.some((key) => key in found)) {
    throw refused(`${partial} is nothing that nearkin personalize left`);
  }
  const other = keys.filter((key) => found[key] !== identity[key]).map((key) => CALLED[key]);
  if (other.length > 0) {
    const last = other.pop();
    throw refused(`${partial} is of another ${other.length > 0 ? `${other.join(", ")} and ` : ""}${last}`);
  }
}

const refused = (what: string): NearkinError =>
  new NearkinError("BAD_ARGUMENT", `--resume: ${what}; remove it, or leave --resume out to begin anew`);

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
