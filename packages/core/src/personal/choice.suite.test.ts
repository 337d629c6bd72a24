// Derivatives of the likelihood of choices are those of its value; it is what its formula says, also where exponentials overflow.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { expectWithin } from "../testing/bounds.ts";
import { ChoiceLikelihood, type ChoiceProblem, choiceLogit } from "./choice.ts";
import type { Objective } from "./likelihood.ts";
import { SoftplusObjective } from "./softplus.ts";

let engine: Engine;
let scope: Scope;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  scope = engine.scope();
});
afterAll(async () => {
  scope.close();
  await engine.close();
});

const likelihoodOf = (problem: ChoiceProblem) => new ChoiceLikelihood(engine, scope, problem);

function problemOf(s: number, m: number, p: number, { scale = 1, window = s } = {}): ChoiceProblem {
  const random = new Random(7);
  return {
    s,
    m,
    p,
    window,
    temperature: 0.5,
    distances: Float64Array.from({ length: p * s * (s + m) }, () => 0.5 * scale * random.normal() ** 2),
    logPopularity: Float64Array.from({ length: s + m }, () => -5 + random.normal()),
    shares: Float64Array.from({ length: m }, () => 1 + 9 * random.uniform()),
  };
}

/** By the formula, term by term. */
function plain(problem: ChoiceProblem, w: readonly number[]): number {
  const { s, m, window, shares } = problem;
  let [sum, pairs] = [0, 0];
  for (let i = 0; i < s; i++) {
    for (let j = 0; j < s; j++) {
      if (j === i || Math.abs(i - j) > window) continue;
      pairs++;
      const chosen = Math.exp(choiceLogit(problem, [i, j], w));
      let all = chosen;
      for (let k = 0; k < m; k++) all += shares[k] * Math.exp(choiceLogit(problem, [i, s + k], w));
      sum -= Math.log(chosen / all);
    }
  }
  return sum / pairs;
}

const w = [0.7, 0.2, 1.1, 0.4];

test("is the mean of −log P over the user's pairs", () => {
  for (const window of [1, 2, 3, 50]) {
    const problem = problemOf(4, 6, 3, { window });
    expect(likelihoodOf(problem).evaluate(w)).toBeCloseTo(plain(problem, w), 12);
  }
});

test("two items and one other, by hand", () => {
  // l = −d·h/T: own −1, other −3, which stands for two: P = e⁻¹/(e⁻¹ + 2e⁻³)
  const problem = {
    s: 2,
    m: 1,
    p: 1,
    window: 1,
    temperature: 2,
    distances: Float64Array.of(0, 2, 6, 2, 0, 6),
    logPopularity: new Float64Array(3),
    shares: Float64Array.of(2),
  };
  expect(likelihoodOf(problem).evaluate([1, 0])).toBeCloseTo(Math.log(1 + 2 * Math.exp(-2)), 14);
});

test("many pairs that are all unlikely: the logarithm of a product that vanishes", () => {
  const [s, p] = [40, 1];
  const distances = Float64Array.from({ length: s * (s + 1) }, (_, k) => (k % (s + 1) === s ? 0 : 5 + (k % 3)));
  const shares = Float64Array.of(3);
  const problem = { s, m: 1, p, window: s, temperature: 1, distances, logPopularity: new Float64Array(s + 1), shares };
  for (const h of [0.1, 1, 20]) expect(likelihoodOf(problem).evaluate([h, 0])).toBeCloseTo(plain(problem, [h, 0]), 11);
});

describe("where exponentials of logits overflow or vanish", () => {
  test("value and gradient stay finite", () => {
    const gradient = new Float64Array(4);
    expect(likelihoodOf(problemOf(4, 6, 3, { scale: 1000 })).evaluate(w, { gradient })).toBeGreaterThan(0);
    expect(gradient.every(Number.isFinite)).toBe(true);
  });

  test.each([-4000, 4000])("all distances %d further: nothing changes", (further) => {
    const problem = problemOf(4, 6, 3);
    const derivatives = () => ({ gradient: new Float64Array(4), hessian: new Float64Array(16) });
    const [near, far] = [derivatives(), derivatives()];
    const moved = { ...problem, distances: problem.distances.map((d) => d + further) };
    const values = [likelihoodOf(problem).evaluate(w, near), likelihoodOf(moved).evaluate(w, far)];
    expectWithin("value", [values[1]], [values[0]], 1e-10);
    expectWithin("gradient", far.gradient, near.gradient, 1e-10);
    expectWithin("Hessian", far.hessian, near.hessian, 1e-6); // what 4000² leaves of 16 digits
  });
});

describe.each([
  ["by h", likelihoodOf],
  ["by θ", (problem: ChoiceProblem) => new SoftplusObjective(likelihoodOf(problem), problem.p)],
] as const)("%s", (_, objectiveOf) => {
  let objective: Objective;
  beforeAll(() => {
    objective = objectiveOf(problemOf(5, 7, 3, { window: 2 }));
  });
  const step = 1e-5;
  const moved = (q: number, by: number) => w.map((value, r) => (r === q ? value + by : value));

  test("the gradient is that of the value", () => {
    const gradient = new Float64Array(4);
    objective.evaluate(w, { gradient });
    const differences = w.map(
      (_value, q) => (objective.evaluate(moved(q, step)) - objective.evaluate(moved(q, -step))) / (2 * step),
    );
    expectWithin("gradient", gradient, differences, 1e-8);
  });

  test("the Hessian is that of the gradient, and its product with a vector", () => {
    const hessian = new Float64Array(16);
    objective.evaluate(w, { hessian });
    const differences = w.flatMap((_value, q) => {
      const [above, below] = [new Float64Array(4), new Float64Array(4)];
      objective.evaluate(moved(q, step), { gradient: above });
      objective.evaluate(moved(q, -step), { gradient: below });
      return Array.from(above, (value, r) => (value - below[r]) / (2 * step));
    });
    expectWithin("Hessian", hessian, differences, 1e-7);
    const product = new Float64Array(4);
    const v = [0.3, -1, 0.5, 2];
    objective.hessianProduct(product, w, v);
    const expected = v.map((_value, q) => v.reduce((sum, value, r) => sum + hessian[q * 4 + r] * value, 0));
    expectWithin("product", product, expected, 1e-12);
  });
});

test("shapes that do not fit, and users without a pair, are refused", () => {
  const problem = problemOf(3, 4, 2);
  expect(() => likelihoodOf({ ...problem, shares: new Float64Array(3) })).toThrow("choice: 3 items, 4 others");
  expect(() => likelihoodOf(problemOf(1, 4, 2))).toThrow("two items");
});
