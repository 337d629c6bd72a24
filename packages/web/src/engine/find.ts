// Search as one types: every word must begin a word of the title. Accents and case do not matter.

/** Texts as they are compared: "Amélie" is "amelie". */
export const fold = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase();

const wordsOf = (text: string): string[] => fold(text).match(/[\p{Letter}\p{Number}]+/gu) ?? [];

interface Searched {
  /** (n) null where an item has none. */
  readonly titles: readonly (string | null)[];
  /** (n) What is found too where it is all there is: ids. */
  readonly ids: readonly string[];
  /** (n) Of two that fit equally well, the one with more ratings comes first. */
  readonly ratings: ArrayLike<number>;
}

/** Rows of the items found: those that begin with the text first, then those with most ratings. */
export function findRows({ titles, ids, ratings }: Searched, text: string, limit: number): number[] {
  const wanted = wordsOf(text);
  if (wanted.length === 0) return [];
  const start = wanted.join(" ");
  const found: { row: number; begins: boolean }[] = [];
  for (let row = 0; row < ids.length; row++) {
    const words = wordsOf(titles[row] ?? ids[row]);
    if (!wanted.every((part) => words.some((word) => word.startsWith(part)))) continue;
    found.push({ row, begins: words.join(" ").startsWith(start) });
  }
  found.sort((a, b) => Number(b.begins) - Number(a.begins) || ratings[b.row] - ratings[a.row] || a.row - b.row);
  return found.slice(0, limit).map(({ row }) => row);
}
