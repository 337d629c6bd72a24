import { createEngine, type Engine, Random } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import { toySet } from "../testing/toy-set.ts";
import { chooseInducing } from "./inducing.ts";
import { holdoutNll, posteriorOf } from "./posterior.ts";
import { openRun, type Run } from "./run.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

function opened(likelihood: "exact" | "dtc" | "vfe" | "fitc" | "pitc", look: (run: Run) => void): void {
  const config = resolveTrainConfig({
    model: { hidden: 6, embedding: 4 },
    ssl: { mode: "towers", likelihood, batch: 64, inducing: 8, minRatings: 1, target: "rating" },
  });
  using scope = engine.scope();
  look(openRun(engine, scope, { config, set: toySet(engine, config, { items: 90 }), random: new Random(4) }));
}

test("with all items inducing, every likelihood has the exact posterior", () => {
  const means: Float64Array[] = [];
  for (const likelihood of ["exact", "dtc", "vfe", "fitc", "pitc"] as const) {
    opened(likelihood, (run) => {
      const all = Int32Array.from(run.set.targets?.items.keys() ?? []);
      const chosen = chooseInducing(run, { among: all, count: all.length, label: "all" });
      const { posterior, inducing } = posteriorOf(run, all, chosen);
      const byRow = new Float64Array(all.length);
      inducing.forEach((row, i) => {
        byRow[row] = posterior.beta[i];
      });
      means.push(byRow);
    });
  }
  const scale = Math.max(...means[0].map(Math.abs));
  for (const mean of means.slice(1)) {
    for (let i = 0; i < mean.length; i++) expect(Math.abs(mean[i] - means[0][i])).toBeLessThan(1e-6 * scale);
  }
});

test.each(["exact", "dtc", "vfe", "fitc", "pitc"] as const)(
  "%s: held-out targets are predicted better than by noise alone",
  (likelihood) => {
    opened(likelihood, (run) => {
      const nll = holdoutNll(run) ?? Number.NaN;
      expect(nll).toBeGreaterThan(0);
      expect(nll).toBeLessThan(1.6);
      expect(holdoutNll(run)).toBe(nll);
    });
  },
);
