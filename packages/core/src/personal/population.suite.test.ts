// How users differ, learned: on users whose likelihoods are Gaussian, expectation–maximisation finds the population they were drawn from.
import { expect, test } from "vitest";
import { Random } from "../linalg/random.ts";
import type { Derivatives, Objective } from "./likelihood.ts";
import { learnPopulation, type PopulationOptions, type PopulationUser } from "./population.ts";

/** ½‖x − centre‖²/variance, an item's share of it: as if the user's weights had been seen with that noise. */
function seen(centre: readonly number[], variance: number): Objective {
  const P = centre.length;
  return {
    size: P,
    evaluate: (w, { gradient, hessian, fisher }: Derivatives = {}) => {
      let value = 0;
      for (let i = 0; i < P; i++) {
        value += (w[i] - centre[i]) ** 2 / (2 * variance);
        if (gradient) gradient[i] = (w[i] - centre[i]) / variance;
      }
      for (const matrix of [hessian, fisher]) {
        matrix?.forEach((_, k) => {
          matrix[k] = k % (P + 1) === 0 ? 1 / variance : 0;
        });
      }
      return value;
    },
    hessianProduct: (out, _w, v) => {
      for (let i = 0; i < P; i++) out[i] = v[i] / variance;
    },
  };
}

function learned(users: readonly PopulationUser[], options: PopulationOptions) {
  const learning = learnPopulation(users, options);
  let round = learning.next();
  while (!round.done) round = learning.next();
  return round.value;
}

test("mean and covariance of the users, noise taken off", () => {
  const random = new Random(1);
  const noise = 0.5;
  const users = Array.from({ length: 3000 }, () => {
    const a = random.normal();
    const x = [1 + 0.8 * a, -2 + 0.3 * a + 0.4 * random.normal()];
    const centre = x.map((value) => value + Math.sqrt(noise) * random.normal());
    return { objective: seen(centre, noise * 4), evidence: 4 }; // four items, each a quarter of the evidence
  });
  const { mean, covariance } = learned(users, { mean: new Float64Array(2), rounds: 60 });
  expect(mean[0]).toBeCloseTo(1, 1);
  expect(mean[1]).toBeCloseTo(-2, 1);
  const expected = [0.64, 0.24, 0.24, 0.25];
  for (const [k, value] of covariance.entries()) expect(Math.abs(value - expected[k])).toBeLessThan(0.06);
});

test("a mean that is not learned stays, and what users have in common is told as spread", () => {
  const users = Array.from({ length: 50 }, () => ({ objective: seen([1, 0], 0.01), evidence: 1 }));
  const mean = new Float64Array(2);
  const { covariance, mean: kept } = learned(users, { mean, learnMean: false, rounds: 30 });
  expect(kept).toBe(mean);
  expect(covariance[0]).toBeCloseTo(1, 1);
  expect(covariance[3]).toBeLessThan(0.02);
});

test("users of whom nothing is known leave the spread as it was", () => {
  const users = Array.from({ length: 5 }, () => ({ objective: seen([3, 3], 1e9), evidence: 1 }));
  const { covariance } = learned(users, { mean: new Float64Array(2), spread: 0.5, rounds: 3 });
  expect(covariance[0]).toBeCloseTo(0.25, 2);
});
