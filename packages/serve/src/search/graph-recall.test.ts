import { Random } from "@nearkin/core";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Calibration, calibrateGraph } from "./graph-calibrate.ts";
import { GraphIndex } from "./graph-index.ts";
import { DEPTHS, depthIndex, type ForecastMetric, GraphProbes } from "./graph-recall.ts";
import { GraphSearch } from "./graph-search.ts";
import { popularityUnit, sampleTastes } from "./graph-tastes.ts";
import { type SmallWorld, smallWorld } from "./testing/small-world.ts";

const OVERFETCH = [100, 400];
let world: SmallWorld;
let index: GraphIndex;
let calibration: Calibration;
beforeAll(async () => {
  world = await smallWorld();
  const { rows, weights, temperature, exact } = world;
  index = await GraphIndex.open({ rows, weights, model: "small", threads: 1 });
  await index.ready;
  const base = Float64Array.from(weights);
  const random = new Random(4);
  calibration = await calibrateGraph(rows, {
    index,
    exact,
    base,
    temperature,
    overfetch: OVERFETCH,
    probes: 60,
    random,
  });
});
afterAll(async () => {
  await index.close();
  await world.close();
});

const metric = (weights: readonly number[], popularity = 0): ForecastMetric => ({
  weights: Float64Array.from(weights),
  temperature: world.temperature,
  popularity,
});

test("forecasts are what is found when lists are compared one by one", async () => {
  const { rows, weights, temperature, exact } = world;
  const search = new GraphSearch({ index, exact, weights, temperature, overfetch: OVERFETCH, probes: 1, seed: 9 });
  await search.calibrate(rows); // for the most popular rows
  const random = new Random(8);
  let error = 0;
  let tastes = 0;
  for (const sd of [0.4, 0.8, 1.2, 2, 2]) {
    for (const popularity of [0, 0.3]) {
      const own = weights.map((h) => h * Math.exp(sd * random.normal()));
      const { recall } = await search.measureRecall(rows, { queries: 60, weights: own, popularity });
      const forecast = calibration.probes.forecast(metric(own, popularity)).recall[0][depthIndex(10)];
      expect(Math.abs(forecast - recall)).toBeLessThan(0.08);
      error += (forecast - recall) ** 2;
      tastes++;
    }
  }
  expect(Math.sqrt(error / tastes)).toBeLessThan(0.04);
});

test("one channel alone is forecast to be hard, and the base metric easy", () => {
  const { probes, atStart } = calibration;
  const at = (weights: readonly number[]) => probes.forecast(metric(weights)).recall[0][depthIndex(10)];
  expect(at(world.weights)).toBeGreaterThan(0.99);
  expect(at([0, 0, 0, 1])).toBeLessThan(0.8);
  const start = Object.fromEntries(atStart.map(({ kind, recall }) => [kind, recall]));
  expect(start.base[0]).toBeGreaterThan(0.99);
  expect(start["log-normal, sd 0.4"][0]).toBeGreaterThan(0.97);
  expect(start["one channel"][0]).toBeLessThan(0.85);
  expect(start["one channel"][1]).toBeGreaterThan(start["one channel"][0]);
  expect(Object.keys(start)).toHaveLength(8);
});

test("properties of a forecast", () => {
  const weights = fc.array(fc.double({ min: 0.01, max: 10, noNaN: true }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(
      weights,
      fc.double({ min: -0.5, max: 2, noNaN: true }),
      fc.double({ min: 0.1, max: 8, noNaN: true }),
      (h, beta, c) => {
        const { recall, lowerBound } = calibration.probes.forecast(metric(h, beta));
        DEPTHS.forEach((_, d) => {
          for (const level of [0, 1]) {
            expect(recall[level][d]).toBeGreaterThanOrEqual(0);
            expect(recall[level][d]).toBeLessThanOrEqual(1);
            expect(lowerBound[level][d]).toBeLessThan(recall[level][d]);
          }
          expect(recall[1][d]).toBeGreaterThanOrEqual(recall[0][d]); // more candidates hold no less
        });
        // only h/T counts
        const scaled = {
          weights: Float64Array.from(h, (w) => w * 2 ** Math.round(c)),
          temperature: world.temperature * 2 ** Math.round(c),
          popularity: beta,
        };
        expect(calibration.probes.forecast(scaled).recall).toEqual(recall);
      },
    ),
    { numRuns: 30 },
  );
});

test("more probes make a narrower bound", async () => {
  const { rows, weights, temperature, exact } = world;
  const options = { index, exact, base: Float64Array.from(weights), temperature, overfetch: OVERFETCH };
  const few = await calibrateGraph(rows, { ...options, probes: 4, random: new Random(4) });
  const gap = ({ probes }: Calibration) => {
    const { recall, lowerBound } = probes.forecast(metric(weights));
    return recall[0][depthIndex(10)] - lowerBound[0][depthIndex(10)];
  };
  expect(gap(few)).toBeGreaterThan(2 * gap(calibration));
});

test("rows as good as the last of a list stand for it", () => {
  // two rows at the same distance under any weights: row 1 found, row 2 not
  const rows = world.rows;
  const probes = new GraphProbes({ levels: 1, channels: 4 });
  probes.add(rows, { item: 0, found: [new Set([1])], exact: [[{ item: 2, score: 0 }]], popular: new Set([2]) });
  const nothing = metric([0, 0, 0, 0]); // everything is a tie
  expect(probes.forecast(nothing).recall[0][0]).toBe(1);
  expect(probes.forecast(nothing).recall[0][1]).toBe(0.5);
  const popular = probes.forecast({ ...nothing, popularity: 1e-9 });
  expect(popular.recall[0][1]).toBe(1); // a candidate wherever popularity counts
});

test("calibration can be stopped", async () => {
  const { rows, weights, temperature, exact } = world;
  const options = { index, exact, base: Float64Array.from(weights), temperature, overfetch: OVERFETCH, probes: 60 };
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(calibrateGraph(rows, { ...options, random: new Random(1), signal })).rejects.toThrow("enough");
});

test("tastes: the heaviest channels alone, and popularity in the model's own units", () => {
  const { rows, weights, temperature } = world;
  const base = Float64Array.from(weights);
  const unit = popularityUnit(rows, base, temperature);
  const range =
    Math.max(...Array.from({ length: rows.count }, (_, i) => rows.shards[0].rows.get(i, rows.layout.width - 1))) + 13;
  expect(unit).toBeGreaterThan(0.8 * (11.5 / range));
  expect(unit).toBeLessThan(1.25 * (11.5 / range));
  const tastes = sampleTastes(base, { unit, random: new Random(1) });
  expect(tastes.filter(({ kind }) => kind === "one channel").map(({ weights: h }) => h.indexOf(1))).toEqual([
    0, 1, 2, 3,
  ]);
  expect(tastes.map(({ popularity }) => popularity)).toContain(unit);
  expect(sampleTastes(base, { unit: 0, random: new Random(1) }).every(({ popularity }) => popularity === 0)).toBe(true);
});
