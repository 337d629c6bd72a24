// Plots as vectors: TF-IDF over content words. A plot has about 18 of them, so a word counts once, as there or not.
import { portableLog } from "./portable.ts";

// Words that say nothing about a story: grammar, numerals and the common verbs of summaries.
const STOP_WORDS = new Set(
  (
    "about after again against all along alone also always among and another any are around away back become becomes been " +
    "before begin begins behind being between both bring brings but can cannot come comes could does down during each even " +
    "every everyone everything face find finds first five for four from get gets give gives goes had has have her him himself " +
    "his how instead into its itself join joins just keep keeps last later leads learn learns leave leaves like made make " +
    "makes many may meet meets more most must never new not now off once one only onto other others our out over own past " +
    "same see seem seems send sends set sets seven she should since six slowly some soon still such suddenly take takes than " +
    "that the their them themselves then there these they this those three through together too toward towards tries try " +
    "turn turns two under until upon want wants was way well were what when where whether which while who whom whose why " +
    "will with within without would years you your"
  ).split(" "),
);

/** The words of a plot that carry its story, each once, plurals cut: "A widow's two sons" → widow, son. */
export function contentWords(plot: string): string[] {
  const words =
    plot
      .toLowerCase()
      .replace(/'s\b/g, "")
      .match(/\p{L}+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length > 2 && !STOP_WORDS.has(word)).map(singular))];
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Row i: idf_w = log(n / n_w) for each word w of plot i that another plot has too; n_w plots have it. Shape (n, columns). */
export function plotTerms(plots: readonly string[]): { values: Float64Array; columns: number } {
  const n = plots.length;
  const words = plots.map(contentWords);
  const counts = new Map<string, number>();
  for (const word of words.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const column = new Map([...counts.keys()].filter((word) => counts.get(word) !== 1).map((word, j) => [word, j]));
  const values = new Float64Array(n * column.size);
  words.forEach((list, i) => {
    for (const word of list) {
      const j = column.get(word);
      if (j !== undefined) values[i * column.size + j] = portableLog(n / (counts.get(word) ?? n));
    }
  });
  return { values, columns: column.size };
}
