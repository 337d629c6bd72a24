// What is known of a user's weights before anything is known of the user: a Gaussian over users. With ℓ_u divided by n, so is the prior:
//
//   F(w) = ℓ_u(w)/n + (w − m)ᵀΠ(w − m)/2n
//
// P parameters, n items
import type { Derivatives, Objective } from "./likelihood.ts";

export interface WeightPrior {
  /** m (P): the weights of a user of whom nothing is known. */
  readonly mean: Float64Array;
  /** Π (P, P), the inverse of their covariance over users. */
  readonly precision: Float64Array;
}

/** The objective with the prior of n items' weight. */
export class PosteriorObjective implements Objective {
  readonly size: number;
  readonly #by: Objective;
  readonly #prior: WeightPrior;
  readonly #n: number;

  constructor(by: Objective, prior: WeightPrior, n: number) {
    this.size = by.size;
    this.#by = by;
    this.#prior = prior;
    this.#n = n;
  }

  evaluate(w: ArrayLike<number>, derivatives: Derivatives = {}): number {
    const P = this.size;
    const n = this.#n;
    const { mean, precision } = this.#prior;
    let value = this.#by.evaluate(w, derivatives);
    const { gradient, hessian, fisher, curvature } = derivatives;
    for (let i = 0; i < P; i++) {
      let pull = 0;
      for (let j = 0; j < P; j++) {
        const element = precision[i * P + j] / n;
        pull += element * (w[j] - mean[j]);
        if (hessian) hessian[i * P + j] += element;
        if (fisher) fisher[i * P + j] += element;
        if (curvature) curvature[i * P + j] += element;
      }
      value += 0.5 * (w[i] - mean[i]) * pull;
      if (gradient) gradient[i] += pull;
    }
    return value;
  }

  hessianProduct(out: Float64Array, w: ArrayLike<number>, v: ArrayLike<number>): void {
    const P = this.size;
    this.#by.hessianProduct(out, w, v);
    for (let i = 0; i < P; i++) {
      for (let j = 0; j < P; j++) out[i] += (this.#prior.precision[i * P + j] * v[j]) / this.#n;
    }
  }
}
