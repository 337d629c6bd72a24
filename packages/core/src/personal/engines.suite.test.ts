// Likelihoods of a user are the same on the engine that keeps every matrix in a storage of its own.
import { afterAll, beforeAll, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { expectWithin } from "../testing/bounds.ts";
import { ChoiceLikelihood } from "./choice.ts";
import { type Objective, PersonalLikelihood } from "./likelihood.ts";
import { personalWorld } from "./testing/world.ts";

let engines: Engine[];
beforeAll(async () => {
  engines = await Promise.all([createEngine({ workers: 1 }), createEngine({ engine: "plain" })]);
});
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

/** Value, gradient, Fisher matrix, Hessian and its product with a vector, in one array. */
function numbersAt(objective: Objective, w: readonly number[]): Float64Array {
  const P = objective.size;
  const [gradient, product] = [new Float64Array(P), new Float64Array(P)];
  const [hessian, fisher] = [new Float64Array(P * P), new Float64Array(P * P)];
  const value = objective.evaluate(w, { gradient, hessian, fisher });
  objective.hessianProduct(
    product,
    w,
    w.map((_, q) => Math.cos(3 * q)),
  );
  return Float64Array.of(value, objective.evaluate(w), ...gradient, ...hessian, ...fisher, ...product);
}

function expectSame(objectiveOf: (engine: Engine, scope: Scope) => Objective, w: readonly number[]): void {
  const [numbers, expected] = engines.map((engine) => {
    using scope = engine.scope();
    return numbersAt(objectiveOf(engine, scope), w);
  });
  expectWithin("numbers", numbers, expected, 1e-10);
}

test.each([1, 3, 30])("choices, h %d times as large", (times) => {
  const [s, m, p] = [7, 23, 3];
  const random = new Random(5);
  const problem = {
    s,
    m,
    p,
    window: 3,
    temperature: 0.2,
    distances: Float64Array.from({ length: p * s * (s + m) }, () => random.normal() ** 2),
    logPopularity: Float64Array.from({ length: s + m }, () => -8 + random.normal()),
    shares: Float64Array.from({ length: m }, () => 1 + 9 * random.uniform()),
  };
  expectSame(
    (engine, scope) => new ChoiceLikelihood(engine, scope, problem),
    [0.3 * times, 0.1 * times, 0.5 * times, 0.4],
  );
});

test.each(["linear", "saturating", "sigmoid"] as const)("a process, %s", (link) => {
  const w = link === "sigmoid" ? [0.4, 0.2, 0.5, -0.3] : [0.4, 0.2, 0.5];
  const problem = personalWorld(12, 3);
  expectSame((engine, scope) => new PersonalLikelihood(engine, scope, problem, { link, variance: 1.3 }), w);
});
