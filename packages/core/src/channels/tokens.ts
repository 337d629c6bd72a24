// Words of a text: runs of Unicode letters and digits, with the marks that belong to them, after NFKC and in lower case. Scripts
// that do not put spaces between words come out as long runs: use an encoder that knows them.
import { normalizeText } from "../text/normalize.ts";

// Words that say nothing about what a text is about. A stored vocabulary depends on this list: a change is a new TOKENIZER.
const STOP_WORDS = new Set(
  (
    "about after again all also am an and any are as at be because been before being between both but by can could did do does " +
    "doing down during each few for from further had has have having he her here hers him his how if in into is it its just ll me " +
    "more most my no nor not now of off on once only or other our out over own re same she should so some such than that the their " +
    "them then there these they this those through to too under until up us ve very was we were what when where which while who " +
    "whom why will with would you your"
  ).split(" "),
);

/** Name of this tokenizer, stored with what was fitted through it. */
export const TOKENIZER = "words-1";

/**
 * The tokens of a text, in order, of two characters or more, without English stop words; with `bigrams` also each two neighbours
 * among them, after the single words.
 *
 * @example
 * tokenize("The Café of lost souls, 1942") // => ["café", "lost", "souls", "1942"]
 * tokenize("lost souls, lost city", { bigrams: true }).slice(4) // => ["lost souls", "souls lost", "lost city"]
 */
export function tokenize(text: string, { bigrams = false }: { bigrams?: boolean } = {}): string[] {
  const words: string[] = [];
  for (const [word] of normalizeText(text, "NFKC")
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu)) {
    const short = word.length < 2 || (word.length === 2 && word.codePointAt(0) !== word.charCodeAt(0));
    if (!short && !STOP_WORDS.has(word)) words.push(word);
  }
  if (!bigrams) return words;
  const pairs = words.slice(1).map((word, i) => `${words[i]} ${word}`);
  return words.concat(pairs);
}
