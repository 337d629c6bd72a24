// What someone who mistyped a name may have meant.

const MOST_LOOKED_AT = 200_000; // names; at some microseconds each this is felt, and more would not be a hint but a search
const LONGEST = 200; // characters of a name that are compared
const MOST_EDITS = 3;

/**
 * The names nearest to `word`, nearest first: those that contain it, then those that a few slips of the keyboard lead to. Cost is
 * bounded, however many names there are.
 */
export function nearestNames(word: string, names: Iterable<string | null>, most = 3): string[] {
  const wanted = word.toLowerCase().slice(0, LONGEST);
  const limit = Math.min(MOST_EDITS, Math.max(2, Math.floor(wanted.length / 4)));
  const found: { name: string; distance: number }[] = [];
  let looked = 0;
  for (const name of names) {
    if (name === null || name === "") continue;
    if (++looked > MOST_LOOKED_AT) break;
    const own = name.toLowerCase().slice(0, LONGEST);
    // a name that has the word in it is at least as near as one slip
    const inside = wanted.length > 2 && own.includes(wanted);
    const distance = inside ? Math.min(1, own.length - wanted.length) : edits(wanted, own, limit);
    // as many edits as letters turn any word into any other
    if (distance > limit || distance >= Math.max(own.length, wanted.length)) continue;
    if (found.length === most && distance >= found[most - 1].distance) continue;
    const at = found.findIndex((other) => distance < other.distance);
    found.splice(at < 0 ? found.length : at, 0, { name, distance });
    if (found.length > most) found.pop();
  }
  return found.map(({ name }) => name);
}

/** "; did you mean a, b or c?", or nothing. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return "";
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop();
  return `; did you mean ${quoted.length > 0 ? `${quoted.join(", ")} or ` : ""}${last}?`;
}

let row = new Uint8Array(LONGEST + 1);
let next = new Uint8Array(LONGEST + 1);

/** Levenshtein's distance, or limit + 1 where it is larger: only cells within `limit` of the diagonal are looked at. */
function edits(a: string, b: string, limit: number): number {
  const far = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return far;
  for (let j = 0; j <= b.length; j++) row[j] = Math.min(j, far);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    next[from - 1] = from === 1 ? Math.min(i, far) : far;
    let least = next[from - 1];
    for (let j = from; j <= to; j++) {
      const replaced = row[j - 1] + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      next[j] = Math.min(replaced, row[j] + 1, next[j - 1] + 1, far);
      if (next[j] < least) least = next[j];
    }
    if (to < b.length) next[to + 1] = far; // what the next row reads beyond the band
    if (least > limit) return far;
    [row, next] = [next, row];
  }
  return row[b.length];
}
