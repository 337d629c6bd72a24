// What a user chose, as evidence of their metric: at each of their items, those they met soon before and after are picked out of all that they did not
// meet, with the probability that a ranking by the score gives (method.md §6):
//
//   P(j | i) = e^{l_ij} / (e^{l_ij} + Σ_k u_k·e^{l_ik})      l_ij = −Σ_c h_c·d_c(i, j)/T + β·log q_j
//
// k runs over m items drawn from those that the user did not meet, u_k = 1/(m·P(k is drawn)): the sum stands for all of them. ℓ is the mean of −log P over the user's pairs. l is linear in w = (h, β), so with
// a_ij = (−d(i, j)/T, log q_j), and means and covariances under P,
//
//   ∇ℓ = mean over pairs of E[a] − a_ij      ∇²ℓ = mean over pairs of Cov[a], never indefinite: ℓ is convex
//
// s items of the user, m others, p channels, P = p + 1 parameters
import { NearkinError } from "../errors.ts";
import { portableLog } from "../linalg/random.ts";
import { exp } from "../metric/exponential.ts";
import type { Derivatives, Objective } from "./likelihood.ts";

export interface ChoiceProblem {
  readonly s: number;
  readonly m: number;
  readonly p: number;
  /** κ: items that were met so many places apart, or nearer, are pairs. */
  readonly window: number;
  /** (s, s, P) a_ij of the user's own items; those of i with itself are not used. */
  readonly own: Float64Array;
  /** (s, m, P) a_ik of the others. */
  readonly others: Float64Array;
  /** (m) u: how many of the items that the user did not meet each of the others stands for. */
  readonly shares: Float64Array;
}

/** ℓ of one user by w = (h, β). O(s·m·P) for its value and gradient, O(s·m·P²) with its Hessian. */
export class ChoiceLikelihood implements Objective {
  readonly size: number;
  readonly #problem: ChoiceProblem;
  /** (s, P, m) a_ik, so that the passes over k, where the time goes, read on end. */
  readonly #features: Float64Array;
  /** (m) l_ik, then u_k·e^{l_ik − top} of one i. */
  readonly #logits: Float64Array;
  /** Of one i: Σ_k e^{…}·a_ik (P), and with a aᵀ its lower triangle (P, P). */
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  readonly #mean: Float64Array;

