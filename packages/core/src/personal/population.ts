// How weights differ between users: the Gaussian that makes the users at hand most likely, by expectation–maximisation. Each user's posterior is
// taken as a Gaussian around its best point (Laplace):
//
//   x_u = argmin n_u·ℓ_u(x) + ½(x − m)ᵀC⁻¹(x − m)      V_u = (n_u·F_u + C⁻¹)⁻¹
//   m ← mean over users of x_u      C ← mean over users of (x_u − m)(x_u − m)ᵀ + V_u
//
// P parameters, q users
import { whereCovariance } from "./covariance.ts";
import { fitWeights } from "./fit.ts";
import type { Objective } from "./likelihood.ts";
import { PosteriorObjective } from "./prior.ts";
import { smallInverse } from "./small.ts";

/** A user whose weights are one draw. */
export interface PopulationUser {
  /** ℓ_u, an item's share of it. */
  readonly objective: Objective;
  /** n_u: how many times that share counts. */
  readonly evidence: number;
}

export interface PopulationOptions {
  /** m at the start (P). */
  mean: Float64Array;
  /** Whether m is learned, or stays. @default true */
  learnMean?: boolean;
  /** Standard deviation of every parameter at the start. @default 0.5 */
  spread?: number;
  /** @default 8 */
  rounds?: number;
}

export interface Population {
  /** m (P) */
  readonly mean: Float64Array;
  /** C (P, P) */
  readonly covariance: Float64Array;
}

const LEAST = 1e-4; // of a variance: EM goes to 0 slowly, and a prior of no width has no inverse

/**
 * Round by round, so that a caller may do something else in between; ends with what was learned. Users for whom the start is no covariance are
 * left out.
 */
export function* learnPopulation(
  all: readonly PopulationUser[],
  { mean: start, learnMean = true, spread = 0.5, rounds = 8 }: PopulationOptions,
): Generator<number, Population> {
  const P = start.length;
  const users = all.filter(({ objective }) => whereCovariance(() => objective.evaluate(start)) !== undefined);
  let mean = start;
  let covariance: Float64Array = Float64Array.from({ length: P * P }, (_, k) => (k % (P + 1) === 0 ? spread ** 2 : 0));
  const points = users.map(() => start);
  for (let round = 1; round <= rounds && users.length > 0; round++) {
    const prior = { mean, precision: smallInverse(covariance, P) };
    const next = new Float64Array(P * P);
    users.forEach(({ objective, evidence }, u) => {
      const posterior = new PosteriorObjective(objective, prior, evidence);
      points[u] = fitWeights(posterior, points[u]).w;
      const fisher = new Float64Array(P * P);
      posterior.evaluate(points[u], { fisher });
      const open = smallInverse(
        fisher.map((value) => value * evidence),
        P,
      );
      for (let k = 0; k < P * P; k++) next[k] += open[k] / users.length;
    });
    if (learnMean) {
      mean = start.map((_, i) => points.reduce((sum, point) => sum + point[i], 0) / users.length);
    }
    for (const point of points) {
      for (let k = 0; k < P * P; k++) {
        const [i, j] = [Math.floor(k / P), k % P];
        next[k] += ((point[i] - mean[i]) * (point[j] - mean[j])) / users.length;
      }
    }
    for (let i = 0; i < P; i++) next[i * (P + 1)] += LEAST;
    covariance = next;
    yield round;
  }
  return { mean, covariance };
}
