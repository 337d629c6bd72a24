// Where a list goes on. A cursor only fits the question it came from: other options make another list, and a page of it would be nonsense.
import { createHash } from "node:crypto";
import { NearkinError } from "@nearkin/core";

const LENGTH = 12; // characters of the question's hash

export interface Place {
  /** Items of the list before this page. */
  readonly offset: number;
}

/** @param question all that decides the list: the model's id included, the size of a page not */
export function writeCursor(offset: number, question: string): string {
  return `${offset.toString(36)}.${hash(question)}`;
}

export function readCursor(cursor: string | undefined, question: string): Place {
  if (cursor === undefined) return { offset: 0 };
  const found = /^([0-9a-z]{1,8})\.([\w-]+)$/.exec(cursor);
  const offset = found ? Number.parseInt(found[1], 36) : Number.NaN;
  if (!found || !Number.isSafeInteger(offset)) {
    throw new NearkinError("BAD_ARGUMENT", "cursor: expected the `next` of an earlier page, as it came");
  }
  if (found[2] !== hash(question)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "cursor: it belongs to another question, or the model has changed since; ask for the first page again",
    );
  }
  return { offset };
}

const hash = (question: string): string => createHash("sha256").update(question).digest("base64url").slice(0, LENGTH);