  constructor(problem: ChoiceProblem) {
    const { s, m, p, window, own, others, shares } = problem;
    const P = p + 1;
    if (own.length !== s * s * P || others.length !== s * m * P || shares.length !== m) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `choice: ${s} items, ${m} others and ${p} channels take ${s * s * P}, ${s * m * P} and ${m} numbers, got ${own.length}, ${others.length} and ${shares.length}`,
      );
    }
    if (s < 2 || m < 1 || p < 1 || !(window >= 1)) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        "choice: needs two items of the user, one other, one channel, and a window of at least 1",
      );
    }
    this.size = P;
    this.#problem = problem;
    this.#features = featureRows(problem);
    this.#logits = new Float64Array(m);
    this.#first = new Float64Array(P);
    this.#second = new Float64Array(P * P);
    this.#mean = new Float64Array(P);
  }

  evaluate(w: ArrayLike<number>, derivatives: Derivatives = {}): number {
    const { gradient, fisher, curvature } = derivatives;
    const hessian = derivatives.hessian ?? fisher ?? curvature; // all the same
    const { s, window } = this.#problem;
    const P = this.size;
    gradient?.fill(0);
    hessian?.fill(0);
    let value = 0;
    for (let i = 0; i < s; i++) value += this.#anchor(i, w, gradient, hessian);
    const reach = Math.min(window, s - 1);
    const pairs = reach * (2 * s - 1 - reach); // those at most so far apart, both ways
    if (gradient) for (let q = 0; q < P; q++) gradient[q] /= pairs;
    if (hessian) {
      for (let q = 0; q < P; q++) {
        for (let r = 0; r <= q; r++) hessian[q * P + r] = hessian[r * P + q] = hessian[q * P + r] / pairs;
      }
    }
    for (const same of [fisher, curvature]) if (same && hessian && same !== hessian) same.set(hessian);
    return value / pairs;
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

  /** The pairs of item i, added up. */
  #anchor(i: number, w: ArrayLike<number>, gradient?: Float64Array, hessian?: Float64Array): number {
    const { s, own, window } = this.#problem;
    const P = this.size;
    const [first, second, mean] = [this.#first, this.#second, this.#mean];
    const { top, sum } = this.#others(i, w, gradient !== undefined || hessian !== undefined, hessian !== undefined);
    let value = 0;
    let weightOfOthers = 0; // Σ_j of what Σ_k e^{l_ik − top} is divided by
    for (let j = 0; j < s; j++) {
      if (j === i || Math.abs(j - i) > window) continue;
      const at = (i * s + j) * P;
      let logit = 0;
      for (let q = 0; q < P; q++) logit += w[q] * own[at + q];
      // in units of the larger of the two, so that nothing overflows
      const chosen = logit <= top ? exp(logit - top) : 1;
      const unit = logit <= top ? 1 : exp(top - logit);
      const all = chosen + unit * sum;
      const [probability, others] = [chosen / all, unit / all];
      value += portableLog(all) + (logit <= top ? top - logit : 0);
      weightOfOthers += others;
      for (let q = 0; gradient && q < P; q++) gradient[q] += (probability - 1) * own[at + q];
      if (!hessian) continue;
      for (let q = 0; q < P; q++) {
        mean[q] = probability * own[at + q] + others * first[q];
        for (let r = 0; r <= q; r++) {
          hessian[q * P + r] += probability * own[at + q] * own[at + r] - mean[q] * mean[r];
        }
      }
    }
    for (let q = 0; q < P; q++) {
      if (gradient) gradient[q] += weightOfOthers * first[q];
      for (let r = 0; hessian && r <= q; r++) hessian[q * P + r] += weightOfOthers * second[q * P + r];
    }
    return value;
  }

  /** Σ_k u_k·e^{l_ik − top}, and its moments into `#first` and `#second`. */
  #others(i: number, w: ArrayLike<number>, moments: boolean, squares: boolean): { top: number; sum: number } {
    const { m, shares } = this.#problem;
    const P = this.size;
    const [features, weights, first, second] = [this.#features, this.#logits, this.#first, this.#second];
    const from = i * P * m;
    weights.fill(0);
    for (let q = 0; q < P; q++) {
      const [wq, at] = [w[q], from + q * m];
      for (let k = 0; k < m; k++) weights[k] += wq * features[at + k];
    }
    let top = -Infinity;
    for (let k = 0; k < m; k++) if (weights[k] > top) top = weights[k];
    let sum = 0;
    for (let k = 0; k < m; k++) sum += weights[k] = shares[k] * exp(weights[k] - top);
    for (let q = 0; moments && q < P; q++) {
      const at = from + q * m;
      let total = 0;
      for (let k = 0; k < m; k++) total += weights[k] * features[at + k];
      first[q] = total;
      for (let r = 0; squares && r <= q; r++) {
        const other = from + r * m;
        let square = 0;
        for (let k = 0; k < m; k++) square += weights[k] * features[at + k] * features[other + k];
        second[q * P + r] = square;
      }
    }
    return { top, sum };
  }
}

/** (s, m, P) → (s, P, m) */
function featureRows({ s, m, p, others }: ChoiceProblem): Float64Array {
  const P = p + 1;
  const rows = new Float64Array(others.length);
  for (let i = 0, at = 0; i < s; i++) {
    for (let k = 0; k < m; k++) {
      for (let q = 0; q < P; q++, at++) rows[(i * P + q) * m + k] = others[at];
    }
  }
  return rows;
}
