// The law of Q = Σ_j w_j ξ_j², ξ ~ N(0, I): under A3 rᵀr is one, with the eigenvalues of K* as its weights. Its upper tail exactly, by inverting the
// characteristic function (Davies, "Numerical inversion of a characteristic function", Biometrika 60, 1973), and by Chernoff's bound.
import { NearkinError } from "@nearkin/core";

/** e^−27.6 = 1e-12: what a sum over a grid may wrap around. */
const LOG_ALIASED = 27.6;
const NEGLIGIBLE = 1e-13;
const MOST_TERMS = 2 ** 14;

/**
 * P(Q ≥ x), to about 1e-10 where five weights or more are of like size, to about 1e-6 with one or two, whose series ends slowly. O(weights·terms).
 *
 * @example
 * quadraticFormTail([1, 1, 1, 1], 6).toFixed(8) // => (4 * Math.exp(-3)).toFixed(8)
 */
export function quadraticFormTail(weights: ArrayLike<number>, x: number): number {
  const { sum, largest } = checkWeights("quadraticFormTail", weights);
  if (x <= 0) return 1;
  if (largest === 0) return 0;
  // With u_k = (k + ½)Δ the error is at most P(Q > x + 2π/Δ), if 2π/Δ ≥ x; and by Markov's inequality at 1/(4·largest)
  // log P(Q > y) ≤ sum/(2·largest) − y/(4·largest). Twice x, so that terms turn by at most half a circle from one to the next.
  const step = (2 * Math.PI) / Math.max(2 * x, 2 * sum + 4 * LOG_ALIASED * largest);
  let tail = 0.5;
  for (let k = 0; k < MOST_TERMS; k++) {
    const { size, phase } = term(weights, x, { k, step });
    if (size < NEGLIGIBLE) return within(tail);
    tail += size * Math.sin(phase);
  }
  // what is left turns by −Δx a term and hardly shrinks: Σ_j sin(φ − jθ) = −cos(φ + ½θ)/(2·sin ½θ)
  const { size, phase } = term(weights, x, { k: MOST_TERMS, step });
  const half = 0.5 * step * x;
  return within(tail - (size * Math.cos(phase + half)) / (2 * Math.sin(half)));
}

/** E[e^(iuQ)]·e^(−iux) = Π_j (1 − 2iw_j u)^(−½)·e^(−iux) at u = (k + ½)Δ: its size over π(k + ½), and its phase. */
function term(
  weights: ArrayLike<number>,
  x: number,
  { k, step }: { k: number; step: number },
): { size: number; phase: number } {
  const u = (k + 0.5) * step;
  let phase = -u * x;
  let log = 0;
  for (let j = 0; j < weights.length; j++) {
    const v = 2 * weights[j] * u;
    phase += 0.5 * Math.atan(v);
    log -= 0.25 * Math.log1p(v * v);
  }
  return { size: Math.exp(log) / (Math.PI * (k + 0.5)), phase };
}

/** A probability: rounding may fall outside. */
const within = (value: number): number => Math.min(1, Math.max(0, value));

/**
 * Chernoff's bound on P(Q ≥ x): exp(min_λ −½Σ_j log(1 − 2λw_j) − λx) over 0 < λ < 1/(2·max w). Below 1 exactly where x > E[Q] = Σ_j w_j.
 *
 * @example
 * chernoffTail([1, 1], 2) // => 1
 * chernoffTail([1, 1], 6).toFixed(8) // => (3 * Math.exp(-2)).toFixed(8)
 */
export function chernoffTail(weights: ArrayLike<number>, x: number): number {
  const { sum, largest } = checkWeights("chernoffTail", weights);
  if (x <= sum) return 1; // the slope at λ = 0 is E[Q] − x
  if (largest === 0) return 0;
  // λ = u/(2·largest): the exponent is convex in u, and its slope grows without end as u nears 1
  const slope = (u: number) => Array.from(weights).reduce((total, w) => total + w / (1 - (u * w) / largest), -x);
  let [low, high] = [0, 1];
  for (let halving = 0; halving < 60; halving++) {
    const middle = 0.5 * (low + high);
    if (slope(middle) < 0) low = middle;
    else high = middle;
  }
  const logs = Array.from(weights, (w) => Math.log1p((-low * w) / largest));
  return Math.exp(logs.reduce((total, log) => total - 0.5 * log, (-low * x) / (2 * largest)));
}

function checkWeights(name: string, weights: ArrayLike<number>): { sum: number; largest: number } {
  let sum = 0;
  let largest = 0;
  for (let j = 0; j < weights.length; j++) {
    if (!(weights[j] >= 0 && weights[j] < Infinity)) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `${name}: weights must be at least 0 and finite, got ${weights[j]} at ${j}`,
      );
    }
    sum += weights[j];
    largest = Math.max(largest, weights[j]);
  }
  if (weights.length === 0) throw new NearkinError("BAD_ARGUMENT", `${name}: needs at least one weight`);
  return { sum, largest };
}
