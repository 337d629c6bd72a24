// The fit of one user: never worse than the start, at a stationary point, the prior's mean where there is nothing to learn.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import { fitWeights } from "./fit.ts";
import { PersonalLikelihood } from "./likelihood.ts";
import { PosteriorObjective } from "./prior.ts";
import { SoftplusObjective } from "./softplus.ts";
import { personalWorld } from "./testing/world.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const identity = (P: number) => Float64Array.from({ length: P * P }, (_, k) => (k % (P + 1) === 0 ? 1 : 0));

test("never worse than the start, whatever the user, the link and the prior; and at a stationary point", () => {
  fc.assert(
    fc.property(
      fc.record({
        n: fc.integer({ min: 1, max: 40 }),
        p: fc.integer({ min: 1, max: 5 }),
        seed: fc.integer({ min: 1, max: 1e6 }),
        link: fc.constantFrom<Link>("linear", "saturating", "sigmoid"),
        strength: fc.double({ min: 0.01, max: 10, noNaN: true }),
      }),
      ({ n, p, seed, link, strength }) => {
        using scope = engine.scope();
        const likelihood = new PersonalLikelihood(engine, scope, personalWorld(n, p, seed), { link, variance: 1 });
        const P = likelihood.size;
        const mean = new Float64Array(P).fill(0.2);
        const objective = new PosteriorObjective(
          new SoftplusObjective(likelihood, p),
          { mean, precision: identity(P).map((value) => strength * value) },
          n,
        );
        const fit = fitWeights(objective, mean);
        expect(fit.value).toBeLessThanOrEqual(fit.start);
        expect(fit.iterations).toBeLessThanOrEqual(20);
        const gradient = new Float64Array(P);
        expect(objective.evaluate(fit.w, { gradient })).toBeCloseTo(fit.value, 12);
        if (fit.converged) for (const slope of gradient) expect(Math.abs(slope)).toBeLessThan(0.02);
      },
    ),
    { numRuns: 60 },
  );
});

test("a fit that ends at the edge of where there is a covariance does not say that it has converged", () => {
  using scope = engine.scope();
  const likelihood = new PersonalLikelihood(engine, scope, personalWorld(30, 5, 292281), {
    link: "sigmoid",
    variance: 1,
  });
  const mean = new Float64Array(6).fill(0.2);
  const precision = identity(6).map((value) => 0.01 * value);
  const fit = fitWeights(new PosteriorObjective(new SoftplusObjective(likelihood, 5), { mean, precision }, 30), mean);
  expect(fit.value).toBeLessThan(fit.start);
  expect(fit.converged).toBe(false);
});

test("most users converge, in a few steps", () => {
  const fits = Array.from({ length: 20 }, (_, seed) => {
    using scope = engine.scope();
    const likelihood = new PersonalLikelihood(engine, scope, personalWorld(60, 5, seed + 1), {
      link: "linear",
      variance: 1,
    });
    const objective = new PosteriorObjective(
      new SoftplusObjective(likelihood, 5),
      { mean: new Float64Array(5), precision: identity(5) },
      60,
    );
    return fitWeights(objective, new Float64Array(5));
  });
  expect(fits.filter(({ converged }) => converged).length).toBeGreaterThanOrEqual(18);
  const mean = fits.reduce((sum, { iterations }) => sum + iterations, 0) / fits.length;
  expect(mean).toBeLessThan(12);
});

test("without anything to learn, the prior's mean to the last bit", () => {
  using scope = engine.scope();
  const problem = personalWorld(1, 3); // one item has no pairs
  const objective = new PosteriorObjective(
    new SoftplusObjective(new PersonalLikelihood(engine, scope, problem, { link: "linear", variance: 1 }), 3),
    { mean: Float64Array.of(0.1, -2, 3), precision: identity(3) },
    1,
  );
  expect(fitWeights(objective, [0.1, -2, 3]).w).toEqual(Float64Array.of(0.1, -2, 3));
});

test("with many items the search begins with the curvature of some of them, and ends where it should", () => {
  using scope = engine.scope();
  const likelihood = new PersonalLikelihood(engine, scope, personalWorld(140, 3), { link: "linear", variance: 1 });
  const [fisher, curvature] = [new Float64Array(9), new Float64Array(9)];
  const w = [0.5, 0.5, 0.5];
  likelihood.evaluate(w, { fisher, curvature });
  expect(curvature).not.toEqual(fisher);
  for (const k of [0, 4, 8]) expect(curvature[k] / fisher[k]).toBeGreaterThan(0.5);
  for (const k of [0, 4, 8]) expect(curvature[k] / fisher[k]).toBeLessThan(2);
  const prior = { mean: new Float64Array(3), precision: identity(3) };
  const objective = new PosteriorObjective(new SoftplusObjective(likelihood, 3), prior, 140);
  const { w: found, converged } = fitWeights(objective, prior.mean);
  const gradient = new Float64Array(3);
  objective.evaluate(found, { gradient });
  expect(converged).toBe(true);
  for (const slope of gradient) expect(Math.abs(slope)).toBeLessThan(2e-3);
});
