// The ids that a mistyped one may have meant. An edit distance to every id would hold up a server; a slip leaves the beginning and the end as they
// were, so one cheap pass finds the ids that share most of both, and only those are compared in earnest. So are longer ones that begin alike:
// whoever writes "alien" may mean "alien-1979".
import { nearestNames } from "@nearkin/core";

const COMPARED = 256;
const BEGUN = 32; // longer ids that begin with the one asked for
const LONGEST = 64; // characters that are looked at

/** At most three ids, nearest first. One pass over all ids, some 20 ns each. */
export function nearIds(id: string, ids: Iterable<string>): string[] {
  const wanted = id.slice(0, LONGEST).toLowerCase();
  const byShared: string[][] = Array.from({ length: wanted.length + 1 }, () => []);
  const begun: string[] = [];
  let [kept, least] = [0, 1];
  for (const other of ids) {
    const longer = other.length - wanted.length;
    if (longer > 3 && begun.length < BEGUN && begins(wanted, other)) begun.push(other);
    if (Math.abs(longer) > 3) continue;
    const shared = sharedEnds(wanted, other);
    if (shared < least || byShared[shared].length >= COMPARED) continue;
    byShared[shared].push(other);
    if (++kept <= COMPARED) continue;
    // those that share least make room
    while (byShared[least].length === 0) least++;
    kept -= byShared[least].length;
    byShared[least++] = [];
  }
  return nearestNames(id, [...byShared.reverse().flat(), ...begun], 3);
}

/** Whether the longer `b` begins with `a`, letters in any case; too few characters begin too many. */
function begins(a: string, b: string): boolean {
  if (a.length < 3) return false;
  let start = 0;
  while (start < a.length && same(a.charCodeAt(start), b.charCodeAt(start))) start++;
  return start === a.length;
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
