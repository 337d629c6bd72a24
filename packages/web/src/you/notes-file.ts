// Notes as text: what the browser stores, and what is exported and imported. A text that was damaged, or written by a later version, is told
// apart from none: nobody's ratings are lost because one entry cannot be read.
import { isRating, NOTHING, type Notes, type Rated, type Saved } from "./notes.ts";

const FORMAT = "nearkin-ratings";
const VERSION = 1;

export type ReadNotes =
  /** `left`: entries that could not be read. */
  | { readonly state: "read"; readonly notes: Notes; readonly left: number }
  /** No notes at all: not JSON, another format. */
  | { readonly state: "damaged"; readonly reason: string }
  | { readonly state: "later"; readonly version: number };

export const printNotes = ({ ratings, skipped, saved }: Notes): string =>
  JSON.stringify({ format: FORMAT, version: VERSION, ratings, skipped, saved });

/** For a file: what the server was given stays out of it, which is this device's own business. Line by line, to be read by people too. */
export const exportNotes = ({ ratings, skipped }: Notes): string =>
  `${JSON.stringify({ format: FORMAT, version: VERSION, ratings, skipped }, null, 1)}\n`;

export function readNotes(text: string): ReadNotes {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { state: "damaged", reason: "it is not JSON" };
  }
  if (!isObject(value) || value.format !== FORMAT) {
    return { state: "damaged", reason: `it does not say that it is ${FORMAT}` };
  }
  const { version } = value;
  if (typeof version !== "number" || version < 1) return { state: "damaged", reason: "it has no version" };
  if (version > VERSION) return { state: "later", version };
  const given = Array.isArray(value.ratings) ? value.ratings : [];
  const ratings = new Map<string, Rated>();
  for (const one of given) {
    const rated = readRated(one);
    if (rated) ratings.set(rated.item, rated); // an item that stands there twice has its last rating
  }
  const passed = Array.isArray(value.skipped) ? value.skipped : [];
  const skipped = new Set(passed.filter((item): item is string => isId(item) && !ratings.has(item)));
  return {
    state: "read",
    notes: {
      ...NOTHING,
      ratings: [...ratings.values()].sort((a, b) => a.time - b.time),
      skipped: [...skipped],
      saved: readSaved(value.saved),
    },
    left: given.length - ratings.size,
  };
}

function readRated(value: unknown): Rated | undefined {
  if (!isObject(value)) return undefined;
  const { item, title = null, rating, time, changed = time } = value;
  if (!isId(item) || !isRating(rating) || !isTime(time) || !isTime(changed)) return undefined;
  return { item, title: typeof title === "string" ? title : null, rating, time, changed };
}

function readSaved(value: unknown): Saved | null {
  if (!isObject(value)) return null;
  const { user, time, ratings } = value;
  if (!isId(user) || !isTime(time)) return null;
  return { user, time, ratings: Array.isArray(ratings) ? ratings.filter(isSavedRating) : [] };
}

const isSavedRating = (value: unknown): value is [string, number] =>
  Array.isArray(value) && value.length === 2 && isId(value[0]) && isTime(value[1]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** As the server takes ids. */
const isId = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= 512 && !value.includes("\0");

const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
