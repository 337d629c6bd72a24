// Which queries the graph answers, and how well. Recall is measured when the graph is ready, and forecast for every metric (graph-recall.ts): a query goes
// to the graph where at least `target` of its exact list is to be expected there, with 95 % confidence, and to the exact scan otherwise. A small
// share of the graph's answers is compared with the scan while serving; where they fall short of the forecast, forecasts are lowered by as much.
import { buildQuery, type LiftedRows, liftedItem, NearkinError, type Query, Random, type Scored } from "@nearkin/core";
import { countRows } from "./graph-bitmap.ts";
import { type Calibration, calibrateGraph, type ExactRank, type StartRecall } from "./graph-calibrate.ts";
import type { GraphIndex } from "./graph-index.ts";
import { type GraphAnswer, type GraphRankOptions, graphRank } from "./graph-rank.ts";
import { DEEPEST, depthIndex, type Forecast, type ForecastMetric } from "./graph-recall.ts";
import { Shortfall } from "./graph-shortfall.ts";

export interface GraphSearchOptions {
  index: GraphIndex;
  exact: ExactRank;
  /** (p) h of the base metric: the graph's. */
  weights: ArrayLike<number>;
  /** T of the model. */
  temperature: number;
  /** Least recall that is good enough. @default 0.95 */
  target?: number;
  /** Candidates asked of the graph: the fewest that promise enough are taken. @default [300, 800, 2000] */
  overfetch?: readonly number[];
  /** Items that recall is measured with at start, about 20 exact scans each. @default 40 */
  probes?: number;
  /** Share of the graph's answers that are compared with the exact scan. @default 0.005 */
  checked?: number;
  /** @default 1 */
  seed?: number;
}

/** Why a query is not for the graph. */
export type ExactReason =
  | "not ready"
  | "negative weights"
  | "long list"
  | "recall"
  | "filter"
  | "exclusions"
  | "failed";

export type GraphOutcome =
  | {
      via: "graph";
      list: Scored[];
      /** Candidates asked for. */
      overfetch: number;
      /** Recall to be expected of the list. */
      recall: number;
    }
  | { via: "exact"; why: ExactReason };

export type GraphQueryOptions = Pick<GraphRankOptions, "k" | "exclude" | "allowed" | "allowedCount">;

export interface RecallOptions {
  /** Rows of the items, or how many to draw. @default 50 */
  queries?: readonly number[] | number;
  /** (p) h. @default the base metric's */
  weights?: ArrayLike<number>;
  /** β @default 0 */
  popularity?: number;
  /** @default 10 */
  k?: number;
  /** @default the first level */
  overfetch?: number;
}

export interface RecallReport {
  /** Mean share of the exact lists that the graph has. */
  recall: number;
  /** That of the worst list. */
  lowest: number;
  lists: number;
}

export interface GraphStats {
  isReady: boolean;
  target: number;
  overfetch: readonly number[];
  atStart: readonly StartRecall[];
  /** Answers compared with the exact scan while serving: their recall of late, and what forecasts are lowered by. */
  checked: { lists: number; recall: number | null; shortfall: number };
  /** Queries answered by the graph, by level of `overfetch`. */
  graph: readonly number[];
  /** Queries left to the exact scan. */
  exact: Readonly<Record<ExactReason, number>>;
  /** What went wrong last, where anything did. */
  lastError: string | null;
}

const KEPT_FORECASTS = 4096;
const MOST_PENDING = 1000; // rows on their way into the graph are looked at by every query

