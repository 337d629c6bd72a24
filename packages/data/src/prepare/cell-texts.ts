// The way back of cells.ts: a channel's value, as a program gives it, becomes cells that `prepare` reads as that value. What would be read as
// something else, or not at all, is not written: the reader itself is asked.
import {
  type CellReader,
  type CellRules,
  type DraftCell,
  type NumberRules,
  type Place,
  parseDate,
} from "@nearkin/core";
import { cellCategories, cellDate, cellNumber, cellPlace, cellVector, cellWords } from "./cells.ts";

/** Which columns a channel is read from, and how: as much of a channel's configuration as its cells depend on. */
export type ChannelCells =
  | ({ readonly type: "number"; readonly column: string } & NumberRules)
  | ({ readonly type: "date"; readonly column: string } & CellRules)
  | ({ readonly type: "text"; readonly column: string } & CellRules)
  | ({
      readonly type: "categories";
      readonly column?: string | undefined;
      readonly flags?: readonly string[] | undefined;
      readonly separator: string | null;
    } & CellRules)
  | { readonly type: "geo"; readonly latitude: string; readonly longitude: string }
  | { readonly type: "vector"; readonly column?: string | undefined }
  | { readonly type: "identity" };

/** Cells by column. */
export type Cells = Readonly<Record<string, string>>;

/**
 * The cells of a value; undefined where none are read as this value: a vector in place of a text, a `pattern` that expects what we cannot know,
 * an empty list.
 *
 * @example
 * channelCells({ type: "categories", column: "genres", separator: "|" }, ["Drama", "War"]) // => { genres: "Drama|War" }
 * channelCells({ type: "categories", column: "genres", separator: "|" }, ["Rock|Pop"]) // => { genres: '["Rock|Pop"]' }
 * channelCells({ type: "number", column: "price", decimal: "," }, 9.5) // => { price: "9,5" }
 */
export function channelCells(channel: ChannelCells, value: DraftCell): Cells | undefined {
  switch (channel.type) {
    case "number":
      return numberCells(channel, value);
    case "date":
      return dateCells(channel, value);
    case "text":
      return textCells(channel, value);
    case "categories":
      return categoryCells(channel, value);
    case "geo":
      return placeCells(channel, value);
    case "vector":
      return channel.column === undefined ? undefined : vectorCells(channel.column, value);
    case "identity":
      return undefined; // nothing is read
  }
}

/** The first text that is read as the value. */
function readable<T>(
  column: string,
  texts: readonly string[],
  { read, is }: { read: CellReader<T>; is: (value: T) => boolean },
): Cells | undefined {
  const text = texts.find((candidate) => {
    try {
      const value = read(candidate);
      return value !== undefined && is(value);
    } catch {
      return false; // it cannot be read at all
    }
  });
  return text === undefined ? undefined : { [column]: text };
}

function numberCells(channel: ChannelCells & { type: "number" }, value: DraftCell): Cells | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const number = Number(value);
  const text = String(number).replace(".", channel.decimal ?? ".");
  return readable(channel.column, [text], { read: cellNumber(channel), is: (read) => read === number });
}

const SECOND = 1 / 86_400; // of a day

/** Numbers as drafts have them: a year of at most four digits, else seconds or, from 10¹¹ on, milliseconds. */
function dateCells(channel: ChannelCells & { type: "date" }, value: DraftCell): Cells | undefined {
  const read = cellDate(channel);
  if (typeof value === "string") {
    const text = value.trim();
    return readable(channel.column, [text], { read, is: (days) => days === parseDate(text) });
  }
  if (typeof value !== "number") return undefined;
  if (Number.isInteger(value) && value >= 0 && value <= 9999) {
    const year = String(value).padStart(4, "0");
    return readable(channel.column, [year], { read, is: (days) => days === parseDate(year) });
  }
  const milliseconds = Math.abs(value) >= 1e11 ? value : 1000 * value;
  if (!(Math.abs(milliseconds) <= 8.64e15)) return undefined;
  const is = (days: number) => Math.abs(days - milliseconds / 86_400_000) < SECOND / 1000;
  return readable(channel.column, [new Date(milliseconds).toISOString(), String(value)], { read, is });
}

function textCells(channel: ChannelCells & { type: "text" }, value: DraftCell): Cells | undefined {
  if (typeof value !== "string") return undefined;
  const words = value.replaceAll(/\s+/g, " ").trim();
  // A text that looks like a list would be taken apart.
  return readable(channel.column, [value, JSON.stringify([value])], {
    read: cellWords(channel),
    is: (read) => read === words,
  });
}

function categoryCells(channel: ChannelCells & { type: "categories" }, value: DraftCell): Cells | undefined {
  const list = typeof value === "string" ? [value] : value;
  if (!Array.isArray(list) || !list.every((term) => typeof term === "string")) return undefined;
  const terms = list.map((term) => term.trim()).filter((term) => term !== "");
  const { column, flags, separator } = channel;
  if (flags) return Object.fromEntries(flags.map((flag) => [flag, terms.includes(flag) ? "1" : "0"]));
  if (column === undefined || terms.length === 0) return undefined;
  return readable(column, [terms.join(separator ?? "\n"), JSON.stringify(terms)], {
    read: cellCategories(channel, separator),
    is: (read) => read.length === terms.length && read.every((term, i) => term === terms[i]),
  });
}

function placeCells({ latitude, longitude }: ChannelCells & { type: "geo" }, value: DraftCell): Cells | undefined {
  const { latitude: north, longitude: east } = value as Place;
  const cells = { [latitude]: String(north), [longitude]: String(east) };
  try {
    const read = cellPlace(cells[latitude], cells[longitude]);
    return read?.latitude === north && read.longitude === east ? cells : undefined;
  } catch {
    return undefined;
  }
}

function vectorCells(column: string, value: DraftCell): Cells | undefined {
  if (typeof value === "string" || typeof value === "number" || !("length" in value)) return undefined;
  const numbers = Array.from(value as ArrayLike<number>);
  return readable(column, [JSON.stringify(numbers)], {
    read: cellVector,
    is: (read) => read.every((x, i) => x === Math.fround(numbers[i])),
  });
}
