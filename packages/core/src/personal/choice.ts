// What a user chose, as evidence of their metric: at each of their items, those they met soon before and after are picked out of all that they did not
// meet, with the probability that a ranking by the score gives (method.md §6):
//
//   P(j | i) = e^{l_ij} / (e^{l_ij} + Σ_k u_k·e^{l_ik})      l_ij = −Σ_c h_c·d_c(i, j)/T + β·log q_j
//
// k runs over m items drawn from those that the user did not meet, u_k = 1/(m·P(k is drawn)): the sum stands for all of them. ℓ is the mean of −log P over
// the user's pairs. With L_i = log Σ_k u_k·e^{l_ik},
//
//   P(j | i) = π = σ(l_ij − L_i)      −log P = log(1 + e^{L_i − l_ij})
//
// l is linear in w = (h, β): with a = ∂l/∂w, and μ_i and C_i the mean and covariance of a_ik where k has the weight u_k·e^{l_ik}, a pair's share of ∇ℓ is
//
//   (1 − π)(μ_i − a_ij)      and of ∇²ℓ      π(1 − π)(a_ij − μ_i)(a_ij − μ_i)ᵀ + (1 − π)·C_i, never indefinite: ℓ is convex
//
// s items of the user, m others, p channels, P = p + 1 parameters; R pairs (i, j) and s·m pairs (i, k), of both M = R + s·m
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { FloatArray, Matrix } from "../linalg/matrix.ts";
import { portableLog } from "../linalg/random.ts";
import type { Derivatives, Objective } from "./likelihood.ts";
import { numbersOf } from "./pairs.ts";

export interface ChoiceProblem {
  readonly s: number;
  readonly m: number;
  readonly p: number;
  /** κ: items that were met so many places apart, or nearer, are pairs. */
  readonly window: number;
  /** T */
  readonly temperature: number;
  /** (p, s, s + m) d_c of each of the user's items with all of them, then with the others; those of an item with itself are not used. */
  readonly distances: Float64Array;
  /** (s + m) log q of the user's items, then of the others. */
  readonly logPopularity: Float64Array;
  /** (m) u: how many of the items that the user did not meet each of the others stands for. */
  readonly shares: Float64Array;
}

const TRANSPOSE = { transpose: true };
/** Sums of exponentials up to here, and down to its inverse, are exact enough as they are: what was lost on the way is far too small to count. */
const LARGEST_SUM = 1e130;

/** ℓ of one user by w = (h, β). O(s·m·P) for its value and gradient, O(s·m·P²) with its Hessian. Matrices live in the scope it was made with. */
export class ChoiceLikelihood implements Objective {
  readonly size: number;
  readonly #engine: Engine;
  readonly #shape: Pick<ChoiceProblem, "s" | "m" | "window">; // distances are not kept: features have them
  /** R */
  readonly #pairs: number;
  /**
   * (P, M) d_c and log q of all pairs, those (i, j) first: then all logits are one product with a vector, and so is the gradient. log q is taken from its mean over the
   * others, which changes no probability: second moments lose fewer digits.
   */
  readonly #features: Matrix;
  /** (P, 1) What features are multiplied by, or their sums. */
  readonly #point: Matrix;
  /** (P) a by features: −1/T of distances, 1 of log q. */
  readonly #scales: Float64Array;
  /** (m, 1) log u, and 1. */
  readonly #logShares: Matrix;
  readonly #ones: Matrix;
  /** (s, 1) Σ_k u_k·e^{l_ik − top_i} of each i, and what they are multiplied by. */
  readonly #sums: Matrix;
  /** (s) top_i, and Σ_j (1 − π_ij). */
  readonly #tops: Float64Array;
  readonly #misses: Float64Array;

  constructor(engine: Engine, scope: Scope, problem: ChoiceProblem) {
    checkProblem(problem);
    const { s, m, p, window, temperature, shares } = problem;
    const reach = Math.min(Math.floor(window), s - 1);
    const P = p + 1;
    this.size = P;
    this.#engine = engine;
    this.#shape = { s, m, window: reach };
    this.#pairs = reach * (2 * s - 1 - reach); // those at most so far apart, both ways
    this.#features = scope.matrix(P, this.#pairs + s * m);
    this.#point = scope.matrix(P, 1);
    this.#logShares = scope.matrix(m, 1).write(shares.map(portableLog));
    this.#ones = scope.matrix(m, 1).fill(1);
    this.#sums = scope.matrix(s, 1);
    this.#scales = new Float64Array(P).fill(-1 / temperature, 0, p).fill(1, p);
    this.#tops = new Float64Array(s);
    this.#misses = new Float64Array(s);
    this.#placeFeatures(problem);
  }

