// What the worker answers of drafts, on a small model that nobody trained.
import { createEngine, type Engine, type Model, openModel } from "@nearkin/core";
import { tinyModel } from "@nearkin/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { draftCalls } from "./draft-calls.ts";

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

test("neighbours of a draft have their reasons, and the order is the same without them", async () => {
  const { items, missing } = await draftCalls.draftNeighbours(model, { year: 1999 }, 5);
  expect(items.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
  for (const { distance, contributions } of items) {
    expect(contributions.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(distance);
  }
  expect(missing.map(({ channel }) => channel)).not.toContain("year");
  expect(missing.length).toBeGreaterThan(0);
  expect(await draftCalls.draftOrder(model, { year: 1999 }, 5)).toEqual(items.map(({ id, title }) => ({ id, title })));
});

test("the rating of a draft is what the model predicts, or null where it predicts none", async () => {
  const { mean, deviation, observationDeviation } = await model.predict({ year: 1999 });
  expect(await draftCalls.draftRating(model, { year: 1999 })).toEqual({ mean, deviation, observationDeviation });
  await using silent = await openModel(tinyModel(engine, { withoutPosterior: true }), { engine });
  expect(await draftCalls.draftRating(silent, { year: 1999 })).toBeNull();
});

test("a value that cannot be read names its channel", async () => {
  await expect(draftCalls.draftNeighbours(model, { year: "soon" }, 5)).rejects.toThrow(
    'draft: channel year: expected a number, got "soon"',
  );
});
