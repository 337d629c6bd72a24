// Strata: by the popularity of the hits (EV12), since a recommender that only knows what is popular hits the head of the truth and nothing else; and by how
// well the query is known, since content answers new items and neighbor counts known ones.
import type { TruthTable } from "./truths.ts";

/** Strata of queries by their training events, with the least of each. */
export const knownStrata = [
  { events: "0", least: 0 },
  { events: "1–4", least: 1 },
  { events: "5–19", least: 5 },
  { events: "20–99", least: 20 },
  { events: "100+", least: 100 },
] as const;

/** The place of an item with so many training events in `knownStrata`. */
export const knownStratum = (events: number): number => knownStrata.findLastIndex(({ least }) => events >= least);

export const strata = ["head", "middle", "tail"] as const;
export type Stratum = (typeof strata)[number];

/**
 * The truth cut into thirds by popularity: pairs (query, hit) are sorted by the hit's training events, most first, and cut into three of equal
 * size. Equal counts stay together, in the third where the middle one of them falls, on a border in the less popular one. In each part a query keeps the hits of that part alone, and a query without any is left out (EV8).
 *
 * @param events (n) Training events by item
 */
export function stratify(truth: TruthTable, events: ArrayLike<number>): Record<Stratum, TruthTable> {
  const pairs = new Map<number, number>(); // events → pairs
  let total = 0;
  for (const set of truth.sets) {
    for (const item of set) {
      pairs.set(events[item], (pairs.get(events[item]) ?? 0) + 1);
      total++;
    }
  }
  const third = new Map<number, Stratum>();
  let before = 0;
  for (const count of [...pairs.keys()].sort((a, b) => b - a)) {
    const size = pairs.get(count) ?? 0;
    third.set(count, strata[Math.min(2, Math.floor((3 * (before + size / 2)) / total))]);
    before += size;
  }
  const cut = (stratum: Stratum): TruthTable => {
    const queries: number[] = [];
    const sets: ReadonlySet<number>[] = [];
    truth.sets.forEach((set, r) => {
      const kept = new Set([...set].filter((item) => third.get(events[item]) === stratum));
      if (kept.size === 0) return;
      queries.push(truth.queries[r]);
      sets.push(kept);
    });
    return {
      name: `${truth.name}, ${stratum}`,
      queries: Int32Array.from(queries),
      sets,
      empty: truth.empty + truth.queries.length - queries.length,
    };
  };
  return { head: cut("head"), middle: cut("middle"), tail: cut("tail") };
}
