// A model of yesterday's inputs, and a run on today's: other principal components, terms in another order, other scales. What the towers
// make of an item must not change.
import {
  applyPca,
  type ChannelTransform,
  createEngine,
  type Engine,
  embed,
  ensembleLayout,
  fitCategories,
  fitVector,
  hostMatrix,
  type ItemInputs,
  initializeEnsemble,
  type ModelParts,
  parameterViews,
  Random,
  type VectorTransform,
} from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import type { TrainingSet } from "../input/training-set.ts";
import { toySet } from "../testing/toy-set.ts";
import { ensembleOf, openRun, type Run } from "./run.ts";
import { warmStart } from "./warm-start.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const config = resolveTrainConfig({ stages: ["siamese"], model: { hidden: 5, embedding: 4 } });
const n = 40;
const width = 3;
const random = new Random(8);
const raw = Float32Array.from({ length: n * width }, () => random.normal());
const tags = Array.from({ length: n }, (_, i) => [i % 2 ? "loud" : "calm", `tag${i % 3}`]);

/** Inputs as fitted on some of the items. */
function fitted(
  rows: readonly number[],
  scale: number,
): { inputs: ItemInputs; transforms: [VectorTransform, ReturnType<typeof fitCategories>]; scale: number } {
  const vector = (i: number) => raw.subarray(i * width, (i + 1) * width);
  const transform = fitVector(engine, rows.map(vector), { width, pca: width });
  const terms = fitCategories([...rows].map((i) => tags[i]));
  const pca = transform.pca;
  if (!pca) throw new Error("no components");
  const values = new Float32Array(n * width);
  for (let i = 0; i < n; i++)
    values.set(
      applyPca(pca, vector(i)).map((y) => scale * y),
      i * width,
    );
  return {
    scale,
    transforms: [transform, terms],
    inputs: {
      itemCount: n,
      channels: [
        { kind: "dense", values: hostMatrix(values, n, width), missing: new Uint8Array(n) },
        {
          kind: "sparse",
          width: terms.terms.length,
          starts: Int32Array.from({ length: n + 1 }, (_, i) => 2 * i),
          columns: Int32Array.from(tags.flat(), (term) => terms.terms.indexOf(term)),
          value: scale,
          missing: new Uint8Array(n),
        },
      ],
    },
  };
}

const all = Array.from({ length: n }, (_, i) => i);

function setOf({ inputs, transforms, scale }: ReturnType<typeof fitted>): TrainingSet {
  const set = toySet(engine, config, { items: n });
  const channels = set.channels.map(({ spec }, c) => ({
    spec: { ...spec, inputWidth: c === 0 ? width : transforms[1].terms.length },
    transform: transforms[c] as ChannelTransform,
    scale,
  }));
  return { ...set, channels, inputs };
}

function embeddings(run: Run): Float64Array {
  using scope = engine.scope();
  return embed(engine, scope, ensembleOf(run), Int32Array.from(all)).Z.read();
}

describe("warmStart", () => {
  test("translates the first layers, so that every item is embedded as before", () => {
    using scope = engine.scope();
    const yesterday = openRun(engine, scope, {
      config,
      set: setOf(fitted(all.slice(0, 25), 1)),
      random: new Random(1),
      precision: "f64",
    });
    const from = {
      id: "yesterday",
      ensemble: yesterday.model,
      parameters: yesterday.flat.read(),
      channels: yesterday.set.channels.map(({ spec, transform, scale }) => ({
        name: spec.name,
        transform,
        numberMode: "bins",
        scale,
      })),
      statistics: yesterday.statistics,
    } as unknown as ModelParts;
    const today = openRun(engine, scope, {
      config,
      set: setOf(fitted(all.slice(5).reverse(), 0.7)),
      random: new Random(2),
      precision: "f64",
    });
    expect(largestDifference(embeddings(today), embeddings(yesterday))).toBeGreaterThan(0.01);
    expect(warmStart(today, from)).toEqual([]);
    expect(largestDifference(embeddings(today), embeddings(yesterday))).toBeLessThan(1e-5); // components are stored in f32
  });

  test("says which channels start fresh, and refuses another kind of model", () => {
    using scope = engine.scope();
    const run = openRun(engine, scope, { config, set: setOf(fitted(all, 1)), random: new Random(1) });
    const flat = scope.matrix(run.layout.size, 1);
    initializeEnsemble(engine, run.model, flat, new Random(3));
    const renamed = run.model.channels.map((channel, c) => (c === 0 ? { ...channel, name: "face" } : channel));
    const ensemble = { ...run.model, channels: renamed };
    const layout = ensembleLayout(ensemble);
    expect([...parameterViews(layout, flat).keys()]).toContain("face.w1");
    const [look, tagged] = run.set.channels;
    const from = {
      ensemble,
      parameters: flat.read(),
      channels: [
        { name: "face", transform: look.transform, scale: 1 },
        { name: "tags", transform: look.transform, scale: 1 },
      ],
      statistics: run.statistics,
    } as unknown as ModelParts;
    expect(tagged.transform.type).toBe("categories");
    expect(warmStart(run, from)).toEqual([
      "--from: channel look is new: it starts fresh",
      "--from: channel tags was of type vector: it starts fresh",
      "--from: channel face is not used any more",
    ]);
    const other = { ...from, ensemble: { ...ensemble, hidden: 9 } } as ModelParts;
    expect(() => warmStart(run, other)).toThrow("has 9 hidden units");
  });
});

function largestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
}
