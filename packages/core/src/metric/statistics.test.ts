// Scales, lengths and stand-ins, measured on embeddings; what cannot be measured is an error that names the channel.
import { describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { Random } from "../linalg/random.ts";
import { parameter } from "../nn/parameters.ts";
import { errorOf, expectWithin } from "../testing/bounds.ts";
import { embed } from "./embed.ts";
import type { ItemInputs } from "./ensemble.ts";
import { centreMissing, measureStatistics } from "./statistics.ts";
import { ITEMS, makeWorld, type World } from "./testing/world.ts";

const engine: Engine = createPlainEngine();
const ALL = Int32Array.from({ length: ITEMS }, (_, i) => i);

/** Rows of channel c that are no stand-ins, in the order of `items`. */
function known(world: World, c: number, items = ALL): number[][] {
  const { Z, masked } = embed(engine, engine.scope(), world, items);
  const p = world.config.channels.length;
  const from = world.config.channels.slice(0, c).reduce((sum, { embeddingSize }) => sum + embeddingSize, 0);
  return Array.from(items, (_, i) => i)
    .filter((i) => masked[i * p + c] === 0)
    .map((i) => Array.from({ length: world.config.channels[c].embeddingSize }, (_, j) => Z.get(i, from + j)));
}

const squareDistance = (a: readonly number[], b: readonly number[], squares = a.map(() => 1)) =>
  a.reduce((sum, x, j) => sum + squares[j] * (x - b[j]) ** 2, 0);

describe.each(["identity", "diagonal"] as const)("Λ %s", (scale) => {
  test("s_c is the median over random pairs of known items, ρ_c the mean square about the stand-in", () => {
    const world = makeWorld(engine, engine.scope(), { config: { scale } });
    const { scales, lengths, standIns } = measureStatistics(engine, world, new Random(1), ALL);
    world.config.channels.forEach(({ name, input }, c) => {
      const log = world.parameters.get(`${name}.scale`);
      const rows = known(world, c);
      const squares = rows[0].map((_, j) => Math.exp(2 * (log?.get(0, j) ?? 0)));
      const pairs = rows
        .flatMap((a, i) => rows.slice(0, i).map((b) => squareDistance(a, b, squares)))
        .sort((a, b) => a - b);
      // 10,000 draws from so few pairs: the sample's median is an order statistic next to the true one
      const near = (quantile: number) => pairs[Math.round(quantile * (pairs.length - 1))];
      expect(scales[c], name).toBeGreaterThanOrEqual(near(0.4));
      expect(scales[c], name).toBeLessThanOrEqual(near(0.6));
      const mean = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
      const centre = input === "identity" ? mean : Array.from(parameter(world.parameters, `${name}.missing`).read());
      const length = rows.reduce((sum, row) => sum + squareDistance(row, centre, squares), 0) / rows.length;
      expectWithin(name, [lengths[c]], [length], 1e-12 * length);
      expectWithin(name, standIns[c], input === "identity" ? mean : [], 1e-15);
    });
  });
});

test("the same stream gives the same numbers, and a channel does not depend on the others", () => {
  const scope = engine.scope();
  const world = makeWorld(engine, scope);
  const random = new Random(1);
  const all = measureStatistics(engine, world, random, ALL);
  expect(measureStatistics(engine, world, random, ALL)).toEqual(all);
  const channels = world.config.channels.slice(1);
  const inputs = { ...world.inputs, channels: world.inputs.channels.slice(1) };
  const fewer = measureStatistics(engine, { ...world, config: { ...world.config, channels }, inputs }, random, ALL);
  expect(fewer.scales).toEqual(all.scales.slice(1));
  expect(measureStatistics(engine, world, new Random(2), ALL).scales).not.toEqual(all.scales);
});

test("the stand-ins in force do not matter, and neither do items that were not asked for", () => {
  const scope = engine.scope();
  const world = makeWorld(engine, scope);
  const half = ALL.filter((i) => i % 2 === 0);
  const before = measureStatistics(engine, world, new Random(1), half);
  const plot = world.inputs.channels[1];
  if (plot.kind !== "dense") throw new Error("plot is dense");
  for (let i = 1; i < ITEMS; i += 2) for (let j = 0; j < 5; j++) plot.values.set(i, j, 1e3);
  expect(measureStatistics(engine, world, new Random(1), half)).toEqual(before);
});

/** One dense channel of width 1 whose embeddings are those of these values. */
function single(values: readonly number[]) {
  const scope = engine.scope();
  const channels = [{ name: "year", input: "dense", inputWidth: 1, embeddingSize: 2 }] as const;
  const world = makeWorld(engine, scope, { config: { channels } });
  const n = values.length;
  const inputs: ItemInputs = {
    itemCount: n,
    channels: [{ kind: "dense", values: hostMatrix(Float64Array.from(values), n, 1), missing: new Uint8Array(n) }],
  };
  return { ensemble: { ...world, inputs }, items: Int32Array.from(values, (_, i) => i) };
}

test("a median of 0 (most items are alike) falls back to the mean", () => {
  const { ensemble, items } = single([...new Array(19).fill(0), 5]);
  const { scales } = measureStatistics(engine, ensemble, new Random(1), items);
  const [odd, usual] = [
    known({ ...ensemble } as World, 0, Int32Array.of(19))[0],
    known({ ...ensemble } as World, 0, Int32Array.of(0))[0],
  ];
  // a tenth of all pairs are apart
  expect(scales[0] / squareDistance(odd, usual)).toBeGreaterThan(0.1 - 4 * Math.sqrt(0.09 / 10_000));
  expect(scales[0] / squareDistance(odd, usual)).toBeLessThan(0.1 + 4 * Math.sqrt(0.09 / 10_000));
});

test("what cannot be measured is named", () => {
  const alike = single(new Array(20).fill(3));
  expect(errorOf(() => measureStatistics(engine, alike.ensemble, new Random(1), alike.items))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "channel year: all items have the same embedding, so it cannot tell them apart; leave the channel out",
    }
  `);
  const broken = single([1, 2, Number.NaN, 4]);
  expect(errorOf(() => measureStatistics(engine, broken.ensemble, new Random(1), broken.items))).toMatchInlineSnapshot(`
    {
      "code": "NOT_FINITE",
      "message": "channel year: embeddings are not finite; look for NaN in its inputs, or lower the learning rate",
    }
  `);
  const lonely = single([1, 2]);
  expect(
    errorOf(() => measureStatistics(engine, lonely.ensemble, new Random(1), Int32Array.of(1))),
  ).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "channel year: 1 of the items have a value, and a distance takes two; leave the channel out",
    }
  `);
});

