// Cells are text; channels want numbers, names, dates, places and vectors. Each reader returns the value, undefined for "not known", or
// throws a BAD_VALUE whose message becomes the reason in rejects.parquet.
import { NearkinError, type Place, parseDate } from "@nearkin/core";

/** What a channel's configuration says about its cells. */
export interface CellRules {
  pattern?: string | undefined;
  missing?: readonly string[];
}

export type CellReader<T> = (cell: string | null) => T | undefined;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The part of a cell that counts, or undefined where it says nothing. */
function cellText({ pattern, missing = [] }: CellRules): CellReader<string> {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const absent = new Set(missing);
  return (cell) => {
    if (cell === null || absent.has(cell)) return undefined;
    const text = (expression ? expression.exec(cell)?.[1] : cell)?.trim();
    return text === undefined || text === "" || absent.has(text) ? undefined : text;
  };
}

export interface NumberRules extends CellRules {
  thousands?: string | undefined;
  decimal?: string;
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
  if (!NUMBER.test(text)) throw new NearkinError("BAD_VALUE", "not a number");
  const value = Number(text);
  if (!Number.isFinite(value)) throw new NearkinError("BAD_VALUE", "not a finite number");
  return value;
}

/** Names between separators, or a JSON array of names. */
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

function jsonNames(text: string): string[] {
  const values = parseJson(text);
  // Names may be nested, as in shop catalogues; numbers are names too.
  const flat = Array.isArray(values) ? values.flat(8) : [];
  if (!Array.isArray(values) || flat.some((value) => typeof value !== "string" && typeof value !== "number")) {
    throw new NearkinError("BAD_VALUE", "looks like a list but is not a JSON array of names");
  }
  return flat.map(String);
}

/** A text; a JSON array of texts is joined. */
export function cellWords(rules: CellRules): CellReader<string> {
  const read = cellText(rules);
  return (cell) => {
    const text = read(cell);
    if (text === undefined) return undefined;
    const joined = text.startsWith('["') && text.endsWith('"]') ? jsonNames(text).join(" ") : text === "[]" ? "" : text;
    const words = joined.replaceAll(/\s+/g, " ").trim();
    return words === "" ? undefined : words;
  };
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

export function cellPlace(latitude: string | null, longitude: string | null): Place | undefined {
  const read = cellNumber({});
  const [north, east] = [read(latitude), read(longitude)];
  if (north === undefined && east === undefined) return undefined;
  if (north === undefined || east === undefined) {
    throw new NearkinError("BAD_VALUE", `a place needs both latitude and longitude`);
  }
  if (Math.abs(north) > 90) throw new NearkinError("BAD_VALUE", "latitude must be from -90 to 90");
  if (Math.abs(east) > 180) throw new NearkinError("BAD_VALUE", "longitude must be from -180 to 180");
  return { latitude: north, longitude: east };
}

/** A JSON array of numbers. */
export function cellVector(cell: string | null): Float32Array | undefined {
  if (cell === null || cell.trim() === "") return undefined;
  const values = parseJson(cell);
  if (!Array.isArray(values) || values.length === 0 || values.some((value) => typeof value !== "number")) {
    throw new NearkinError("BAD_VALUE", "not a JSON array of numbers");
  }
  const vector = Float32Array.from(values as number[]);
  if (!vector.every(Number.isFinite)) throw new NearkinError("BAD_VALUE", "holds a number too large for 32 bits");
  return vector.some((value) => value !== 0) ? vector : undefined; // as in a file of vectors
}

/** An id to join by: a whole number written 862.0, as spreadsheets do, is 862. */
export function cellKey(cell: string | null): string | undefined {
  if (cell === null || cell === "") return undefined;
  return /^-?\d+\.0+$/.test(cell) ? cell.slice(0, cell.indexOf(".")) : cell;
}

/** Whether a flag column is set. */
export function cellFlag(cell: string | null): boolean {
  if (cell === null || /^(0(\.0*)?|false|no|f|n)?$/i.test(cell.trim())) return false;
  if (/^(1(\.0*)?|true|yes|t|y)$/i.test(cell.trim())) return true;
  throw new NearkinError("BAD_VALUE", "neither 0 nor 1");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
