import { createEngine, type Engine, Random } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import type { TrainConfig } from "../config/schema.ts";
import type { TrainingSet } from "../input/training-set.ts";
import { toySet } from "../testing/toy-set.ts";
import { choosePopularity, eventWeights, logPopularityOf } from "./popularity.ts";
import { rankQueries, withCatalogue } from "./ranking.ts";
import { openRun } from "./run.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

/** The toy with log q that rises with what is met beside the validation items; `turned`: falls. */
function biased(config: TrainConfig, turned = false): TrainingSet {
  const set = toySet(engine, config);
  const isRelevant = new Set(set.validation?.items);
  const logq = Float64Array.from(set.logq, (_, i) => (isRelevant.has(i) === turned ? -5 : -1) - (i % 10) / 30);
  return { ...set, logq };
}

const small = resolveTrainConfig({ preset: "fast", model: { hidden: 4, embedding: 3 } });

test("β ranks validation items better than none if what many met is met beside them", () => {
  using scope = engine.scope();
  const run = openRun(engine, scope, { config: small, set: biased(small), random: new Random(1) });
  const { beta } = choosePopularity(run);
  expect(beta).toBeGreaterThan(0);
  const ranked = (popularity: number) =>
    withCatalogue(run, (rows, options) => {
      const { validation } = run.set;
      if (!validation) throw new Error("the toy has validation items");
      const { hr, mrr, ndcg } = rankQueries(run, validation, { rows, options: { ...options, popularity } }).ranking;
      return hr + mrr + ndcg;
    });
  expect(ranked(beta)).toBeGreaterThan(ranked(0));
});

test("if what few know was met, popularity counts nothing, and is not turned against itself", () => {
  using scope = engine.scope();
  const run = openRun(engine, scope, { config: small, set: biased(small, true), random: new Random(1) });
  expect(choosePopularity(run).beta).toBe(0);
});

const DAY = 86_400;

/** The set with a time for each event, in days before now, by its item. */
function timed(set: TrainingSet, ageOf: (item: number) => number): TrainingSet {
  const { histories } = set.data;
  const times = Float64Array.from(histories.items, (item) => (20_000 - ageOf(item)) * DAY);
  const dataset = { ...set.dataset, manifest: { ...set.dataset.manifest, time: { kind: "seconds" } } };
  return {
    ...set,
    dataset: dataset as TrainingSet["dataset"],
    data: { ...set.data, histories: { ...histories, times } },
  };
}

test("an event counts half after the half-life, and an item that nobody met as much as one event of average weight", () => {
  const set = timed(toySet(engine, resolveTrainConfig({ preset: "fast" })), () => 0);
  const events = (items: readonly number[], ages: readonly number[]): TrainingSet => ({
    ...set,
    data: {
      ...set.data,
      itemCount: 3,
      histories: {
        ...set.data.histories,
        items: Int32Array.from(items),
        times: Float64Array.from(ages, (age) => (20_000 - age) * DAY),
      },
    },
  });
  // weights 1, ½, ¼, 1: item 0 has 1¾, item 1 has 1, item 2 has none and counts as 2.75/4
  const [a, b, c] = logPopularityOf(events([0, 0, 0, 1], [0, 10, 20, 0]), 10);
  expect(Math.exp(a)).toBeCloseTo(1.75 / 2.75, 12);
  expect(Math.exp(b)).toBeCloseTo(1 / 2.75, 12);
  expect(Math.exp(c)).toBeCloseTo(1 / 4, 12);
  const long = logPopularityOf(events([0, 0, 0, 1], [0, 10, 20, 0]), 1e5);
  expect(Math.exp(long[0])).toBeCloseTo(3 / 4, 3);
  const last = (20_000 - 10) * DAY;
  expect(eventWeights(events([0, 1], [10, 20]), 10)).toEqual({ time: last, halfLife: 10, perEvent: 0.75 });
  expect(eventWeights(events([0, 1], [10, 20]), null)).toEqual({ time: last, halfLife: null, perEvent: 1 });
  expect(eventWeights(toySet(engine, resolveTrainConfig({ preset: "fast" })), 10).time).toBeNull();
  const old = logPopularityOf(events([0, 1], [1e6, 0]), 1); // its weight is below the smallest number
  expect(old[0]).toBe(Math.log(1 / 2));
});

/** What is chosen if items that the validation items are met beside were met so many days ago, and the others so many. */
function chosenFor({
  relevant,
  others,
  halfLife = "auto",
}: {
  relevant: number;
  others: number;
  halfLife?: "auto" | number | null;
}) {
  using scope = engine.scope();
  const config = resolveTrainConfig({ preset: "fast", model: { hidden: 4, embedding: 3 }, popularity: { halfLife } });
  const set = toySet(engine, config);
  const isRelevant = new Set(set.validation?.items);
  const own = timed(set, (item) => (isRelevant.has(item) ? relevant : others));
  return choosePopularity(openRun(engine, scope, { config, set: own, random: new Random(1) }));
}

test("events fade if what was met lately is met beside new items, and else do not", () => {
  const { halfLife, beta } = chosenFor({ relevant: 0, others: 3000 });
  expect(halfLife).not.toBeNull();
  expect(beta).toBeGreaterThan(0);
  expect(chosenFor({ relevant: 3000, others: 0 }).halfLife).toBeNull();
  expect(chosenFor({ relevant: 0, others: 0 }).halfLife).toBeNull(); // all events at one second
});

test("a half-life that is given is taken; data without times have none", () => {
  expect(chosenFor({ relevant: 0, others: 3000, halfLife: 45 }).halfLife).toBe(45);
  expect(chosenFor({ relevant: 0, others: 3000, halfLife: null }).halfLife).toBeNull();
  using scope = engine.scope();
  const config = resolveTrainConfig({
    preset: "fast",
    model: { hidden: 4, embedding: 3 },
    popularity: { halfLife: 45 },
  });
  const run = openRun(engine, scope, { config, set: toySet(engine, config), random: new Random(1) });
  expect(choosePopularity(run).halfLife).toBeNull();
  const blind = openRun(engine, scope, { config, set: { ...run.set, validation: null }, random: new Random(1) });
  expect(choosePopularity(blind)).toEqual({ halfLife: null, beta: 0 });
});
