// The choices of one user as a problem: their own items, and others drawn from what they did not meet.
// s items of the user, m others, p channels
import type { Engine } from "../linalg/engine.ts";
import type { Random } from "../linalg/random.ts";
import { type LiftedRows, logPopularity } from "../rank/rows.ts";
import { crossPairs } from "./channel-pairs.ts";
import type { ChoiceProblem } from "./choice.ts";

/** Items drawn once for all users: what is not a user's own stands for all that they did not meet. */
export interface ChoicePool {
  /** (m) Rows, each once. */
  readonly items: Int32Array;
  /** (m) u: how many items each stands for. */
  readonly shares: Float64Array;
}

export interface PoolOptions {
  /** m: how many are drawn; those drawn more than once are one item with a larger share. At least 1. */
  others: number;
  /** Share of them that is drawn by how often items were met, from 0 to 1; the others are drawn evenly. @default 0.75 */
  popular?: number;
  random: Random;
}

/**
 * Items that somebody met (`events` counts how often), some drawn evenly, some by how often they were met: a ranking is decided by the popular and the near, of which an
 * even sample has few. Deterministic by the seed.
 */
export function drawPool(events: ArrayLike<number>, { others: m, popular = 0.75, random }: PoolOptions): ChoicePool {
  const met = Int32Array.from({ length: events.length }, (_, i) => i).filter((item) => events[item] > 0);
  let total = 0;
  const sums = Float64Array.from(met, (item) => (total += events[item]));
  const chance = (item: number) => (1 - popular) / met.length + (popular * events[item]) / total;
  const drawn = new Map<number, number>(); // how often
  for (let k = 0; k < m; k++) {
    const item =
      random.uniform() < popular ? met[placeOf(sums, random.uniform() * total)] : met[random.below(met.length)];
    drawn.set(item, (drawn.get(item) ?? 0) + 1);
  }
  return {
    items: Int32Array.from(drawn.keys()),
    shares: Float64Array.from(drawn, ([item, times]) => times / (m * chance(item))),
  };
}

/** The first place whose running sum is above x. */
function placeOf(sums: Float64Array, x: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface ChoiceInputs {
  readonly rows: LiftedRows;
  /** (s) Rows of the user's items, each once, the oldest first. */
  readonly items: ArrayLike<number>;
  /** All that the user met: none of it is among the others. @default items */
  readonly met?: ArrayLike<number>;
  readonly pool: ChoicePool;
  /** T */
  readonly temperature: number;
  /** κ */
  readonly window: number;
}

export function choiceProblem(
  engine: Engine,
  { rows, items, met = items, pool, temperature, window }: ChoiceInputs,
): ChoiceProblem {
  const s = items.length;
  const { items: unmet, shares } = withoutMet(pool, [met, items]);
  const all = new Int32Array(s + unmet.length);
  all.set(items);
  all.set(unmet, s);
  const logs = new Float64Array(all.length);
  for (let j = 0; j < all.length; j++) logs[j] = logPopularity(rows, all[j]);
  return {
    s,
    m: unmet.length,
    p: rows.layout.channelCount,
    window,
    temperature,
    distances: crossPairs(engine, rows, { items: all, count: s }),
    logPopularity: logs,
    shares,
  };
}

/** What of a pool is not among the items met; for one who met all of it, what is not among the last of them. */
export function withoutMet(pool: ChoicePool, [met, last]: readonly [ArrayLike<number>, ArrayLike<number>]): ChoicePool {
  for (const known of [new Set(Array.from(met)), new Set(Array.from(last))]) {
    const unmet = (_: number, k: number) => !known.has(pool.items[k]);
    const items = pool.items.filter(unmet);
    if (items.length > 0) return { items, shares: pool.shares.filter(unmet) };
  }
  return { items: new Int32Array(0), shares: new Float64Array(0) };
}
