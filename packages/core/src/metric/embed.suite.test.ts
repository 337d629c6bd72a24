// Embedding a batch: stand-ins, dropout, and the gradient of every parameter against central differences.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { parameter, parameterViews } from "../nn/parameters.ts";
import { poison } from "../testing/bed.ts";
import { errorOf, expectWithin, largest } from "../testing/bounds.ts";
import { expectGradient } from "../testing/differences.ts";
import { type Embedding, type EmbedOptions, embed, embedBackward } from "./embed.ts";
import { type EnsembleConfig, ensembleLayout, type ItemInputs, initializeEnsemble, isContent } from "./ensemble.ts";
import { ITEMS, makeWorld, type World, type WorldOptions } from "./testing/world.ts";

const ALL = Int32Array.from({ length: ITEMS }, (_, i) => i);
const BATCH = Int32Array.from([3, 0, 7, 3, 12, 13, 1, 8, 9]); // one item twice

/** z of one channel and item, from the definition; undefined where it has a stand-in. */
function byHand({ config, parameters, inputs }: World, c: number, item: number): number[] | undefined {
  const { name, inputWidth } = config.channels[c];
  const input = inputs.channels[c];
  if (input.kind === "identity") {
    const table = parameter(parameters, `${name}.table`);
    return input.cold[item] ? undefined : Array.from({ length: table.cols }, (_, j) => table.get(item, j));
  }
  if (input.missing[item] || input.kind === "factors") return undefined;
  let x = new Array<number>(inputWidth).fill(0);
  if (input.kind === "dense") x = x.map((_, j) => input.values.get(item, j));
  else for (let e = input.starts[item]; e < input.starts[item + 1]; e++) x[input.columns[e]] += input.value;
  const f = [(y: number) => Math.max(y, 0), (y: number) => 1 / (1 + Math.exp(-y)), Math.tanh];
  f.forEach((activation, layer) => {
    const W = parameter(parameters, `${name}.w${layer + 1}`);
    const b = parameter(parameters, `${name}.b${layer + 1}`);
    x = Array.from({ length: W.cols }, (_, q) =>
      activation(x.reduce((sum, v, d) => sum + v * W.get(d, q), b.get(0, q))),
    );
  });
  return x;
}

const columnsOf = (config: EnsembleConfig, c: number) => {
  const from = config.channels.slice(0, c).reduce((sum, { embeddingSize }) => sum + embeddingSize, 0);
  return [from, from + config.channels[c].embeddingSize] as const;
};

