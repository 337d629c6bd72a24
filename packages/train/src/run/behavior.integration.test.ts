// The channel of who met an item: made at the end of a training, the same for any number of workers, and part of the model like any other.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, type Draft, decodeModel, type Engine, type Model, openModel, splitList } from "@nearkin/core";
import { loadTraining, type TrainingData } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import type { TrainConfigInput } from "../config/schema.ts";
import type { TrainEvent } from "../events.ts";
import { type SampleFolder, sampleFolder, tiny } from "../testing/sample.ts";
import { type TrainOptions, train } from "../train.ts";
import { selectionOf } from "./finish.ts";

const CONFIG: TrainConfigInput = { ...tiny, behavior: { factors: 12 } };
const NAME = "behavior";

let folder: SampleFolder;
let engine: Engine;
let path: string;
let model: Model;
let data: TrainingData;
const events: TrainEvent[] = [];

async function trained(name: string, options: Partial<TrainOptions> = {}, config = CONFIG): Promise<string> {
  const out = join(folder.path, name);
  await train(folder.dataset, resolveTrainConfig(config), { engine, out, ...options });
  return out;
}

const reader = (from: string) => async (name: string) => readFileSync(join(from, name));
const hashes = (from: string) =>
  readdirSync(from)
    .filter((name) => name !== "timing.json")
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(from, name)))
        .digest("hex"),
    ]);

beforeAll(async () => {
  folder = await sampleFolder();
  engine = await createEngine({ workers: 1 });
  data = await loadTraining(folder.dataset);
  path = await trained("model", { onEvent: (event) => events.push(event) });
  model = await openModel(reader(path));
});
afterAll(async () => {
  await model?.close();
  await engine.close();
  folder[Symbol.dispose]();
});

const cold = () => Array.from(data.items.ratings.keys()).filter((item) => data.items.ratings[item] === 0);

test("the model has the channel last, and says what was chosen for it", () => {
  expect(Object.keys(model.weights).at(-1)).toBe(NAME);
  expect(model.weights[NAME]).toBeGreaterThan(0);
  expect(model.parts.notes.behavior).toMatchObject({ shrinkage: expect.any(Number), strength: expect.any(Number) });
  const told = events.flatMap((event) => (event.type === "note" ? [event.text] : []));
  expect(told.some((text) => /^channel behavior: who met an item, 12 factors; /.test(text))).toBe(true);
});

test("the same bytes with two workers, and after a refit with what the run chose", async () => {
  await using two = await createEngine({ workers: 2 });
  expect(hashes(await trained("two", { engine: two }))).toEqual(hashes(path));
  const refit = await decodeModel(
    reader(await trained("refit", { selection: selectionOf(await decodeModel(reader(path))) })),
  );
  expect(refit.notes.behavior).toEqual(model.parts.notes.behavior);
});

test("items that the same people met are near in it, more often than by chance", async () => {
  const { histories, items } = data;
  const met = Array.from({ length: histories.starts.length - 1 }, (_, u) => {
    return new Set(histories.items.subarray(histories.starts[u], histories.starts[u + 1]));
  });
  const cosine = (a: number, b: number) => {
    const both = met.filter((set) => set.has(a) && set.has(b)).length;
    return both / Math.sqrt(Math.max(1, items.ratings[a] * items.ratings[b]));
  };
  const known = Array.from(items.ratings.keys()).filter((item) => items.ratings[item] >= 5);
  const only = Object.fromEntries(Object.keys(model.weights).map((name) => [name, name === NAME ? 1 : 0]));
  let [near, all] = [0, 0];
  for (const item of known.slice(0, 40)) {
    const { items: list } = await model.similar(model.items.idOf(item), { k: 10, weights: only });
    for (const { id } of list) near += cosine(item, model.items.indexOf(id)) / list.length;
    for (const other of known) if (other !== item) all += cosine(item, other) / (known.length - 1);
  }
  expect(near).toBeGreaterThan(1.25 * all);
});

