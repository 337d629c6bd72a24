// The values of a draft's channels: each goes through the transform of its channel, exactly as the catalogue's did.
import { applyCategories } from "../channels/categories.ts";
import { isNumberText } from "../channels/cells.ts";
import type { ChannelTransform } from "../channels/channel.ts";
import { applyDate, parseDate } from "../channels/date.ts";
import { applyGeo, type Place } from "../channels/geo.ts";
import { applyNumber, type NumberMode } from "../channels/number.ts";
import { applyText, applyTextVector, type TextTransform } from "../channels/text.ts";
import { applyVector } from "../channels/vector.ts";
import { NearkinError, shown } from "../errors.ts";
import type { DraftValue } from "../metric/draft.ts";

/** A value of a draft, as callers give it. */
export type DraftCell = number | string | readonly string[] | ArrayLike<number> | Place;

/** What became of it; the reason where that is nothing. */
export type Resolved = { readonly value: DraftValue } | { readonly reason: string };

export const absent = ({ type }: ChannelTransform): Resolved => ({
  reason: type === "identity" ? "a new item has no vector of its own" : "not given",
});

/** What a transform makes of a cell. */
export function resolveCell(transform: ChannelTransform, cell: DraftCell, mode: NumberMode): Resolved {
  switch (transform.type) {
    case "number":
      return of(applyNumber(transform, expectNumber(cell), { mode }));
    case "date":
      return of(applyDate(transform, days(cell), { mode }));
    case "categories": {
      const row = applyCategories(transform, terms(cell));
      if (row && row.indices.length > 0) return of(row);
      const unknown = row?.unknown ?? [];
      return { reason: unknown.length > 0 ? noneKnown(unknown) : "the list is empty" };
    }
    case "geo":
      return of(applyGeo(transform, place(cell)));
    case "vector":
      return isNumbers(cell) ? of(applyVector(transform, cell)) : { reason: needsVector(transform.width) };
    case "text":
      return resolveText(transform, cell);
    case "identity":
    case "surrogate":
    case "behavior":
      return absent(transform);
  }
}

const MAX_TERMS_SHOWN = 5;
const cut = (term: string): string => (term.length > 80 ? `${term.slice(0, 80)}…` : term);

/** Several categories in one text are the mistake to expect of someone who copies a cell of a file. */
function noneKnown(unknown: readonly string[]): string {
  const reason = `training knows none of ${unknown.slice(0, MAX_TERMS_SHOWN).map(cut).join(", ")}`;
  for (const separator of [" > ", "|", ";", ","]) {
    const several = unknown.find((term) => term.includes(separator));
    if (several === undefined) continue;
    const list = cut(several)
      .split(separator)
      .map((term) => JSON.stringify(term.trim()));
    return `${reason}; taken as one category; give a list: [${list.join(", ")}]`;
  }
  return reason;
}

const of = (value: DraftValue): Resolved => ({ value });
export const needsVector = (width: number) => `it takes a vector of ${width} numbers`;

function resolveText(transform: TextTransform, cell: DraftCell): Resolved {
  if (isNumbers(cell)) return of(applyTextVector(transform, cell));
  const words = applyText(transform, expectText(cell));
  if (typeof words !== "string") return of(words);
  return { reason: words === "unknown" ? "training knows none of its words" : "the text is blank" };
}

function badCell(expected: string, cell: unknown): NearkinError {
  return new NearkinError("BAD_VALUE", `expected ${expected}, got ${shown(cell)}`);
}

function expectNumber(cell: DraftCell): number {
  if (typeof cell === "string" && isNumberText(cell.trim())) return Number(cell);
  if (typeof cell !== "number") throw badCell("a number", cell);
  return cell;
}

export function expectText(cell: DraftCell): string {
  if (typeof cell !== "string") throw badCell("a text", cell);
  return cell;
}

/** Days since 1970. Whole numbers of at most four digits are years, as in files; others count seconds or, from 10¹¹ on, milliseconds. */
function days(cell: DraftCell): number {
  if (typeof cell === "string") return parseDate(cell);
  if (typeof cell !== "number") throw badCell("a date", cell);
  if (Number.isInteger(cell) && cell >= 0 && cell <= 9999) return parseDate(String(cell).padStart(4, "0"));
  return parseDate(cell, { epoch: Math.abs(cell) >= 1e11 ? "milliseconds" : "seconds" });
}

function terms(cell: DraftCell): string[] {
  if (typeof cell !== "string" && !(Array.isArray(cell) && cell.every((term) => typeof term === "string"))) {
    throw badCell("a list of texts", cell);
  }
  const list = typeof cell === "string" ? [cell] : (cell as readonly string[]);
  return list.map((term) => term.trim()).filter((term) => term !== "");
}

function place(cell: DraftCell): Place {
  const { latitude, longitude } = cell as Place;
  if (typeof latitude === "number" && typeof longitude === "number") return { latitude, longitude };
  throw badCell("a place such as { latitude: 52.5, longitude: 13.4 }", cell);
}

export function isNumbers(cell: DraftCell): cell is ArrayLike<number> {
  if (typeof cell !== "object") return false;
  return (
    cell instanceof Float32Array ||
    cell instanceof Float64Array ||
    (Array.isArray(cell) && cell.length > 0 && cell.every((x) => typeof x === "number"))
  );
}