  evaluate(w: ArrayLike<number>, derivatives: Derivatives = {}): number {
    const { gradient, fisher, curvature } = derivatives;
    const hessian = derivatives.hessian ?? fisher ?? curvature; // all the same
    const { s, m } = this.#shape;
    const [engine, R] = [this.#engine, this.#pairs];
    using scope = engine.scope();
    const row = scope.matrix(1, this.#features.cols); // (1, M) logits, then what pairs count for
    const own = row.view(0, 1, 0, R);
    const others = asRows(row.view(0, 1, R), s, m);
    this.#exponentials(w, row, others);
    let value = this.#compare(numbersOf(own));
    engine.activate(own, own, "sigmoid");
    value += this.#miss(numbersOf(own));
    if (gradient || hessian) this.#weigh(others);
    if (hessian) this.#second(hessian, row);
    if (gradient) this.#first(gradient, row);
    for (const same of [fisher, curvature]) if (same && hessian && same !== hessian) same.set(hessian);
    return value / R;
  }

  hessianProduct(out: Float64Array, w: ArrayLike<number>, v: ArrayLike<number>): void {
    const P = this.size;
    const hessian = new Float64Array(P * P);
    this.evaluate(w, { hessian });
    for (let q = 0; q < P; q++) {
      out[q] = 0;
      for (let r = 0; r < P; r++) out[q] += hessian[q * P + r] * v[r];
    }
  }

  /** j of the pairs (i, j): from `first` to before `end`, without i. */
  #partners(i: number): { first: number; end: number } {
    const { s, window } = this.#shape;
    return { first: Math.max(0, i - window), end: Math.min(s, i + window + 1) };
  }

  /** From (s, s + m) of each channel to pairs. */
  #placeFeatures({ s, m, p, distances, logPopularity }: ChoiceProblem): void {
    const to = numbersOf(this.#features);
    const mean = logPopularity.subarray(s).reduce((sum, log) => sum + log / m, 0);
    const logs = logPopularity.map((log) => log - mean);
    for (let q = 0, own = 0; q <= p; q++, own += s * m) {
      const from = q < p ? distances : logs;
      const others = own + this.#pairs;
      for (let i = 0; i < s; i++) {
        const row = q < p ? (q * s + i) * (s + m) : 0;
        const { first, end } = this.#partners(i);
        for (let j = first; j < end; j++) if (j !== i) to[own++] = from[row + j];
        to.set(from.subarray(row + s, row + s + m), others + i * m);
      }
    }
  }

  /** l_ij, u_k·e^{l_ik − top_i} and their sums. top is 0, or the largest l_ik of each i where exponentials would overflow or vanish. */
  #exponentials(w: ArrayLike<number>, row: Matrix, others: Matrix): void {
    const [engine, tops] = [this.#engine, this.#tops];
    const { m } = this.#shape;
    const point = numbersOf(this.#point);
    for (let q = 0; q < this.size; q++) point[q] = w[q] * this.#scales[q];
    tops.fill(0);
    engine.gemv(row, this.#features, this.#point, TRANSPOSE);
    this.#sum(others);
    if (numbersOf(this.#sums).every((sum) => sum < LARGEST_SUM && sum > 1 / LARGEST_SUM)) return;
    engine.gemv(row, this.#features, this.#point, TRANSPOSE);
    const logits = numbersOf(others);
    for (let i = 0, from = 0; i < tops.length; i++, from += m) {
      let top = -Infinity;
      for (let k = from; k < from + m; k++) if (logits[k] > top) top = logits[k];
      for (let k = from; k < from + m; k++) logits[k] -= top;
      tops[i] = top;
    }
    this.#sum(others);
  }

  /** (s, m) From exponents to u·e^x, and Σ_k of them. */
  #sum(others: Matrix): void {
    this.#engine.activate(others, others, "exp", this.#logShares);
    this.#engine.gemv(this.#sums, others, this.#ones);
  }

  /** From l_ij to x = l_ij − L_i. Returns Σ max(0, −x), a part of −log σ(x) = max(0, −x) − log max(π, 1 − π). */
  #compare(logits: FloatArray): number {
    const sums = numbersOf(this.#sums);
    let total = 0;
    for (let i = 0, at = 0; i < this.#shape.s; i++) {
      const log = this.#tops[i] + portableLog(sums[i]); // L_i
      const { first, end } = this.#partners(i);
      for (const stop = at + end - first - 1; at < stop; at++) {
        logits[at] -= log;
        if (logits[at] < 0) total -= logits[at];
      }
    }
    return total;
  }

  /** Σ_j (1 − π). Returns the other part, −Σ log max(π, 1 − π): each is at least ½, so that many share a logarithm. */
  #miss(chances: FloatArray): number {
    let [total, product] = [0, 1];
    for (let i = 0, at = 0; i < this.#shape.s; i++) {
      const { first, end } = this.#partners(i);
      let misses = 0;
      for (const stop = at + end - first - 1; at < stop; at++) {
        const miss = 1 - chances[at];
        misses += miss;
        product *= chances[at] > miss ? chances[at] : miss;
        if (product > 1e-300) continue;
        total -= portableLog(product);
        product = 1;
      }
      this.#misses[i] = misses;
    }
    return total - portableLog(product);
  }

  /** (s, m) What each k counts for: Σ_j (1 − π_ij), divided between the others of i. */
  #weigh(others: Matrix): void {
    const sums = numbersOf(this.#sums);
    for (let i = 0; i < sums.length; i++) sums[i] = this.#misses[i] / sums[i];
    this.#engine.scaleRows(others, others, this.#sums);
  }

  /** ∇ℓ, from π and the weights of the others. */
  #first(gradient: Float64Array, row: Matrix): void {
    const weights = numbersOf(row);
    for (let k = 0; k < this.#pairs; k++) weights[k] -= 1;
    this.#engine.gemv(this.#point, this.#features, row);
    const sums = numbersOf(this.#point);
    for (let q = 0; q < this.size; q++) gradient[q] = (sums[q] * this.#scales[q]) / this.#pairs;
  }

  /**
   * ∇²ℓ, from π and the weights of the others: Σ v·aaᵀ over all pairs, v = π(1 − π) or their weight, less what is due to μ. With V_i = Σ_j v_ij, g_i = Σ_j v_ij·a_ij
   * and N_i = Σ_j (1 − π_ij), that is Σ_i g_i μ_iᵀ + μ_i g_iᵀ + (N_i − V_i)·μ_i μ_iᵀ.
   */
  #second(hessian: Float64Array, row: Matrix): void {
    const { s, m } = this.#shape;
    const [engine, features, P, R, scales] = [this.#engine, this.#features, this.size, this.#pairs, this.#scales];
    using scope = engine.scope();
    const [weights, weighed, H] = [scope.matrix(1, row.cols), scope.matrix(1, row.cols), scope.matrix(P, P)];
    const sumsOf = [scope.matrix(P, s), scope.matrix(P, s)]; // v·a_ij and v·a_ik
    const v = numbersOf(weights);
    v.set(numbersOf(row));
    for (let k = 0; k < R; k++) v[k] *= 1 - v[k];
    for (let q = 0; q < P; q++) {
      engine.activateBackward(weighed, weights, features.view(q, q + 1), "exp"); // v∘a_q: e^x is its own slope
      engine.gemv(H.view(q, q + 1, 0, q + 1), features.view(0, q + 1), weighed);
      engine.gemv(sumsOf[1].view(q, q + 1), asRows(weighed.view(0, 1, R), s, m), this.#ones);
      this.#sumPairs(numbersOf(sumsOf[0].view(q, q + 1)), numbersOf(weighed));
    }
    const V = new Float64Array(s);
    this.#sumPairs(V, v);
    const second = numbersOf(H);
    const [g, means] = sumsOf.map(numbersOf);
    for (let i = 0; i < s; i++) {
      const misses = this.#misses[i];
      if (misses === 0) continue; // nothing of i counts
      for (let q = 0; q < P; q++) means[q * s + i] /= misses;
      for (let q = 0; q < P; q++) {
        const [own, mean] = [g[q * s + i], means[q * s + i]];
        for (let r = 0; r <= q; r++) {
          const other = means[r * s + i];
          second[q * P + r] -= own * other + mean * (g[r * s + i] + (misses - V[i]) * other);
        }
      }
    }
    for (let q = 0; q < P; q++) {
      for (let r = 0; r <= q; r++) {
        hessian[q * P + r] = hessian[r * P + q] = (second[q * P + r] * scales[q] * scales[r]) / R;
      }
    }
  }

  /** Σ_j of what pairs (i, j) have, into `sums` (s). */
  #sumPairs(sums: FloatArray, values: FloatArray): void {
    for (let i = 0, at = 0; i < sums.length; i++) {
      const { first, end } = this.#partners(i);
      let sum = 0;
      for (const stop = at + end - first - 1; at < stop; at++) sum += values[at];
      sums[i] = sum;
    }
  }
}

/** A row (1, rows·cols) as a matrix (rows, cols) of the same numbers. */
function asRows(row: Matrix, rows: number, cols: number): Matrix {
  const window = row.view(0, 1);
  [window.rows, window.cols, window.rowStride] = [rows, cols, cols];
  return window;
}

/** l_ix of the user's item i with item x: one of theirs, or, from s on, of the others. */
export function choiceLogit(
  { s, m, p, temperature, distances, logPopularity }: ChoiceProblem,
  [i, x]: readonly [number, number],
  w: ArrayLike<number>,
): number {
  let t = 0;
  for (let c = 0; c < p; c++) t += w[c] * distances[(c * s + i) * (s + m) + x];
  return -t / temperature + w[p] * logPopularity[x];
}

function checkProblem({ s, m, p, window, distances, logPopularity, shares }: ChoiceProblem): void {
  if (distances.length !== p * s * (s + m) || logPopularity.length !== s + m || shares.length !== m) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `choice: ${s} items, ${m} others and ${p} channels take ${p * s * (s + m)} distances, ${s + m} logarithms and ${m} shares, got ${distances.length}, ${logPopularity.length} and ${shares.length}`,
    );
  }
  if (s < 2 || m < 1 || p < 1 || !(window >= 1)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "choice: needs two items of the user, one other, one channel, and a window of at least 1",
    );
  }
}
