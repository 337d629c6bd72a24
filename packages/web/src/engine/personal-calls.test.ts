// What the worker learns of one user, on a small model that nobody trained.
import { createEngine, type Engine, type Model, openModel } from "@nearkin/core";
import { tinyModel } from "@nearkin/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { personalCalls } from "./personal-calls.ts";

let engine: Engine;
let model: Model;

beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  model = await openModel(tinyModel(engine), { engine });
});

afterAll(async () => {
  await model.close();
  await engine.close();
});

const ratings = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ item: model.items.idOf((7 * i) % 40), rating: [5, 2, 4, 0.5][i % 4] }));
const gone = { item: "left-the-catalogue", rating: 4 };

describe("learn", () => {
  test("is core's own answer, and says how people differ", () => {
    const { metric, own, people, base, target, most, predicts } = personalCalls.learn(model, ratings(6));
    expect(metric).toEqual(model.personalize(ratings(6)));
    expect(own.weights).toEqual(metric.weights);
    expect(people).toEqual(model.posterior([]));
    expect({ base, target, most, predicts }).toEqual({
      base: model.weights,
      target: "choice",
      most: 20,
      predicts: true,
    });
  });

  test("items that left the catalogue change nothing, and are said", () => {
    const with_ = personalCalls.learn(model, [ratings(3)[0], gone, ...ratings(3).slice(1)]);
    expect(with_.unknown).toEqual([gone.item]);
    expect(with_.metric).toEqual(model.personalize(ratings(3)));
  });

  test.each([
    [0, "no ratings"],
    [1, "a single item"],
  ])("%i ratings keep what all share: %s", (count, kept) => {
    const { metric } = personalCalls.learn(model, ratings(count));
    expect(metric.kept).toBe(kept);
    expect(metric.weights).toEqual(model.weights);
  });
});

test("the influence of a rating is what a fit without it does not have", () => {
  const influences = personalCalls.influences(model, [...ratings(5), gone]);
  expect(influences.map(({ item }) => item)).toEqual(ratings(5).map(({ item }) => item));
  expect(influences[2].without).toEqual(model.personalize(ratings(5).filter((_, i) => i !== 2)).weights);
  expect(personalCalls.influences(model, ratings(30))).toHaveLength(20); // no others count
});

describe("suggestions", () => {
  test("are what may be rated best, none of it rated, with reasons", async () => {
    const given = ratings(6);
    const items = await personalCalls.suggestions(model, given, 8);
    expect(items).toHaveLength(8);
    const rated = new Set<string>(given.map(({ item }) => item));
    for (const [i, { id, mean, deviation, reasons }] of items.entries()) {
      expect(rated.has(id)).toBe(false);
      expect(mean).toBeLessThanOrEqual(i === 0 ? Infinity : items[i - 1].mean);
      expect(deviation).toBeGreaterThan(0);
      expect(reasons).toHaveLength(4);
      for (const { item } of reasons) expect(rated.has(item)).toBe(true);
    }
    const { mean } = await model.predictFor(given, items[0].id);
    expect(items[0].mean).toBeCloseTo(mean, 12);
  });

  test("change with a rating", async () => {
    const given = ratings(6);
    const before = await personalCalls.suggestions(model, given, 8);
    const after = await personalCalls.suggestions(model, [...given.slice(1), { ...given[0], rating: 1 }], 8);
    expect(after.map(({ id }) => id)).not.toEqual(before.map(({ id }) => id));
  });
});

test("what is similar by the user's own metric, with where it stands for everybody", async () => {
  const given = ratings(6);
  const items = await personalCalls.ownSimilar(model, given, given[0].item, 5);
  const { weights, popularity } = model.personalize(given);
  const exclude = given.slice(1).map(({ item }) => item);
  const { items: expected } = await model.similar(given[0].item, { weights, popularity, k: 5, exclude });
  expect(items.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  const { items: shared } = await model.similar(given[0].item, { k: 40, exclude });
  for (const { id, sharedRank } of items) expect(sharedRank).toBe(shared.find((one) => one.id === id)?.rank);
});

test("what was passed over is not asked again, and nobody is asked about nothing", () => {
  const [first, second] = personalCalls.questions(model, ratings(3), { skipped: [], k: 2 });
  expect(personalCalls.questions(model, ratings(3), { skipped: [first], k: 1 })).toEqual([second]);
  const all = Array.from({ length: 40 }, (_, row) => model.items.idOf(row));
  expect(personalCalls.questions(model, [], { skipped: all, k: 1 })).toEqual([]);
});
