// κ and its derivatives: exact for any number of steps, the Taylor form exact at 0 and to second order around it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { expectWithin } from "../testing/bounds.ts";
import { adapt, adaptationJacobian, pullBack } from "./adaptation.ts";
import { PersonalLikelihood } from "./likelihood.ts";
import { SoftplusObjective } from "./softplus.ts";
import { taylorAdaptation, taylorJacobian, taylorValue } from "./taylor.ts";
import { personalWorld } from "./testing/world.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const rate = 0.2;
const small = 0.02; // around w = 0 a linear link soon leaves the weights that give a covariance
const last = (path: readonly Float64Array[]) => path[path.length - 1];

/** Columns (f(w + e_j) − f(w − e_j))/2ε, as the rows of a Jacobian. */
function jacobianByDifferences(f: (w: Float64Array) => Float64Array, w: Float64Array, step = 1e-5): Float64Array {
  const P = w.length;
  const J = new Float64Array(P * P);
  for (let j = 0; j < P; j++) {
    const [up, down] = [step, -step].map((by) => f(w.map((value, i) => (i === j ? value + by : value))));
    for (let i = 0; i < P; i++) J[i * P + j] = (up[i] - down[i]) / (2 * step);
  }
  return J;
}

describe.each([1, 2, 5])("%i steps", (steps) => {
  test.each(["signed", "softplus"])("the Jacobian of κ is that of the walk, %s weights", (weights) => {
    using scope = engine.scope();
    const likelihood = new PersonalLikelihood(engine, scope, personalWorld(8, 3), { link: "linear", variance: 1 });
    const objective = weights === "softplus" ? new SoftplusObjective(likelihood, 3) : likelihood;
    const w = Float64Array.of(0.5, 0.2, 0.8);
    const walk = (from: Float64Array) => last(adapt(objective, from, { steps, rate }));
    const exact = adaptationJacobian(objective, adapt(objective, w, { steps, rate }), rate);
    expectWithin("J", exact, jacobianByDifferences(walk, w), 1e-8);
  });

  test("a gradient is pulled back by the transposed Jacobian", () => {
    using scope = engine.scope();
    const objective = new PersonalLikelihood(engine, scope, personalWorld(8, 3), { link: "sigmoid", variance: 1 });
    const path = adapt(objective, [0.3, -0.2, 0.4, 0.1], { steps, rate });
    const J = adaptationJacobian(objective, path, rate);
    const g = Float64Array.of(1, -2, 0.5, 3);
    const expected = g.map((_, j) => g.reduce((sum, value, i) => sum + J[i * 4 + j] * value, 0));
    const pulled = g.slice();
    pullBack(objective, path, pulled, rate);
    expectWithin("Jᵀg", pulled, expected, 1e-12);
  });

  test.each(["linear", "sigmoid"] as const)(
    "Lemma 1: the Taylor form has κ's value, Jacobian and Hessian at 0, %s",
    (link) => {
      using scope = engine.scope();
      const likelihood = new PersonalLikelihood(engine, scope, personalWorld(8, 2), { link, variance: 1 });
      const P = likelihood.size;
      const zero = new Float64Array(P);
      const walk = (from: Float64Array) => last(adapt(likelihood, from, { steps, rate: small }));
      const taylor = taylorAdaptation(likelihood, { steps, rate: small });
      expectWithin("κ(0)", taylorValue(taylor, zero), walk(zero), 1e-12);
      expectWithin("J(0)", taylor.jacobian, jacobianByDifferences(walk, zero), 1e-6);
      const exactJacobian = (w: Float64Array) =>
        adaptationJacobian(likelihood, adapt(likelihood, w, { steps, rate: small }), small);
      for (let l = 0; l < P; l++) {
        const [up, down] = [1e-5, -1e-5].map((by) => exactJacobian(zero.map((_, i) => (i === l ? by : 0))));
        const differences = up.map((value, k) => (value - down[k]) / 2e-5);
        expectWithin(
          `Θ by w_${l}`,
          differences.map((_, k) => taylor.hessian[k * P + l]),
          differences,
          1e-5,
        );
      }
    },
  );

  test("Lemma 1: the error of the Taylor form falls with the cube of ‖w‖, that of its Jacobian with the square", () => {
    using scope = engine.scope();
    const likelihood = new PersonalLikelihood(engine, scope, personalWorld(8, 2), { link: "linear", variance: 1 });
    const taylor = taylorAdaptation(likelihood, { steps, rate: small });
    const errors = [0.004, 0.002].map((size) => {
      const w = Float64Array.of(size, 0.7 * size);
      const path = adapt(likelihood, w, { steps, rate: small });
      const J = adaptationJacobian(likelihood, path, small);
      return {
        value: Math.max(...taylorValue(taylor, w).map((value, i) => Math.abs(value - last(path)[i]))),
        jacobian: Math.max(...taylorJacobian(taylor, w).map((value, k) => Math.abs(value - J[k]))),
      };
    });
    expect(errors[0].value / errors[1].value).toBeGreaterThan(7);
    expect(errors[0].value / errors[1].value).toBeLessThan(9);
    expect(errors[0].jacobian / errors[1].jacobian).toBeGreaterThan(3.5);
    expect(errors[0].jacobian / errors[1].jacobian).toBeLessThan(4.5);
  });
});
