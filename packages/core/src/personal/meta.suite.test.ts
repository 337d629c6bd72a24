// Weights learned through adaptation: the gradient of the meta-loss is exact for any number of steps, and learning lowers it.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { expectWithin } from "../testing/bounds.ts";
import { PersonalLikelihood } from "./likelihood.ts";
import { type MetaUser, metaLearn, metaLoss } from "./meta.ts";
import { SoftplusObjective } from "./softplus.ts";
import { personalWorld } from "./testing/world.ts";

let engine: Engine;
let scope: Scope;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  scope = engine.scope();
});
afterAll(async () => {
  scope.close();
  await engine.close();
});

const usersOf = (count: number): MetaUser[] =>
  Array.from({ length: count }, (_, u) => {
    const half = (n: number, seed: number) =>
      new SoftplusObjective(
        new PersonalLikelihood(engine, scope, personalWorld(n, 3, seed), { link: "linear", variance: 1 }),
        3,
      );
    return { support: half(8, 2 * u + 1), query: half(4, 2 * u + 2) };
  });

test.each([1, 2, 5])("∇L by central differences, %i steps of adaptation", (steps) => {
  const users = usersOf(3);
  const adaptation = { steps, rate: 0.3 };
  const w = [0.2, -0.5, 0.8];
  const gradient = new Float64Array(3);
  metaLoss(users, w, adaptation, gradient);
  const step = 1e-5;
  const differences = w.map((_, i) => {
    const at = (by: number) =>
      metaLoss(
        users,
        w.map((value, j) => (i === j ? value + by : value)),
        adaptation,
      );
    return (at(step) - at(-step)) / (2 * step);
  });
  expectWithin("gradient", gradient, differences, 1e-8);
});

test("learning lowers the loss of users after their adaptation", () => {
  const users = usersOf(6);
  const adaptation = { rate: 0.3 };
  const start = new Float64Array([0.2, -0.5, 0.8]);
  const learning = metaLearn(() => ({ users, [Symbol.dispose]: () => {} }), start, {
    adaptation,
    steps: 60,
    learningRate: 0.05,
  });
  let step = learning.next();
  while (!step.done) step = learning.next();
  expect(metaLoss(users, step.value, adaptation)).toBeLessThan(metaLoss(users, start, adaptation) - 0.01);
  expect(start).toEqual(new Float64Array([0.2, -0.5, 0.8]));
});
