import {
  buildQuery,
  createEngine,
  type Engine,
  liftedItem,
  metricWeights,
  Random,
  scanScores,
  tieHashes,
} from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import { toySet } from "../testing/toy-set.ts";
import { calibratePopularity, liftCatalogue } from "./ranking.ts";
import { openRun, type Run } from "./run.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

/** ∂/∂β of the mean log-likelihood of what was met, item by item, popularity as part of the query. */
function slopeAt(run: Run, beta: number): number {
  const { validation, logq } = run.set;
  if (!validation) throw new Error("the toy has validation items");
  using scope = engine.scope();
  const rows = liftCatalogue(run, scope, engine);
  const { h: weights } = metricWeights(run.model, run.parameters);
  let slope = 0;
  validation.queries.forEach((item, r) => {
    const options = { weights, temperature: run.config.siamese.temperature, popularity: beta };
    const scores = new Float64Array(logq.length);
    scanScores(rows, buildQuery(rows, [liftedItem(rows, item)], options), (first, count, found, at) => {
      for (let i = 0; i < count; i++) scores[first + i] = found[at + i];
    });
    const top = Math.max(...scores);
    const likely = scores.map((score, i) => (i === item ? 0 : Math.exp(score - top)));
    const total = likely.reduce((sum, x) => sum + x, 0);
    const met = validation.items.subarray(validation.starts[r], validation.starts[r + 1]);
    slope += met.reduce((sum, i) => sum + logq[i], 0) / met.length;
    slope -= likely.reduce((sum, x, i) => sum + x * logq[i], 0) / total;
  });
  return slope / validation.queries.length;
}

test("calibratePopularity finds the β that makes what was met most likely", () => {
  using scope = engine.scope();
  const config = resolveTrainConfig({ preset: "fast", model: { hidden: 4, embedding: 3 } });
  const set = toySet(engine, config);
  // What is met more often is also met more often beside the validation items.
  const logq = Float64Array.from(set.logq, (_, i) => -1 - (i % 10) / 3);
  const run = openRun(engine, scope, { config, set: { ...set, logq }, random: new Random(1) });
  const beta = calibratePopularity(run);
  expect(beta).toBeGreaterThan(0);
  expect(beta).toBeLessThan(3);
  expect(slopeAt(run, beta)).toBeCloseTo(0, 4);
  expect(Math.abs(slopeAt(run, beta + 0.1))).toBeGreaterThan(1e-3);
});

test("where what few know was met, popularity counts nothing, and is not turned against itself", () => {
  using scope = engine.scope();
  const config = resolveTrainConfig({ preset: "fast", model: { hidden: 4, embedding: 3 } });
  const set = toySet(engine, config);
  const logq = Float64Array.from(set.logq, (_, i) => -1 - (i % 10) / 3);
  const turned = openRun(engine, scope, {
    config,
    set: { ...set, logq: logq.map((q) => -5 - q) },
    random: new Random(1),
  });
  expect(slopeAt(turned, 0)).toBeLessThan(0);
  expect(calibratePopularity(turned)).toBe(0);
});

test("EV7: equal scores are ordered by the hash of the ids, not of the rows", () => {
  using scope = engine.scope();
  const config = resolveTrainConfig({ preset: "fast", model: { hidden: 4, embedding: 3 } });
  const set = toySet(engine, config);
  const run = openRun(engine, scope, { config, set, random: new Random(1) });
  expect(liftCatalogue(run, scope, engine).hashes).toEqual(tieHashes(set.ids));
});
