// Cells of files are text; channels want numbers, names and dates. Each reader returns the value, undefined for "not known", or throws a
// BAD_VALUE that says what is wrong.
import { NearkinError } from "../errors.ts";
import { parseDate } from "./date.ts";

/** What a channel's configuration says about its cells. */
export interface CellRules {
  /** A regular expression whose first group is the part that counts. It reads the first 10,000 characters of a cell. */
  pattern?: string | undefined;
  /** Texts that mean "not known", besides the empty one. */
  missing?: readonly string[] | undefined;
}

export type CellReader<T> = (cell: string | null) => T | undefined;

/** Longer than any finite number with its fraction; a text of more characters is not a number. */
const MAX_NUMBER_CHARACTERS = 1500;
/** A pattern comes from a configuration and may backtrack, so it reads the beginning of a cell only, whatever the channel's type. */
const MAX_PATTERN_CHARACTERS = 10_000;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Tells numbers, as files write them, from other texts; a number may still be too large to be finite. */
export const isNumberText = (text: string): boolean => text.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(text);

/** The part of a cell that counts, or undefined if it says nothing. */
export function cellText({ pattern, missing = [] }: CellRules): CellReader<string> {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const absent = new Set(missing);
  return (cell) => {
    if (cell === null || absent.has(cell)) return undefined;
    const text = (expression ? expression.exec(cell.slice(0, MAX_PATTERN_CHARACTERS))?.[1] : cell)?.trim();
    return text === undefined || text === "" || absent.has(text) ? undefined : text;
  };
}

export interface NumberRules extends CellRules {
  /** A sign between thousands that is passed over. */
  thousands?: string | undefined;
  /** The sign before the fraction. @default "." */
  decimal?: string | undefined;
}

export function cellNumber({ thousands, decimal = ".", ...rules }: NumberRules): CellReader<number> {
  const read = cellText(rules);
  return (cell) => {
    const text = read(cell);
    if (text === undefined) return undefined;
    const plain = thousands === undefined ? text : text.replaceAll(thousands, "");
    return toNumber(decimal === "." ? plain : plain.replace(decimal, "."));
  };
}

function toNumber(text: string): number {
  if (!isNumberText(text)) throw new NearkinError("BAD_VALUE", "not a number");
  const value = Number(text);
  if (!Number.isFinite(value)) throw new NearkinError("BAD_VALUE", "not a finite number");
  return value;
}

/** Names between separators, or a JSON array of names. `separator` null: one name to a cell. */
export function cellCategories(rules: CellRules, separator: string | null): CellReader<string[]> {
  const read = cellText(rules);
  return (cell) => {
    const text = read(cell);
    if (text === undefined) return undefined;
    const names =
      text.startsWith("[") && text.endsWith("]")
        ? jsonNames(text)
        : separator === null
          ? [text]
          : text.split(separator);
    const terms = names.map((name) => name.trim()).filter((name) => name !== "");
    return terms.length > 0 ? terms : undefined;
  };
}

/** The names of a JSON array. They may be nested, as in shop catalogues; numbers are names too. */
export function jsonNames(text: string): string[] {
  const values = parseJson(text);
  const flat = Array.isArray(values) ? values.flat(8) : [];
  if (!Array.isArray(values) || flat.some((value) => typeof value !== "string" && typeof value !== "number")) {
    throw new NearkinError("BAD_VALUE", "looks like a list but is not a JSON array of names");
  }
  return flat.map(String);
}

/** Days since 1970. Numbers count seconds or, from 10¹¹ on, milliseconds; four digits are a year. */
export function cellDate(rules: CellRules): CellReader<number> {
  const read = cellText(rules);
  return (cell) => {
    const text = read(cell);
    if (text === undefined) return undefined;
    if (!/^[+-]?\d{5,}(\.\d+)?$/.test(text)) return parseDate(text);
    const value = Number(text);
    return parseDate(value, { epoch: Math.abs(value) >= 1e11 ? "milliseconds" : "seconds" });
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
