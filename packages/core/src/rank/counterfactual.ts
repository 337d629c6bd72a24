// "If the plots were equal it would be #2": the rank an item x would have if one channel's distance were 0 and all else unchanged,
//
//   1 + #{y ∉ {q, x} : score(y) > score(x) + h_c·d_c(q, x)/T},   ties as EV7
//
// Exactly, for any number of items and all their channels with one read of the rows: thresholds are sorted, every row's f32 score is
// placed among them, and the few rows within rounding of a threshold are scored again in f64.
import { exactScore } from "./exact.ts";
import type { Query } from "./query.ts";
import type { LiftedRows } from "./rows.ts";
import { scanScoresInSlices } from "./scores.ts";
import { reasons } from "./similar.ts";
import { comesBefore } from "./ties.ts";

export interface Ranks {
  /** Rank of the item, counted from 1. */
  rank: number;
  /** (p) Its rank if the channel's distance were 0. Larger than `rank` only where the weight is negative. */
  without: Int32Array;
}

interface Threshold {
  item: number;
  score: number;
  /** Candidates that come before. */
  before: number;
}

/** Rows that are ranked against. */
export interface RankCandidates {
  /** Rows that are none, besides the query's own. */
  exclude?: Iterable<number>;
  /** 1 for each row that is one (n); or a bitmap: bit i mod 32 of word ⌊i/32⌋; or a test. @default all */
  allowed?: Uint8Array | Uint32Array | ((row: number) => boolean);
}

/** One test, chosen before the rows are read: which kind of `allowed` it is costs nothing for each. */
function candidateTest(out: ReadonlySet<number>, allowed: RankCandidates["allowed"]): (row: number) => boolean {
  if (allowed === undefined) return (row) => !out.has(row);
  if (typeof allowed === "function") return (row) => !out.has(row) && allowed(row);
  if (allowed instanceof Uint8Array) return (row) => !out.has(row) && allowed[row] === 1;
  return (row) => ((allowed[row >>> 5] >>> (row & 31)) & 1) === 1 && !out.has(row);
}

/** Ranks of items among all candidates, as they are and without each channel. */
export function counterfactualRanks(
  rows: LiftedRows,
  query: Query,
  items: readonly number[],
  candidates: RankCandidates = {},
): Ranks[] {
  const scan = counterfactualRanksInSlices(rows, query, items, candidates);
  for (;;) {
    const { done, value } = scan.next();
    if (done) return value;
  }
}

/** `counterfactualRanks`, yielding after every `sliceRows` rows: for servers, which answer others meanwhile. */
export function* counterfactualRanksInSlices(
  rows: LiftedRows,
  query: Query,
  items: readonly number[],
  { exclude, allowed, sliceRows }: RankCandidates & { sliceRows?: number } = {},
): Generator<undefined, Ranks[]> {
  const out = new Set(exclude);
  for (const { index } of query.items) if (index >= 0) out.add(index);
  const isCandidate = candidateTest(out, allowed);
  const groups = items.map((item): Threshold[] => {
    const { score, contributions } = reasons(rows, query, item);
    const raised = Array.from(contributions, (contribution) => score + contribution / query.temperature);
    return [score, ...raised].map((threshold) => ({ item, score: threshold, before: 0 }));
  });
  yield* countBefore(rows, query, groups.flat(), { isCandidate, sliceRows });
  return groups.map(([own, ...raised]) => ({
    rank: 1 + own.before,
    without: Int32Array.from(raised, ({ before }) => 1 + before),
  }));
}

/** Counts, for every threshold, the candidates that come before it. */
function* countBefore(
  rows: LiftedRows,
  query: Query,
  thresholds: readonly Threshold[],
  { isCandidate, sliceRows }: { isCandidate: (item: number) => boolean; sliceRows: number | undefined },
): Generator<undefined, void> {
  const sorted = [...thresholds].sort((a, b) => a.score - b.score);
  const values = Float64Array.from(sorted, ({ score }) => score);
  const beats = new Float64Array(sorted.length + 1); // beats[j]: rows above exactly the first j thresholds
  const scratch = new Float64Array(rows.layout.channelCount);
  const { constant, rounding: bound } = query;
  const lowest = values[0] - bound;
  const count = (item: number, score: number, slack: number): void => {
    const sure = countBelow(values, score - slack);
    const maybe = countBelow(values, score + slack, true);
    beats[sure]++;
    if (maybe === sure) return;
    const exact = { item, score: slack === 0 ? score : exactScore(rows, query, item, scratch) };
    for (let j = sure; j < maybe; j++) if (comesBefore(rows.hashes, exact, sorted[j])) sorted[j].before++;
  };
  // The rows of the thresholds are scored once, before the scan: they may change between its slices.
  const own = new Map<number, number>();
  for (const { item } of sorted) if (!own.has(item)) own.set(item, exactScore(rows, query, item, scratch));
  for (const [item, score] of own) if (isCandidate(item)) count(item, score, 0);
  const look = (first: number, length: number, scores: Float32Array, at: number): void => {
    for (let i = 0; i < length; i++) {
      const score = scores[at + i] + constant;
      if (score < lowest || !isCandidate(first + i) || own.has(first + i)) continue;
      count(first + i, score, bound);
    }
  };
  yield* scanScoresInSlices(rows, query, { look, sliceRows });
  let above = 0;
  for (let j = sorted.length - 1; j >= 0; j--) {
    above += beats[j + 1];
    sorted[j].before += above;
  }
  // The item itself is no competitor, but with a negative weight its own score lies above its threshold.
  for (const threshold of sorted) {
    const { item } = threshold;
    if (!isCandidate(item)) continue;
    if (comesBefore(rows.hashes, { item, score: own.get(item) as number }, threshold)) threshold.before--;
  }
}

/** How many of the ascending values lie below x; or at it, where `inclusive`. */
function countBelow(values: Float64Array, x: number, inclusive = false): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < x || (inclusive && values[middle] === x)) low = middle + 1;
    else high = middle;
  }
  return low;
}
