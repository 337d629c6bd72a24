// Shared weights that adapt well: learned through each user's own adaptation (Sec. 4 of the paper). Support is what a user did first, query what they
// did later:
//
//   L(w) = 1/q Σ_u ℓ_u^query(κ_u(w))      κ_u: t gradient steps on ℓ_u^support      ∇L = 1/q Σ_u J_uᵀ∇ℓ_u^query(κ_u(w))
//
// P parameters, q users a step
import { type AdaptationOptions, adapt, pullBack } from "./adaptation.ts";
import { whereCovariance } from "./covariance.ts";
import type { Objective } from "./likelihood.ts";

/** One user's two halves, in the same coordinates. */
export interface MetaUser {
  readonly support: Objective;
  readonly query: Objective;
}

/**
 * L(w); its gradient into `gradient` (P), exact for any number of steps. Users for whom w, or where they get to, is no covariance are left out
 * of the mean; NaN where none is left.
 */
export function metaLoss(
  users: readonly MetaUser[],
  w: ArrayLike<number>,
  adaptation: AdaptationOptions,
  gradient?: Float64Array,
): number {
  gradient?.fill(0);
  let [value, counted] = [0, 0];
  for (const { support, query } of users) {
    const own = new Float64Array(support.size);
    const loss = whereCovariance(() => {
      const path = adapt(support, w, adaptation);
      const reached = query.evaluate(path[path.length - 1], gradient ? { gradient: own } : {});
      if (gradient) pullBack(support, path, own, adaptation.rate);
      return reached;
    });
    if (loss === undefined) continue;
    counted++;
    value += loss;
    for (let i = 0; gradient && i < own.length; i++) gradient[i] += own[i];
  }
  for (let i = 0; gradient && counted > 0 && i < gradient.length; i++) gradient[i] /= counted;
  return value / counted;
}

export interface MetaOptions {
  adaptation: AdaptationOptions;
  steps: number;
  /** Of Adam. */
  learningRate: number;
}

/** w after `steps` of Adam, from `start`, step by step with L; `usersOf` gives those of a step, and what they hold may go after it. */
export function* metaLearn(
  usersOf: (step: number) => { users: readonly MetaUser[] } & Disposable,
  start: Float64Array,
  { adaptation, steps, learningRate }: MetaOptions,
): Generator<number, Float64Array> {
  const w = Float64Array.from(start);
  const [mean, square, gradient] = [w.map(() => 0), w.map(() => 0), w.map(() => 0)];
  for (let step = 1; step <= steps; step++) {
    const loss = lossOf(step);
    const [unbias, unbiasSquare] = [1 - 0.9 ** step, 1 - 0.999 ** step];
    for (let i = 0; i < w.length; i++) {
      mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
      square[i] = 0.999 * square[i] + 0.001 * gradient[i] ** 2;
      w[i] -= (learningRate * mean[i]) / unbias / (Math.sqrt(square[i] / unbiasSquare) + 1e-8);
    }
    yield loss;
  }
  return w;

  function lossOf(step: number): number {
    using batch = usersOf(step);
    return metaLoss(batch.users, w, adaptation, gradient);
  }
}
