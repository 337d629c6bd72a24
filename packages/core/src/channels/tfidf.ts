// Texts as weighted words: for a text with f_t occurrences of term t, over N training texts of which N_t have t,
//
//   x_t = (1 + log f_t) · (log((1 + N) / (1 + N_t)) + 1),  x ← x / ‖x‖
//
// Logarithms are portable, so that the same texts give the same bits everywhere.
import { NearkinError } from "../errors.ts";
import { portableLog } from "../linalg/random.ts";
import { checkLeast, indexOf, mostFrequent, uniqueIndex } from "./categories.ts";
import { type Stored, type StoredReader, vectorTensor } from "./stored.ts";
import { TOKENIZER, tokenize } from "./tokens.ts";

export interface TfidfConfig {
  /** Keep terms of at least so many training texts. @default 2 */
  minDocuments?: number;
  /** Keep at most so many terms, those of the most texts. @default 20000 */
  maxTerms?: number;
  /** Pairs of neighbouring words are terms, too. @default false */
  bigrams?: boolean;
}

export interface Tfidf {
  readonly bigrams: boolean;
  /** N: training texts with at least one token. */
  readonly documents: number;
  /** By number of texts, largest first; equal numbers in code-unit order. */
  readonly terms: readonly string[];
  /** N_t: training texts that have each term. */
  readonly frequencies: Int32Array;
  /** Position of each term: made from `terms`. */
  readonly index: ReadonlyMap<string, number>;
  /** log((1 + N) / (1 + N_t)) + 1: made from `frequencies`. */
  readonly idf: Float64Array;
}

/** Why a text has no vector: there is no text (or none with a word in it), or no word of it is known. */
export type TextAbsence = "missing" | "unknown";

/** A sparse row of length 1. */
export interface TermWeights {
  /** Ascending, each once. */
  readonly indices: Int32Array;
  readonly values: Float64Array;
}

/** Learns the vocabulary of the training texts. Their order does not matter. */
export function fitTfidf(
  texts: Iterable<string | undefined>,
  { minDocuments = 2, maxTerms = 20_000, bigrams = false }: TfidfConfig = {},
): Tfidf {
  checkLeast("fitTfidf: minDocuments", minDocuments, 1);
  checkLeast("fitTfidf: maxTerms", maxTerms, 1);
  const frequency = new Map<string, number>();
  let documents = 0;
  for (const text of texts) {
    if (text === undefined) continue;
    const tokens = new Set(tokenize(text, { bigrams }));
    if (tokens.size > 0) documents++;
    for (const token of tokens) frequency.set(token, (frequency.get(token) ?? 0) + 1);
  }
  const kept = mostFrequent(frequency, minDocuments, maxTerms);
  if (kept.length === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `fitTfidf: no word comes in ${minDocuments} or more of ${documents} training texts; lower minDocuments or leave the channel out`,
    );
  }
  return withCache({
    bigrams,
    documents,
    terms: kept.map(([term]) => term),
    frequencies: Int32Array.from(kept, ([, n]) => n),
  });
}

/** A text as term weights, or why it has none. */
export function applyTfidf(tfidf: Tfidf, text: string | undefined): TermWeights | TextAbsence {
  const tokens = text === undefined ? [] : tokenize(text, { bigrams: tfidf.bigrams });
  if (tokens.length === 0) return "missing";
  const occurrences = new Map<number, number>();
  for (const token of tokens) {
    const t = tfidf.index.get(token);
    if (t !== undefined) occurrences.set(t, (occurrences.get(t) ?? 0) + 1);
  }
  if (occurrences.size === 0) return "unknown";
  const indices = Int32Array.from(occurrences.keys()).sort();
  const values = new Float64Array(indices.length);
  let square = 0;
  for (let i = 0; i < indices.length; i++) {
    const t = indices[i];
    values[i] = (1 + portableLog(occurrences.get(t) as number)) * tfidf.idf[t];
    square += values[i] * values[i];
  }
  const norm = Math.sqrt(square);
  for (let i = 0; i < values.length; i++) values[i] /= norm;
  return { indices, values };
}

export function encodeTfidf({ bigrams, documents, terms, frequencies }: Tfidf): Stored {
  return {
    json: { tokenizer: TOKENIZER, bigrams, documents, terms },
    tensors: { frequencies: vectorTensor.i32(frequencies) },
  };
}

export function decodeTfidf(stored: StoredReader): Tfidf {
  const tokenizer = stored.text("tokenizer");
  if (tokenizer !== TOKENIZER) throw stored.problem(`the tokenizer is "${tokenizer}"; this version has "${TOKENIZER}"`);
  const terms = stored.texts("terms");
  uniqueIndex(stored, terms);
  return withCache({
    bigrams: stored.flag("bigrams"),
    documents: stored.count("documents", 1),
    terms,
    frequencies: stored.i32("frequencies", terms.length),
  });
}

function withCache(learnt: Omit<Tfidf, "index" | "idf">): Tfidf {
  const { documents, terms, frequencies } = learnt;
  const idf = new Float64Array(terms.length);
  for (let t = 0; t < idf.length; t++) idf[t] = portableLog((1 + documents) / (1 + frequencies[t])) + 1;
  return { ...learnt, index: indexOf(terms), idf };
}
