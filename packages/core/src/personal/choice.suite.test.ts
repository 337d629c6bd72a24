// Derivatives of the likelihood of choices are those of its value; it is what its formula says, also where exponentials overflow.
import { describe, expect, test } from "vitest";
import { Random } from "../linalg/random.ts";
import { expectWithin } from "../testing/bounds.ts";
import { ChoiceLikelihood, type ChoiceProblem } from "./choice.ts";
import { SoftplusObjective } from "./softplus.ts";

function problemOf(s: number, m: number, p: number, { scale = 1, window = s } = {}): ChoiceProblem {
  const random = new Random(7);
  const features = (count: number) =>
    Float64Array.from({ length: count * (p + 1) }, (_, k) =>
      k % (p + 1) === p ? -5 + random.normal() : -scale * random.normal() ** 2,
    );
  return {
    s,
    m,
    p,
    window,
    own: features(s * s),
    others: features(s * m),
    shares: Float64Array.from({ length: m }, () => 1 + 9 * random.uniform()),
  };
}

/** By the formula, term by term. */
function plain({ s, m, p, window, own, others, shares }: ChoiceProblem, w: readonly number[]): number {
  const logit = (from: Float64Array, row: number) => w.reduce((sum, v, q) => sum + v * from[row * (p + 1) + q], 0);
  let [sum, pairs] = [0, 0];
  for (let i = 0; i < s; i++) {
    for (let j = 0; j < s; j++) {
      if (j === i || Math.abs(i - j) > window) continue;
      pairs++;
      const chosen = Math.exp(logit(own, i * s + j));
      let all = chosen;
      for (let k = 0; k < m; k++) all += shares[k] * Math.exp(logit(others, i * m + k));
      sum -= Math.log(chosen / all);
    }
  }
  return sum / pairs;
}

const w = [0.7, 0.2, 1.1, 0.4];

test("is the mean of −log P over the user's pairs", () => {
  for (const window of [1, 2, 3, 50]) {
    const problem = problemOf(4, 6, 3, { window });
    expect(new ChoiceLikelihood(problem).evaluate(w)).toBeCloseTo(plain(problem, w), 12);
  }
});

test("two items and one other, by hand", () => {
  // l = −d·h: own −1, other −3, which stands for two: P = e⁻¹/(e⁻¹ + 2e⁻³)
  const problem = {
    s: 2,
    m: 1,
    p: 1,
    window: 1,
    own: Float64Array.of(0, 0, -1, 0, -1, 0, 0, 0),
    others: Float64Array.of(-3, 0, -3, 0),
    shares: Float64Array.of(2),
  };
  expect(new ChoiceLikelihood(problem).evaluate([1, 0])).toBeCloseTo(Math.log(1 + 2 * Math.exp(-2)), 14);
});

test("stays finite where exponentials of logits are not", () => {
  const problem = problemOf(4, 6, 3, { scale: 1000 });
  const gradient = new Float64Array(4);
  expect(new ChoiceLikelihood(problem).evaluate(w, { gradient })).toBeGreaterThan(0);
  expect(gradient.every(Number.isFinite)).toBe(true);
});

describe.each([
  ["by h", (problem: ChoiceProblem) => new ChoiceLikelihood(problem)],
  ["by θ", (problem: ChoiceProblem) => new SoftplusObjective(new ChoiceLikelihood(problem), problem.p)],
] as const)("%s", (_, objectiveOf) => {
  const objective = objectiveOf(problemOf(5, 7, 3, { window: 2 }));
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
  expect(() => new ChoiceLikelihood({ ...problem, shares: new Float64Array(3) })).toThrow("choice: 3 items, 4 others");
  expect(() => new ChoiceLikelihood({ ...problemOf(1, 4, 2) })).toThrow("two items");
});
