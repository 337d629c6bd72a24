// The choices of one user as a problem: their own items, and others drawn from what they did not meet.
// s items of the user, m others, p channels, P = p + 1
import type { Engine } from "../linalg/engine.ts";
import type { Random } from "../linalg/random.ts";
import type { LiftedItem, LiftedRows } from "../rank/rows.ts";
import { liftedItem, logPopularity } from "../rank/rows.ts";
import { crossPairs } from "./channel-pairs.ts";
import type { ChoiceProblem } from "./choice.ts";

/** Items drawn once for all users: what is not a user's own stands for all that they did not meet. */
export interface ChoicePool {
  /** (m) Rows, each once. */
  readonly items: Int32Array;
  /** (m) u: how many items each stands for. */
  readonly shares: Float64Array;
}

/**
 * m items that somebody met, half of them evenly, half by how often they were met: a ranking is decided by the popular and the near, of which an even
 * sample has few. Deterministic by the seed.
 */
export function drawPool(events: ArrayLike<number>, m: number, random: Random, popular: number): ChoicePool {
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
  readonly pool: ChoicePool;
  /** T */
  readonly temperature: number;
  /** κ */
  readonly window: number;
}

export function choiceProblem(engine: Engine, { rows, items, pool, temperature, window }: ChoiceInputs): ChoiceProblem {
  const p = rows.layout.channelCount;
  const met = new Set(Array.from(items));
  const unmet = Array.from(pool.items.keys()).filter((k) => !met.has(pool.items[k]));
  const own = Array.from(items, (item) => liftedItem(rows, item));
  const drawn = unmet.map((k) => liftedItem(rows, pool.items[k]));
  const features = (to: readonly LiftedItem[]) => {
    const pairs = crossPairs(engine, rows, [own, to], p + 1);
    const logs = to.map(({ index }) => logPopularity(rows, index));
    for (let i = 0, at = 0; i < own.length; i++) {
      for (let j = 0; j < to.length; j++, at += p + 1) {
        for (let c = 0; c < p; c++) pairs[at + c] *= -1 / temperature;
        pairs[at + p] = logs[j];
      }
    }
    return pairs;
  };
  return {
    s: own.length,
    m: drawn.length,
    p,
    window,
    own: features(own),
    others: features(drawn),
    shares: Float64Array.from(unmet, (k) => pool.shares[k]),
  };
}
