// Scores and contributions to f64, from the stored columns: what a scan finds in f32 is computed again here, so that contributions add
// up to t exactly and lists do not depend on the engine.
import { historyScore } from "./history.ts";
import type { RowLayout } from "./layout.ts";
import type { Query } from "./query.ts";
import { type LiftedRows, locate } from "./rows.ts";

/** (p) d_c between the query and an item, the mean over the query's items; an item is at distance 0 from itself. */
export function channelDistances(
  rows: LiftedRows,
  { items }: Pick<Query, "items">,
  item: number,
  out: Float64Array = new Float64Array(rows.layout.channelCount),
): Float64Array {
  const { shard, local } = locate(rows, item);
  return distancesInto(out, rows, items, {
    item,
    data: shard.data as Float32Array,
    at: shard.offset + local * shard.rowStride,
  });
}

interface Row {
  item: number;
  data: Float32Array;
  at: number;
  /** (p) Channels of weight 0 are left at 0. @default all are computed */
  weights?: Float64Array;
}

function distancesInto(
  out: Float64Array,
  { layout: { starts, sizes, products, channelCount: p }, masked, lengths }: LiftedRows,
  items: Query["items"],
  { item, data, at, weights }: Row,
): Float64Array {
  out.fill(0);
  for (const query of items) {
    if (query.index === item) continue;
    const { embedding } = query;
    for (let c = 0; c < p; c++) {
      if (weights?.[c] === 0) continue;
      const end = starts[c] + sizes[c];
      let sum = 0;
      if (products[c]) {
        for (let j = starts[c]; j < end; j++) sum += embedding[j] * data[at + j];
        out[c] += 1 - sum;
        continue;
      }
      for (let j = starts[c]; j < end; j++) {
        const difference = embedding[j] - data[at + j];
        sum += difference * difference;
      }
      // each stand-in has a coordinate of its own: unknown is never "identical"
      out[c] += sum + (query.masked[c] + masked[item * p + c]) * lengths[c];
    }
  }
  if (items.length > 1) for (let c = 0; c < p; c++) out[c] /= items.length;
  return out;
}

/** t = Σ_c h_c d_c, summed in the order of the channels. */
export function totalDistance(weights: Float64Array, distances: Float64Array): number {
  let total = 0;
  for (let c = 0; c < weights.length; c++) total += weights[c] * distances[c];
  return total;
}

/** The score of an item. `scratch` (p) receives the distances of the channels that have a weight. */
export function exactScore(rows: LiftedRows, query: Query, item: number, scratch: Float64Array): number {
  const { shard, local } = locate(rows, item);
  const data = shard.data as Float32Array;
  const at = shard.offset + local * shard.rowStride;
  distancesInto(scratch, rows, query.items, { item, data, at, weights: query.weights });
  return scoreOf(rows.layout, query, totalDistance(query.weights, scratch), { data, at });
}

/** −t/T + β·log q + γ·f of a row at distance t. */
export function scoreOf(
  { width }: RowLayout,
  { temperature, popularity, history }: Query,
  total: number,
  { data, at }: { data: Float32Array; at: number },
): number {
  let score = -total / temperature;
  if (popularity !== 0) score += popularity * data[at + width - 1];
  if (history) score += historyScore(history, data, at);
  return score;
}
