/** The word of `known` that differs from `word` by the fewest edits, if few enough to be a slip of the keyboard. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > 64) return undefined; // no slip, and the table grows with it
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = edits(word.toLowerCase(), candidate.toLowerCase());
    if (distance < Math.min(least, candidate.length)) [best, least] = [candidate, distance];
  }
  return best;
}

/** Levenshtein's distance, one row at a time. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
