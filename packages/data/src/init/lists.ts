// Columns whose cells hold several things: JSON arrays, Python's lists, and names between separators.
import type { Decision } from "./infer.ts";
import { mean, type Profile, share, wordCount } from "./profile.ts";

/** From so many words on, an element is a sentence and not a name. */
const SENTENCE = 6;

/** A list as Python prints it: quotes at both ends, or nothing between the brackets. */
const isQuotedList = (value: string): boolean =>
  value.startsWith("[") && value.endsWith("]") && /^(?:'.*'|".*")?$/s.test(value.slice(1, -1).trim());

/** Arrays and objects, as JSON or Python writes them; undefined for other cells. */
export function arrayDecision(own: Profile): Decision | undefined {
  const { column, values } = own;
  const absent = own.missing.length === 0 ? {} : { missing: [...own.missing] };
  if (share(own, (value) => /^\{.*\}$/s.test(value)) >= 0.9) return { skip: "objects, which no channel reads" };
  if (share(own, (value) => /^\[.*\]$/s.test(value)) < 0.9) return undefined;
  const arrays = values.map(parsedArray);
  if (arrays.every((array) => array !== undefined)) {
    const flat = arrays.flatMap((array) => array.flat(8));
    if (flat.length === 0) return { skip: "lists without anything in them" };
    if (flat.some((value) => value === null || typeof value === "object")) {
      return { skip: "lists of objects, which no channel reads; make a list of names of them" };
    }
    const lengths = new Set(arrays.map((array) => array.length));
    if (flat.every((value) => typeof value === "number") && lengths.size === 1 && arrays[0].length > 2) {
      return { channel: { type: "vector", column }, comment: `${arrays[0].length} numbers each` };
    }
    if (mean(flat.map((value) => wordCount(String(value)))) >= SENTENCE) {
      return { channel: { type: "text", column, ...absent }, comment: "lists of sentences, read as one text" };
    }
    return { channel: { type: "categories", column, ...absent }, comment: "lists of names" };
  }
  if (share(own, isQuotedList) < 0.9) {
    return { skip: `looks like lists but is no JSON: ${shorten(values[0])}` };
  }
  if (share(own, (value) => value.includes("{")) > 0.5) {
    return { skip: "lists of objects, which no channel reads; make a list of names of them" };
  }
  // ['sea', 'ship']: what stands between the outer quotes, cut at the inner ones.
  return {
    channel: {
      type: "categories",
      column,
      pattern: String.raw`^\[\s{0,9}['"]?(.*?)['"]?\s{0,9}\]$`,
      ...absent,
      separator: "', '",
    },
    comment: "lists as Python prints them",
  };
}

function parsedArray(value: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** What stands between levels, as in Outdoor > Tents. Single names have a slash too: nearly all cells must have it, and their parts come again. */
const LEVELS = [" > ", "/"];

/** The separator of names in a cell, if the parts it makes are short and, for a comma, come again: prose has commas too. */
export function findSeparator(own: Profile): string | undefined {
  for (const separator of ["|", ";", " > ", ", ", ",", "/"]) {
    const divided = own.values.filter((value) => value.includes(separator));
    if (divided.length < 0.1 * own.values.length) continue;
    const parts = own.values.flatMap((value) => value.split(separator)).map((part) => part.trim());
    const names = parts.filter((part) => part !== "");
    if (names.length === 0 || mean(names.map(wordCount)) > 3 || mean(names.map((name) => name.length)) > 30) continue;
    const fresh = new Set(names).size / names.length; // 1 where no name comes twice
    const often = divided.length >= 0.5 * own.values.length;
    // Prose and titles have commas too, but there at most a word such as "The" comes again.
    if (LEVELS.includes(separator) && !(often && fresh <= 0.6 && names.every((name) => /\p{L}/u.test(name)))) continue;
    if (separator.startsWith(",") ? fresh <= 0.6 && comeAgain(names) >= 0.25 : fresh <= 0.9 || often) return separator;
  }
  return undefined;
}

/** The share of different names that come more than once. */
function comeAgain(names: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts.values()].filter((count) => count > 1).length / counts.size;
}

const shorten = (text: string, most = 40) => JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text);