describe("exact", () => {
  test("contributions add up to the distance, and say whom nobody has met", async () => {
    const query = model.items.idOf(0);
    const { items } = await model.similar(query, { k: 20, explain: true });
    for (const { distance, contributions = [] } of items) {
      expect(contributions.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(distance);
    }
    const [item] = cold();
    const { contributions } = await model.explain(query, model.items.idOf(item));
    expect(contributions.find(({ channel }) => channel === NAME)?.unknown).toBe("item");
  });

  test("a draft with the values of an item that nobody met has its embedding, to the bit", async () => {
    for (const item of cold().slice(0, 5)) {
      const draft: Draft = Object.fromEntries(
        Array.from(model.shapes).flatMap(([field, shape]) => {
          if (shape.channel === undefined) return [];
          const cell = model.items.at(item).field(field);
          return [[shape.channel, shape.type === "list" ? splitList(cell, shape) : cell]];
        }),
      );
      const { embedding } = await model.embed(draft);
      const { layout, shards } = model.rows;
      const row = shards[0].rows;
      const at = row.offset + item * layout.width;
      expect(embedding).toEqual(row.data.slice(at, at + layout.embeddingSize));
    }
  });

  test("a draft may not bring the channel itself", async () => {
    await expect(model.embed({ [NAME]: [1, 2] })).rejects.toThrow(/channel behavior follows from the others/);
  });
});

describe("what a user met lately", () => {
  const ids = (rows: readonly number[]) => rows.map((row) => model.items.idOf(row));

  test("is a third term of the score, added up from its items", async () => {
    const history = ids([3, 8, 5]);
    const { items } = await model.similar(model.items.idOf(0), { k: 15, history, historyWeight: 20 });
    const plain = await model.similar(model.items.idOf(0), { k: 15 });
    expect(items.map(({ id }) => id)).not.toEqual(plain.items.map(({ id }) => id));
    for (const { score, distance, lifts = [] } of items) {
      expect(lifts).toHaveLength(history.length);
      const lift = lifts.reduce((sum, part) => sum + part, 0);
      expect(score).toBeCloseTo(-distance / model.parts.temperature + lift, 9);
    }
  });

  test("changes nothing, to the bit, if there is none, or if it counts 0", async () => {
    const plain = await model.similar(model.items.idOf(0), { k: 15 });
    expect(await model.similar(model.items.idOf(0), { k: 15, history: [] })).toEqual(plain);
    expect(await model.similar(model.items.idOf(0), { k: 15, history: ids([3]), historyWeight: 0 })).toEqual(plain);
  });

  test("counts the last ten items, later ones more", async () => {
    const many = ids(Array.from({ length: 14 }, (_, i) => i + 20));
    const ask = (history: string[]) => model.similar(model.items.idOf(0), { history, historyWeight: 20 });
    expect(await ask(many)).toEqual(await ask(many.slice(-10)));
    expect(await ask(many)).not.toEqual(await ask(many.slice(-10).reverse()));
  });

  test("is stored with the model, and refused if it makes no sense", async () => {
    expect(model.parts.history).toMatchObject({ decay: 0.9, items: 10 });
    const asked = { history: "alien" as unknown as string[] };
    await expect(model.similar(model.items.idOf(0), asked)).rejects.toThrow(/history: expected a list of items/);
    await expect(model.similar(model.items.idOf(0), { history: ["no such item"] })).rejects.toThrow(
      /no item has the id/,
    );
  });
});

test("predicted ratings are those of a model without the channel", async () => {
  const without = await openModel(reader(await trained("without", {}, tiny)));
  await using _ = without;
  const ids = [0, 3, 7].map((item) => model.items.idOf(item));
  for (const id of ids) {
    const [own, other] = [await model.predict(id), await without.predict(id)];
    expect(own.mean).toBeCloseTo(other.mean, 9);
    expect(own.deviation).toBeCloseTo(other.deviation, 9);
  }
});

test("users have a metric of their own with it", () => {
  const ratings = [0, 3, 7, 11, 15].map((item) => ({ item: model.items.idOf(item), rating: 4 }));
  const { weights } = model.personalize(ratings);
  expect(Object.keys(weights)).toContain(NAME);
});
