// What a token's page says of a model is what the model says of itself.
import { createEngine, type Engine, encodeModel, openModel } from "@nearkin/core";
import { tinyModel } from "@nearkin/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { infoOf } from "./token-model.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

test.each([{}, { withoutPosterior: true }])("of a model with %j", async (options) => {
  const files = await encodeModel(tinyModel(engine, options));
  await using model = await openModel(async (name) => files.get(name) as Uint8Array, { engine });
  const manifest = JSON.parse(new TextDecoder().decode(files.get("model.json")));
  const info = infoOf(model.id, manifest);
  expect(info).toMatchObject({
    id: model.id,
    name: model.name,
    items: model.items.size,
    personalizes: model.personalizes,
    predictsRatings: model.predictsRatings,
    dataset: model.parts.dataset,
  });
  expect(info.channels).toEqual(
    model.parts.channels.map(({ name, transform }) => ({ name, type: transform.type, weight: model.weights[name] })),
  );
});
