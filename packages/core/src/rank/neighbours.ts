// The neighbours of many items, a block of queries at a time (blocked-scan.ts). As in similar.ts a scan finds candidates in f32, their scores are
// computed again in f64, and lists are certified. Those that are not, because more rows than there is room for come within rounding of
// the last place, are made in a second scan: by then it is known what the last place scores at least, and every row that may reach that is
// scored exactly. Rows that the metric cannot tell apart are scanned as one (equal-rows.ts).
import { NearkinError } from "../errors.ts";
import { BestLists } from "./best-lists.ts";
import { type ScoreRun, scanBlock } from "./blocked-scan.ts";
import { type RowClasses, rowClasses } from "./equal-rows.ts";
import { exactScore } from "./exact.ts";
import { buildQuery, type Query, type QueryOptions } from "./query.ts";
import { type LiftedRows, liftedItem } from "./rows.ts";

const QUERIES = 256;
const SPARE = 16; // candidates beyond those asked for: one for the query itself, and near-ties rarely need more
const MANY = 256; // queries from which on finding equal rows costs little beside them
const MOST_PLACES = 2 ** 22; // of a block's lists: where they are as long as the catalogue, blocks are smaller

export interface NeighbourOptions extends QueryOptions {
  /** Neighbours of each item. @default 50 */
  k?: number;
  /** Rows to find neighbours of. @default all, in order */
  items?: ArrayLike<number>;
  /** Position of the first of them, and of the one after the last. @default all */
  from?: number;
  to?: number;
}

/** The neighbours of the items at positions `first` … `first + count − 1`. */
export interface NeighbourBlock {
  first: number;
  count: number;
  /** Neighbours of each: k, or all others where there are fewer. */
  k: number;
  /** (count, k) Rows, best first. */
  items: Int32Array;
  /** (count, k) */
  scores: Float64Array;
}

/** Neighbours of all items, some at a time and in order; each list is what `similar` would give. */
export function neighboursOfAll(rows: LiftedRows, options: NeighbourOptions): Generator<NeighbourBlock> {
  const { k = 50, items: asked, from = 0, to = asked?.length ?? rows.count } = options;
  if (!Number.isSafeInteger(k) || k < 1) {
    throw new NearkinError("BAD_ARGUMENT", `neighbours: k must be a whole number of at least 1, got ${k}`);
  }
  const most = asked?.length ?? rows.count;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || from > to || to > most) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `neighbours: from and to must be whole numbers with 0 ≤ from ≤ to ≤ ${most}, got from ${from} to ${to}`,
    );
  }
  return blocksOf(rows, { ...options, k, from, to });
}

type CheckedOptions = NeighbourOptions & { k: number; from: number; to: number };

function* blocksOf(
  rows: LiftedRows,
  { k, items: asked, from, to, ...metric }: CheckedOptions,
): Generator<NeighbourBlock> {
  const length = Math.min(k, rows.count - 1);
  if (length < 1 || from === to) return;
  const most = Math.max(1, Math.min(QUERIES, to - from, Math.floor(MOST_PLACES / length)));
  const classes = to - from >= MANY ? rowClasses(rows, metric) : undefined;
  const ranking = new BlockRanking(rows, classes, { queries: most, length });
  for (let first = from; first < to; first += most) {
    const count = Math.min(most, to - first);
    const queries = Array.from({ length: count }, (_, i) =>
      buildQuery(rows, [liftedItem(rows, asked ? asked[first + i] : first + i)], metric),
    );
    const { items, scores } = ranking.rank(queries);
    yield { first, count, k: length, items, scores };
  }
}

/** Ranks block after block. A class stands for the items in it; without classes every row is its own. */
class BlockRanking {
  readonly #rows: LiftedRows;
  readonly #classes: RowClasses | undefined;
  readonly #length: number;
  /** Classes by f32 score. One place more than there are classes: a list that is full may have left one out, any other has not. */
  readonly #candidates: BestLists;
  readonly #scratch: Float64Array;

