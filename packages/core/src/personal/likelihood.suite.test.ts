// Derivatives of ℓ_u are those of its value, for every link and both kinds of weights; ℓ_u is the exact likelihood of the process.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exactNll } from "../gp/exact.ts";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { softplus } from "../metric/exponential.ts";
import { applyLink } from "../metric/link.ts";
import { expectWithin, largest } from "../testing/bounds.ts";
import { type Objective, type PersonalKernel, PersonalLikelihood } from "./likelihood.ts";
import { pairCount } from "./problem.ts";
import { SoftplusObjective } from "./softplus.ts";
import { personalWorld } from "./testing/world.ts";
import { thirdDerivatives } from "./third.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const kernels: (PersonalKernel & { weights: "softplus" | "signed" })[] = [
  { link: "linear", weights: "softplus", variance: 1.3 },
  { link: "linear", weights: "signed", variance: 0.7 },
  { link: "saturating", weights: "softplus", variance: 1 },
  { link: "sigmoid", weights: "signed", variance: 2 },
  { link: "sigmoid", weights: "softplus", variance: 0.5 },
];

describe.each(kernels)("$link, $weights", ({ weights, ...kernel }) => {
  const problem = personalWorld(9, 3);
  const w = kernel.link === "sigmoid" ? [0.4, 0.2, 0.5, -0.3] : [0.4, 0.2, 0.5];

  const objective = (scope: Scope, own = problem): Objective => {
    const likelihood = new PersonalLikelihood(engine, scope, own, kernel);
    return weights === "softplus" ? new SoftplusObjective(likelihood, problem.p) : likelihood;
  };

  function likelihood() {
    const scope = engine.scope();
    return { scope, of: objective(scope) };
  }

  /** K of the same items, pair by pair. */
  function kernelMatrix(scope: Scope): Matrix {
    const { n, p, distances } = problem;
    const K = scope.matrix(n, n);
    for (let i = 0, k = 0; i < n; i++) {
      for (let j = 0; j <= i; j++, k++) {
        let t = 0;
        for (let c = 0; c < p; c++) {
          t += (weights === "softplus" ? softplus(w[c]) : w[c]) * distances[c * pairCount(n) + k];
        }
        const value = kernel.variance * Math.exp(-0.5 * applyLink(kernel.link, t, w[p] ?? 0));
        K.set(i, j, value);
        K.set(j, i, value);
      }
    }
    return K;
  }

  test("is the exact likelihood of the process, divided by n", () => {
    const { scope, of } = likelihood();
    const { n, targets, noise } = problem;
    const inputs = {
      K: kernelMatrix(scope),
      R: scope.matrix(n, 1).write(targets),
      noise: scope.matrix(n, 1).write(noise),
    };
    expect(of.evaluate(w)).toBeCloseTo(exactNll(engine, inputs).value / n, 12);
    scope.close();
  });

  test("its gradient and Hessian are central differences of the value and the gradient", () => {
    const { scope, of } = likelihood();
    const P = w.length;
    const gradient = new Float64Array(P);
    const hessian = new Float64Array(P * P);
    of.evaluate(w, { gradient, hessian });
    const step = 1e-5;
    for (let i = 0; i < P; i++) {
      const moved = (by: number) => w.map((value, j) => (i === j ? value + by : value));
      expect(gradient[i]).toBeCloseTo((of.evaluate(moved(step)) - of.evaluate(moved(-step))) / (2 * step), 8);
      const [up, down] = [step, -step].map((by) => {
        const own = new Float64Array(P);
        of.evaluate(moved(by), { gradient: own });
        return own;
      });
      for (let j = 0; j < P; j++) expect(hessian[i * P + j]).toBeCloseTo((up[j] - down[j]) / (2 * step), 7);
    }
    scope.close();
  });

  test("the Hessian times a vector needs no Hessian", () => {
    const { scope, of } = likelihood();
    const P = w.length;
    const v = Float64Array.from(w, (_, i) => Math.cos(3 * i));
    const hessian = new Float64Array(P * P);
    const product = new Float64Array(P);
    of.evaluate(w, { hessian });
    of.hessianProduct(product, w, v);
    const expected = Array.from(v, (_, i) => v.reduce((sum, value, j) => sum + hessian[i * P + j] * value, 0));
    expectWithin("∇²ℓ·v", product, expected, 1e-12);
    scope.close();
  });

  test("the Fisher matrix is the mean Hessian over targets that the process itself draws", () => {
    using scope = engine.scope();
    const { n, noise } = problem;
    const L = kernelMatrix(scope);
    for (let i = 0; i < n; i++) L.set(i, i, L.get(i, i) + noise[i]);
    engine.cholesky(L);
    const P = w.length;
    const fisher = new Float64Array(P * P);
    const mean = new Float64Array(P * P);
    for (let j = 0; j < n; j++) {
      // n targets √n·L·e_j have the second moments of the process, and the Hessian knows no others
      const targets = Float64Array.from({ length: n }, (_, i) => Math.sqrt(n) * L.get(i, j));
      const own = objective(scope, { ...problem, targets });
      const hessian = new Float64Array(P * P);
      own.evaluate(w, { hessian, fisher });
      for (let k = 0; k < P * P; k++) mean[k] += hessian[k] / n;
    }
    expectWithin("Fisher", fisher, mean, 1e-10);
  });
});

test.each(["linear", "saturating", "sigmoid"] as const)(
  "third derivatives are differences of the Hessian: %s",
  (link) => {
    using scope = engine.scope();
    const of = new PersonalLikelihood(engine, scope, personalWorld(7, 2, 3), { link, variance: 1.1 });
    const w = link === "sigmoid" ? [0.4, -0.2, 0.3] : [0.4, 0.3];
    const P = w.length;
    const third = thirdDerivatives(of, w);
    const step = 1e-5;
    const hessianAt = (l: number, by: number) => {
      const hessian = new Float64Array(P * P);
      of.evaluate(
        w.map((value, j) => (l === j ? value + by : value)),
        { hessian },
      );
      return hessian;
    };
    for (let l = 0; l < P; l++) {
      const [up, down] = [hessianAt(l, step), hessianAt(l, -step)];
      const differences = up.map((value, k) => (value - down[k]) / (2 * step));
      const own = differences.map((_, k) => third[k * P + l]);
      expectWithin(`by w_${l}`, own, differences, 1e-7 * Math.max(1, largest(differences)));
    }
  },
);
