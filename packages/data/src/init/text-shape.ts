// How a text file separates its cells, whether it quotes them, and whether its first line names them: read off its first records.
import { detectColumn, type Role } from "../sources/detect.ts";

export interface TextShape {
  delimiter: string;
  /** "" where quotes are letters like any other. */
  quote: '"' | "";
  /** Whether the first record names the columns. */
  header: boolean;
  /** Cells of a record. */
  width: number;
}

const DELIMITERS = [",", "\t", ";", "|", "::"];
const RECORDS = 200;
/** Share of records that must have as many cells as most have. */
const REGULAR = 0.9;

/** The shape of a text, or undefined where no delimiter gives records of one width. `cut`: its last record may not be whole. */
export function textShape(text: string, cut: boolean): TextShape | undefined {
  let best: { records: string[][]; shape: TextShape; score: number } | undefined;
  for (const quote of ['"', ""] as const) {
    for (const delimiter of DELIMITERS) {
      const records = splitRecords(text, delimiter, quote, cut);
      const width = records?.[0]?.length ?? 0; // the first record must fit: decimal commas are in every line but the header
      if (!records || width < 2) continue;
      const share = records.filter((record) => record.length === width).length / records.length;
      const score = share * width;
      if (share < REGULAR || (best && score <= best.score)) continue;
      best = { records, score, shape: { delimiter, quote, width, header: hasHeader(records) } };
    }
  }
  return best?.shape;
}

/** The first records; undefined where a quote opens and never closes, or closes in the middle of a cell. */
function splitRecords(text: string, delimiter: string, quote: string, cut: boolean): string[][] | undefined {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length && records.length < RECORDS) {
    let cell: string;
    if (quote !== "" && text.startsWith(quote, at)) {
      const end = closingQuote(text, at, quote);
      if (end === undefined) return cut && records.length > 0 ? records : undefined;
      cell = text.slice(at + 1, end).replaceAll(quote + quote, quote);
      at = end + 1;
      if (at < text.length && !text.startsWith(delimiter, at) && !/[\r\n]/.test(text[at])) return undefined;
    } else {
      const line = text.indexOf("\n", at);
      const lineEnd = line < 0 ? text.length : line;
      const next = text.indexOf(delimiter, at);
      const end = next >= 0 && next < lineEnd ? next : lineEnd;
      cell = text.slice(at, end).replace(/\r$/, "");
      at = end;
    }
    record.push(cell);
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length;
      if (at < text.length) continue;
      record.push("");
    }
    if (text[at] === "\r") at++;
    const ended = text[at] === "\n";
    if (ended) at++;
    if (ended || !cut) {
      if (record.length > 1 || record[0] !== "") records.push(record); // not a blank line
    }
    record = [];
  }
  return records;
}

function closingQuote(text: string, open: number, quote: string): number | undefined {
  for (let at = open + 1; ; at += 2) {
    at = text.indexOf(quote, at);
    if (at < 0) return undefined;
    if (text[at + 1] !== quote) return at;
  }
}

const VALUE = /^[+-]?[.,]*\d[\d.,]*$|^\d{4}-\d\d-\d\d/; // a number or a date: never a name

function hasHeader(records: readonly string[][]): boolean {
  const [first, ...rest] = records;
  const cells = first.map((cell) => cell.trim());
  if (cells.some((cell) => VALUE.test(cell) || cell.length > 80)) return false;
  const roles: Role[] = ["user", "item", "rating", "time", "title"];
  if (roles.some((role) => detectColumn(role, cells) !== undefined)) return true;
  if (new Set(cells).size < cells.length) return false;
  const columns = cells.map((cell, k) => ({ cell, below: rest.map((record) => (record[k] ?? "").trim()) }));
  if (columns.some(({ below }) => below.length > 0 && below.every((cell) => cell === "" || VALUE.test(cell))))
    return true;
  // All of it is text. A first line that is like the lines below is one of them.
  const alike = columns.every(
    ({ cell, below }) => below.includes(cell) || below.some((other) => form(other) === form(cell)),
  );
  return !alike;
}

/** "u17" and "u8" have one form. */
const form = (cell: string) =>
  cell
    .replaceAll(/\p{N}+/gu, "0")
    .replaceAll(/\p{Lu}+/gu, "A")
    .replaceAll(/\p{Ll}+/gu, "a");
