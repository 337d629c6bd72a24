// What every ranking metric looks at: a list, best first, and G, the set of items that count as hits. Items are numbers, mostly indices.

/** G(x): the relevant items of a query. A `Set<number>` is one. */
export interface TruthSet {
  /** |G| */
  readonly size: number;
  has(item: number): boolean;
}

/** A ranked list, best first, each item once. Only its first k are looked at; it may be shorter. */
export type RankedList = ArrayLike<number>;

/** Hits among the first k: Σ_{i ≤ k} [x_i ∈ G]. */
export function countHits(ranked: RankedList, truth: TruthSet, k: number): number {
  const depth = Math.min(k, ranked.length);
  let hits = 0;
  for (let i = 0; i < depth; i++) if (truth.has(ranked[i])) hits++;
  return hits;
}

/** Rank of the first hit among the first k, counted from 1; 0 without one. */
export function firstHit(ranked: RankedList, truth: TruthSet, k: number): number {
  const depth = Math.min(k, ranked.length);
  for (let i = 0; i < depth; i++) if (truth.has(ranked[i])) return i + 1;
  return 0;
}
