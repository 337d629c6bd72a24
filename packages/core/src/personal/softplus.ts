// An objective by θ where weights are h = softplus(θ): with h′ = σ(θ) and h″ = h′(1 − h′),
//
//   ∇_θ = h′∘∇_h      ∇²_θ = diag(h′)·∇²_h·diag(h′) + diag(h″∘∇_h)
//
// Further parameters, such as b, stay as they are. p channels, P parameters
import { logistic, softplus } from "../metric/exponential.ts";
import type { Derivatives, Objective } from "./likelihood.ts";

export class SoftplusObjective implements Objective {
  readonly size: number;
  readonly #by: Objective;
  readonly #p: number;
  readonly #w: Float64Array;
  /** h′ and h″. */
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  readonly #slope: Float64Array;

  /** `by`: the same of (h, …), of which the first p are weights. */
  constructor(by: Objective, p: number) {
    this.size = by.size;
    this.#by = by;
    this.#p = p;
    this.#w = new Float64Array(by.size);
    this.#first = new Float64Array(by.size).fill(1);
    this.#second = new Float64Array(by.size);
    this.#slope = new Float64Array(by.size);
  }

  evaluate(theta: ArrayLike<number>, derivatives: Derivatives = {}): number {
    const { gradient, hessian, fisher, curvature } = derivatives;
    this.#place(theta);
    if (!gradient && !hessian && !fisher && !curvature) return this.#by.evaluate(this.#w);
    const P = this.size;
    const [slope, first, second] = [this.#slope, this.#first, this.#second];
    const value = this.#by.evaluate(this.#w, { ...derivatives, gradient: slope });
    for (const matrix of [hessian, fisher, curvature]) {
      if (matrix) for (let k = 0; k < P * P; k++) matrix[k] *= first[Math.floor(k / P)] * first[k % P];
    }
    for (let i = 0; i < P; i++) {
      if (hessian) hessian[i * P + i] += second[i] * slope[i];
      if (gradient) gradient[i] = first[i] * slope[i];
    }
    return value;
  }

  hessianProduct(out: Float64Array, theta: ArrayLike<number>, v: ArrayLike<number>): void {
    this.#place(theta);
    const [slope, first, second] = [this.#slope, this.#first, this.#second];
    this.#by.evaluate(this.#w, { gradient: slope });
    this.#by.hessianProduct(
      out,
      this.#w,
      first.map((value, i) => value * v[i]),
    );
    for (let i = 0; i < this.size; i++) out[i] = first[i] * out[i] + second[i] * slope[i] * v[i];
  }

  #place(theta: ArrayLike<number>): void {
    for (let i = 0; i < this.size; i++) {
      const isWeight = i < this.#p;
      this.#w[i] = isWeight ? softplus(theta[i]) : theta[i];
      this.#first[i] = isWeight ? logistic(theta[i]) : 1;
      this.#second[i] = isWeight ? this.#first[i] * (1 - this.#first[i]) : 0;
    }
  }
}
