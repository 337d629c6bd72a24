// Filters: which items may be recommended. A filter is plain JSON; `parseFilter` and `printFilter` are its form as text. Free of zod.

/** What a field is compared with. */
export type Scalar = string | number | boolean;
/** What has an order: numbers by size, texts by their code units, so that dates such as "1994-09-23" compare as dates. */
export type Bound = number | string;

/** What can be asked of a field. A field without a value fails all but `exists: false`. */
export type FieldFilter =
  /** Equals. */
  | { readonly field: string; readonly is: Scalar }
  /** Equals one of these. */
  | { readonly field: string; readonly in: readonly Scalar[] }
  /** A list that holds this; of a field that is no list, the same as `is`. */
  | { readonly field: string; readonly has: Scalar }
  /** A list that holds at least one of these. */
  | { readonly field: string; readonly hasAny: readonly Scalar[] }
  | { readonly field: string; readonly above: Bound }
  | { readonly field: string; readonly atLeast: Bound }
  | { readonly field: string; readonly below: Bound }
  | { readonly field: string; readonly atMost: Bound }
  /** From the first to the second, both included. */
  | { readonly field: string; readonly between: readonly [Bound, Bound] }
  /** Whether it has a value. */
  | { readonly field: string; readonly exists: boolean }
  /** Holds this text somewhere, upper and lower case alike; of a list, one of its texts does. */
  | { readonly field: string; readonly matches: string };

/** Which items may be recommended. */
export type Filter =
  /** All of these; of none, every item. */
  | { readonly all: readonly Filter[] }
  /** One of these or more; of none, no item. */
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | FieldFilter
  /** Has this field's value in common with the item in question; with one of them, where there are several. */
  | { readonly same: string }
  /** Whether the user has an event with it. */
  | { readonly seen: boolean }
  /** Whether it was put at run time, and is not in the model. */
  | { readonly added: boolean };

/** The names of what can be asked of a field. */
export const fieldOperators = [
  "is",
  "in",
  "has",
  "hasAny",
  "above",
  "atLeast",
  "below",
  "atMost",
  "between",
  "exists",
  "matches",
] as const;

/** How large a filter may be. */
export const filterLimits = {
  /** Filters within a filter, itself included. */
  nodes: 200,
  /** Levels of `all`, `any` and `not`, with the innermost condition. */
  depth: 20,
  /** Characters of its text. */
  text: 4000,
  /** Values of one list. */
  values: 1000,
  /** Characters of a name or of a value. */
  value: 512,
} as const;

/**
 * What is too large about a filter, or undefined. Takes anything, and looks no deeper than it must: to be asked before a value of unknown depth is
 * walked by recursion.
 */
export function tooLarge(filter: unknown): string | undefined {
  let nodes = 0;
  let level: unknown[] = [filter];
  for (let depth = 1; level.length > 0; depth++) {
    nodes += level.length;
    if (nodes > filterLimits.nodes) return `a filter has at most ${filterLimits.nodes} parts`;
    if (depth > filterLimits.depth) return `a filter is at most ${filterLimits.depth} levels deep`;
    level = level.flatMap(within);
  }
  return undefined;
}

function within(filter: unknown): readonly unknown[] {
  if (typeof filter !== "object" || filter === null) return [];
  const { all, any, not } = filter as { all?: unknown; any?: unknown; not?: unknown };
  return [...(Array.isArray(all) ? all : []), ...(Array.isArray(any) ? any : []), ...(not === undefined ? [] : [not])];
}
