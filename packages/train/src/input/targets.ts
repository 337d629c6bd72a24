// What the Gaussian process explains (method: stage 2). n items of the dataset, r of them with enough ratings, k targets.
//
//   column 0            the mean rating, standardised by itself
//   columns 1 … k − 1   factors of the degree-normalised user × item matrix: rows V·diag(σ) to norm 1, columns centred, all divided by
//                       their root mean square. Each is one more draw of the surrogate rating r of the paper's assumption A3.
import { NearkinError, type Random } from "@nearkin/core";
import type { Factors, Histories, ItemStatistics } from "@nearkin/data";
import type { TrainConfig } from "../config/schema.ts";

export interface Targets {
  /** (r) Items, ascending. */
  readonly items: Int32Array;
  /** k */
  readonly count: number;
  /** (r, k) */
  readonly values: Float64Array;
  /** (r) Training ratings of each item. */
  readonly ratings: Float64Array;
  /** A rating is centre + scale · column 0. */
  readonly centre: number;
  readonly scale: number;
  /** s²: variance of the ratings of one item around their mean, in units of column 0. */
  readonly ratingVariance: number;
  /** Rows that the likelihood sees, and those it is checked on; together all rows. */
  readonly fitted: Int32Array;
  readonly heldOut: Int32Array;
}

export function makeTargets(
  { items, factors, histories }: { items: ItemStatistics; factors: Factors; histories: Histories },
  config: TrainConfig["ssl"],
  random: Random,
): Targets {
  const eligible = Int32Array.from(items.ratings.keys()).filter((item) => items.ratings[item] >= config.minRatings);
  if (eligible.length < 10) {
    throw new NearkinError(
      "BAD_DATASET",
      `${eligible.length} items have ${config.minRatings} training ratings or more, the Gaussian process needs at least 10; lower ssl.minRatings, or leave the stage ssl out`,
    );
  }
  const used = config.target === "factors" ? Math.min(config.factors, factors.k) : 0;
  const k = 1 + used;
  const values = new Float64Array(eligible.length * k);
  const { centre, scale } = putRatings(
    values,
    k,
    eligible,
    config.ratings === "shrunk" ? items.shrunkMean : items.mean,
  );
  if (used > 0) putFactors(values, k, eligible, factors);
  const order = random.shuffle(Int32Array.from(eligible.keys()));
  const heldOut = Math.floor(config.holdout * order.length);
  return {
    items: eligible,
    count: k,
    values,
    ratings: Float64Array.from(eligible, (item) => items.ratings[item]),
    centre,
    scale,
    ratingVariance: scale === 0 ? 0 : withinItems(histories, items) / scale ** 2,
    fitted: order.slice(heldOut).sort(),
    heldOut: order.slice(0, heldOut).sort(),
  };
}

/** Column 0; ratings that are all the same leave it, and its scale, 0. */
function putRatings(values: Float64Array, k: number, items: Int32Array, mean: Float64Array) {
  const centre = items.reduce((sum, item) => sum + mean[item], 0) / items.length;
  const deviation = Math.sqrt(items.reduce((sum, item) => sum + (mean[item] - centre) ** 2, 0) / items.length);
  const scale = deviation > 1e-9 * Math.max(1, Math.abs(centre)) ? deviation : 0;
  items.forEach((item, row) => {
    values[row * k] = scale === 0 ? 0 : (mean[item] - centre) / scale;
  });
  return { centre, scale };
}

/** Σ (rating − mean of its item)² over events, divided by as many as are free: events less items. */
function withinItems(histories: Histories, { mean, ratings }: ItemStatistics): number {
  let sum = 0;
  let free = 0;
  for (let e = 0; e < histories.items.length; e++) {
    const item = histories.items[e];
    if (ratings[item] < 2) continue;
    sum += (histories.ratings[e] - mean[item]) ** 2;
    free += 1 - 1 / ratings[item];
  }
  return free > 0 ? sum / free : 0;
}

function putFactors(values: Float64Array, k: number, items: Int32Array, factors: Factors): void {
  const used = k - 1;
  items.forEach((item, row) => {
    let square = 0;
    for (let j = 0; j < used; j++) {
      const x = factors.vectors[item * factors.k + j] * factors.singularValues[j];
      values[row * k + 1 + j] = x;
      square += x * x;
    }
    const norm = Math.sqrt(square);
    for (let j = 0; j < used; j++) values[row * k + 1 + j] /= norm > 0 ? norm : 1;
  });
  let square = 0;
  for (let j = 1; j <= used; j++) {
    let mean = 0;
    for (let row = 0; row < items.length; row++) mean += values[row * k + j] / items.length;
    for (let row = 0; row < items.length; row++) {
      values[row * k + j] -= mean;
      square += values[row * k + j] ** 2;
    }
  }
  const root = Math.sqrt(square / (used * items.length)) || 1;
  for (let row = 0; row < items.length; row++) for (let j = 1; j <= used; j++) values[row * k + j] /= root;
}
