// The paper's fit of one user: plain gradient steps, w ← w − ω∇ℓ. The best point on the way is kept, so that it is never worse than the start even
// where ω is too long a step.
import { whereCovariance } from "./covariance.ts";
import type { PersonalFit } from "./fit.ts";
import type { Objective } from "./likelihood.ts";

export interface DescentOptions {
  steps: number;
  /** ω */
  rate: number;
  /** Called after each step with the best point so far (P). */
  onStep?: (step: number, best: Float64Array) => void;
}

export function descend(
  objective: Objective,
  start: ArrayLike<number>,
  { steps, rate, onStep }: DescentOptions,
): PersonalFit {
  const w = Float64Array.from(start);
  const gradient = new Float64Array(objective.size);
  let best = w.slice();
  let value = objective.evaluate(w, { gradient });
  const first = value;
  let iterations = 0;
  for (; iterations < steps; iterations++) {
    for (let i = 0; i < w.length; i++) w[i] -= rate * gradient[i];
    const reached = evaluate();
    if (reached === undefined) break;
    if (reached < value) {
      value = reached;
      best = w.slice();
    }
    onStep?.(iterations + 1, best);
  }
  return { w: best, value, start: first, iterations, evaluations: iterations + 1, converged: false };

  /** undefined where weights went so far that there is no covariance. */
  function evaluate(): number | undefined {
    const reached = whereCovariance(() => objective.evaluate(w, { gradient }));
    return Number.isFinite(reached) && gradient.every(Number.isFinite) ? reached : undefined;
  }
}
