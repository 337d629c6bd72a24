// Queries by which settings of the behavior channel are chosen: new items, which nobody met in training, and known ones, from users whose last items the
// factors that are tried know nothing of.
import { countUsers, type MetItems } from "@nearkin/core";
import { chosenQueries } from "./ranking.ts";
import type { Run } from "./run.ts";

const MAX_QUERIES = 400; // of each kind
const TRIAL_USERS = 300;
const TRIAL_SHARE = 0.3; // of a user's items that are held back
const MAX_HELD_BACK = 10;
const LEAST_ITEMS = 5; // of a user who is tried

/** An item, and what belongs into its list. */
export interface TrialQuery {
  readonly item: number;
  readonly relevant: ReadonlySet<number>;
  /** Items that are no candidates: what the user met before, the last one last. */
  readonly excluded: readonly number[];
}

/** Validation items of the dataset. */
export function newQueries({ set: { validation, itemCount } }: Run): readonly TrialQuery[] {
  if (!validation) return [];
  const { queries, starts, items } = validation;
  return chosenQueries(queries.length, itemCount, MAX_QUERIES).map((r) => {
    return { item: queries[r], relevant: new Set(items.subarray(starts[r], starts[r + 1])), excluded: [] };
  });
}

/** The last items of users drawn by the seed, and all histories without them. */
export function holdBack({ set, random }: Run): { met: MetItems; known: readonly TrialQuery[] } {
  const { starts, items } = set.data.histories;
  const able = Array.from({ length: starts.length - 1 }, (_, u) => u).filter(
    (u) => starts[u + 1] - starts[u] >= LEAST_ITEMS,
  );
  // at most a fifth of the users, so that the factors stay what they are
  const count = Math.min(TRIAL_USERS, Math.floor(able.length / 5));
  const tried = new Set(random.split("behavior", "trial").shuffle(able).slice(0, count));
  const kept: number[] = [];
  const keptStarts = [0];
  const cuts = new Map<number, number>();
  for (let u = 0; u + 1 < starts.length; u++) {
    const length = starts[u + 1] - starts[u];
    const held = tried.has(u) ? Math.min(MAX_HELD_BACK, Math.max(2, Math.floor(TRIAL_SHARE * length))) : 0;
    const cut = starts[u + 1] - held;
    for (let e = starts[u]; e < cut; e++) kept.push(items[e]);
    keptStarts.push(kept.length);
    if (held > 0) cuts.set(u, cut);
  }
  const met = { starts: Int32Array.from(keptStarts), items: Int32Array.from(kept) };
  const counts = countUsers(met, set.itemCount);
  const queries: TrialQuery[] = [];
  for (const [u, cut] of cuts) {
    const earlier = new Set(items.subarray(starts[u], cut));
    const later = [...new Set(items.subarray(cut, starts[u + 1]))].filter((item) => !earlier.has(item));
    for (const item of later) {
      const relevant = new Set(later.filter((other) => other !== item));
      if (relevant.size > 0 && counts[item] > 0) queries.push({ item, relevant, excluded: [...earlier] });
    }
  }
  return { met, known: chosenQueries(queries.length, set.itemCount, MAX_QUERIES).map((q) => queries[q]) };
}
