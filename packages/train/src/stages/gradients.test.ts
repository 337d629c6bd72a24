// The whole objective of a stage, towers to noise, against central differences in f64: what each part computes is checked in core, here how
// the parts are put together (shares, floors, lengths of stand-ins, the anchor).
import { createEngine, type Engine, Random } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import type { TrainConfigInput } from "../config/schema.ts";
import { openRun } from "../run/run.ts";
import { toySet } from "../testing/toy-set.ts";
import { siameseStage } from "./siamese.ts";
import { sslStage } from "./ssl.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const small: TrainConfigInput = {
  model: { hidden: 4, embedding: 3, identitySize: 2, identity: true, identityDropout: 0.3 },
  siamese: { batch: 6, dropout: 0.2 },
  ssl: { mode: "towers", batch: 14, inducing: 4, minRatings: 1, dropout: 0.2, holdout: 0.1 },
};

const merged = (change: TrainConfigInput): TrainConfigInput => ({
  ...small,
  ...change,
  model: { ...small.model, ...change.model },
  siamese: { ...small.siamese, ...change.siamese },
  ssl: { ...small.ssl, ...change.ssl },
});

const cases: [name: string, stage: "siamese" | "ssl", change: TrainConfigInput][] = [
  ["softmax with log q", "siamese", {}],
  ["softmax one way", "siamese", { siamese: { symmetric: false } }],
  ["softmax without log q, Λ learned", "siamese", { siamese: { logq: false }, model: { scale: "diagonal" } }],
  [
    "contrastive, sigmoid link",
    "siamese",
    { stages: ["siamese"], siamese: { loss: "contrastive" }, model: { link: "sigmoid", weights: "signed" } },
  ],
  ["contrastive, saturating link", "siamese", { siamese: { loss: "contrastive" }, model: { link: "saturating" } }],
  ["cross-entropy", "siamese", { siamese: { loss: "cross-entropy" } }],
  ["vfe with its anchor", "ssl", {}],
  ["vfe, little noise, Λ learned", "ssl", { ssl: { noiseFloor: 0, anchor: 0.5 }, model: { scale: "diagonal" } }],
  ["dtc, rating target, no anchor", "ssl", { ssl: { likelihood: "dtc", target: "rating", anchor: 0 } }],
  ["fitc, saturating link", "ssl", { ssl: { likelihood: "fitc", anchor: 0 }, model: { link: "saturating" } }],
  [
    "dtc, sigmoid link, which needs a shift",
    "ssl",
    { ssl: { likelihood: "dtc", anchor: 0 }, model: { link: "sigmoid", weights: "signed" } },
  ],
  [
    "exact, sigmoid link",
    "ssl",
    { ssl: { likelihood: "exact", anchor: 0 }, model: { link: "sigmoid", weights: "signed" } },
  ],
  ["pitc", "ssl", { ssl: { likelihood: "pitc", anchor: 0 } }],
  ["exact, no noise per rating", "ssl", { ssl: { likelihood: "exact", anchor: 0, noisePerRating: 0 } }],
];

describe("gradients of a stage by central differences", () => {
  test.each(cases)("%s", (_, name, change) => {
    const config = resolveTrainConfig(merged(change));
    using scope = engine.scope();
    const set = toySet(engine, config);
    const run = openRun(engine, scope, { config, set, random: new Random(5), precision: "f64" });
    const stage = name === "siamese" ? siameseStage(run) : sslStage(run);
    const step = 2; // 1 selects inducing items, which is no smooth function of the parameters
    stage.step(1);
    const { flat, gradient, layout } = run;
    const loss = () => {
      gradient.fill(0);
      return stage.step(step).loss;
    };
    loss();
    const analytic = gradient.read();
    const largest = analytic.reduce((most, g) => Math.max(most, Math.abs(g)), 0);
    expect(largest).toBeGreaterThan(1e-4);
    const random = new Random(9);
    for (const { name: tensor, rows, cols, offset } of layout.tensors) {
      for (let draw = 0; draw < Math.min(3, rows * cols); draw++) {
        const at = offset + random.below(rows * cols);
        const value = flat.get(at, 0);
        const h = 1e-5 * Math.max(1, Math.abs(value));
        flat.set(at, 0, value + h);
        const above = loss();
        flat.set(at, 0, value - h);
        const below = loss();
        flat.set(at, 0, value);
        expect((above - below) / (2 * h), `${tensor}[${at - offset}]`).toBeCloseTo(
          analytic[at],
          -Math.log10(2e-6 * largest),
        );
      }
    }
  });
});
