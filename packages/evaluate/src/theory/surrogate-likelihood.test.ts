// Eq. 6 for k surrogates: its value is the exact likelihood of core, its derivatives are those of its value.
import {
  createEngine,
  type Engine,
  exactNll,
  type Matrix,
  PersonalLikelihood,
  Random,
  type Scope,
} from "@nearkin/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SurrogateLikelihood } from "./surrogate-likelihood.ts";

let engine: Engine;
let scope: Scope;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());
beforeEach(() => {
  scope = engine.scope();
});
afterEach(() => scope.close());

const sizes = [2, 1, 3];
const h = [0.7, 0.3, 1.1];

function world(n: number, k: number): { Z: Matrix; R: Matrix } {
  const random = new Random(5);
  const [Z, R] = [scope.matrix(n, 6), scope.matrix(n, k)];
  engine.fillNormal(Z, random.split("Z"));
  engine.fillNormal(R, random.split("R"));
  return { Z, R };
}

/** (p, n(n + 1)/2) d_c, pair by pair. */
function distancesOf(Z: Matrix): Float64Array {
  const starts = [0, 2, 3, 6];
  return Float64Array.from(
    sizes.flatMap((_, c) =>
      Array.from({ length: Z.rows }, (_, a) =>
        Array.from({ length: a + 1 }, (_, b) => {
          let sum = 0;
          for (let j = starts[c]; j < starts[c + 1]; j++) sum += (Z.get(a, j) - Z.get(b, j)) ** 2;
          return sum;
        }),
      ).flat(),
    ),
  );
}

describe.each([
  { k: 1, sigma2: 0.3 },
  { k: 4, sigma2: 0.3 },
  { k: 4, sigma2: 1e-3 },
])("$k surrogates, σ² = $sigma2", ({ k, sigma2 }) => {
  const n = 11;
  const likelihood = () => new SurrogateLikelihood(engine, scope, { ...world(n, k), sizes, sigma2 });

  test("is the exact likelihood of the process, an item and surrogate", () => {
    const { Z, R } = world(n, k);
    const K = scope.matrix(n, n);
    const weights = scope.matrix(6, 1).write([0.7, 0.7, 0.3, 1.1, 1.1, 1.1]);
    engine.kernel(K, Z, Z, { weights });
    const { value } = exactNll(engine, { K, R, noise: scope.matrix(n, 1).fill(sigma2) });
    expect(new SurrogateLikelihood(engine, scope, { Z, R, sizes, sigma2 }).evaluate(h)).toBeCloseTo(
      value / (n * k),
      11,
    );
  });

  test("its gradient and Hessian are central differences of the value and the gradient", () => {
    const of = likelihood();
    const [gradient, hessian] = [new Float64Array(3), new Float64Array(9)];
    of.evaluate(h, { gradient, hessian });
    const step = 1e-5;
    const scale = Math.max(...hessian.map(Math.abs), ...gradient.map(Math.abs));
    for (let i = 0; i < 3; i++) {
      const moved = (by: number) => h.map((value, j) => (i === j ? value + by : value));
      const slope = (of.evaluate(moved(step)) - of.evaluate(moved(-step))) / (2 * step);
      expect(Math.abs(gradient[i] - slope)).toBeLessThan(1e-6 * scale);
      const [up, down] = [step, -step].map((by) => {
        const own = new Float64Array(3);
        of.evaluate(moved(by), { gradient: own });
        return own;
      });
      for (let j = 0; j < 3; j++) {
        expect(Math.abs(hessian[i * 3 + j] - (up[j] - down[j]) / (2 * step))).toBeLessThan(1e-6 * scale);
      }
    }
  });

  test("∇²ℓ·v is the Hessian times v, and asking for it changes nothing", () => {
    const of = likelihood();
    const v = [0.4, -1, 0.2];
    const [hessian, product] = [new Float64Array(9), new Float64Array(3)];
    const value = of.evaluate(h, { hessian });
    of.hessianProduct(product, h, v);
    for (let i = 0; i < 3; i++) {
      expect(product[i]).toBeCloseTo(
        v.reduce((sum, own, j) => sum + hessian[i * 3 + j] * own, 0),
        10,
      );
    }
    expect(of.evaluate(h)).toBe(value);
  });
});

test("with one surrogate it is core's likelihood of one user, and its Fisher matrix that one's, but for the probes", () => {
  const n = 60;
  const { Z, R } = world(n, 1);
  const sigma2 = 0.2;
  const personal = new PersonalLikelihood(
    engine,
    scope,
    { n, p: 3, distances: distancesOf(Z), targets: R.read(), noise: new Float64Array(n).fill(sigma2) },
    { link: "linear", variance: 1 },
  );
  const own = new SurrogateLikelihood(engine, scope, { Z, R, sizes, sigma2 });
  const [a, b] = [personal, own].map((objective) => {
    const [gradient, fisher] = [new Float64Array(3), new Float64Array(9)];
    const value = objective.evaluate(h, { gradient, fisher });
    return { value, gradient, fisher };
  });
  expect(b.value).toBeCloseTo(a.value, 12);
  b.gradient.forEach((slope, i) => {
    expect(slope).toBeCloseTo(a.gradient[i], 12);
  });
  for (let i = 0; i < 9; i++) expect(Math.abs(b.fisher[i] / a.fisher[i] - 1)).toBeLessThan(0.25);
});

test("shapes that do not fit are refused", () => {
  const { Z, R } = world(5, 2);
  expect(
    () => new SurrogateLikelihood(engine, scope, { Z, R, sizes: [2, 2], sigma2: 1 }),
  ).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: surrogates: items (5, 6) go with 5 rows of targets and 6 columns of channels, got 5 and 2 + 2]`,
  );
  expect(() => new SurrogateLikelihood(engine, scope, { Z, R, sizes, sigma2: 0 })).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: surrogates: sigma2 must be above 0, got 0]`,
  );
});
