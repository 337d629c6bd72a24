import { createEngine, type Engine, type Matrix, type Scope } from "@nearkin/core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { checkLemma4, lemma4, lemma4MonteCarlo } from "./lemma4.ts";

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

const identity = (n: number): Matrix =>
  scope.matrix(n, n).write(Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0)));

test("Lemma 4 with A = K* = I is the moment generating function of χ²: (1 − 2λ)^(−n/2)", () => {
  const [K, A] = [identity(5), identity(5)];
  for (const lambda of [0.01, 0.1, 0.3]) {
    const { load, mean, printed } = lemma4(engine, { K, A, lambda });
    expect(load).toBeCloseTo(2 * lambda, 14);
    expect(mean).toBeCloseTo((1 - 2 * lambda) ** -2.5, 12);
    expect(printed).toBe(mean);
  }
  const [low, high] = lemma4MonteCarlo(engine, { K, A, lambdas: [0.05, 0.2] }, { draws: 100_000, seed: 1 });
  expect(Math.abs(low.mean - 0.9 ** -2.5)).toBeLessThan(4 * low.error);
  expect(Math.abs(high.mean - 0.6 ** -2.5)).toBeLessThan(4 * high.error);
  expect(low.error).toBeLessThan(0.002);
});

test("K* and A count together: a diagonal case by hand, and one with two items alike", () => {
  const K = scope.matrix(2, 2).write([2, 0, 0, 3]);
  const A = scope.matrix(2, 2).write([0.5, 0, 0, 1]);
  expect(lemma4(engine, { K, A, lambda: 0.1 }).mean).toBeCloseTo(1 / Math.sqrt((1 - 0.2) * (1 - 0.6)), 12);
  const alike = scope.matrix(2, 2).write([1, 1, 1, 1]); // r₁ = r₂, so that rᵀr = 2ξ²
  expect(lemma4(engine, { K: alike, A: identity(2), lambda: 0.1 }).mean).toBeCloseTo(0.6 ** -0.5, 9);
});

test("beyond 2λ·λ_max(AK*) = 1 the mean is infinite, and the printed determinant may still be 1", () => {
  const [K, A] = [identity(2), identity(2)];
  expect(lemma4(engine, { K, A, lambda: 1 })).toEqual({ load: 2, mean: Infinity, printed: 1 }); // (1 − 2)·(1 − 2) = 1
  const odd = lemma4(engine, { K: identity(3), A: identity(3), lambda: 1 });
  expect([odd.mean, odd.printed]).toEqual([Infinity, Number.NaN]);
  // the mean of e^(ξ₁² + ξ₂²) over draws grows with their number
  const [few, many] = [100, 100_000].map(
    (draws) => lemma4MonteCarlo(engine, { K, A, lambdas: [1] }, { draws, seed: 1 })[0].mean,
  );
  expect(many).toBeGreaterThan(10 * few);
});

test("draws agree with the formula on kernels by chance, where it holds and they have a variance", () => {
  for (const seed of [1, 2, 3]) {
    const rows = checkLemma4(engine, { seed, draws: 50_000 });
    expect(rows.map(({ load }) => load)).toEqual([0.1, 0.25, 0.45, 0.75, 1.5]);
    expect(rows.map(({ z }) => z !== null)).toEqual([true, true, true, false, false]);
    for (const { z } of rows.slice(0, 3)) expect(Math.abs(z as number)).toBeLessThan(4);
    for (const { load, mean } of rows) expect(mean === Infinity).toBe(load >= 1);
    expect(rows[0].mean).toBeGreaterThan(1);
    expect(rows[1].mean).toBeGreaterThan(rows[0].mean);
  }
});

test("the same seed gives the same draws, another one others", () => {
  const of = (seed: number) => checkLemma4(engine, { seed, draws: 5000, loads: [0.2] })[0].monteCarlo;
  expect(of(7)).toEqual(of(7));
  expect(of(8)).not.toEqual(of(7));
});
