// What counts as a hit: the truths of a split's query items (EV4, EV5), as sets that metrics can ask.
import type { CoInteraction, QueryRole, QueryRows, Truth } from "@nearkin/data";

/** Truths of the queries that have any. q queries. */
export interface TruthTable {
  /** As tables print it: "co-interaction 30 d". */
  readonly name: string;
  /** (q) Items, ascending. */
  readonly queries: Int32Array;
  /** (q) */
  readonly sets: readonly ReadonlySet<number>[];
  /** Queries left out because their truth is empty (EV8). */
  readonly empty: number;
}

const DAY = 86_400;

/** Horizons of EV4 in days; ∞ is any time apart. */
const horizons = [1, 7, 30, Infinity] as const;

export const MAIN_TRUTH = "co-interaction 30 d";
export const AFFINITY = "affinity";

/** Every truth of a role's queries, by name: co-interaction within each horizon, and affinity. Data without times has only the horizon ∞. */
export async function loadTruths(
  truth: Truth,
  role: QueryRole,
  { hasTimes }: { hasTimes: boolean },
): Promise<TruthTable[]> {
  const met = await truth.coInteraction(role);
  const asked = hasTimes ? horizons : [Infinity];
  return [
    ...asked.map((days) => coInteractionWithin(met, days)),
    truthTable(AFFINITY, await truth.affinity(role), () => true),
  ];
}

/** G(x): items that some user met within so many days of x. */
export function coInteractionWithin(met: CoInteraction, days: number): TruthTable {
  const name = Number.isFinite(days) ? `co-interaction ${days} d` : "co-interaction ∞";
  return truthTable(name, met, (entry) => met.seconds[entry] <= days * DAY);
}

function truthTable(
  name: string,
  { queries, starts, items }: QueryRows,
  counts: (entry: number) => boolean,
): TruthTable {
  const kept: number[] = [];
  const sets: Set<number>[] = [];
  for (let r = 0; r < queries.length; r++) {
    const set = new Set<number>();
    for (let entry = starts[r]; entry < starts[r + 1]; entry++) if (counts(entry)) set.add(items[entry]);
    if (set.size === 0) continue;
    kept.push(queries[r]);
    sets.push(set);
  }
  return { name, queries: Int32Array.from(kept), sets, empty: queries.length - kept.length };
}
