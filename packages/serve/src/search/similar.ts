// A list of similar items: candidates by a scan or the graph, then order, page and reasons. What is computed here is computed for the page alone,
// exactly, in f64.
import {
  buildQuery,
  type Contribution,
  channelDistances,
  comesBefore,
  contributionsOf,
  counterfactualRanksInSlices,
  DIVERSITY_POOL,
  diversify,
  type HistoryOptions,
  type LiftedItem,
  type Neighbour,
  type Query,
  type RatingPrediction,
  reasons,
  type Scored,
  totalDistance,
} from "@nearkin/core";
import type { Bitmap } from "../catalogue/bitmap.ts";
import type { Turn } from "../fair-queue.ts";
import type { Served } from "../models/served.ts";
import { inSlices, SLICE_ROWS } from "../slices.ts";
import { ranksWithin } from "./ranks-within.ts";

/** Candidates that are put in another order: by what ratings they can expect. */
const ORDER_POOL = DIVERSITY_POOL;

export interface SimilarRequest extends Turn {
  readonly items: readonly LiftedItem[];
  /** (p) h */
  readonly weights: Float64Array;
  readonly popularity: number;
  /** What the user met lately. */
  readonly history: HistoryOptions | undefined;
  readonly k: number;
  /** Items of the list before the page. */
  readonly offset: number;
  readonly diversity: number;
  readonly order: "similar" | "safe" | "explore";
  /** Rows that may be returned; undefined for all in use. */
  readonly allowed: Bitmap | undefined;
  readonly exclude: readonly number[];
  readonly explain: boolean;
  readonly predict: boolean;
  /** Never the graph. */
  readonly exact: boolean;
}

export interface SimilarRow extends Scored {
  /** t */
  readonly distance: number;
  /** Place in the list, from 1. */
  readonly rank: number;
  /** Place by score, where the list has another order. */
  readonly scoreRank: number | undefined;
  readonly contributionsByChannel: readonly Contribution[] | undefined;
  /** How much each item of the history adds to the score, if reasons were asked for. */
  readonly lifts: Float64Array | undefined;
  readonly predicted: RatingPrediction | undefined;
}

export interface SimilarPage {
  readonly rows: readonly SimilarRow[];
  /** Whether the list goes on. */
  readonly more: boolean;
  /** Whether a scan of all rows made it. */
  readonly exact: boolean;
}

export async function similarItems(served: Served, request: SimilarRequest): Promise<SimilarPage> {
  const { k, offset, diversity, order } = request;
  const { rows } = served.catalogue;
  const { temperature } = served.model.parts;
  const query = buildQuery(rows, request.items, { ...request, temperature });
  const end = offset + k;
  const pooled = diversity > 0 || order !== "similar";
  const count = pooled ? Math.max(end + 1, DIVERSITY_POOL) : end + 1; // one more tells whether the list goes on
  const { list, exact } = await served.rank(query, { ...request, k: count });
  const ordered = order === "similar" ? list : orderedByBound(served, list, order);
  const most = Math.max(1, Math.min(end, ordered.length));
  const choose = async (): Promise<Scored[]> => {
    await new Promise((turn) => setImmediate(turn)); // others are answered between two lists
    return diversify(rows, query, ordered, { diversity, k: most });
  };
  const shown =
    diversity > 0 ? await served.diversityQueue.run(choose, { ...request, goesOn: true }) : ordered.slice(0, most);
  const page = shown.slice(offset, end);
  const predicted = request.predict ? served.predictions(page.map(({ item }) => item)) : undefined;
  const explained = request.explain ? await explain(served, query, page, list, request) : undefined;
  const channels = new Float64Array(query.weights.length);
  return {
    rows: page.map(({ item, score }, i) => ({
      item,
      score,
      distance: totalDistance(query.weights, channelDistances(rows, query, item, channels)),
      rank: offset + i + 1,
      scoreRank: pooled ? placeOf(list, item) : undefined,
      contributionsByChannel: explained?.[i].contributions,
      lifts: explained?.[i].lifts,
      predicted: predicted?.[i],
    })),
    more: ordered.length > end,
    exact,
  };
}

const placeOf = (list: readonly Scored[], item: number): number => 1 + list.findIndex((entry) => entry.item === item);

/** The most similar ones by the rating they can expect: less its deviation where it shall be safe, with it where it shall explore. */
function orderedByBound(served: Served, list: readonly Scored[], order: "safe" | "explore"): Scored[] {
  const pool = list.slice(0, ORDER_POOL);
  const predictions = served.predictions(pool.map(({ item }) => item));
  const sign = order === "safe" ? -1 : 1;
  const { hashes } = served.catalogue.rows;
  const bounds = pool.map((entry, i) => ({
    entry,
    item: entry.item,
    score: predictions[i].mean + sign * predictions[i].deviation,
  }));
  bounds.sort((a, b) => (comesBefore(hashes, a, b) ? -1 : 1));
  return [...bounds.map(({ entry }) => entry), ...list.slice(ORDER_POOL)];
}

async function explain(
  { model, catalogue: { rows, masked } }: Served,
  query: Query,
  page: readonly Scored[],
  list: readonly Scored[],
  { exclude, allowed, signal }: SimilarRequest,
): Promise<{ contributions: Contribution[]; lifts: Float64Array | undefined }[]> {
  const names = model.parts.ensemble.channels.map(({ name }) => name);
  const { hashes } = rows;
  const found = page.map(({ item, score }): Neighbour => ({ ...reasons(rows, query, item), score }));
  let ranks = found.map((neighbour) => {
    const place = placeOf(list, neighbour.item) - 1;
    return ranksWithin(list, place, neighbour, { hashes, temperature: query.temperature });
  });
  if (ranks.includes(undefined)) {
    const items = page.map(({ item }) => item);
    const candidates = { exclude, ...(allowed ? { allowed } : {}), sliceRows: SLICE_ROWS };
    const counted = await inSlices(counterfactualRanksInSlices(rows, query, items, candidates), signal);
    ranks = counted.map(({ without }) => without);
  }
  return found.map((neighbour, i) => ({
    contributions: contributionsOf(names, query, { neighbour, without: ranks[i] as Int32Array, masked }),
    lifts: neighbour.lifts,
  }));
}
