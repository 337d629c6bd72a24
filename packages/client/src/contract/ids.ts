// What the outside world calls things, when something happened, and where a page begins.
import { z } from "zod";

/** Halves of a character that stand alone, and NUL, which databases cut a text at. */
const unspeakable = /\p{Surrogate}|\0/u;

/** Text of at least one character that every store keeps as it is. */
export function text(most: number) {
  return z
    .string()
    .min(1)
    .max(most)
    .refine((value) => !unspeakable.test(value), {
      message: "holds NUL, or half of a character: no store would keep it as it is",
      abort: true,
    });
}

const id = text(512);

export const itemId = id.describe("An item's id: 1 to 512 characters, without NUL.");
export const userId = id.describe("A user's id: 1 to 512 characters, without NUL. Yours, and opaque to the server.");
export const modelId = z.string().describe("The model's id: the sha256 of all it is made of.");
export const recommendationId = text(128).describe("Names this list in feedback about it.");
export const channelName = text(128).describe("A channel's name.");
export const title = z.string().nullable().describe("Its title; null where it has none.");

export const namedItem = { id: itemId, title };

/** Milliseconds since 1970, as answered. */
export const time = z.number().describe("Milliseconds since 1970-01-01T00:00Z.");

const FARTHEST = 8.64e15; // what a Date can hold

/** A time as it may be given: milliseconds, or ISO 8601. Milliseconds after parsing. */
export const givenTime = z
  .union(
    [
      z.number().min(-FARTHEST).max(FARTHEST),
      z.iso.datetime({ offset: true }).transform((value) => Date.parse(value)),
      z.iso.date().transform((value) => Date.parse(value)),
    ],
    'expected milliseconds since 1970, or ISO 8601 such as "2026-03-01T20:15:00Z"',
  )
  .describe("Milliseconds since 1970, or ISO 8601: a day, or a day and time with its offset or Z. Default: now.");

export const cursor = text(2048).describe("Where the page begins: `next` of the page before.");
export const nextCursor = z.string().nullable().describe("Give it as the cursor of the next page; null on the last.");

/** A whole number within bounds. */
export const count = (least: number, most: number) => z.int().min(least).max(most);
/** A number of things, as answered. */
export const total = z.int().min(0);
