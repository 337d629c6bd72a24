import {
  createEngine,
  type Engine,
  encodeModel,
  type ItemId,
  type Model,
  type ModelParts,
  openModel,
} from "@nearkin/core";
import { tinyModel } from "@nearkin/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { certifyModels, certifyQuantised } from "./model-certificate.ts";

let engine: Engine;
let parts: ModelParts;
let model: Model;

async function opened(own: ModelParts): Promise<Model> {
  const files = new Map(await encodeModel(own));
  return openModel(async (name) => files.get(name) as Uint8Array<ArrayBuffer>, { engine });
}

beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  parts = tinyModel(engine);
  model = await opened(parts);
});
afterAll(async () => {
  await model.close();
  await engine.close();
});

const pairsOf = (n: number) => (n * (n - 1)) / 2;

test("a model is itself: every pair, no difference", () => {
  const n = model.items.size;
  expect(certifyModels(model, model)).toEqual({
    pairs: pairsOf(n),
    items: n,
    exhaustive: true,
    epsilon: 0,
    bound: 0,
    gap: 0,
    widest: -1,
    worst: null,
  });
});

test("distances are those that the model explains, of the items that both models have", async () => {
  const ids = parts.catalogue.ids;
  const renamed = ids.map((id, i) => (i % 2 === 0 ? id : (`other ${id}` as ItemId)));
  const weights = parts.ensemble.channels.length;
  const parameters = parts.parameters.slice();
  parameters.fill(0.9, parameters.length - 3 - weights, parameters.length - 3); // θ of all channels
  await using other = await opened({ ...parts, parameters, catalogue: { ...parts.catalogue, ids: renamed } });
  const certificate = certifyModels(model, other);
  expect(certificate.items).toBe(Math.ceil(ids.length / 2));
  expect(certificate.exhaustive).toBe(true);
  const { ids: worst, distances } = certificate.worst as NonNullable<typeof certificate.worst>;
  expect(distances[0]).toBeCloseTo((await model.explain(worst[0], worst[1])).distance, 9);
  expect(distances[1]).toBeCloseTo((await other.explain(worst[0], worst[1])).distance, 9);
  expect(certificate.gap).toBe(Math.abs(distances[1] - distances[0]));
  expect(certificate.gap).toBeGreaterThan(0.1);
  if (certificate.bound !== null) expect(certificate.bound).toBeGreaterThanOrEqual(certificate.gap);
});

test("a copy with fewer bits is certified, and the more bits the closer: sixteen times for four more", () => {
  const gaps = [6, 10, 14].map((bits) => {
    const { bound, gap, epsilon } = certifyQuantised(model, bits);
    expect(epsilon).toBeLessThan(1);
    expect(bound).toBeGreaterThanOrEqual(gap);
    return gap;
  });
  expect(gaps[0] / gaps[1]).toBeGreaterThan(8);
  expect(gaps[1] / gaps[2]).toBeGreaterThan(8);
  expect(gaps[2]).toBeGreaterThan(0);
});

test("two bits leave a sign: no certificate, and it says so", () => {
  const { bound, epsilon, gap } = certifyQuantised(model, 2);
  expect(bound).toBeNull();
  expect(epsilon).toBeGreaterThanOrEqual(1);
  expect(gap).toBeGreaterThan(1);
});

test("where pairs are too many a sample is looked at, the same for the same seed", () => {
  const sample = certifyQuantised(model, 8, { pairs: 100 });
  expect(sample).toMatchObject({ pairs: 100, exhaustive: false });
  expect(certifyQuantised(model, 8, { pairs: 100 })).toEqual(sample);
  expect(certifyQuantised(model, 8, { pairs: 100, seed: 2 }).gap).not.toBe(sample.gap);
  expect(sample.gap).toBeLessThanOrEqual(certifyQuantised(model, 8).gap);
  const [a, b] = sample.worst?.ids ?? [];
  expect(a).not.toBe(b);
});

test("one item in common is said as one", async () => {
  const ids = parts.catalogue.ids.map((id, i) => (i < 1 ? id : (`other ${id}` as ItemId)));
  await using other = await opened({ ...parts, catalogue: { ...parts.catalogue, ids } });
  expect(() => certifyModels(model, other)).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: certificate: the models have 1 item in common; it takes two to be a pair]`,
  );
});

test("a sampled pair is never an item with itself", async () => {
  const ids = parts.catalogue.ids.map((id, i) => (i < 3 ? id : (`other ${id}` as ItemId)));
  const parameters = parts.parameters.map((value) => 1.1 * value);
  await using other = await opened({ ...parts, parameters, catalogue: { ...parts.catalogue, ids } });
  for (let seed = 1; seed <= 20; seed++) {
    const { items, exhaustive, worst } = certifyModels(model, other, { pairs: 1, seed });
    expect({ items, exhaustive }).toEqual({ items: 3, exhaustive: false });
    expect(new Set(worst?.ids).size).toBe(2);
  }
});

test("what cannot be compared is refused", async () => {
  const strange = parts.catalogue.ids.map((id) => `other ${id}` as ItemId);
  await using other = await opened({ ...parts, catalogue: { ...parts.catalogue, ids: strange } });
  expect(() => certifyModels(model, other)).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: certificate: the models have 0 items in common; it takes two to be a pair]`,
  );
  expect(() => certifyQuantised(model, 17)).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: bits must be at most 16, got 17]`,
  );
  expect(() => certifyQuantised(model, 1)).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: bits must be a whole number of at least 2, got 1]`,
  );
});