  constructor(
    rows: LiftedRows,
    classes: RowClasses | undefined,
    { queries, length }: { queries: number; length: number },
  ) {
    this.#rows = rows;
    this.#classes = classes;
    this.#length = length;
    const size = Math.min(length + SPARE, (classes?.count ?? rows.count) + 1);
    this.#candidates = new BestLists(queries, size, classes?.hashes ?? rows.hashes);
    this.#scratch = new Float64Array(rows.layout.channelCount);
  }

  /** The best `length` items of each query, sorted. */
  rank(queries: readonly Query[]): BestLists {
    const lists = new BestLists(queries.length, this.#length, this.#rows.hashes);
    this.#findCandidates(queries);
    const open = queries.map((_, i) => i).filter((i) => !this.#rankCandidates(lists, i, queries[i]));
    if (open.length > 0) this.#rankWithinRounding(lists, open, queries);
    for (let i = 0; i < queries.length; i++) lists.sort(i);
    return lists;
  }

  #findCandidates(queries: readonly Query[]): void {
    for (let i = 0; i < queries.length; i++) this.#candidates.clear(i);
    scanBlock(this.#rows, { queries, classes: this.#classes }, (i, run) => this.#look(i, run));
  }

  /** Offers scores to query i, its own among them. Four at a time: hardly any enters, and finding none must be fast. */
  #look(i: number, { data, at, count, first }: ScoreRun): void {
    const candidates = this.#candidates;
    const end = at + count;
    let worst = candidates.worst(i);
    let j = at;
    while (j < end) {
      if (j + 4 <= end && !(data[j] > worst || data[j + 1] > worst || data[j + 2] > worst || data[j + 3] > worst)) {
        j += 4;
        continue;
      }
      const stop = Math.min(j + 4, end);
      for (; j < stop; j++) {
        if (data[j] > worst) {
          candidates.offer(i, first + j - at, data[j]);
          worst = candidates.worst(i);
        }
      }
    }
  }

  /** Whether query i's candidates make its list for certain: no other class can reach the last place. */
  #rankCandidates(lists: BestLists, i: number, query: Query): boolean {
    const { size, items, counts } = this.#candidates;
    for (let r = i * size; r < i * size + counts[i]; r++) this.#offerClass(lists, i, query, items[r]);
    return counts[i] < size || this.#candidates.worst(i) + query.constant + query.rounding < lists.worst(i);
  }

  /** The lists of these queries anew, from all that come within rounding of the last place that candidates gave them. */
  #rankWithinRounding(lists: BestLists, open: readonly number[], queries: readonly Query[]): void {
    const asked = open.map((i) => queries[i]);
    const least = Float64Array.from(open, (i) => lists.worst(i) - queries[i].constant - queries[i].rounding);
    for (const i of open) lists.clear(i);
    scanBlock(this.#rows, { queries: asked, classes: this.#classes }, (o, { data, at, count, first }) => {
      for (let j = 0; j < count; j++) {
        if (data[at + j] >= least[o]) this.#offerClass(lists, open[o], asked[o], first + j);
      }
    });
  }

  /** Offers the items of a class but the query, at their exact score. */
  #offerClass(lists: BestLists, i: number, query: Query, found: number): void {
    const own = query.items[0].index;
    if (!this.#classes) {
      if (found !== own) lists.offer(i, found, exactScore(this.#rows, query, found, this.#scratch));
      return;
    }
    const { starts, members } = this.#classes;
    const end = starts[found + 1];
    const first = members[starts[found]] === own ? starts[found] + 1 : starts[found];
    if (first === end) return;
    const score = exactScore(this.#rows, query, members[first], this.#scratch);
    for (let m = first; m < end; m++) {
      if (members[m] !== own && !lists.offer(i, members[m], score)) return; // later ones come after it
    }
  }
}
