// What lists show of the catalogue, whatever the truth: how much of it, how evenly, how popular, and how often chance decided.
import { listOf, NONE, type RankedLists } from "./lists.ts";

/** q queries, n items. */
export interface CatalogueFigures {
  /** Share of the catalogue that some list shows. */
  readonly coverage: number;
  /**
   * Catalogue diversity: e^H of the shares of places that items take, over the most there can be, min(n, places). 1 when all show up equally
   * often; small when few items fill most places.
   */
  readonly diversity: number;
  /** Mean share of the catalogue that is less popular than a listed item: .5 is indifferent, 1 the most popular only. */
  readonly popularity: number;
  /** Share of the lists in which two neighbouring places, or the last and the first one outside, have equal scores (EV7). */
  readonly ties: number;
}

export interface CatalogueInputs {
  /** (n) Training events of each item. */
  readonly events: ArrayLike<number>;
  /** Places that count; the lists have at least one more, which shows whether the last one was a tie. */
  readonly k: number;
}

export function catalogueFigures(lists: RankedLists, { events, k }: CatalogueInputs): CatalogueFigures {
  const n = events.length;
  const queries = lists.items.length / lists.k;
  const percentile = popularityPercentiles(events);
  const shown = new Float64Array(n);
  let places = 0;
  let popular = 0;
  let tied = 0;
  for (let r = 0; r < queries; r++) {
    const list = listOf(lists, r).subarray(0, k);
    for (const item of list) {
      shown[item]++;
      popular += percentile[item];
    }
    places += list.length;
    if (hasTie(lists, r, k)) tied++;
  }
  const seen = shown.filter((count) => count > 0);
  const entropy = seen.reduce((sum, count) => sum - (count / places) * Math.log(count / places), 0);
  return {
    coverage: seen.length / n,
    diversity: places === 0 ? 0 : Math.exp(entropy) / Math.min(n, places),
    popularity: places === 0 ? Number.NaN : popular / places,
    ties: queries === 0 ? 0 : tied / queries,
  };
}

function hasTie({ items, scores, k: length }: RankedLists, row: number, k: number): boolean {
  for (let place = 1; place < Math.min(length, k + 1); place++) {
    const at = row * length + place;
    if (items[at] === NONE) return false;
    if (scores[at] === scores[at - 1]) return true;
  }
  return false;
}

/** (n) Share of items with fewer events, those with as many counting half. */
function popularityPercentiles(events: ArrayLike<number>): Float64Array {
  const n = events.length;
  const sorted = Float64Array.from(events).sort();
  const percentiles = new Float64Array(n);
  const of = new Map<number, number>();
  for (let i = 0; i < n; ) {
    let end = i;
    while (end < n && sorted[end] === sorted[i]) end++;
    of.set(sorted[i], (i + end) / 2 / n);
    i = end;
  }
  for (let item = 0; item < n; item++) percentiles[item] = of.get(events[item]) ?? Number.NaN;
  return percentiles;
}
