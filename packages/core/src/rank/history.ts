// What a user met lately, as a part of the score:
//
//   f(y) = Σ_b w_b ẑ_{s_b}·z_y      w_b = δ^b/Σδ^b, s_0 the last item, ẑ of length 1, in the product channels
//
// It is linear in the candidate's columns, so γ·f adds γ·Σ_b w_b ẑ_{s_b} to the query's vector: the scan, its bound and its certificate stay what they are.
// At length 1 each item says whom the user is like, however many people met it.
// e embedding columns, m items of the history
import { NearkinError } from "../errors.ts";
import type { RowLayout } from "./layout.ts";
import type { LiftedItem } from "./rows.ts";

export interface HistoryOptions {
  /** What the user met, the last one last. */
  items: readonly LiftedItem[];
  /** γ */
  weight: number;
  /** δ: each step back counts so much of the one after it. @default 0.9 */
  decay?: number;
}

/** The history as a query holds it. */
export interface QueryHistory {
  readonly items: readonly LiftedItem[];
  /** (m) γ·w_b/|z_b|; 0 for an item without factors. */
  readonly factors: Float64Array;
  /** (e) Σ_b factors_b·z_b; 0 outside of product channels. */
  readonly direction: Float64Array;
}

/** The items that a history counts: the last `limit` of these, each once, where it stands last, without those of the query; the last one last. */
export function latestItems<T>(met: readonly T[], { limit, query }: { limit: number; query: readonly T[] }): T[] {
  const passed = new Set(query);
  const latest: T[] = [];
  for (let i = met.length - 1; i >= 0 && latest.length < limit; i--) {
    if (passed.has(met[i])) continue;
    passed.add(met[i]);
    latest.push(met[i]);
  }
  return latest.reverse();
}

/** undefined if it changes no score: no items, γ = 0, or a model without product channels. */
export function buildHistory(
  { starts, sizes, products, embeddingSize: e }: RowLayout,
  { items, weight, decay = 0.9 }: HistoryOptions,
): QueryHistory | undefined {
  if (!Number.isFinite(weight) || !(decay > 0 && decay <= 1)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `history: weight must be finite and decay in (0, 1], got ${weight} and ${decay}`,
    );
  }
  const columns = starts.flatMap((start, c) =>
    products[c] ? Array.from({ length: sizes[c] }, (_, j) => start + j) : [],
  );
  if (items.length === 0 || weight === 0 || columns.length === 0) return undefined;
  const shares = items.map((_, i) => decay ** (items.length - 1 - i));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const factors = new Float64Array(items.length);
  const direction = new Float64Array(e);
  items.forEach(({ embedding }, i) => {
    let square = 0;
    for (const j of columns) square += embedding[j] * embedding[j];
    if (square === 0) return;
    factors[i] = (weight * shares[i]) / (total * Math.sqrt(square));
    for (const j of columns) direction[j] += factors[i] * embedding[j];
  });
  return { items, factors, direction };
}

/** γ·f of a row whose columns begin at `at`. */
export function historyScore({ direction }: QueryHistory, columns: ArrayLike<number>, at: number): number {
  let sum = 0;
  for (let j = 0; j < direction.length; j++) sum += direction[j] * columns[at + j];
  return sum;
}

/** (m) How much each item of the history lifts a row: the parts of γ·f. */
export function historyLifts(
  { starts, sizes, products }: RowLayout,
  { items, factors }: QueryHistory,
  columns: ArrayLike<number>,
  at: number,
): Float64Array {
  return Float64Array.from(items, ({ embedding }, i) => {
    let sum = 0;
    for (let c = 0; c < products.length; c++) {
      if (!products[c]) continue;
      for (let j = starts[c]; j < starts[c] + sizes[c]; j++) sum += embedding[j] * columns[at + j];
    }
    return factors[i] * sum;
  });
}
