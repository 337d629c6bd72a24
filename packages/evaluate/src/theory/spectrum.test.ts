import { createEngine, Random, symmetricEigen } from "@nearkin/core";
import { expect, test } from "vitest";
import { randomKernel } from "./random-matrices.ts";
import { recoveryDefaults } from "./recovery.ts";
import { drawWorld } from "./recovery-world.ts";
import { spectrumBound } from "./spectrum.ts";

/** Eigenvalues and smallest entry of a kernel by chance. */
async function kernelOf(n: number): Promise<{ eigenvalues: Float64Array; infKernel: number }> {
  await using engine = await createEngine({ workers: 1 });
  using scope = engine.scope();
  const K = scope.matrix(n, n);
  randomKernel(engine, K, new Random(1));
  const entries = K.read();
  const { values } = symmetricEigen(entries, n);
  return { eigenvalues: values.map((value) => Math.max(value, 0)), infKernel: Math.min(...entries) };
}

test("Theorem 1 with every eigenvalue: the tail, its bound, and the draws that A2 leaves", async () => {
  const { eigenvalues, infKernel } = await kernelOf(40);
  const { chernoff, tail, assumption, promise } = spectrumBound(eigenvalues, {
    sigma: 1.5,
    alpha: 2 * 1.5 ** 4,
    epsilon: 0.5,
    infKernel,
  });
  expect(tail).toBeLessThan(chernoff);
  expect(chernoff).toBeLessThan(1);
  expect(assumption).toBeGreaterThan(tail);
  expect(promise).toBeCloseTo(tail + 1 - assumption, 12);
});

test("of 20 items with k* = ½ between any two, no α promises less than 0.79 at ε = ½", () => {
  const eigenvalues = [10.5, ...new Array<number>(19).fill(0.5)];
  const inputs = { sigma: 1, epsilon: 0.5, infKernel: 0.5 };
  const promises = [0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 1, 1.5, 3].map(
    (alpha) => spectrumBound(eigenvalues, { ...inputs, alpha }).promise,
  );
  expect(Math.min(...promises)).toBeGreaterThan(0.79);
  expect(Math.min(...promises)).toBeLessThan(0.8);
});

test("of 100 items of the simulation no α promises less than 0.99 at ε = ½", async () => {
  await using engine = await createEngine({ workers: 1 });
  using scope = engine.scope();
  const settings = { ...recoveryDefaults, sizes: [100], surrogates: [1] };
  const { Z, constants } = drawWorld(engine, scope, { settings, seed: 1 });
  const K = scope.matrix(100, 100);
  const weights = scope.matrix(24, 1).write(settings.weights.flatMap((weight) => new Array<number>(8).fill(weight)));
  engine.kernel(K, Z, Z, { weights });
  const { values } = symmetricEigen(K.read(), 100);
  const infKernel = constants.get(100)?.infKernel as number;
  expect(values[0]).toBeCloseTo(constants.get(100)?.lambdaMax as number, 6); // the power method's
  for (const alpha of [0.5, 0.7, 0.8, 0.85, 0.9, 1, 1.2, 2]) {
    expect(spectrumBound(values, { sigma: 1, alpha, epsilon: 0.5, infKernel }).promise).toBeGreaterThan(0.99);
  }
});

test("whatever α is, no promise of Theorem 1 is worth much once A2 may fail", async () => {
  const { eigenvalues, infKernel } = await kernelOf(40);
  for (const epsilon of [0.1, 0.5, 0.99]) {
    const promises = [0, 0.3, 0.6, 0.8, 1, 1.5, 3].map(
      (alpha) => spectrumBound(eigenvalues, { sigma: 1, alpha, epsilon, infKernel }).promise,
    );
    expect(Math.min(...promises)).toBeGreaterThan(0.8);
  }
});

test("one and two items at a small α: P(X ≥ α) is erfc(√(α/2)), and near 1", () => {
  const inputs = { sigma: 1, epsilon: 0.5, infKernel: 1 };
  const at = (eigenvalues: number[], alpha: number) => spectrumBound(eigenvalues, { ...inputs, alpha }).assumption;
  expect(at([1], 1e-3)).toBeCloseTo(0.9747728793699604, 15);
  expect(at([1], 1e-6)).toBeCloseTo(0.9992021155721779, 15);
  expect(at([1], 1e-30)).toBeCloseTo(1, 14);
  expect(at([1, 1], 1e-12)).toBeCloseTo(1, 11);
});

test("σ⁴ may be more or less than a double holds", () => {
  const bound = (sigma: number, alpha = 1) => spectrumBound([1.5, 0.5], { sigma, alpha, epsilon: 0.5, infKernel: 0.5 });
  expect(bound(1e-100)).toEqual({ chernoff: 0, tail: 0, assumption: 0, promise: 1 });
  expect(bound(1e100)).toEqual({ chernoff: 1, tail: 1, assumption: 1, promise: 1 });
  expect(bound(1e-100, 0)).toEqual(bound(1e100));
  expect(bound(1e-75, 1e-300).tail).toBeCloseTo(bound(1).tail, 12);
});

test("an inf k* above 1 is none, and eigenvalues are those of a kernel", () => {
  const inputs = { sigma: 1, alpha: 1, epsilon: 0.5, infKernel: 0.5 };
  expect(() => spectrumBound([1, 1], { ...inputs, infKernel: 1.5 })).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: infKernel must be above 0 and at most 1, got 1.5]`,
  );
  expect(() => spectrumBound([3, -1], inputs)).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: eigenvalues must be at least 0 and finite, got -1]`,
  );
  expect(() => spectrumBound([2, 1], inputs)).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: eigenvalues: the 2 of K* sum to 2, since k*(x, x) = 1; got 3]`,
  );
});
