// Tower, free vectors, gate, w and b against central differences in f64, at a state where none of them is 0 and with rows that do without
// their free part.
import { createEngine, type Engine, parameterViews, Random } from "@nearkin/core";
import { expectGradient } from "@nearkin/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freeLength, initializeSpe, speItems, speLayout } from "./model.ts";
import { resolveSpeSettings } from "./settings.ts";
import { speLoss } from "./step.ts";
import { speWorld } from "./world.ts";

describe.each(["plain", "wasm"] as const)("on %s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 1 });
  });
  afterAll(() => engine.close());

  test("the gradient of a step", () => {
    using scope = engine.scope();
    const { set } = speWorld();
    const { data } = set;
    const settings = resolveSpeSettings({ hidden: 3, embeddingSize: 4, batch: 9, negativeDraws: 7, freeDropout: 0.3 });
    const model = speItems(set.content, data, set.trainItems);
    const layout = speLayout(model, settings);
    const [flat, gradient] = [scope.zeros(layout.size, 1), scope.zeros(layout.size, 1)];
    const parameters = parameterViews(layout, flat);
    const gradients = parameterViews(layout, gradient);
    const random = new Random(4);
    initializeSpe(engine, parameters, random.split("initial"));
    for (const name of ["free", "gate", "offset"]) {
      const own = random.split(name);
      const values = parameters.get(name);
      values?.write(Array.from({ length: values.rows * values.cols }, () => 0.5 * own.normal()));
    }
    const step = speLoss(engine, { parameters, gradients, model, data }, settings);
    const length = freeLength(parameters, model); // measured, and no function of the parameters in a step
    expect(length).toBeGreaterThan(0.1);
    const loss = () => step(random.split("step"), length);
    loss();
    const analytic = parameterViews(layout, scope.matrix(layout.size, 1).write(gradient.read()));
    for (const [name, x] of parameters) {
      const found = analytic.get(name)?.read() ?? [];
      expect(Math.max(...found.map(Math.abs)), name).toBeGreaterThan(1e-6);
      expectGradient(name, found, x, loss);
    }
  });
});
