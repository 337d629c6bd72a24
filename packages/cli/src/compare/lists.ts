// Lists of neighbours of a sample of items, in a form that outlives the model.
import { type Model, neighboursOfAll, Random } from "@nearkin/core";

const PLACES = 10;

/** s sampled items. */
export interface SampledLists {
  /** (s) Ids of the items asked about. */
  readonly queries: readonly string[];
  /** (s) Their neighbours' ids, best first. */
  readonly lists: readonly (readonly string[])[];
  /** (s) Mean log q of each list: how popular what it shows is. */
  readonly popularity: readonly number[];
  /** Items whose row, or a score of whose list, is no finite number. With such a row nothing can be ranked, and there are no lists. */
  readonly broken: readonly string[];
}

/** Draws items of a model, the same for the same seed; all where there are no more. */
export function sampleItems(model: Model, { sample, seed }: { sample: number; seed: number }): string[] {
  const { ids } = model.items.ids;
  const rows = Int32Array.from(ids.keys());
  return Array.from(new Random(seed).split("compare").shuffle(rows).subarray(0, sample), (row) => ids[row]);
}

/** The lists of those items that the model has, by pure similarity. */
export function listsOf(model: Model, asked: readonly string[]): SampledLists {
  const { ids } = model.items.ids;
  const queries = asked.filter((id) => model.items.ids.index(id as (typeof ids)[number]) !== undefined);
  const rows = queries.map((id) => model.items.indexOf(id));
  const logQ = logPopularity(model);
  const broken = brokenRows(model).map((row) => ids[row] as string);
  if (broken.length > 0) return { queries: [], lists: [], popularity: [], broken };
  const lists: string[][] = [];
  const popularity: number[] = [];
  const metric = { weights: model.shared.weights, temperature: model.parts.temperature, popularity: 0 };
  for (const { first, count, k, items, scores } of neighboursOfAll(model.rows, { ...metric, items: rows, k: PLACES })) {
    for (let i = 0; i < count; i++) {
      const own = items.subarray(i * k, (i + 1) * k);
      if (!scores.subarray(i * k, (i + 1) * k).every(Number.isFinite)) broken.push(queries[first + i]);
      lists.push(Array.from(own, (row) => ids[row]));
      popularity.push(own.reduce((sum, row) => sum + logQ(row), 0) / k);
    }
  }
  return { queries, lists, popularity, broken };
}

/** Rows of the catalogue with a number that is not finite. */
function brokenRows({ rows: { shards } }: Model): number[] {
  const broken: number[] = [];
  let first = 0;
  for (const { rows } of shards) {
    const { data } = rows;
    for (let i = 0; i < rows.rows; i++) {
      const at = rows.offset + i * rows.rowStride;
      let sum = 0; // x − x is 0 for every finite x, and NaN for all others
      for (let j = at; j < at + rows.cols; j++) sum += data[j] - data[j];
      if (sum !== 0) broken.push(first + i);
    }
    first += rows.rows;
  }
  return broken;
}

/** log q, as training has it: an item that nobody met counts as met once. */
function logPopularity({ items }: Model): (row: number) => number {
  const counts = Float64Array.from({ length: items.size }, (_, row) => items.at(row).ratings);
  const total = Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
  return (row) => Math.log(Math.max(counts[row], 1) / total);
}

/** How much lists moved, over the items that both models have. */
export interface Stability {
  /** Items compared. */
  readonly items: number;
  /** Mean share of the first ten places that stay in the list; NaN without items. */
  readonly overlap: number;
  /** Share of the lists with nothing in common. */
  readonly disjoint: number;
  /** Share of the lists whose first item stays the first. */
  readonly firstStays: number;
  /** Mean log q of the lists. */
  readonly popularity: { readonly old: number; readonly new: number };
}

export function stabilityOf(old: SampledLists, fresh: SampledLists): Stability {
  const place = new Map(fresh.queries.map((id, i) => [id, i]));
  const pairs = old.queries.flatMap((id, i) => {
    const j = place.get(id);
    return j === undefined ? [] : [[i, j] as const];
  });
  const overlaps = pairs.map(([i, j]) => overlapOf(old.lists[i], fresh.lists[j]));
  const share = (test: (pair: readonly [number, number], p: number) => boolean) =>
    mean(pairs.map((pair, p) => (test(pair, p) ? 1 : 0)));
  return {
    items: pairs.length,
    overlap: mean(overlaps),
    disjoint: share((_, p) => overlaps[p] === 0),
    firstStays: share(([i, j]) => old.lists[i][0] === fresh.lists[j][0]),
    popularity: {
      old: mean(pairs.map(([i]) => old.popularity[i])),
      new: mean(pairs.map(([, j]) => fresh.popularity[j])),
    },
  };
}

/** Common items, over the places of the longer list. */
function overlapOf(a: readonly string[], b: readonly string[]): number {
  const there = new Set(b);
  return a.filter((id) => there.has(id)).length / Math.max(a.length, b.length, 1);
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
