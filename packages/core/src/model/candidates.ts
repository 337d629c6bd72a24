// Which items may be returned, or are asked about: ids and filters of callers as rows.
import { NearkinError } from "../errors.ts";
import type { Query } from "../rank/query.ts";
import { type CandidateOptions, shown } from "./answers.ts";
import type { Items } from "./items.ts";

/** Rows never to return, and marks (n) of those that may be. */
export interface Candidates {
  exclude?: number[];
  allowed?: Uint8Array;
}

export function candidatesOf(items: Items, { exclude, filter }: CandidateOptions): Candidates {
  if (exclude != null && !isList(exclude)) {
    throw new NearkinError("BAD_ARGUMENT", `exclude: expected a list of ids, got ${shown(exclude)}`);
  }
  if (filter != null && typeof filter !== "function") {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `filter: expected a function that keeps an item by returning true, got ${shown(filter)}`,
    );
  }
  const allowed = filter && Uint8Array.from({ length: items.size }, (_, i) => (filter(items.at(i)) ? 1 : 0));
  return {
    ...(exclude ? { exclude: Array.from(exclude, (id) => items.indexOf(id)) } : {}),
    ...(allowed ? { allowed } : {}),
  };
}

/** Without the items of the history, which would raise themselves above all others. */
export function withoutMet(candidates: Candidates, { history }: Query): Candidates {
  const met = (history?.items ?? []).map(({ index }) => index).filter((index) => index >= 0);
  return met.length === 0 ? candidates : { ...candidates, exclude: [...(candidates.exclude ?? []), ...met] };
}

/** Rows of ids; rows as they are, and all `count` of them where none are named. */
export function rowsOf(items: Items, asked: Iterable<string> | Int32Array | undefined, count: number): Int32Array {
  if (asked instanceof Int32Array) return asked;
  if (asked === undefined) return Int32Array.from({ length: count }, (_, row) => row);
  if (!isList(asked)) throw new NearkinError("BAD_ARGUMENT", `expected a list of ids, got ${shown(asked)}`);
  return Int32Array.from(asked, (id) => items.indexOf(id));
}

const isList = (ids: Iterable<string>): boolean =>
  typeof ids !== "string" && typeof ids[Symbol.iterator] === "function";
