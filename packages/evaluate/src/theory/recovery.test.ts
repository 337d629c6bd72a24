import { createEngine, type Engine } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  exponentOf,
  type RecoveryEvent,
  type RecoveryOptions,
  type RecoveryResult,
  simulateRecovery,
} from "./recovery.ts";

let engine: Engine;
let result: RecoveryResult;
const events: RecoveryEvent[] = [];
const small = {
  sizes: [120, 30],
  surrogates: [16, 1],
  seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
} satisfies RecoveryOptions;

beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  result = await simulateRecovery(engine, { ...small, onEvent: (event) => events.push(event) });
});
afterAll(() => engine.close());

const cell = (n: number, k: number) => {
  const found = result.cells.find((own) => own.n === n && own.k === k);
  if (!found) throw new Error(`no cell (${n}, ${k})`);
  return found;
};

describe("the simulation of metric recovery", () => {
  test("both errors fall with n, and with k", () => {
    for (const error of ["kernel", "distance"] as const) {
      const median = (n: number, k: number) => cell(n, k)[error].median;
      expect(median(120, 1)).toBeLessThan(median(30, 1));
      expect(median(120, 16)).toBeLessThan(0.7 * median(30, 16));
      expect(median(30, 16)).toBeLessThan(0.5 * median(30, 1));
      expect(median(120, 16)).toBeLessThan(0.5 * median(120, 1));
    }
    expect(exponentOf(result.cells.filter(({ k }) => k === 16))).toBeLessThan(-0.3);
  });

  test("Lemma 3 holds of every fit, and the weights are near the true ones where there is much to see", () => {
    for (const { kernel, distance, certified } of result.fits) {
      if (certified === null) expect(kernel).toBeGreaterThanOrEqual(1);
      else expect(certified).toBeGreaterThanOrEqual(distance);
    }
    const much = result.fits.filter(({ n, k }) => n === 120 && k === 16);
    const mean = [0, 1, 2].map((c) => much.reduce((sum, { weights }) => sum + weights[c] / much.length, 0));
    for (const c of [0, 1, 2]) expect(Math.abs(mean[c] - result.settings.weights[c])).toBeLessThan(0.15);
    expect(result.fits.every(({ converged }) => converged)).toBe(true);
  });

  test("A1 and A2 at their best: d and α are computed, τ is never below 1, and the printed bound is missed", () => {
    for (const { lambdaMax, infKernel, d, alpha, tau, n } of result.fits) {
      expect(d).toBeCloseTo(lambdaMax / infKernel, 9);
      expect(lambdaMax).toBeGreaterThan(1 + (n - 1) * infKernel);
      expect(lambdaMax).toBeLessThan(n);
      expect(alpha).toBeGreaterThan(0);
      expect(tau).toBeGreaterThan(1);
    }
    expect(cell(30, 1).printed).toBeLessThan(0.01);
    expect(cell(30, 1).missed).toBeGreaterThan(0.5);
  });

  test("the same settings give the same result; fewer sizes or surrogates the same fits", async () => {
    const again = await simulateRecovery(engine, { sizes: [30], surrogates: [1], seeds: [3] });
    const before = result.fits.find(({ seed, n, k }) => seed === 3 && n === 30 && k === 1);
    expect(again.fits).toHaveLength(1);
    again.fits[0].weights.forEach((weight, c) => {
      expect(weight).toBeCloseTo(before?.weights[c] as number, 6);
    });
    expect(await simulateRecovery(engine, { sizes: [30], surrogates: [1], seeds: [3] })).toEqual(again);
    expect((await simulateRecovery(engine, { sizes: [30], surrogates: [1], seeds: [4] })).fits[0].kernel).not.toBe(
      again.fits[0].kernel,
    );
  });

  test("A3 has no noise: a likelihood that expects it stays off, however many surrogates there are; if they have it, it does not", async () => {
    const settings = { sizes: [120], surrogates: [64], seeds: [1, 2, 3], sigma2: 0.1 };
    const [a3] = (await simulateRecovery(engine, settings)).cells;
    const [noisy] = (await simulateRecovery(engine, { ...settings, noisy: true })).cells;
    expect(a3.distance.low).toBeGreaterThan(1);
    expect(noisy.distance.high).toBeLessThan(0.5);
  });

  test("a fit of many items starts from one of a quarter of them, and ends where one from the start would", async () => {
    const { fits } = await simulateRecovery(engine, { sizes: [300], surrogates: [8], seeds: [1] });
    const weights = fits[0].weights;
    [2, 1, 0.5].forEach((truth, c) => {
      expect(Math.abs(weights[c] - truth)).toBeLessThan(0.25);
    });
  });

  test("says how far it is, in the order of the work, and stops when it is told to", async () => {
    expect(events).toHaveLength(40);
    expect(events[0]).toEqual({ seed: 1, n: 30, k: 1, share: 0 });
    expect(events[3]).toMatchObject({ seed: 1, n: 120, k: 16 });
    expect(events.every(({ share }, i) => i === 0 || share > events[i - 1].share)).toBe(true);
    const stop = new AbortController();
    const run = simulateRecovery(engine, {
      ...small,
      signal: stop.signal,
      onEvent: ({ n }) => n === 120 && stop.abort(new Error("enough")),
    });
    await expect(run).rejects.toThrow("enough");
    expect((await simulateRecovery(engine, { sizes: [30], surrogates: [1], seeds: [1] })).fits).toHaveLength(1); // its memory was given back
  });

  test("σ² at its ends: all constants are numbers, and it drops out of τ", async () => {
    const fitted = async (sigma2: number, noisy: boolean) =>
      (await simulateRecovery(engine, { sizes: [10], surrogates: [1], seeds: [1], sigma2, noisy })).fits[0];
    for (const noisy of [false, true]) {
      for (const sigma2 of [1e-100, 1e100]) {
        const { alpha, tau, printed, kernel } = await fitted(sigma2, noisy);
        expect(alpha).toBeGreaterThan(0);
        for (const value of [alpha, tau, printed, kernel]) expect(Number.isFinite(value)).toBe(true);
      }
    }
  });

  test("settings outside their range are refused", async () => {
    const message = async (settings: RecoveryOptions) =>
      simulateRecovery(engine, settings).then(
        () => "accepted",
        (error: Error) => error.message,
      );
    expect([
      await message({ sizes: [] }),
      await message({ sizes: [50, 50] }),
      await message({ sizes: [1] }),
      await message({ surrogates: [0] }),
      await message({ weights: [1, -1] }),
      await message({ sigma2: 0 }),
      await message({ sigma2: 1e300 }),
      await message({ epsilon: 1 }),
    ]).toMatchInlineSnapshot(`
      [
        "sizes: name at least one, and each once, got none",
        "sizes: name at least one, and each once, got 50, 50",
        "sizes must be a whole number of at least 2, got 1",
        "surrogates must be a whole number of at least 1, got 0",
        "weights must be above 0 and finite, got -1",
        "sigma2 must be between 1e-100 and 1e+100, got 0",
        "sigma2 must be between 1e-100 and 1e+100, got 1e+300",
        "epsilon must be between 0 and 1, neither of them, got 1",
      ]
    `);
  });
});