export class GraphSearch {
  readonly #options: Required<GraphSearchOptions>;
  readonly #base: Float64Array;
  readonly #random: Random;
  readonly #forecasts = new Map<string, Forecast>();
  readonly #shortfall = new Shortfall();
  readonly #graph: number[];
  readonly #exact: Record<ExactReason, number> = {
    "not ready": 0,
    "negative weights": 0,
    "long list": 0,
    recall: 0,
    filter: 0,
    exclusions: 0,
    failed: 0,
  };
  #calibration: Calibration | undefined;
  #isChecking = false;
  #lastError: string | null = null;

  constructor(options: GraphSearchOptions) {
    this.#options = { target: 0.95, overfetch: [300, 800, 2000], probes: 40, checked: 0.005, seed: 1, ...options };
    checkOptions(this.#options);
    this.#base = Float64Array.from(options.weights);
    this.#random = new Random(this.#options.seed);
    this.#graph = this.#options.overfetch.map(() => 0);
  }

  /** Measures recall, once the graph is ready; until it has, everything is for the exact scan. May be called again when the catalogue has changed. */
  async calibrate(rows: LiftedRows, signal?: AbortSignal): Promise<readonly StartRecall[]> {
    const { index, seed } = this.#options;
    await index.ready;
    const random = new Random(seed).split("probes");
    this.#calibration = await calibrateGraph(rows, { ...this.#options, base: this.#base, random, signal });
    this.#forecasts.clear();
    return this.#calibration.atStart;
  }

  /** A row is new, or another one now. Lists have it at once; settles when the graph itself finds it. */
  put(rows: LiftedRows, row: number): Promise<void> {
    this.#calibration?.popular.put(rows, row);
    return this.#options.index.put(rows, row);
  }

  /** A row is gone: from now on no list has it. */
  remove(row: number): Promise<void> {
    this.#calibration?.popular.remove(row);
    return this.#options.index.remove(row);
  }

  /** The graph's list, or why the exact scan must make it. */
  async rank(rows: LiftedRows, query: Query, options: GraphQueryOptions = {}): Promise<GraphOutcome> {
    const outcome = await this.#rank(rows, query, options);
    if (outcome.via === "exact") this.#exact[outcome.why]++;
    else {
      this.#graph[this.#options.overfetch.indexOf(outcome.overfetch)]++;
      if (!this.#isChecking && this.#random.uniform() < this.#options.checked) {
        void this.#compare(query, options, outcome);
      }
    }
    return outcome;
  }

  async #rank(rows: LiftedRows, query: Query, options: GraphQueryOptions): Promise<GraphOutcome> {
    const { index, overfetch, target } = this.#options;
    const { k = 10, allowed } = options;
    if (!this.#calibration || !index.isReady || index.pendingCount > MOST_PENDING) {
      return { via: "exact", why: "not ready" };
    }
    if (query.weights.some((h) => h < 0)) return { via: "exact", why: "negative weights" };
    if (k > DEEPEST) return { via: "exact", why: "long list" };
    // Of a list ten deep under a filter that keeps half of all rows the last stands about twentieth without it.
    const allowedCount = allowed ? (options.allowedCount ?? countRows(allowed)) : rows.count;
    const depth = Math.ceil((k * rows.count) / Math.max(allowedCount, 1));
    if (depth > DEEPEST) return { via: "exact", why: "filter" };
    const forecast = this.#forecast(this.#calibration, query);
    const shortfall = this.#shortfall.value;
    const isEnough = (level: number, d: number) => forecast.lowerBound[level][depthIndex(d)] - shortfall >= target;
    const level = overfetch.findIndex((_, l) => isEnough(l, depth));
    if (level < 0) return { via: "exact", why: "recall" };
    const { popular } = this.#calibration;
    let answer: GraphAnswer;
    try {
      const asked = { ...options, k, overfetch: overfetch[level], popular, ...(allowed && { allowedCount }) };
      answer = await graphRank(index, rows, { query, options: asked });
    } catch (error) {
      if ((error as NearkinError).code === "BAD_ARGUMENT" || (error as NearkinError).code === "SHAPE_MISMATCH")
        throw error;
      this.#lastError = (error as Error).message;
      return { via: "exact", why: "failed" };
    }
    if (answer.list === null) return { via: "exact", why: answer.why };
    const found = Math.max(answer.depth, k); // a filter may keep fewer of a query's neighbours than of all rows
    if (found > DEEPEST || !isEnough(level, found)) return { via: "exact", why: allowed ? "filter" : "exclusions" };
    const recall = forecast.recall[level][depthIndex(found)];
    return { via: "graph", list: answer.list, overfetch: overfetch[level], recall };
  }

  /** Compares the graph's lists with exact ones, whatever the forecast says. */
  async measureRecall(rows: LiftedRows, options: RecallOptions = {}): Promise<RecallReport> {
    const { index, exact, temperature } = this.#options;
    const {
      queries = 50,
      weights = this.#base,
      popularity = 0,
      k = 10,
      overfetch = this.#options.overfetch[0],
    } = options;
    const random = new Random(this.#options.seed).split("queries");
    const items =
      typeof queries === "number" ? Array.from({ length: queries }, () => random.below(rows.count)) : queries;
    const popular = this.#calibration?.popular;
    let sum = 0;
    let lowest = 1;
    for (const item of items) {
      const query = buildQuery(rows, [liftedItem(rows, item)], { weights, temperature, popularity });
      const answer = await graphRank(index, rows, { query, options: { k, overfetch, ...(popular && { popular }) } });
      const recall = answer.list === null ? 0 : recallOf(answer.list, await exact(query, { k }));
      sum += recall;
      lowest = Math.min(lowest, recall);
    }
    return { recall: items.length === 0 ? 1 : sum / items.length, lowest, lists: items.length };
  }

  /** A list of the graph turned out to have this recall where `expected` was forecast. `rank` sees to it for a share of its lists. */
  observe(recall: number, expected: number): void {
    this.#shortfall.observe(recall, expected);
  }

  /** Recall to be expected under a metric; undefined before calibration. For the page of a user's metric, and tests. */
  forecast(metric: ForecastMetric): Forecast | undefined {
    return this.#calibration && this.#forecast(this.#calibration, metric);
  }

  get stats(): GraphStats {
    const { index, target, overfetch } = this.#options;
    const { lists, recall, value } = this.#shortfall;
    return {
      isReady: this.#calibration !== undefined && index.isReady,
      target,
      overfetch,
      atStart: this.#calibration?.atStart ?? [],
      checked: { lists, recall, shortfall: value },
      graph: [...this.#graph],
      exact: { ...this.#exact },
      lastError: this.#lastError,
    };
  }

  /** By metric, for a user's is asked for again and again; the ones not used for longest are forgotten. */
  #forecast({ probes }: Calibration, metric: ForecastMetric): Forecast {
    const key = `${metric.weights.join()}|${metric.temperature}|${metric.popularity}`;
    const known = this.#forecasts.get(key);
    if (known) {
      this.#forecasts.delete(key);
      this.#forecasts.set(key, known);
      return known;
    }
    const forecast = probes.forecast(metric);
    this.#forecasts.set(key, forecast);
    if (this.#forecasts.size > KEPT_FORECASTS) {
      for (const oldest of this.#forecasts.keys()) {
        this.#forecasts.delete(oldest);
        break;
      }
    }
    return forecast;
  }

  /** One comparison at a time: they must not add up to a second server. */
  async #compare(query: Query, options: GraphQueryOptions, { list, recall }: { list: Scored[]; recall: number }) {
    this.#isChecking = true;
    try {
      const { k = 10, exclude, allowed } = options;
      const exact = await this.#options.exact(query, { k, ...(exclude && { exclude }), ...(allowed && { allowed }) });
      this.observe(recallOf(list, exact), recall);
    } catch (error) {
      this.#lastError = (error as Error).message;
    } finally {
      this.#isChecking = false;
    }
  }
}

/** The share of the exact list that a list has; a row as good as the last one of it stands for it. */
function recallOf(list: readonly Scored[], exact: readonly Scored[]): number {
  if (exact.length === 0) return 1;
  const least = exact[exact.length - 1].score;
  return Math.min(exact.length, list.filter(({ score }) => score >= least).length) / exact.length;
}

function checkOptions({ target, overfetch, probes, checked }: Required<GraphSearchOptions>): void {
  if (!(target > 0 && target <= 1) || !(checked >= 0 && checked <= 1)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `graph: target must be in (0, 1] and checked in [0, 1], got ${target} and ${checked}`,
    );
  }
  if (!Number.isSafeInteger(probes) || probes < 1) {
    throw new NearkinError("BAD_ARGUMENT", `graph: probes must be a whole number of at least 1, got ${probes}`);
  }
  const areRising = overfetch.every((n, i) => Number.isSafeInteger(n) && n >= DEEPEST && n > (overfetch[i - 1] ?? 0));
  if (overfetch.length === 0 || !areRising) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `graph: overfetch must be whole numbers of at least ${DEEPEST}, rising, got ${overfetch.join(", ")}`,
    );
  }
}
