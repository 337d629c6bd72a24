// Channel weights as column weights and lengths, their gradients, and what stays when scales are measured anew.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { Random } from "../linalg/random.ts";
import { parameter } from "../nn/parameters.ts";
import { errorOf, expectWithin } from "../testing/bounds.ts";
import { expectGradient } from "../testing/differences.ts";
import { embed } from "./embed.ts";
import type { Statistics } from "./ensemble.ts";
import { ITEMS, makeWorld, type World } from "./testing/world.ts";
import { columnWeights, metricWeights, rescaleWeights, rowLengths, weightsBackward } from "./weights.ts";

const engine: Engine = createPlainEngine();
const ALL = Int32Array.from({ length: ITEMS }, (_, i) => i);
const KINDS = [
  ["softplus", "identity"],
  ["softplus", "diagonal"],
  ["signed", "identity"],
  ["signed", "diagonal"],
] as const;

/** t (n, n) of all items, `same` on the diagonal. */
function distances(scope: Scope, world: World, statistics: Statistics): Matrix {
  const embedding = embed(engine, scope, { ...world, statistics }, ALL);
  const weights = scope.matrix(embedding.Z.cols, 1);
  const lengths = scope.matrix(ITEMS, 1);
  columnWeights(weights, world.config, world.parameters, statistics);
  rowLengths(lengths, embedding, world.config, world.parameters, statistics);
  const T = scope.matrix(ITEMS, ITEMS);
  const same = scope.indices(ITEMS).write(ALL);
  engine.distances(T, embedding.Z, embedding.Z, { weights, same, rowLengths: lengths, columnLengths: lengths });
  return T;
}

test("h is softplus(θ), or the parameter itself", () => {
  const scope = engine.scope();
  const soft = makeWorld(engine, scope);
  parameter(soft.parameters, "weights").write([-800, -1, 0, 30]);
  const { h } = metricWeights(soft.config, soft.parameters);
  expectWithin("h", h, [0, Math.log1p(Math.exp(-1)), Math.LN2, 30 + Math.exp(-30)], 1e-15);
  const signed = makeWorld(engine, scope, { config: { weights: "signed" } });
  parameter(signed.parameters, "weights").write([-800, -1, 0, 30]);
  parameter(signed.parameters, "offset").write([-0.25]);
  expect(metricWeights(signed.config, signed.parameters)).toEqual({ h: Float64Array.of(-800, -1, 0, 30), b: -0.25 });
});

test("column weights: h_c λ²/s_c over the channel's columns", () => {
  const scope = engine.scope();
  const { config, parameters, statistics } = makeWorld(engine, scope, {
    config: { weights: "signed", scale: "diagonal" },
  });
  const out = scope.matrix(12, 1);
  columnWeights(out, config, parameters, statistics);
  const h = parameter(parameters, "weights");
  const expected = config.channels.flatMap(({ name, embeddingSize }, c) =>
    Array.from({ length: embeddingSize }, (_, j) => {
      const log = parameters.get(`${name}.scale`)?.get(0, j) ?? 0; // identity has none
      return (h.get(0, c) / statistics.scales[c]) * Math.exp(log) ** 2;
    }),
  );
  expectWithin("w", out, expected, 1e-14);
});

test("lengths: the sum of h_c ρ_c/s_c over a row's stand-ins; 0 without any", () => {
  const scope = engine.scope();
  const world = makeWorld(engine, scope);
  const embedding = embed(engine, scope, world, ALL);
  const out = scope.matrix(ITEMS, 1).fill(Number.NaN);
  rowLengths(out, embedding, world.config, world.parameters, world.statistics);
  const { h } = metricWeights(world.config, world.parameters);
  const { lengths, scales } = world.statistics;
  const expected = Array.from(ALL, (i) =>
    h.reduce((sum, x, c) => sum + (embedding.masked[4 * i + c] ? (x * lengths[c]) / scales[c] : 0), 0),
  );
  expectWithin("lengths", out, expected, 1e-15);
  const full = makeWorld(engine, scope, { missing: 0 });
  rowLengths(out.fill(1), embed(engine, scope, full, ALL), full.config, full.parameters, full.statistics);
  expect(out.read()).toEqual(new Float64Array(ITEMS));
});

