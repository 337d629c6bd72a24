import { additiveNll, createEngine, type Engine, metricWeights, Random } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import type { TrainConfigInput } from "../config/schema.ts";
import { toySet } from "../testing/toy-set.ts";
import { fitKernel, kernelProblem } from "./kernel-fit.ts";
import { openRun, type Run, scalar } from "./run.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

/** A run whose towers are as they were drawn; every seventh item misses a value. */
function opened(change: TrainConfigInput, look: (run: Run) => void): void {
  const config = resolveTrainConfig({
    model: { hidden: 6, embedding: 4, ...change.model },
    ssl: { batch: 64, inducing: 16, minRatings: 1, ...change.ssl },
  });
  using scope = engine.scope();
  look(
    openRun(engine, scope, { config, set: toySet(engine, config, { items: 200, users: 150 }), random: new Random(4) }),
  );
}

describe("the likelihood of a metric that stays", () => {
  test.each([
    ["linear link", "linear", [0.2, -0.3, -0.5]],
    ["linear link, hardly any noise", "linear", [-1, 0.5, -3]],
    ["saturating link", "saturating", [0, -0.3, -0.5]],
  ] as const)("%s: its gradient by central differences", (_, link, start) => {
    opened({ model: { link }, ssl: { noiseFloor: 1e-3 } }, (run) => {
      using scope = engine.scope();
      const problem = kernelProblem(run, scope);
      const flat = Float64Array.from(start);
      const gradient = new Float64Array(3);
      additiveNll(engine, problem, flat, gradient);
      const largest = Math.max(...gradient.map(Math.abs));
      flat.forEach((value, i) => {
        const h = 1e-5 * Math.max(1, Math.abs(value));
        const at = (x: number) => additiveNll(engine, problem, flat.with(i, x));
        const numeric = (at(value + h) - at(value - h)) / (2 * h);
        expect(Math.abs(numeric - gradient[i])).toBeLessThan(1e-6 * largest);
      });
    });
  });
});

test("fitting ends where the likelihood is best, and changes no parameter of the metric", () => {
  opened({ ssl: { mode: "towers", target: "rating" } }, (run) => {
    const metric = () => [...run.parameters].filter(([name]) => !name.startsWith("log")).map(([, m]) => m.read());
    const before = metric();
    fitKernel(run);
    expect(metric()).toEqual(before);
    const { h } = metricWeights(run.model, run.parameters);
    const start = 1 / h.reduce((sum, weight) => sum + weight, 0);
    const logScale = Math.log(run.progress.kernelScale / start);
    run.progress.kernelScale = start; // inducing items are chosen by it
    using scope = engine.scope();
    const problem = kernelProblem(run, scope);
    const found = Float64Array.of(logScale, scalar(run.parameters, "logVariance"), scalar(run.parameters, "logNoise"));
    const gradient = new Float64Array(3);
    const value = additiveNll(engine, problem, found, gradient);
    for (const g of gradient) expect(Math.abs(g)).toBeLessThan(0.005);
    expect(value).toBeLessThan(additiveNll(engine, problem, Float64Array.of(1, 0, -0.5)) - 0.005);
  });
});

test("where the process is a channel, the kernel is the rating's alone, and one rating's noise is measured", () => {
  opened({ ssl: { mode: "channel", target: "factors" } }, (run) => {
    const { targets } = run.set;
    expect(targets?.count).toBeGreaterThan(1);
    fitKernel(run);
    using scope = engine.scope();
    expect(kernelProblem(run, scope).R.cols).toBe(1);
    const sigma2 = Math.exp(2 * scalar(run.parameters, "logNoise")) + run.config.ssl.noiseFloor;
    expect(run.progress.noisePerRating * sigma2).toBeCloseTo(targets?.ratingVariance ?? 0, 6);
  });
});

test("a variance that is not learned stays 1, and a saturating link has no scale", () => {
  opened({ model: { link: "saturating" }, ssl: { variance: false } }, (run) => {
    fitKernel(run);
    expect(scalar(run.parameters, "logVariance")).toBe(0);
    expect(run.progress.kernelScale).toBe(1);
  });
});
