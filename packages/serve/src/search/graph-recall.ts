// What share of an exact list the graph would find, for a metric nobody has searched with yet and without a scan. Some items are probes: for each, the exact
// lists under many metrics (graph-tastes.ts) and the graph's own answer are looked up once, and kept as a pool of rows with their channel
// distances and whether the graph found them. Under a new metric (h, β) the pool is sorted, and its first k say how many of them the graph has:
// a direct estimate for these weights, for any k. Measured against true recall on 60 other queries (bench/serve-graph.ts) it is off by
// 0.01–0.02; functions of the weights alone (spread of the ratios, angles, variance explained) were off by 0.04–0.12.
// P probes, m rows in a pool, p channels, L levels (numbers of candidates), D depths
import { BestLists, channelDistances, type LiftedRows, liftedItem, logPopularity, type Scored } from "@nearkin/core";

/** Depths of lists for which recall is known; others take the next deeper one. */
export const DEPTHS: readonly number[] = [1, 2, 5, 10, 20, 50, 100];
export const DEEPEST = 100;

const CONFIDENCE = 1.645; // one-sided, 95 %
/** Least spread between probes that is believed: a handful that are all right do not prove that all are. */
const LEAST_SPREAD = 0.05;

/** Recall to expect under one metric. */
export interface Forecast {
  /** (L, D) Mean over the probes. */
  readonly recall: readonly Float64Array[];
  /** (L, D) What the mean is above with 95 % confidence. */
  readonly lowerBound: readonly Float64Array[];
}

/** Where a depth stands among those that are known; −1 beyond the deepest. */
export const depthIndex = (depth: number): number => DEPTHS.findIndex((known) => known >= depth);

export interface ForecastMetric {
  /** (p) h */
  readonly weights: Float64Array;
  /** T */
  readonly temperature: number;
  /** β */
  readonly popularity: number;
}

/** One probe as it was looked up. */
export interface ProbeLists {
  /** Row of the item. */
  item: number;
  /** By level: the graph's rows. */
  found: readonly ReadonlySet<number>[];
  /** Exact lists, under each taste. */
  exact: readonly (readonly Scored[])[];
  /** Candidates wherever β > 0. */
  popular: ReadonlySet<number>;
}

/** The rows of one probe. */
interface Pool {
  /** (m, p) d_c */
  distances: Float64Array;
  /** (m) log q */
  logs: Float64Array;
  /** (m) The first level at which the graph finds the row; L where at none. */
  levels: Uint8Array;
  /** (m) 1 where it is a candidate whenever β > 0. */
  popular: Uint8Array;
}

export class GraphProbes {
  /** L */
  readonly levels: number;
  readonly #channels: number;
  readonly #pools: Pool[] = [];
  readonly #best = new BestLists(1, DEEPEST, new Uint32Array(0)); // pools are sorted by score alone

  constructor({ levels, channels }: { levels: number; channels: number }) {
    this.levels = levels;
    this.#channels = channels;
  }

  /** P */
  get count(): number {
    return this.#pools.length;
  }

  add(rows: LiftedRows, { item, found, exact, popular }: ProbeLists): void {
    const query = { items: [liftedItem(rows, item)] };
    const members = new Set<number>(found[0]);
    for (const list of exact) for (const scored of list) members.add(scored.item);
    members.delete(item);
    const list = [...members].filter((row) => row < rows.count); // the scan may know rows that are newer
    const p = this.#channels;
    const distances = new Float64Array(list.length * p);
    list.forEach((row, i) => {
      channelDistances(rows, query, row, distances.subarray(i * p, (i + 1) * p));
    });
    const levelOf = (row: number) => {
      const level = found.findIndex((set) => set.has(row));
      return level < 0 ? this.levels : level;
    };
    this.#pools.push({
      distances,
      logs: Float64Array.from(list, (row) => logPopularity(rows, row)),
      levels: Uint8Array.from(list, levelOf),
      popular: Uint8Array.from(list, (row) => (popular.has(row) ? 1 : 0)),
    });
  }

  /** Recall under weights h and popularity β at temperature T. */
  forecast(metric: ForecastMetric): Forecast {
    const sums = Array.from({ length: this.levels }, () => new Float64Array(DEPTHS.length));
    const squares = Array.from({ length: this.levels }, () => new Float64Array(DEPTHS.length));
    for (const pool of this.#pools) {
      this.#sort(pool, metric);
      for (let level = 0; level < this.levels; level++) {
        for (let d = 0; d < DEPTHS.length; d++) {
          const recall = this.#recall(pool, DEPTHS[d], { level, withPopular: metric.popularity > 0 });
          sums[level][d] += recall;
          squares[level][d] += recall * recall;
        }
      }
    }
    const n = Math.max(this.count, 1);
    const recall = sums.map((sum) => sum.map((total) => total / n));
    const lowerBound = recall.map((means, level) =>
      means.map((mean, d) => {
        const spread = Math.sqrt(Math.max(0, squares[level][d] / n - mean * mean));
        return mean - (CONFIDENCE * Math.max(spread, LEAST_SPREAD)) / Math.sqrt(n);
      }),
    );
    return { recall, lowerBound };
  }

  /** The best of a pool, in `#best`. */
  #sort({ distances, logs }: Pool, { weights, temperature, popularity }: ForecastMetric): void {
    const p = this.#channels;
    const best = this.#best;
    best.clear(0);
    let worst = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < logs.length; i++) {
      let total = 0;
      for (let c = 0; c < p; c++) total += weights[c] * distances[i * p + c];
      const score = popularity * logs[i] - total / temperature;
      if (score < worst) continue;
      best.offer(0, i, score);
      worst = best.worst(0);
    }
    best.sort(0);
  }

  /** Of the first `depth` of a sorted pool, the share that the graph finds; a row as good as the last of them stands for it. */
  #recall(pool: Pool, depth: number, { level, withPopular }: { level: number; withPopular: boolean }): number {
    const best = this.#best;
    const length = Math.min(depth, best.counts[0]);
    let end = length;
    while (end < best.counts[0] && best.scores[end] === best.scores[length - 1]) end++;
    let hits = 0;
    for (let r = 0; r < end; r++) {
      const i = best.items[r];
      if (pool.levels[i] <= level || (withPopular && pool.popular[i] === 1)) hits++;
    }
    return length === 0 ? 1 : Math.min(hits, length) / length;
  }
}