describe("gradients by central differences", () => {
  test.each(KINDS)("%s weights, Λ %s", (weights, scale) => {
    // the second world is ill-conditioned: scales over four decades
    for (const scales of [undefined, [0.01, 3, 100, 0.1]]) {
      const scope = engine.scope();
      const world = makeWorld(engine, scope, { config: { weights, scale }, ...(scales && { scales }) });
      const { config, parameters, statistics, gradients } = world;
      const random = new Random(6);
      const numbers = (count: number) => Float64Array.from({ length: count }, () => random.normal());
      const first = embed(engine, scope, world, ALL);
      const second = embed(engine, scope, world, Int32Array.of(3, 3, 9));
      const dW = scope.matrix(12, 1).write(numbers(12));
      const dFirst = scope.matrix(ITEMS, 1).write(numbers(ITEMS));
      const dSecond = scope.matrix(3, 1).write(numbers(3));
      const w = scope.matrix(12, 1);
      const dot = (a: Matrix, b: Matrix) => a.read().reduce((sum, x, i) => sum + x * b.read()[i], 0);
      const loss = () => {
        columnWeights(w, config, parameters, statistics);
        let total = dot(w, dW);
        for (const [embedding, gradient] of [
          [first, dFirst],
          [second, dSecond],
        ] as const) {
          const lengths = scope.matrix(gradient.rows, 1);
          rowLengths(lengths, embedding, config, parameters, statistics);
          total += dot(lengths, gradient);
        }
        return total;
      };
      weightsBackward(
        dW,
        [
          { embedding: first, gradient: dFirst },
          { embedding: second, gradient: dSecond },
        ],
        world,
        gradients,
      );
      for (const { name } of world.layout.tensors) {
        expectGradient(name, parameter(gradients, name), parameter(parameters, name), loss);
      }
    }
  });
});

describe("rescaleWeights", () => {
  test.each(KINDS)("keeps all distances: %s weights, Λ %s", (weights, scale) => {
    const scaleOf = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(scaleOf, { minLength: 4, maxLength: 4 }), fc.nat(1000), (scales, seed) => {
        const scope = engine.scope();
        const world = makeWorld(engine, scope, { seed, config: { weights, scale } });
        const before = world.statistics;
        const after = { ...before, scales: Float64Array.from(scales) };
        const T = distances(scope, world, before).read();
        rescaleWeights(world.config, world.parameters, before, after);
        const now = distances(scope, world, after);
        expectWithin("t", now, T, (i) => 1e-11 * Math.max(Math.abs(T[i]), 1e-3));
        scope.close();
      }),
      { seed: 5, numRuns: 25 },
    );
  });

  test("also where softplus(θ) is nearly 0, or is θ itself", () => {
    const scope = engine.scope();
    const world = makeWorld(engine, scope);
    const theta = [-900, -50, -35, 60];
    parameter(world.parameters, "weights").write(theta);
    const after = { ...world.statistics, scales: world.statistics.scales.map((s) => 4 * s) };
    rescaleWeights(world.config, world.parameters, world.statistics, after);
    const log = Math.log(4);
    expectWithin("θ", parameter(world.parameters, "weights"), [-900 + log, -50 + log, -35 + log, 240], 1e-10);
  });

  test("scales that are not positive are refused", () => {
    const scope = engine.scope();
    const { config, parameters, statistics } = makeWorld(engine, scope);
    const zero = { ...statistics, scales: new Float64Array(4) };
    expect(errorOf(() => rescaleWeights(config, parameters, zero, statistics))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "rescaleWeights: channel genres: scales are not positive",
      }
    `);
  });
});
