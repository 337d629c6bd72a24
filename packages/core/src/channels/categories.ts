// Categories: each item has some of a set of terms (genres, cast, tags). The terms of the training items become the columns of a
// multi-hot row, the most frequent first; a row is kept sparse, as the indices of its ones.
import { NearkinError } from "../errors.ts";
import { type Stored, type StoredReader, vectorTensor } from "./stored.ts";

export interface CategoriesConfig {
  /** Keep terms that at least so many training items have. @default 1 */
  minCount?: number;
  /** Keep at most so many terms, the most frequent. @default 5000 */
  maxTerms?: number;
}

export interface CategoriesTransform {
  readonly type: "categories";
  /** By count, largest first; equal counts in code-unit order. */
  readonly terms: readonly string[];
  /** Training items that have each term. */
  readonly counts: Int32Array;
  /** Training items with terms, or with a list of none. */
  readonly count: number;
  /** Training items without a list. */
  readonly missing: number;
  /** Terms of training items that were too rare, or too many, to keep. */
  readonly dropped: number;
  /** Position of each term: made from `terms`. */
  readonly index: ReadonlyMap<string, number>;
}

/** One item's row. `indices` of length 0 says: the item has a list, but no term of it is known. That is not the same as missing. */
export interface CategoryRow {
  /** Columns that are 1, ascending, each once. */
  readonly indices: Int32Array;
  /** Terms that are no column: unseen in training, or dropped. Each once, in the order given. */
  readonly unknown: readonly string[];
}

/**
 * Learns the vocabulary of the training items. A term counts once per item; the order of items does not matter.
 *
 * @example
 * fitCategories([["Drama", "War"], ["Comedy", "Drama"], undefined]).terms // => ["Drama", "Comedy", "War"]
 */
export function fitCategories(
  items: Iterable<readonly string[] | undefined>,
  { minCount = 1, maxTerms = 5000 }: CategoriesConfig = {},
): CategoriesTransform {
  checkLeast("fitCategories: minCount", minCount, 1);
  checkLeast("fitCategories: maxTerms", maxTerms, 1);
  const frequency = new Map<string, number>();
  let count = 0;
  let missing = 0;
  for (const terms of items) {
    if (terms === undefined) {
      missing++;
      continue;
    }
    count++;
    for (const term of new Set(terms)) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  const kept = mostFrequent(frequency, minCount, maxTerms);
  if (kept.length === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `fitCategories: no term comes in ${minCount} or more of ${count} training items (${missing} more have none); ` +
        "lower minCount or leave the channel out",
    );
  }
  const terms = kept.map(([term]) => term);
  return {
    type: "categories",
    terms,
    counts: Int32Array.from(kept, ([, n]) => n),
    count,
    missing,
    dropped: frequency.size - kept.length,
    index: indexOf(terms),
  };
}

/**
 * An item's terms as columns; undefined where the item has no list. Unseen terms are reported, never an error.
 *
 * @example
 * const genres = fitCategories([["Drama", "War"], ["Drama"]]);
 * applyCategories(genres, ["War", "Opera", "Drama", "War"]) // => { indices: new Int32Array([0, 1]), unknown: ["Opera"] }
 * applyCategories(genres, ["Opera"])?.indices.length // => 0
 * applyCategories(genres, undefined) // => undefined
 */
export function applyCategories(
  transform: CategoriesTransform,
  terms: readonly string[] | undefined,
): CategoryRow | undefined {
  if (terms === undefined) return undefined;
  const found: number[] = [];
  const unknown: string[] = [];
  for (const term of terms) {
    const j = transform.index.get(term);
    if (j === undefined) unknown.push(term);
    else found.push(j);
  }
  return {
    indices: Int32Array.from(new Set(found)).sort(),
    unknown: unknown.length < 2 ? unknown : [...new Set(unknown)],
  };
}

export function encodeCategories({ type, terms, counts, count, missing, dropped }: CategoriesTransform): Stored {
  return { json: { type, terms, count, missing, dropped }, tensors: { counts: vectorTensor.i32(counts) } };
}

export function decodeCategories(stored: StoredReader): CategoriesTransform {
  const terms = stored.texts("terms");
  return {
    type: "categories",
    terms,
    counts: stored.i32("counts", terms.length),
    count: stored.count("count"),
    missing: stored.count("missing"),
    dropped: stored.count("dropped"),
    index: uniqueIndex(stored, terms),
  };
}

/** Entries of at least `least`, by count, largest first, equal counts in code-unit order; at most `most` of them. */
export function mostFrequent(
  frequency: ReadonlyMap<string, number>,
  least: number,
  most: number,
): (readonly [string, number])[] {
  return [...frequency]
    .filter(([, n]) => n >= least)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, most);
}

export function indexOf(terms: readonly string[]): Map<string, number> {
  return new Map(terms.map((term, j) => [term, j]));
}

/** The index of a stored vocabulary, which must not name a term twice. */
export function uniqueIndex(stored: StoredReader, terms: readonly string[]): Map<string, number> {
  const index = indexOf(terms);
  if (index.size !== terms.length) throw stored.problem(`"terms" names a term twice`);
  return index;
}

export function checkLeast(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new NearkinError("BAD_ARGUMENT", `${name} must be a whole number of at least ${least}, got ${value}`);
  }
}
