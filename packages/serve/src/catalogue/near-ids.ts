// The ids that a mistyped one may have meant. An edit distance to every id would hold up a server; a slip leaves the beginning and the end as they
// were, so one cheap pass finds the ids that share most of both, and only those are compared in earnest.
import { nearestNames } from "@nearkin/core";

const COMPARED = 256;
const LONGEST = 64; // characters that are looked at

/** At most three ids, nearest first. One pass over all ids, some 20 ns each. */
export function nearIds(id: string, ids: Iterable<string>): string[] {
  const wanted = id.slice(0, LONGEST).toLowerCase();
  const byShared: string[][] = Array.from({ length: wanted.length + 1 }, () => []);
  let [kept, least] = [0, 1];
  for (const other of ids) {
    if (Math.abs(other.length - wanted.length) > 3) continue;
    const shared = sharedEnds(wanted, other);
    if (shared < least || byShared[shared].length >= COMPARED) continue;
    byShared[shared].push(other);
    if (++kept <= COMPARED) continue;
    // those that share least make room
    while (byShared[least].length === 0) least++;
    kept -= byShared[least].length;
    byShared[least++] = [];
  }
  return nearestNames(id, byShared.reverse().flat(), 3);
}

/** Characters at the beginning and at the end that are the same, letters in any case; at most all of `a`. */
function sharedEnds(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && same(a.charCodeAt(start), b.charCodeAt(start))) start++;
  let end = 0;
  while (start + end < most && same(a.charCodeAt(a.length - 1 - end), b.charCodeAt(b.length - 1 - end))) end++;
  return start + end;
}

/** `a` is in lower case already. */
const same = (a: number, b: number): boolean => a === b || (b >= 65 && b <= 90 && a === b + 32);
