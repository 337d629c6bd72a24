// What the worker answers, on a small model that nobody trained.
import { createEngine, type Engine, type Model, openModel } from "@nearkin/core";
import { tinyModel } from "@nearkin/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelCalls } from "./model-calls.ts";

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

const plain = { weights: {}, popularity: 0 };

describe("similar", () => {
  test("every item has its reasons, which add up", async () => {
    const id = model.items.idOf(0);
    const items = await modelCalls.similar(model, id, { ...plain, diversity: 0, k: 5 });
    expect(items.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    for (const { distance, contributions } of items) {
      expect(contributions.length).toBe(model.parts.channels.length);
      expect(contributions.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(distance);
    }
  });

  test("explain says the same of a pair", async () => {
    const id = model.items.idOf(0);
    const [, second] = await modelCalls.similar(model, id, { ...plain, diversity: 0, k: 2 });
    const { rank, contributions } = await modelCalls.explain(model, id, second.id, plain);
    expect({ rank, contributions }).toEqual({ rank: 2, contributions: second.contributions });
  });

  test("what was met lately counts in models that know who met what; items that are gone are passed over", async () => {
    await using knowing = await openModel(tinyModel(engine, { behavior: true }), { engine });
    const [id, ...met] = [0, 1, 2].map((row) => knowing.items.idOf(row));
    const ask = (of: Model, items: readonly string[], factor = 1) =>
      modelCalls.similar(of, id, { ...plain, history: { items, factor }, diversity: 0, k: 5 });
    const without = await modelCalls.similar(knowing, id, { ...plain, diversity: 0, k: 5 });
    const items = await ask(knowing, [...met, "gone", met[0]]);
    expect(items).not.toEqual(without);
    const { weight, decay } = knowing.parts.history ?? { weight: 0, decay: 1 };
    for (const { raisedBy: lifts = [] } of items) {
      expect(lifts.map(({ id: one }) => one).sort()).toEqual(met.toSorted()); // each once
      expect(Math.max(...lifts.map(({ lift }) => lift))).toBe(lifts[0].lift);
    }
    expect([weight, decay].every((value) => value > 0)).toBe(true);
    const [first] = items;
    const { raisedBy } = await modelCalls.explain(knowing, id, first.id, {
      ...plain,
      history: { items: met.toReversed(), factor: 1 },
    });
    expect(raisedBy).toEqual(first.raisedBy);
    expect(await ask(knowing, [])).toEqual(without);
    expect((await ask(knowing, met, 2))[0].raisedBy?.[0].lift).toBeGreaterThan(0);
    expect(await ask(model, met)).toEqual(await modelCalls.similar(model, id, { ...plain, diversity: 0, k: 5 }));
  });
});

test("an item shows its fields as what they are, and which channels are not known", () => {
  const all = Array.from({ length: model.items.size }, (_, row) => modelCalls.item(model, model.items.idOf(row)));
  expect(all[0]).toMatchInlineSnapshot(`
    {
      "fields": {
        "title": "The Quiet Harbour",
        "year": null,
      },
      "id": "f000",
      "missing": [
        "plot",
        "year",
      ],
      "ratings": 3,
      "title": "The Quiet Harbour",
    }
  `);
  const [{ name }] = model.parts.channels;
  const unknown = all.filter(({ missing }) => missing.includes(name)).map(({ id }) => id);
  const p = model.parts.channels.length;
  expect(unknown).toEqual(all.filter((_, row) => model.rows.masked[row * p] === 1).map(({ id }) => id));
});

test("the shelves begin with what most have rated, and no item is in two pairs", () => {
  const { order, items, pairs } = modelCalls.shelves(model);
  expect(order).toBe("popular");
  const ratings = items.map((item) => item.ratings);
  expect(ratings).toEqual(ratings.toSorted((a, b) => b - a));
  const paired = pairs.flatMap((pair) => pair.items.map(({ id }) => id));
  expect(new Set(paired).size).toBe(12);
});

test("the pairs of a large catalogue are not looked for: search would wait for them", () => {
  const { size } = model.items;
  expect(modelCalls.shelves(model, size).pairs.length).toBe(6);
  expect(modelCalls.shelves(model, size - 1).pairs).toEqual([]);
});

test("the pairs are the closest there are", async () => {
  const [{ items, distance }] = modelCalls.shelves(model).pairs;
  const [found] = await modelCalls.similar(model, items[0].id, { ...plain, diversity: 0, k: 1 });
  expect(found.id).toBe(items[1].id);
  expect(found.distance).toBeCloseTo(distance, 12);
});

test("lists of all items are those of each", async () => {
  const { ids, lists } = modelCalls.lists(model, 4);
  expect(lists.length).toBe(ids.length);
  for (const row of [0, 7, ids.length - 1]) {
    const items = await modelCalls.similar(model, ids[row], { ...plain, diversity: 0, k: 4 });
    expect(lists[row]).toEqual(items.map(({ id }) => id));
  }
});
