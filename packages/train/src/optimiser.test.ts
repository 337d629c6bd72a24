import { createEngine, type Engine, layoutParameters } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { average, optimise, scaleVector, scheduledRate } from "./optimiser.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const layout = layoutParameters([
  { name: "w", rows: 100, cols: 50, decay: true },
  { name: "b", rows: 1, cols: 3, decay: false },
]);

describe("optimise", () => {
  test("follows AdamW's first step: the sign of the gradient, and decay of what decays", () => {
    using scope = engine.scope();
    const flat = scope.matrix(layout.size, 1).fill(2);
    const gradient = scope.matrix(layout.size, 1).fill(-0.5);
    const state = { mean: scope.zeros(layout.size, 1), square: scope.zeros(layout.size, 1) };
    const norm = optimise(engine, { flat, gradient, layout, state }, { learningRate: 0.1, weightDecay: 0.01, step: 1 });
    expect(norm).toBeCloseTo(0.5 * Math.sqrt(layout.size), 10);
    expect(flat.get(0, 0)).toBeCloseTo(2 * (1 - 0.001) + 0.1, 7);
    expect(flat.get(layout.size - 1, 0)).toBeCloseTo(2.1, 7);
  });

  test("shortens a gradient to the norm allowed, and says what it was", () => {
    using scope = engine.scope();
    const gradient = scope.matrix(layout.size, 1).fill(3);
    const zeros = () => scope.zeros(layout.size, 1);
    const state = { mean: zeros(), square: zeros() };
    const norm = optimise(
      engine,
      { flat: zeros(), gradient, layout, state },
      { learningRate: 0.1, weightDecay: 0, step: 1, clip: 1 },
    );
    expect(norm).toBeCloseTo(3 * Math.sqrt(layout.size), 8);
    expect(gradient.get(7, 0)).toBeCloseTo(1 / Math.sqrt(layout.size), 12);
  });

  test("scaleVector", () => {
    using scope = engine.scope();
    expect(Array.from(scaleVectorOf(scope.matrix(3, 1).write([1, -2, 4])))).toEqual([0.5, -1, 2]);
  });
});

function scaleVectorOf(vector: Parameters<typeof scaleVector>[1]): Float64Array {
  scaleVector(engine, vector, 0.5);
  return vector.read();
}

test("channel weights have a rate of their own", () => {
  using scope = engine.scope();
  const own = layoutParameters([
    { name: "w", rows: 1, cols: 2, decay: true },
    { name: "b", rows: 1, cols: 1, decay: false },
    { name: "weights", rows: 1, cols: 2, decay: false },
    { name: "logNoise", rows: 1, cols: 1, decay: false },
  ]);
  const zeros = () => scope.zeros(own.size, 1);
  const flat = zeros();
  const state = { mean: zeros(), square: zeros() };
  const gradient = scope.matrix(own.size, 1).fill(-1);
  optimise(
    engine,
    { flat, gradient, layout: own, state },
    { learningRate: 0.1, weightDecay: 0, step: 1, weightRate: 20 },
  );
  flat.read().forEach((x, i) => {
    expect(x).toBeCloseTo(i === 3 || i === 4 ? 2 : 0.1, 6);
  });
});

test("average: of all steps at first, then of the last ones", () => {
  using scope = engine.scope();
  const E = scope.matrix(1, 1).fill(1);
  const flat = scope.matrix(1, 1).fill(0);
  average(E, flat, { averaging: 0.995, step: 1 });
  expect(E.get(0, 0)).toBeCloseTo(2 / 11, 12);
  average(E.fill(1), flat, { averaging: 0.995, step: 100_000 });
  expect(E.get(0, 0)).toBeCloseTo(0.995, 12);
});

describe("scheduledRate", () => {
  const cosine = { learningRate: 1, warmup: 10, schedule: "cosine", steps: 110 } as const;
  test("rises over the warm-up, then stays, or falls to a tenth", () => {
    expect(scheduledRate(cosine, 5)).toBe(0.5);
    expect(scheduledRate(cosine, 10)).toBe(1);
    expect(scheduledRate(cosine, 60)).toBeCloseTo(0.55, 12);
    expect(scheduledRate(cosine, 110)).toBeCloseTo(0.1, 12);
    expect(scheduledRate({ ...cosine, schedule: "constant" }, 110)).toBe(1);
    expect(scheduledRate({ ...cosine, warmup: 0 }, 1)).toBeCloseTo(1, 3);
  });
});

test("any tensor may have a rate of its own", () => {
  using scope = engine.scope();
  const own = layoutParameters([
    { name: "old.w", rows: 2, cols: 2, decay: true },
    { name: "new.w", rows: 2, cols: 1, decay: true },
    { name: "old.b", rows: 1, cols: 2, decay: false },
    { name: "new.b", rows: 1, cols: 2, decay: false },
    { name: "weights", rows: 1, cols: 2, decay: false },
    { name: "logNoise", rows: 1, cols: 1, decay: false },
  ]);
  const zeros = () => scope.zeros(own.size, 1);
  const flat = zeros();
  const problem = { flat, gradient: zeros().fill(-1), layout: own, state: { mean: zeros(), square: zeros() } };
  const rateOf = (tensor: string) => (tensor.startsWith("old.") ? 0.3 : 1);
  optimise(engine, problem, { learningRate: 0.1, weightDecay: 0, step: 1, weightRate: 20, rateOf });
  const moved = Array.from(flat.read(), (x) => Number(x.toFixed(6)));
  expect(moved).toEqual([0.03, 0.03, 0.03, 0.03, 0.1, 0.1, 0.03, 0.03, 0.1, 0.1, 2, 2, 0.1]);
});
