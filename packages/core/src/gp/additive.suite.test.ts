import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { expectGradient } from "../testing/differences.ts";
import {
  type AdditiveProblem,
  additiveKernel,
  additiveNll,
  additiveParameters,
  additiveSize,
  jointAndSingleTerms,
} from "./additive.ts";
import { fitAdditive } from "./additive-fit.ts";
import { leaveOneOut, leaveOneOutMeans } from "./leave-one-out.ts";
import { fitPosterior, placePosterior } from "./posterior.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const [n, m, p, k] = [14, 5, 3, 4];

/** Three channels of two columns; every fifth item is far along an axis of its own, as items with a missing value are. */
function problem(scope: ReturnType<Engine["scope"]>, seed = 1): AdditiveProblem {
  const random = new Random(seed);
  const points = Array.from({ length: n }, () => Array.from({ length: 2 * p }, () => random.normal()));
  const length = (item: number, c: number) => ((item + c) % 5 === 2 ? 1.3 : 0);
  const table = new Float64Array(n * m * p);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      for (let c = 0; c < p; c++) {
        const [a, b] = [points[i], points[j]];
        const square = (a[2 * c] - b[2 * c]) ** 2 + (a[2 * c + 1] - b[2 * c + 1]) ** 2;
        table[(i * m + j) * p + c] = i === j ? 0 : square + length(i, c) + length(j, c);
      }
    }
  }
  const R = scope.matrix(n, k).write(Array.from({ length: n * k }, () => random.normal()));
  const noiseFactors = scope.matrix(n, 1).write(Array.from({ length: n }, (_, i) => 1 + 5 / (3 + i)));
  return {
    terms: jointAndSingleTerms(p),
    distances: scope.matrix(n * m, p).write(table),
    R,
    noiseFactors,
    noiseFloor: 1e-4,
  };
}

/** w around `w`, log v around −1.5, log σ. */
function start(w: number, logNoise: number): Float64Array {
  const random = new Random(8);
  const flat = Float64Array.from({ length: additiveSize(jointAndSingleTerms(p)) }, () => 0.3 * random.normal());
  for (let i = 0; i < 2 * p; i++) flat[i] += w;
  for (let i = 2 * p; i < flat.length - 1; i++) flat[i] -= 1.5;
  flat[flat.length - 1] = logNoise;
  return flat;
}

test("is the sum that the formula says", () => {
  using scope = engine.scope();
  const { terms, distances } = problem(scope);
  const parameters = additiveParameters(terms, start(0.2, -0.3));
  const K = scope.matrix(n, m);
  additiveKernel(engine, K, { terms, parameters, distances });
  for (const [i, j] of [
    [0, 0],
    [3, 1],
    [13, 4],
  ]) {
    let k = 0;
    terms.forEach((channels, t) => {
      let exponent = 0;
      channels.forEach((c, at) => {
        exponent += Math.exp(parameters.logWeights[t][at]) * distances.get(i * m + j, c);
      });
      k += Math.exp(parameters.logVariances[t] - 0.5 * exponent);
    });
    expect(K.get(i, j)).toBeCloseTo(k, 12);
  }
});

describe("the gradient, by central differences", () => {
  test.each([
    ["well-conditioned", 0.3, -0.3],
    ["hardly any noise", 0.3, -4],
    ["a kernel that is nearly flat", -5, -0.3],
    ["a kernel that is nearly flat, and hardly any noise", -4, -3],
  ])("%s", (name, w, logNoise) => {
    using scope = engine.scope();
    const inputs = problem(scope);
    const flat = start(w, logNoise);
    const x: Matrix = hostMatrix(flat, flat.length, 1);
    const gradient = new Float64Array(flat.length);
    additiveNll(engine, inputs, flat, gradient);
    expectGradient(name, gradient, x, () => additiveNll(engine, inputs, flat));
  });
});

test("fitting lowers the value, leaves fixed numbers alone, and gives the same bits for two workers", async () => {
  await using two = await createEngine({ workers: 2 });
  const results = [engine, two].map((e) => {
    const scope = e.scope();
    const flat = start(0, -0.35);
    const fixed = new Uint8Array(flat.length);
    fixed[0] = 1;
    const before = flat.slice();
    const values = [...fitAdditive(e, problem(scope), { steps: 60, learningRate: 0.1, flat, fixed })].map(
      ({ value }) => value,
    );
    scope.close();
    expect(values[59]).toBeLessThan(values[0] - 0.01);
    expect(flat[0]).toBe(before[0]);
    return flat;
  });
  expect(results[1]).toEqual(results[0]);
});

describe("leave-one-out means in blocks", () => {
  function fitted(scope: ReturnType<Engine["scope"]>, leftOut?: number) {
    const { terms, distances, R, noiseFactors } = problem(scope);
    const parameters = additiveParameters(terms, start(0.2, -0.3));
    const Knm = scope.matrix(n, m);
    additiveKernel(engine, Knm, { terms, parameters, distances });
    const Kmm = scope.matrix(m, m);
    engine.convert(Kmm, Knm.view(0, m));
    const diagonal = scope.matrix(n, 1).fill(Knm.get(0, 0));
    const part = (from: number, to: number) => ({
      Knm: Knm.view(from, to),
      diagonal: diagonal.view(from, to),
      R: R.view(from, to),
      noise: noiseFactors.view(from, to),
    });
    const parts =
      leftOut === undefined
        ? [part(0, 6), part(6, n)]
        : [part(0, leftOut), part(leftOut + 1, n)].filter((b) => b.R.rows);
    const posterior = fitPosterior(engine, { likelihood: "vfe", Kmm, blocks: parts });
    return { parts, posterior, whole: { likelihood: "vfe" as const, Kmm, ...part(0, n) } };
  }

  test("are those of all rows at once", () => {
    using scope = engine.scope();
    const { parts, posterior, whole } = fitted(scope);
    const placed = placePosterior(scope, posterior);
    const means = parts.flatMap((rows) => Array.from(leaveOneOutMeans(engine, placed, rows)));
    const { mean } = leaveOneOut(engine, whole);
    means.forEach((value, i) => {
      expect(value).toBeCloseTo(mean[i], 10);
    });
  });

  test("are what is predicted when the item is left out", () => {
    using scope = engine.scope();
    const { parts, posterior } = fitted(scope);
    const means = leaveOneOutMeans(engine, placePosterior(scope, posterior), parts[0]);
    for (const item of [0, 3, 5]) {
      const without = fitted(scope, item);
      const { beta } = without.posterior;
      for (let j = 0; j < k; j++) {
        let mean = 0;
        for (let i = 0; i < m; i++) mean += without.whole.Knm.get(item, i) * beta[i * k + j];
        expect(means[item * k + j]).toBeCloseTo(mean, 9);
      }
    }
  });
});