test("of a large catalogue 20,000 items are embedded; the same bits for 1 and 2 workers", async () => {
  const n = 21_000;
  const random = new Random(4);
  const values = Float32Array.from({ length: 2 * n }, () => random.normal());
  const inputs: ItemInputs = {
    itemCount: n,
    channels: [{ kind: "dense", values: hostMatrix(values, n, 2), missing: new Uint8Array(n) }],
  };
  const channels = [{ name: "place", input: "dense", inputWidth: 2, embeddingSize: 2 }] as const;
  const items = Int32Array.from({ length: n }, (_, i) => i);
  const measure = async (workers: number) => {
    await using wasm = await createEngine({ engine: "wasm", workers });
    const scope = wasm.scope();
    const world = makeWorld(wasm, scope, { precision: "f32", config: { channels } });
    return measureStatistics(wasm, { ...world, inputs }, new Random(1), items);
  };
  const one = await measure(1);
  expect(await measure(2)).toEqual(one);
  expect(Array.from(items)).toEqual(Array.from({ length: n }, (_, i) => i)); // not shuffled in place
});

test("centreMissing puts the stand-ins amidst the known items: ρ_c is their variance then", () => {
  const world = makeWorld(engine, engine.scope());
  const before = measureStatistics(engine, world, new Random(1), ALL);
  centreMissing(engine, world, new Random(1), ALL);
  const after = measureStatistics(engine, world, new Random(1), ALL);
  expect(after.scales).toEqual(before.scales);
  world.config.channels.forEach(({ name, input }, c) => {
    if (input === "identity") return;
    const rows = known(world, c);
    const mean = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
    expectWithin(name, parameter(world.parameters, `${name}.missing`), mean, 1e-15);
    expect(after.lengths[c]).toBeLessThan(before.lengths[c]);
    // twice the variance is the mean over all pairs: the median is not far from it
    expect(after.lengths[c] / after.scales[c]).toBeGreaterThan(0.2);
    expect(after.lengths[c] / after.scales[c]).toBeLessThan(2);
  });
});
