// Cells are text; channels want numbers, names, dates, places and vectors. Each reader returns the value, undefined for "not known", or
// throws a BAD_VALUE whose message becomes the reason in rejects.parquet. Those of numbers, names and dates are core's: whoever asks about
// the fields of a model reads their cells in the same way.
import {
  type CellReader,
  type CellRules,
  cellNumber,
  cellText,
  jsonNames,
  NearkinError,
  type Place,
} from "@nearkin/core";

export { cellCategories, cellDate, cellNumber } from "@nearkin/core";

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