describe.each(["plain", "wasm"] as const)("embed on %s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 2 });
  });
  afterAll(() => engine.close());

  /** ℓ = Σ R∘Z: gradients of all parameters, added to what is there. */
  function checkGradients(options: WorldOptions, items: Int32Array, dropout: Omit<EmbedOptions, "random"> = {}): void {
    poison(engine); // what nobody wrote is NaN
    const scope = engine.scope();
    const world = makeWorld(engine, scope, options);
    const e = columnsOf(world.config, world.config.channels.length - 1)[1];
    const random = new Random(11);
    const R = scope
      .matrix(items.length, e)
      .write(Float64Array.from({ length: items.length * e }, () => random.normal()));
    const weights = R.read();
    const forward = () => {
      const inner = engine.scope();
      const { Z } = embed(engine, inner, world, items, { ...dropout, random: new Random(21) });
      const loss = Z.read().reduce((sum, z, i) => sum + z * weights[i], 0);
      inner.close();
      return loss;
    };
    world.gradient.fill(-0.5);
    const inner = engine.scope();
    const embedding = embed(engine, inner, world, items, { ...dropout, random: new Random(21) });
    embedBackward(engine, inner, world, embedding, R, world.gradients);
    inner.close();
    for (const { name } of world.layout.tensors) {
      const gradient = parameter(world.gradients, name)
        .read()
        .map((x) => x + 0.5);
      expectGradient(name, gradient, parameter(world.parameters, name), forward);
    }
    scope.close();
  }

  test("every row of every channel is the tower of its item, or a stand-in", () => {
    const scope = engine.scope();
    const world = makeWorld(engine, scope);
    const { Z, masked, maskedCounts } = embed(engine, scope, world, BATCH);
    const p = world.config.channels.length;
    const counts = new Int32Array(p);
    BATCH.forEach((item, i) => {
      world.config.channels.forEach(({ name }, c) => {
        const expected = byHand(world, c, item);
        const standIn = world.config.channels[c].input === "identity" ? world.statistics.standIns[c] : undefined;
        const [from, to] = columnsOf(world.config, c);
        const own = Array.from({ length: to - from }, (_, j) => Z.get(i, from + j));
        expect(masked[i * p + c]).toBe(expected ? 0 : 1);
        counts[c] += expected ? 0 : 1;
        if (expected) expectWithin(name, own, expected, 1e-14);
        else expect(own).toEqual(Array.from(standIn ?? parameter(world.parameters, `${name}.missing`).read()));
      });
    });
    expect(maskedCounts).toEqual(counts);
    expect(counts.every((count) => count > 0 && count < BATCH.length)).toBe(true); // or this test would show little
    scope.close();
  });

  test("an identity channel whose table has training items only", () => {
    const scope = engine.scope();
    const rows = new Int32Array(ITEMS);
    const cold = new Uint8Array(ITEMS).fill(1);
    [11, 2, 5].forEach((item, row) => {
      cold[item] = 0;
      rows[item] = row;
    });
    const channels = [{ name: "self", input: "identity", inputWidth: 3, embeddingSize: 3 }] as const;
    const world = makeWorld(engine, scope, { config: { channels } });
    const inputs: ItemInputs = { itemCount: ITEMS, channels: [{ kind: "identity", cold, rows }] };
    const embedding = embed(engine, scope, { ...world, inputs }, Int32Array.of(5, 0, 11));
    const table = parameter(world.parameters, "self.table").read();
    expect(Array.from(embedding.Z.read())).toEqual([
      ...table.slice(6, 9),
      ...world.statistics.standIns[0],
      ...table.slice(0, 3),
    ]);
    const dZ = scope.matrix(3, 3).write([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    embedBackward(engine, scope, { ...world, inputs }, embedding, dZ, world.gradients);
    expect(Array.from(parameter(world.gradients, "self.table").read())).toEqual([7, 8, 9, 0, 0, 0, 1, 2, 3]);
    scope.close();
  });

  describe("gradients by central differences", () => {
    test("missing values, cold items, an item twice", () => checkGradients({}, BATCH));
    test("no missing values", () => checkGradients({ missing: 0 }, BATCH));
    test("nothing but stand-ins", () => checkGradients({ missing: 1.1 }, BATCH));
    test("a single row", () => {
      for (const item of ALL) checkGradients({}, Int32Array.of(item));
    });
    test("dropout of inputs and of identity", () => checkGradients({}, BATCH, { dropout: 0.4, identityDropout: 0.5 }));
    test("ill-conditioned: saturated units", () => checkGradients({ spread: 30, seed: 3 }, ALL));
    test("ill-conditioned: the same items over and over", () =>
      checkGradients({}, Int32Array.from([4, 4, 4, 4, 6, 6, 6, 6])));
  });

  test("gradients of stand-ins go to `.missing` or nowhere, never to towers and tables", () => {
    const scope = engine.scope();
    const world = makeWorld(engine, scope);
    const { config, gradients, inputs } = world;
    const embedding = embed(engine, scope, world, ALL);
    const p = config.channels.length;
    const dZ = scope.zeros(ITEMS, embedding.Z.cols);
    config.channels.forEach((_, c) => {
      const [from, to] = columnsOf(config, c);
      for (let i = 0; i < ITEMS; i++) for (let j = from; j < to; j++) dZ.set(i, j, embedding.masked[i * p + c] ? 1 : 0);
    });
    embedBackward(engine, scope, world, embedding, dZ, gradients);
    for (const [name, gradient] of gradients) {
      const channel = config.channels.findIndex((own) => name === `${own.name}.missing`);
      const input = inputs.channels[channel];
      const expected = input && "missing" in input ? input.missing.reduce((sum, x) => sum + x, 0) : 0;
      expect(new Set(gradient.read()), name).toEqual(new Set([expected]));
    }
    scope.close();
  });

  test("dropout: repeatable, not without effect, the mean stays; identity rows fall as often as asked", () => {
    const scope = engine.scope();
    const world = makeWorld(engine, scope, { missing: 0 });
    const often = Int32Array.from({ length: 4000 }, () => 5);
    const run = (options: EmbedOptions) => embed(engine, scope, world, often, options);
    const once = run({ dropout: 0.25, identityDropout: 0.3, random: new Random(1) });
    expect(run({ dropout: 0.25, identityDropout: 0.3, random: new Random(1) }).Z.read()).toEqual(once.Z.read());
    expect(Math.abs(once.maskedCounts[2] / 4000 - 0.3)).toBeLessThan(4 * Math.sqrt((0.3 * 0.7) / 4000));
    expect(once.maskedCounts.filter((count) => count > 0).length).toBe(1);
    world.inputs.channels.forEach((input, c) => {
      const pass = once.passes[c];
      if (!isContent(input) || pass.kind !== "tower") return;
      const values = "starts" in pass.X ? (pass.X.values as Matrix) : pass.X.view(0, 4000, 1, 2);
      const value = input.kind === "dense" ? input.values.get(5, 1) : input.value;
      const kept = values.read().filter((x) => x !== 0);
      expectWithin("kept", kept, new Float64Array(kept.length).fill(value / 0.75), 1e-15 * Math.abs(value));
      const n = values.rows * values.cols;
      expect(Math.abs(kept.length / n - 0.75)).toBeLessThan(4 * Math.sqrt((0.25 * 0.75) / n));
    });
    scope.close();
  });

  test("float32 parameters: the float64 embedding and gradients, rounded", () => {
    const scope = engine.scope();
    const [double, single] = (["f64", "f32"] as const).map((precision) => {
      const world = makeWorld(engine, scope, { precision });
      const embedding = embed(engine, scope, world, BATCH);
      const dZ = scope.matrix(BATCH.length, embedding.Z.cols, precision).fill(1);
      embedBackward(engine, scope, world, embedding, dZ, world.gradients);
      return { world, embedding };
    });
    expect(single.embedding.Z.precision).toBe("f32");
    // parameters are drawn anew at each precision, so compare with the same numbers
    double.world.flat.write(single.world.flat.read());
    const exact = embed(engine, scope, double.world, BATCH);
    expectWithin("Z", single.embedding.Z, exact.Z, 20 * 2 ** -24);
    double.world.gradient.fill(0);
    embedBackward(
      engine,
      scope,
      double.world,
      exact,
      scope.matrix(BATCH.length, exact.Z.cols).fill(1),
      double.world.gradients,
    );
    const bound = 100 * 2 ** -24 * largest(double.world.gradient);
    expectWithin("gradient", single.world.gradient, double.world.gradient, bound);
    scope.close();
  });

  test("mistakes are named", () => {
    const scope = engine.scope();
    const world = makeWorld(engine, scope);
    const [genres, plot, self, year] = world.inputs.channels;
    const other = (channels: ItemInputs["channels"]) => ({ ...world, inputs: { itemCount: ITEMS, channels } });
    expect(errorOf(() => embed(engine, scope, world, Int32Array.of(2, 14)))).toMatchInlineSnapshot(`
      {
        "code": "INDEX_OUT_OF_RANGE",
        "message": "embed: items: position 1 holds 14; valid are 0 to 13",
      }
    `);
    expect(errorOf(() => embed(engine, scope, world, Int32Array.of(-1)))).toMatchInlineSnapshot(`
      {
        "code": "INDEX_OUT_OF_RANGE",
        "message": "embed: items: position 0 holds -1; valid are 0 to 13",
      }
    `);
    expect(errorOf(() => embed(engine, scope, world, Int32Array.of()))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "embed: needs at least one item",
      }
    `);
    expect(errorOf(() => embed(engine, scope, world, BATCH, { dropout: 0.2 }))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "embed: dropout needs a stream of random numbers",
      }
    `);
    expect(errorOf(() => embed(engine, scope, world, BATCH, { dropout: 1 }))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "embed: dropout must lie in [0, 1), got 1",
      }
    `);
    expect(errorOf(() => embed(engine, scope, other([genres, plot, self]), BATCH))).toMatchInlineSnapshot(`
      {
        "code": "SHAPE_MISMATCH",
        "message": "embed: inputs of 3 channels, expected 4",
      }
    `);
    expect(errorOf(() => embed(engine, scope, other([genres, year, self, plot]), BATCH))).toMatchInlineSnapshot(`
      {
        "code": "SHAPE_MISMATCH",
        "message": "embed: channel plot: expected dense inputs of width 5, got dense of 3",
      }
    `);
    const statistics = { ...world.statistics, standIns: world.statistics.standIns.map(() => new Float64Array(0)) };
    expect(errorOf(() => embed(engine, scope, { ...world, statistics }, ALL))).toMatchInlineSnapshot(`
      {
        "code": "SHAPE_MISMATCH",
        "message": "identity: a stand-in of 0 numbers for vectors of 3; measure the statistics first",
      }
    `);
    const embedding = embed(engine, scope, world, BATCH);
    const wrong = scope.matrix(BATCH.length, 3);
    expect(
      errorOf(() => embedBackward(engine, scope, world, embedding, wrong, world.gradients)),
    ).toMatchInlineSnapshot(`
      {
        "code": "SHAPE_MISMATCH",
        "message": "embedBackward: dZ: expected (9, 12), got (9, 3)",
      }
    `);
    scope.close();
  });
});

describe("bits", () => {
  // Widths as in use, so that products go through all paths of the engine.
  const config: EnsembleConfig = {
    channels: [
      { name: "genres", input: "sparse", inputWidth: 300, embeddingSize: 50 },
      { name: "plot", input: "dense", inputWidth: 384, embeddingSize: 50 },
      { name: "self", input: "identity", inputWidth: 200, embeddingSize: 30 },
    ],
    hidden: 50,
    link: "linear",
    weights: "softplus",
    scale: "identity",
  };
  const random = new Random(7);
  const n = 200;
  const flags = () => Uint8Array.from({ length: n }, () => (random.uniform() < 0.1 ? 1 : 0));
  const starts = Int32Array.from({ length: n + 1 }, (_, i) => 20 * i);
  const inputs: ItemInputs = {
    itemCount: n,
    channels: [
      {
        kind: "sparse",
        width: 300,
        starts,
        columns: Int32Array.from({ length: 20 * n }, () => random.below(300)),
        value: 0.2,
        missing: flags(),
      },
      {
        kind: "dense",
        values: hostMatrix(
          Float32Array.from({ length: n * 384 }, () => random.normal() / 20),
          n,
          384,
        ),
        missing: flags(),
      },
      { kind: "identity", cold: flags() },
    ],
  };
  const statistics = {
    scales: new Float64Array(3),
    lengths: new Float64Array(3),
    standIns: [[], [], new Array(30).fill(0.1)].map((x) => Float64Array.from(x)),
  };
  const items = Int32Array.from({ length: 150 }, () => random.below(n));

  /** Z and the gradients of all parameters, batches of these sizes one after the other. */
  async function bits(workers: number, sizes: readonly number[]) {
    const engine = await createEngine({ engine: "wasm", workers });
    const scope = engine.scope();
    const layout = ensembleLayout(config);
    const flat = scope.matrix(layout.size, 1, "f32");
    initializeEnsemble(engine, config, flat, new Random(1));
    const gradient = scope.zeros(layout.size, 1, "f32");
    const ensemble = { config, parameters: parameterViews(layout, flat), inputs, statistics };
    const Z: number[] = [];
    let from = 0;
    for (const size of sizes) {
      const embedding: Embedding = embed(engine, scope, ensemble, items.subarray(from, from + size));
      Z.push(...embedding.Z.read());
      embedBackward(engine, scope, ensemble, embedding, embedding.Z, parameterViews(layout, gradient));
      from += size;
    }
    const result = { Z, gradient: gradient.read() };
    await engine.close();
    return result;
  }

  test("the same for 1 and 2 workers, forward and back", async () => {
    expect(await bits(2, [150])).toEqual(await bits(1, [150]));
  });

  test("an item's embedding is the same alone and in any batch", async () => {
    const { Z } = await bits(1, [150]);
    expect((await bits(2, [1, 2, 3, 4, 5, 7, 64, 1, 63])).Z).toEqual(Z);
    expect((await bits(1, new Array(150).fill(1))).Z).toEqual(Z);
  });
});
