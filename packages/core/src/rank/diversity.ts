// A list that does not say the same thing ten times: maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) on the metric itself.
// Candidates are taken greedily, the next is the x with the largest
//
//   (1 − λ)·score(x) + λ·min_{y chosen} t(x, y)/T          score(x) = −t(q, x)/T + β·log q(x)
//
// Both terms are distances of the same metric over the same temperature, so λ trades like for like: at λ = ½ a candidate may lie farther from
// the query by as much as it lies farther from what is already shown. Nothing is normalised by the candidates at hand (their range, their
// best score), so what one candidate is worth does not depend on which others were fetched. λ = 0 is the order of the scores, λ = 1 starts
// with the best and then always takes the farthest (Gonzalez' farthest-first traversal).
//
// Weights below 0 say "rather unlike". Taken over as they are, two copies (t = 0) would be farther apart than two different items
// (t < 0), and a list of copies would count as varied; so redundancy looks at the channels with a weight above 0.
// P candidates, e embedding columns, p channels
import { NearkinError } from "../errors.ts";
import type { Scored } from "./certify.ts";
import type { Query } from "./query.ts";
import { type LiftedRows, locate } from "./rows.ts";
import { winsTie } from "./ties.ts";

/** Candidates that are chosen among. More would let in items that have nothing to do with the query. */
export const DIVERSITY_POOL = 200;

export interface DiversityOptions {
  /** λ: from 0, the order of the scores, to 1, the farthest next. */
  diversity: number;
  /** How many to return; a longer list begins with the shorter one. @default all */
  k?: number;
  /** So many of the best are chosen among; the others follow in their order. @default 200 */
  pool?: number;
}

/** Throws unless λ lies in [0, 1]. */
export function checkDiversity(diversity: number): void {
  if (typeof diversity === "number" && diversity >= 0 && diversity <= 1) return;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `diversity takes a number from 0 (nearest first) to 1 (as different as can be), got ${typeof diversity === "number" ? diversity : JSON.stringify(diversity)}`,
  );
}

/**
 * Candidates in the order to show them: chosen for their scores and for being unlike each other; scores stay what they were. They are
 * different rows, best first, as `rankExactly` gives them, and at least `pool` of them where a longer list shall begin with this one; what
 * is worth the same is ordered by EV7. Exact, in f64: O(P·k·e), and no memory but a copy of the P rows.
 *
 *   const ranked = rankExactly(rows, query, { k: Math.max(k, DIVERSITY_POOL) });
 *   const shown = diversify(rows, query, ranked, { diversity: 0.3, k });
 */
export function diversify(
  rows: LiftedRows,
  { weights, temperature }: Pick<Query, "weights" | "temperature">,
  candidates: readonly Scored[],
  { diversity, k = candidates.length, pool = DIVERSITY_POOL }: DiversityOptions,
): Scored[] {
  checkDiversity(diversity);
  if (!Number.isSafeInteger(k) || k < Math.min(1, candidates.length)) {
    throw new NearkinError("BAD_ARGUMENT", `similar: k must be a whole number of at least 1, got ${k}`);
  }
  if (diversity === 0 || candidates.length === 0) return candidates.slice(0, k);
  if (!weights.some((weight) => weight > 0)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "diversity: no channel has a weight above 0, so no two items are unlike each other; raise a weight, or leave diversity out",
    );
  }
  const count = Math.min(k, pool, candidates.length);
  const spread = new Spread(rows, candidates.slice(0, pool), { weights, temperature });
  const chosen: Scored[] = [];
  for (let next = 0; chosen.length < count; next = spread.best(diversity)) {
    chosen.push(candidates[next]); // the first has nothing to be unlike
    spread.choose(next);
  }
  return k > pool ? [...chosen, ...candidates.slice(pool, k)] : chosen;
}

/** The candidates' rows side by side, and how far each is from the nearest one chosen. */
class Spread {
  readonly #candidates: readonly Scored[];
  readonly #rows: LiftedRows;
  readonly #weights: Float64Array;
  /** (P, e) */
  readonly #embeddings: Float32Array;
  /** (P) min t/T over the chosen. */
  readonly #nearest: Float64Array;
  /** (P) 1 for a candidate that is chosen. */
  readonly #chosen: Uint8Array;
  readonly #temperature: number;

  constructor(
    rows: LiftedRows,
    candidates: readonly Scored[],
    { weights, temperature }: Pick<Query, "weights" | "temperature">,
  ) {
    const e = rows.layout.embeddingSize;
    this.#candidates = candidates;
    this.#rows = rows;
    this.#weights = weights.map((weight) => Math.max(weight, 0));
    this.#temperature = temperature;
    this.#nearest = new Float64Array(candidates.length).fill(Number.POSITIVE_INFINITY);
    this.#chosen = new Uint8Array(candidates.length);
    this.#embeddings = new Float32Array(candidates.length * e);
    candidates.forEach(({ item }, i) => {
      const { shard, local } = locate(rows, item);
      const at = shard.offset + local * shard.rowStride;
      this.#embeddings.set((shard.data as Float32Array).subarray(at, at + e), i * e);
    });
  }

  /** Takes candidate i, and measures all others against it. */
  choose(i: number): void {
    const nearest = this.#nearest;
    this.#chosen[i] = 1;
    for (let j = 0; j < nearest.length; j++) {
      if (this.#chosen[j] === 1) continue;
      const distance = this.#distance(i, j) / this.#temperature;
      if (distance < nearest[j]) nearest[j] = distance;
    }
  }

  /** The place of the candidate to take next. */
  best(diversity: number): number {
    const candidates = this.#candidates;
    const { hashes } = this.#rows;
    let found = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < candidates.length; i++) {
      const distance = this.#nearest[i];
      if (this.#chosen[i] === 1) continue;
      const { item, score } = candidates[i];
      const worth = (1 - diversity) * score + diversity * distance;
      if (worth < most) continue;
      if (worth === most && found >= 0 && !winsTie(hashes, item, candidates[found].item)) continue;
      most = worth;
      found = i;
    }
    return found;
  }

  /** t between candidates a and b: Σ_c h_c d_c, as in exact.ts, over the channels of weight above 0. */
  #distance(a: number, b: number): number {
    const { layout, masked, lengths } = this.#rows;
    const { sizes, starts, products, channelCount: p, embeddingSize: e } = layout;
    const embeddings = this.#embeddings;
    const marksA = this.#candidates[a].item * p;
    const marksB = this.#candidates[b].item * p;
    let total = 0;
    for (let c = 0; c < p; c++) {
      const weight = this.#weights[c];
      if (weight === 0) continue;
      let sum = 0;
      if (products[c]) {
        for (let j = starts[c]; j < starts[c] + sizes[c]; j++) sum += embeddings[a * e + j] * embeddings[b * e + j];
        total += weight * (1 - sum);
        continue;
      }
      for (let j = starts[c]; j < starts[c] + sizes[c]; j++) {
        const difference = embeddings[a * e + j] - embeddings[b * e + j];
        sum += difference * difference;
      }
      total += weight * (sum + (masked[marksA + c] + masked[marksB + c]) * lengths[c]);
    }
    return total;
  }
}
