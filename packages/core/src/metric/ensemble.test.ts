import { expect, test } from "vitest";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { Random } from "../linalg/random.ts";
import { parameter, parameterViews } from "../nn/parameters.ts";
import { errorOf } from "../testing/bounds.ts";
import { type EnsembleConfig, embeddingWidth, ensembleLayout, initializeEnsemble } from "./ensemble.ts";
import { CONFIG } from "./testing/world.ts";
import { metricWeights } from "./weights.ts";

const engine = createPlainEngine();

function initialised(config: EnsembleConfig, seed = 1) {
  const layout = ensembleLayout(config);
  const flat = engine.scope().matrix(layout.size, 1).fill(Number.NaN);
  initializeEnsemble(engine, config, flat, new Random(seed));
  return { flat, parameters: parameterViews(layout, flat) };
}

test("the layout: names, shapes, and what decays", () => {
  const layout = ensembleLayout({ ...CONFIG, scale: "diagonal", channels: CONFIG.channels.slice(1, 3) });
  expect(
    layout.tensors.map(({ name, rows, cols, decay }) => `${name} (${rows}, ${cols})${decay ? " decays" : ""}`),
  ).toEqual([
    "plot.w1 (5, 6) decays",
    "plot.w2 (6, 3) decays",
    "plot.w3 (3, 3) decays",
    "self.table (14, 3) decays",
    "plot.b1 (1, 6)",
    "plot.b2 (1, 3)",
    "plot.b3 (1, 3)",
    "plot.missing (1, 3)",
    "plot.scale (1, 3)",
    "weights (1, 2)",
    "offset (1, 1)",
    "logNoise (1, 1)",
    "logVariance (1, 1)",
  ]);
  expect(layout.decayed).toBe(5 * 6 + 6 * 3 + 3 * 3 + 14 * 3);
  expect(embeddingWidth(CONFIG)).toBe(12);
});

test.each([
  ["softplus", 1],
  ["signed", 1 / 4],
] as const)("initialisation sets every number; %s weights start at h = %d", (weights, h) => {
  const { flat, parameters } = initialised({ ...CONFIG, weights, scale: "diagonal" });
  expect(flat.read().every(Number.isFinite)).toBe(true);
  const metric = metricWeights({ ...CONFIG, weights }, parameters);
  for (const value of metric.h) expect(value).toBeCloseTo(h, 15);
  expect(metric.b).toBe(0);
  expect(parameter(parameters, "logNoise").get(0, 0)).toBe(-0.5);
  expect(parameter(parameters, "logVariance").get(0, 0)).toBe(0);
  expect(parameter(parameters, "plot.scale").read()).toEqual(new Float64Array(3));
});

test("free vectors are N(0, 0.1²)", () => {
  const channels = [{ name: "self", input: "identity", inputWidth: 2000, embeddingSize: 5 }] as const;
  const table = parameter(initialised({ ...CONFIG, channels }).parameters, "self.table").read();
  const mean = table.reduce((sum, x) => sum + x, 0) / table.length;
  const variance = table.reduce((sum, x) => sum + x * x, 0) / table.length;
  expect(Math.abs(mean)).toBeLessThan(4 * 0.1 * 1e4 ** -0.5);
  expect(Math.abs(variance / 0.01 - 1)).toBeLessThan(4 * Math.SQRT2 * 1e4 ** -0.5);
});

test("a channel less leaves the others as they were; another seed does not", () => {
  const all = initialised(CONFIG).parameters;
  const fewer = initialised({ ...CONFIG, channels: CONFIG.channels.slice(1) }).parameters;
  const other = initialised(CONFIG, 2).parameters;
  for (const name of ["plot.w1", "plot.b3", "plot.missing", "self.table", "year.w2"]) {
    expect(parameter(fewer, name).read()).toEqual(parameter(all, name).read());
    expect(parameter(other, name).read()).not.toEqual(parameter(all, name).read());
  }
});

test("what cannot be an ensemble is refused", () => {
  const [first] = CONFIG.channels;
  expect(errorOf(() => ensembleLayout({ ...CONFIG, channels: [] }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "ensemble: needs at least one channel",
    }
  `);
  expect(errorOf(() => ensembleLayout({ ...CONFIG, channels: [first, first] }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "layoutParameters: "genres.w1" comes twice",
    }
  `);
  expect(errorOf(() => ensembleLayout({ ...CONFIG, hidden: 0 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "ensemble: hidden must be a whole number of at least 1, got 0",
    }
  `);
  expect(
    errorOf(() => ensembleLayout({ ...CONFIG, channels: [{ ...first, embeddingSize: 1.5 }] })),
  ).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "ensemble: embeddingSize of channel genres must be a whole number of at least 1, got 1.5",
    }
  `);
});
