// What a store takes. Requests are checked before they get here; this keeps mistakes of ours out of what lasts.
import { NearkinError } from "@nearkin/core";
import { longerThan } from "../characters.ts";

const MOST_ID = 512;

/** Ids of items, users, events and the like: 1 to 512 characters, Unicode without NUL (that, every text is checked for on its way). */
export function checkId(what: string, id: string): void {
  if (typeof id !== "string" || id.length === 0 || longerThan(id, MOST_ID)) {
    const got = typeof id === "string" ? `${[...id].length}` : typeof id;
    throw new NearkinError("BAD_ARGUMENT", `store: ${what} must be a text of 1 to ${MOST_ID} characters, got ${got}`);
  }
}

/** Times in milliseconds since 1970, counts, versions and arrival numbers. */
export function checkWhole(what: string, value: number): void {
  if (!Number.isSafeInteger(value)) {
    throw new NearkinError("BAD_ARGUMENT", `store: ${what} must be a whole number, got ${value}`);
  }
}

export function checkPage({ after, limit }: { after?: number; limit: number }): void {
  if (after !== undefined) checkWhole("after", after);
  checkWhole("limit", limit);
  if (limit < 1) throw new NearkinError("BAD_ARGUMENT", `store: limit must be at least 1, got ${limit}`);
}
