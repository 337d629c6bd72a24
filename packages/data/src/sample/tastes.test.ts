import { createEngine, type Engine, Random } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FilmDistances, filmDistances, totalDistances } from "./distances.ts";
import { readFilms } from "./films.ts";
import { CHANNELS, PARAMETERS } from "./parameters.ts";
import { drawProcess, drawTaste, drawWeights } from "./tastes.ts";

const { baseWeights, weightSpread, personalVariance, sharedVariance } = PARAMETERS.taste;
let engine: Engine;
let distances: FilmDistances;
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 1 });
  distances = filmDistances(engine, (await readFilms()).slice(200, 230));
});
afterAll(() => engine.close());

test("weights are log-normal around the base weights, each channel by itself", () => {
  const random = new Random(3);
  const logs = Array.from({ length: 4000 }, () => drawWeights(random)).map((weights) =>
    CHANNELS.map((channel) => Math.log(weights[channel] / baseWeights[channel])),
  );
  const mean = (f: (row: number[]) => number) => logs.reduce((sum, row) => sum + f(row), 0) / logs.length;
  for (let c = 0; c < CHANNELS.length; c++) {
    expect(Math.abs(mean((row) => row[c]))).toBeLessThan(0.05);
    expect(Math.sqrt(mean((row) => row[c] ** 2))).toBeCloseTo(weightSpread, 1);
    expect(Math.abs(mean((row) => row[c] * row[(c + 1) % CHANNELS.length]))).toBeLessThan(0.06);
  }
});

describe("drawProcess", () => {
  test("has the covariance exp(−½t)", () => {
    const { n } = distances;
    const count = 6000;
    const draws = drawProcess(engine, { distances, weights: baseWeights }, new Random(5), count);
    const t = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      totalDistances(t, { distances, weights: baseWeights }, i);
      for (let j = 0; j < n; j++) {
        const covariance = draws.reduce((sum, f) => sum + f[i] * f[j], 0) / count;
        if (!(Math.abs(covariance - Math.exp(-0.5 * t[j])) < 0.08)) expect.fail(`(${i}, ${j}): ${covariance}`);
      }
    }
  });
});

test("a taste has the variance of its two parts", () => {
  const metric = { distances, weights: baseWeights };
  const archetypes = drawProcess(engine, metric, new Random(7), 6);
  const size = archetypes.reduce((sum, g) => sum + g[0] ** 2, 0) / archetypes.length; // given the archetypes, not on average
  const random = new Random(8);
  const first = Array.from({ length: 2000 }, (_, u) => drawTaste(engine, { metric, archetypes }, random.split(u))[0]);
  const variance = first.reduce((sum, f) => sum + f * f, 0) / first.length;
  expect(Math.abs(variance / (personalVariance + sharedVariance * size) - 1)).toBeLessThan(0.1);
});
